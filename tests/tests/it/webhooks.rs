//! Receivers that misbehave: one POST each, the outcome recorded, other runs not delayed.

use errand_tests::client::Api;
use errand_tests::receiver::{BadTls, Behaviour, Receiver, TestCa};
use errand_tests::server::{API_KEY, ErrandServer, ServerOptions};
use errand_tests::site::FixtureSite;
use serde_json::Value;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::goals::{RUN_DEADLINE, WEBHOOK_DEADLINE, id_of, news, with};

async fn server_trusting(ca: &TestCa) -> anyhow::Result<ErrandServer> {
    let folder = tempfile::tempdir()?;
    let ca_file = folder.path().join("ca.pem");
    ca.write_pem(&ca_file)?;
    let options = ServerOptions::default().with("ERRAND_EXTRA_CA", ca_file.display().to_string());
    ErrandServer::start(options).await
}

async fn outcome_of(api: &Api, id: &str) -> anyhow::Result<Value> {
    let path = format!("/v1/browser/runs/{id}/deliveries");
    let deadline = tokio::time::Instant::now() + WEBHOOK_DEADLINE;
    loop {
        let (_, deliveries) = api.get(&path).await?;
        let delivery = &deliveries["data"][0];
        if delivery["outcome"].is_string() {
            return Ok(delivery.clone());
        }
        anyhow::ensure!(tokio::time::Instant::now() < deadline, "no outcome: {deliveries}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

#[tokio::test]
async fn receivers_that_misbehave_get_one_post_each_and_delay_nobody() -> anyhow::Result<()> {
    let ca = TestCa::new();
    let server = server_trusting(&ca).await?;
    let site = FixtureSite::start(1).await;
    let good = Receiver::start(&ca, Behaviour::Ok200).await;
    let cases = [
        ("hangs", Receiver::start(&ca, Behaviour::Hang(Duration::from_secs(10))).await, 1, "no_response"),
        ("answers 500", Receiver::start(&ca, Behaviour::Status(500)).await, 1, "rejected"),
        ("redirects", Receiver::start(&ca, Behaviour::RedirectTo(good.url())).await, 1, "rejected"),
        ("resets", Receiver::start(&ca, Behaviour::Reset).await, 1, "no_response"),
        ("speaks bad TLS", Receiver::start(&ca, Behaviour::BadTls(BadTls::Garbage)).await, 0, "not_sent"),
        ("has another CA", Receiver::start(&ca, Behaviour::BadTls(BadTls::UntrustedCertificate)).await, 0, "not_sent"),
    ];
    let mut runs = Vec::new();
    for (_, receiver, _, _) in &cases {
        let (status, created) = server.api.post_run(&with(news(&site.url("/news")), "webhook", receiver.url())).await?;
        assert_eq!(status, 201, "{created}");
        runs.push(id_of(&created));
    }
    for ((what, receiver, posts, outcome), id) in cases.iter().zip(&runs) {
        server.api.wait_finished(id, RUN_DEADLINE).await?;
        let delivery = outcome_of(&server.api, id).await?;
        assert_eq!(delivery["outcome"], *outcome, "a receiver that {what}: {delivery}");
        assert_eq!(receiver.posts().len(), *posts, "a receiver that {what}");
    }
    assert_eq!(good.posts().len(), 0, "a redirect is not followed");
    Ok(())
}

#[tokio::test]
async fn a_hanging_receiver_does_not_delay_another_run() -> anyhow::Result<()> {
    let ca = TestCa::new();
    let server = server_trusting(&ca).await?;
    let site = FixtureSite::start(1).await;
    let hanging = Receiver::start(&ca, Behaviour::Hang(Duration::from_secs(10))).await;
    let good = Receiver::start(&ca, Behaviour::Ok200).await;
    let (_, slow) = server.api.post_run(&with(news(&site.url("/news")), "webhook", hanging.url())).await?;
    server.api.wait_finished(&id_of(&slow), RUN_DEADLINE).await?;
    hanging.wait_for_posts(1, WEBHOOK_DEADLINE).await?;
    let (_, quick) = server.api.post_run(&with(news(&site.url("/news")), "webhook", good.url())).await?;
    server.api.wait_finished(&id_of(&quick), RUN_DEADLINE).await?;
    good.wait_for_posts(1, WEBHOOK_DEADLINE).await?;
    assert_eq!(outcome_of(&server.api, &id_of(&slow)).await?["outcome"], "no_response");
    Ok(())
}

#[tokio::test]
async fn a_receiver_that_asks_at_once_sees_no_older_state() -> anyhow::Result<()> {
    let ca = TestCa::new();
    let server = server_trusting(&ca).await?;
    let site = FixtureSite::start(1).await;
    let seen: Arc<Mutex<Vec<String>>> = Arc::default();
    let asking = Arc::clone(&seen);
    let base = server.api.base().to_owned();
    let receiver = Receiver::start_with_hook(
        &ca,
        Behaviour::Ok200,
        Arc::new(move |post| {
            let (base, asking) = (base.clone(), Arc::clone(&asking));
            Box::pin(async move {
                let id = post.json().map(|body| id_of(&body["run"])).unwrap_or_default();
                let (_, run) = Api::new(&base, API_KEY).get_run(&id, None).await.unwrap_or_default();
                asking.lock().expect("no holder of the lock panics").push(run["status"].to_string());
            })
        }),
    )
    .await;
    let (_, created) = server.api.post_run(&with(news(&site.url("/news")), "webhook", receiver.url())).await?;
    server.api.wait_finished(&id_of(&created), RUN_DEADLINE).await?;
    receiver.wait_for_posts(1, WEBHOOK_DEADLINE).await?;
    let deadline = tokio::time::Instant::now() + WEBHOOK_DEADLINE;
    while seen.lock().expect("no holder of the lock panics").is_empty() {
        anyhow::ensure!(tokio::time::Instant::now() < deadline, "the receiver never asked");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(*seen.lock().expect("no holder of the lock panics"), ["\"succeeded\""]);
    Ok(())
}
