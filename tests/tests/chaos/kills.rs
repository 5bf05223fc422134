//! Twenty runs, ten kills.

use errand_tests::process::{browsers_under, wait_for_no_browsers};
use errand_tests::receiver::{Behaviour, Receiver, RecordedPost, TestCa};
use errand_tests::server::{ErrandServer, ServerOptions};
use errand_tests::site::FixtureSite;
use errand_tests::verify::verify;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::{Instant, sleep};

use crate::person::{Errand, look_after};

const RUNS: usize = 20;
const KILLS: usize = 10;
/// Between two kills: long enough that some steps are taken, short enough that most kills meet one.
const KILL_AFTER_MS: std::ops::Range<u64> = 1_500..6_000;
/// After the last kill, on a busy machine.
const END_DEADLINE: Duration = Duration::from_secs(300);
/// Of ten orders; a kill in the middle of a commit leaves one in doubt, and then the person says no.
const ORDERS_MIN: usize = 5;
const LOOK_EVERY: Duration = Duration::from_millis(300);
const CUSTOMERS: [&str; 10] = [
    "Ada Lovelace",
    "Grace Hopper",
    "Alan Turing",
    "Emmy Noether",
    "Edsger Dijkstra",
    "Barbara Liskov",
    "Donald Knuth",
    "Radia Perlman",
    "Tony Hoare",
    "Frances Allen",
];

fn seed() -> u64 {
    std::env::var("CHAOS_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(7)
}

fn body(site: &FixtureSite, receiver: &Receiver, customer: Option<&str>) -> Value {
    match customer {
        Some(name) => json!({
            "goal": format!("Order one Blue Mug (size large) for {name}, 12 Main St, Springfield, IL 62701, and tell me \
                             the order number and total."),
            "start_url": site.url("/shop"),
            "output_schema": {"order_number": "string", "total": "number"},
            "webhook": receiver.url(),
        }),
        None => json!({
            "goal": "Get the top 3 stories on the front page.",
            "start_url": site.url("/news"),
            "output_schema": {"stories": [{"title": "string", "url": "string", "points": "integer"}]},
            "webhook": receiver.url(),
        }),
    }
}

async fn post_all(server: &ErrandServer, site: &FixtureSite, receiver: &Receiver) -> anyhow::Result<Vec<Errand>> {
    let mut errands = Vec::new();
    for number in 0..RUNS {
        let customer = (number % 2 == 0).then(|| CUSTOMERS[number / 2].to_owned());
        let (status, created) = server.api.post_run(&body(site, receiver, customer.as_deref())).await?;
        anyhow::ensure!(status == 201, "{created}");
        let text = |name: &str| created[name].as_str().unwrap_or_default().to_owned();
        errands.push(Errand { id: text("id"), secret: text("webhook_secret"), customer });
    }
    Ok(errands)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn twenty_runs_survive_ten_kills_and_nothing_happens_twice() -> anyhow::Result<()> {
    let mut random = StdRng::seed_from_u64(seed());
    let ca = TestCa::new();
    let site = FixtureSite::start(4).await;
    let receiver = Receiver::start(&ca, Behaviour::Ok200).await;
    let folder = tempfile::tempdir()?;
    let ca_file = folder.path().join("ca.pem");
    ca.write_pem(&ca_file)?;
    let options = ServerOptions::default()
        .with("ERRAND_EXTRA_CA", ca_file.display().to_string())
        .with("ERRAND_CLAIM_LEASE_S", "6");
    let mut server = ErrandServer::start(options).await?;
    let errands = post_all(&server, &site, &receiver).await?;

    for kill in 1..=KILLS {
        let until = Instant::now() + Duration::from_millis(random.random_range(KILL_AFTER_MS));
        while Instant::now() < until {
            look_after(&server.api, &site, &errands).await;
            sleep(LOOK_EVERY).await;
        }
        server.kill().await?;
        println!(
            "kill {kill} of {KILLS}: {} orders, {} posts so far",
            site.ledger().orders.len(),
            receiver.posts().len()
        );
        wait_for_no_browsers(&server.folder.path("tmp"), Duration::from_secs(10)).await?;
        server.restart().await?;
    }
    let deadline = Instant::now() + END_DEADLINE;
    loop {
        let finished = look_after(&server.api, &site, &errands).await;
        if finished == RUNS {
            break;
        }
        anyhow::ensure!(Instant::now() < deadline, "{finished} of {RUNS} runs ended; server: {}", server.output());
        sleep(LOOK_EVERY).await;
    }
    print_ends(&server, &errands).await?;
    assert_nothing_happened_twice(&site, &receiver, &errands).await?;
    server.terminate().await?;
    assert_eq!(browsers_under(&server.folder.path("tmp"))?, Vec::<i32>::new());
    Ok(())
}

/// What a failed test is explained by.
async fn print_ends(server: &ErrandServer, errands: &[Errand]) -> anyhow::Result<()> {
    for errand in errands {
        let (_, run) = server.api.get_run(&errand.id, None).await?;
        println!("{} {} {} steps: {}", run["terminal_reason"], run["error"], run["steps"], run["goal"]);
    }
    Ok(())
}

async fn assert_nothing_happened_twice(
    site: &FixtureSite,
    receiver: &Receiver,
    errands: &[Errand],
) -> anyhow::Result<()> {
    let ledger = site.ledger();
    for errand in errands {
        if let Some(customer) = &errand.customer {
            assert!(ledger.orders_for(customer).len() <= 1, "{customer} was served twice");
        }
    }
    assert_eq!(ledger.duplicates(), 0, "a committing request was repeated");
    // Nothing twice is worth little if nothing happened: most orders stand, and most runs were told.
    assert!(ledger.orders.len() >= ORDERS_MIN, "only {} orders stand", ledger.orders.len());
    assert!(receiver.posts().len() >= RUNS, "only {} webhooks came", receiver.posts().len());
    for errand in errands {
        let posts: Vec<RecordedPost> = receiver.posts().into_iter().filter(|post| is_about(post, &errand.id)).collect();
        let mut ids = Vec::new();
        for post in &posts {
            verify(&errand.secret, post)?;
            ids.push(event_seq(post)?);
        }
        assert!(
            ids.windows(2).all(|pair| pair[0] < pair[1]),
            "events of {} came twice or out of order: {ids:?}",
            errand.id
        );
    }
    Ok(())
}

fn is_about(post: &RecordedPost, id: &str) -> bool {
    post.json().is_ok_and(|body| body["run"]["id"] == id)
}

/// `webhook-id` is the run's id and the sequence number of the event.
fn event_seq(post: &RecordedPost) -> anyhow::Result<u64> {
    let id = post.header("webhook-id").unwrap_or_default();
    Ok(id.rsplit('-').next().unwrap_or_default().parse()?)
}
