use errand_domain::delivery::DeliveryOutcome;
use errand_egress::AddressPolicy;
use errand_notifier::NotifierConfig;
use errand_tests::receiver::{BadTls, Behaviour, Receiver};
use errand_tests::verify::{verify, verify_standard};
use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;

use super::faulty_log::{At, Fault, FaultyLog};
use super::world::{DEADLINE, World};

async fn only_outcome(world: &World, webhook: &str) -> DeliveryOutcome {
    only_outcome_with(world, webhook, world.config()).await
}

async fn only_outcome_with(world: &World, webhook: &str, config: NotifierConfig) -> DeliveryOutcome {
    let notifier = world.start_with(config, world.stores.clone());
    let run_id = world.create_finished(webhook).await;
    let mut outcomes = world.outcomes(&run_id, 1).await;
    notifier.stop().await;
    assert_eq!(outcomes.len(), 1);
    outcomes.remove(0)
}

fn not_sent(reason: &str) -> DeliveryOutcome {
    DeliveryOutcome::NotSent { reason: reason.to_owned() }
}

fn no_response(reason: &str) -> DeliveryOutcome {
    DeliveryOutcome::NoResponse { reason: reason.to_owned() }
}

#[tokio::test]
async fn a_signed_post_is_delivered() {
    let world = World::new();
    let receiver = Receiver::start(&world.ca, Behaviour::Ok200).await;
    let _notifier = world.start();
    let run_id = world.create_finished(&receiver.url_by_name()).await;
    assert_eq!(world.outcomes(&run_id, 1).await, [DeliveryOutcome::Delivered { status: 200 }]);

    let posts = receiver.posts();
    assert_eq!((posts.len(), receiver.connections()), (1, 1));
    let post = &posts[0];
    verify(&world.secret(&run_id), post).unwrap();
    verify_standard(&world.secret(&run_id), post).unwrap();
    let host = format!("localhost:{}", receiver.address().port());
    let id = format!("{run_id}-2");
    for (name, value) in [
        ("content-type", "application/json"),
        ("x-lovely-event", "run.finished"),
        ("webhook-id", id.as_str()),
        ("host", host.as_str()),
        ("connection", "close"),
        ("user-agent", concat!("errand/", env!("CARGO_PKG_VERSION"))),
    ] {
        assert_eq!(post.header(name), Some(value), "{name}");
    }
    assert_eq!(post.path, "/hook");
}

#[tokio::test]
async fn credentials_of_the_url_become_basic_authentication() {
    let world = World::new();
    let receiver = Receiver::start(&world.ca, Behaviour::Ok200).await;
    let url = format!("https://user:pass@{}/hook?a=1", receiver.address());
    assert_eq!(only_outcome(&world, &url).await, DeliveryOutcome::Delivered { status: 200 });
    assert_eq!(receiver.posts()[0].header("authorization"), Some("Basic dXNlcjpwYXNz"));
}

#[tokio::test]
async fn any_other_status_is_rejected_and_not_tried_again() {
    let world = World::new();
    let receiver = Receiver::start(&world.ca, Behaviour::Status(503)).await;
    assert_eq!(only_outcome(&world, &receiver.url()).await, DeliveryOutcome::Rejected { status: 503 });
    assert_eq!((receiver.requests(), receiver.connections()), (1, 1));
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let world = World::new();
    let elsewhere = Receiver::start(&world.ca, Behaviour::Ok200).await;
    let receiver = Receiver::start(&world.ca, Behaviour::RedirectTo(elsewhere.url())).await;
    assert_eq!(only_outcome(&world, &receiver.url()).await, DeliveryOutcome::Rejected { status: 302 });
    assert_eq!((receiver.requests(), elsewhere.connections()), (1, 0));
}

#[tokio::test]
async fn a_receiver_that_hangs_gets_five_seconds() {
    let world = World::new();
    let receiver = Receiver::start(&world.ca, Behaviour::Hang(Duration::from_secs(60))).await;
    let _notifier = world.start();
    let run_id = world.create_finished(&receiver.url()).await;
    assert_eq!(world.outcomes(&run_id, 1).await, [no_response("no whole answer came in time")]);
    let duration_ms = world.deliveries(&run_id).await.unwrap().all[0].duration_ms;
    assert!((4_900..7_000).contains(&duration_ms), "{duration_ms}");
    assert_eq!(receiver.requests(), 1);
}

#[tokio::test]
async fn an_answer_whose_body_does_not_end_is_no_answer() {
    let world = World::new();
    let receiver = Receiver::start(&world.ca, Behaviour::SlowBody).await;
    assert_eq!(only_outcome(&world, &receiver.url()).await, no_response("no whole answer came in time"));
}

#[tokio::test]
async fn a_large_answer_is_not_read_to_its_end() {
    let world = World::new();
    let receiver = Receiver::start(&world.ca, Behaviour::LargeBody).await;
    assert_eq!(only_outcome(&world, &receiver.url()).await, DeliveryOutcome::Delivered { status: 200 });
}

#[tokio::test]
async fn a_reset_after_the_request_is_no_response_and_not_tried_again() {
    let world = World::new();
    let receiver = Receiver::start(&world.ca, Behaviour::Reset).await;
    let outcome = only_outcome(&world, &receiver.url()).await;
    assert!(matches!(outcome, DeliveryOutcome::NoResponse { .. }), "{outcome:?}");
    assert_eq!((receiver.requests(), receiver.connections()), (1, 1));
}

#[tokio::test]
async fn bad_tls_is_not_sent() {
    let world = World::new();
    for fault in [BadTls::Garbage, BadTls::UntrustedCertificate, BadTls::WrongName] {
        let receiver = Receiver::start(&world.ca, Behaviour::BadTls(fault)).await;
        let outcome = only_outcome(&world, &receiver.url()).await;
        assert_eq!(outcome, not_sent("the TLS handshake with the receiver failed"), "{fault:?}");
        assert_eq!((receiver.connections(), receiver.requests()), (1, 0), "{fault:?}");
    }
}

#[tokio::test]
async fn a_blocked_address_is_not_connected_to() {
    let world = World::new();
    let sentinel = Receiver::start(&world.ca, Behaviour::Ok200).await;
    let dialer = world.dialer(AddressPolicy::public_only());
    let rebinding = BTreeMap::from([("hook.example".to_owned(), vec![IpAddr::V4(Ipv4Addr::LOCALHOST)])]);
    let dialer = dialer.with_fixed_names(rebinding);
    let port = sentinel.address().port();
    for url in [sentinel.url(), format!("https://hook.example:{port}/"), format!("https://[::ffff:127.0.0.1]:{port}/")]
    {
        let config = NotifierConfig { transport: Arc::new(dialer.clone()), ..world.config() };
        let outcome = only_outcome_with(&world, &url, config).await;
        assert_eq!(outcome, not_sent("the receiver's address may not be reached"), "{url}");
    }
    assert_eq!(sentinel.connections(), 0);
}

#[tokio::test]
async fn a_closed_port_and_an_unknown_name_are_not_sent() {
    let world = World::new();
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let closed = listener.local_addr().unwrap();
    drop(listener);
    let outcome = only_outcome(&world, &format!("https://{closed}/")).await;
    assert_eq!(outcome, not_sent("the receiver refused the connection"));

    let nowhere = BTreeMap::from([("hook.example".to_owned(), Vec::new())]);
    let dialer = world.dialer(AddressPolicy::public_only()).with_fixed_names(nowhere);
    let config = NotifierConfig { transport: Arc::new(dialer), ..world.config() };
    let outcome = only_outcome_with(&world, "https://hook.example/", config).await;
    assert_eq!(outcome, not_sent("the receiver's host name could not be resolved"));
}

#[tokio::test]
async fn a_connection_that_closes_before_the_request_is_not_sent() {
    let world = World::new();
    let receiver = Receiver::start(&world.ca, Behaviour::Ok200).await;
    let (stores, log) = FaultyLog::over(&world.stores, At::Claim, Fault::HeldBefore);
    let _notifier = world.start_with(world.config(), stores);
    let run_id = world.create_finished(&receiver.url()).await;
    log.struck().await;
    assert_eq!(receiver.connections(), 1);
    receiver.stop().await;
    log.go_on();
    let outcomes = world.outcomes(&run_id, 1).await;
    assert_eq!(outcomes, [not_sent("the connection closed before the request was written")]);
}

#[tokio::test]
async fn a_run_of_another_master_key_is_not_signed_with_ours() {
    let world = World::new();
    let receiver = Receiver::start(&world.ca, Behaviour::Ok200).await;
    let _notifier = world.start();
    let run_id = world.create_under(&receiver.url(), "00000000").await;
    world.stop(&run_id).await;
    let expected = not_sent("the run's master key 00000000 is not configured");
    assert_eq!(world.outcomes(&run_id, 1).await, [expected]);
    assert_eq!(receiver.connections(), 0);
}

#[tokio::test]
async fn a_receiver_that_is_slow_within_five_seconds_is_delivered_to() {
    let world = World::new();
    let receiver = Receiver::start(&world.ca, Behaviour::Hang(Duration::from_millis(1_500))).await;
    let config = NotifierConfig { exchanges_max: 1, ..world.config() };
    let outcome = only_outcome_with(&world, &receiver.url(), config).await;
    assert_eq!(outcome, DeliveryOutcome::Delivered { status: 200 });
    receiver.wait_for_posts(1, DEADLINE).await.unwrap();
}
