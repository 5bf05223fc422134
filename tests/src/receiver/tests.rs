use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::{BadTls, Behaviour, Receiver, TestCa};
use crate::client::http_builder;

const DEADLINE: Duration = Duration::from_secs(10);

fn client(ca: &TestCa) -> reqwest::Client {
    let root = reqwest::Certificate::from_pem(ca.pem().as_bytes()).unwrap();
    http_builder().tls_certs_only([root]).redirect(reqwest::redirect::Policy::none()).build().unwrap()
}

async fn post(ca: &TestCa, url: &str) -> reqwest::Result<reqwest::Response> {
    client(ca).post(url).header("x-lovely-event", "run.finished").body("{\"a\":1}").send().await
}

#[tokio::test]
async fn post_is_recorded_raw_with_its_headers() {
    let ca = TestCa::new();
    let receiver = Receiver::start(&ca, Behaviour::Ok200).await;
    for url in [receiver.url(), receiver.url_by_name()] {
        assert_eq!(post(&ca, &url).await.unwrap().status(), 200);
    }
    let posts = receiver.wait_for_posts(2, DEADLINE).await.unwrap();
    assert_eq!(posts[0].body.as_ref(), b"{\"a\":1}");
    assert_eq!(posts[0].json().unwrap()["a"], 1);
    assert_eq!((posts[0].header("x-lovely-event"), posts[0].path.as_str()), (Some("run.finished"), "/hook"));
    assert_eq!((receiver.connections(), receiver.requests()), (2, 2));
}

#[tokio::test]
async fn awaiting_more_posts_than_came_ends_at_the_deadline() {
    let ca = TestCa::new();
    let receiver = Receiver::start(&ca, Behaviour::Ok200).await;
    post(&ca, &receiver.url()).await.unwrap();
    let missing = receiver.wait_for_posts(2, Duration::from_millis(50)).await.unwrap_err();
    assert_eq!((missing.wanted, missing.seen), (2, 1));
}

#[tokio::test]
async fn statuses_and_redirects_are_answered_as_asked() {
    let ca = TestCa::new();
    let failing = Receiver::start(&ca, Behaviour::Status(500)).await;
    assert_eq!(post(&ca, &failing.url()).await.unwrap().status(), 500);
    let redirecting = Receiver::start(&ca, Behaviour::RedirectTo(failing.url())).await;
    let answer = post(&ca, &redirecting.url()).await.unwrap();
    assert_eq!(
        (answer.status().as_u16(), answer.headers()["location"].to_str().unwrap()),
        (302, failing.url().as_str())
    );
}

#[tokio::test]
async fn resetting_receiver_records_the_post_and_resets() {
    let ca = TestCa::new();
    let receiver = Receiver::start(&ca, Behaviour::Reset).await;
    let failure = post(&ca, &receiver.url()).await.unwrap_err();
    let causes = format!("{failure:?}");
    assert!(causes.contains("ConnectionReset"), "{causes}");
    assert_eq!(receiver.posts().len(), 1);
}

#[tokio::test]
async fn bad_tls_gets_a_connection_but_never_a_request() {
    let ca = TestCa::new();
    for fault in [BadTls::Garbage, BadTls::UntrustedCertificate, BadTls::WrongName] {
        let receiver = Receiver::start(&ca, Behaviour::BadTls(fault)).await;
        assert!(post(&ca, &receiver.url()).await.unwrap_err().is_connect(), "{fault:?}");
        assert_eq!((receiver.connections(), receiver.requests(), receiver.posts().len()), (1, 0, 0), "{fault:?}");
    }
}

#[tokio::test]
async fn hanging_receiver_records_first_and_answers_late() {
    let ca = TestCa::new();
    let hang = Duration::from_millis(200);
    let receiver = Receiver::start(&ca, Behaviour::Hang(hang)).await;
    let before = Instant::now();
    assert_eq!(post(&ca, &receiver.url()).await.unwrap().status(), 200);
    assert!(before.elapsed() >= hang);
    assert!(receiver.posts()[0].at < before + hang);
}

#[tokio::test]
async fn slow_body_sends_its_head_at_once() {
    let ca = TestCa::new();
    let receiver = Receiver::start(&ca, Behaviour::SlowBody).await;
    let answer = tokio::time::timeout(Duration::from_secs(5), post(&ca, &receiver.url())).await.unwrap().unwrap();
    assert_eq!(answer.status(), 200);
    let body = tokio::time::timeout(Duration::from_millis(600), answer.bytes()).await;
    assert!(body.is_err(), "the body was complete at once");
}

#[tokio::test]
async fn hook_runs_before_the_answer() {
    let ca = TestCa::new();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&seen);
    let hook: super::Hook = Arc::new(move |post| {
        let log = Arc::clone(&log);
        Box::pin(async move { log.lock().unwrap().push(post.body.len()) })
    });
    let receiver = Receiver::start_with_hook(&ca, Behaviour::Ok200, hook).await;
    post(&ca, &receiver.url()).await.unwrap();
    assert_eq!(*seen.lock().unwrap(), [7]);
}
