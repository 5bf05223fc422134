//! The same key makes one run.

use errand_domain::RunId;
use errand_store::{Bucket, LogKey};
use serde_json::{Value, json};

use crate::harness::{Harness, body, path, run_id};

const RUNS: &str = "/v1/browser/runs";

#[tokio::test]
async fn the_same_key_and_body_give_the_same_201() {
    let harness = Harness::start().await;
    let first = harness.api.post_once("order-7", RUNS, &body(json!({}))).await;
    harness.succeed(&run_id(&first.json()), None).await;
    let other = harness.another().await;
    let second = other.api.post_once("order-7", RUNS, &body(json!({}))).await;
    assert_eq!((first.status, second.status), (201, 201));
    assert_eq!(first.body, second.body, "byte for byte, also through another gateway and after the run's end");
    let shown = harness.api.get(&path(&run_id(&first.json()))).await.json();
    assert_eq!(shown["status"], "succeeded");
}

#[tokio::test]
async fn another_body_is_a_conflict() {
    let harness = Harness::start().await;
    harness.api.post_once("k", RUNS, &body(json!({}))).await;
    let other = harness.api.post_once("k", RUNS, &body(json!({"max_steps": 3}))).await;
    assert_eq!((other.status, other.error().0.as_str()), (409, "idempotency_key_reused"));
    let stranger = harness.api_of("other", false).await;
    assert_eq!(stranger.post_once("k", RUNS, &body(json!({"max_steps": 3}))).await.status, 201, "keys are per account");
}

#[tokio::test]
async fn concurrent_posts_make_one_run() {
    let harness = Harness::start().await;
    let other = harness.another().await;
    let posts = (0..12).map(|n| {
        let api = if n % 2 == 0 { harness.api.clone() } else { other.api.clone() };
        tokio::spawn(async move { api.post_once("k", RUNS, &body(json!({}))).await })
    });
    let mut answers: Vec<(u16, Value)> = Vec::new();
    for post in posts.collect::<Vec<_>>() {
        let answer = post.await.unwrap();
        answers.push((answer.status, answer.json()));
    }
    assert!(answers.iter().all(|answer| *answer == answers[0] && answer.0 == 201), "{answers:?}");
    let shown = other.api.get(&path(&run_id(&answers[0].1))).await.json();
    assert_eq!(shown["created_at"], answers[0].1["created_at"]);
}

#[tokio::test]
async fn a_retry_after_a_crash_between_key_and_run_creates_the_reserved_run() {
    let harness = Harness::start().await;
    let first = harness.api.post_once("k", RUNS, &body(json!({}))).await.json();
    let reserved = run_id(&first);
    // As if the gateway had died before the append: the key is there, the run is not.
    let crashed = Harness::start().await;
    let key = harness.stores.keyvalue.keys(Bucket::Idempotency, "default/").await.unwrap().remove(0);
    let entry = harness.stores.keyvalue.get(Bucket::Idempotency, &key).await.unwrap().unwrap();
    crashed.stores.keyvalue.create(Bucket::Idempotency, &key, entry.value).await.unwrap();
    let retried = crashed.api.post_once("k", RUNS, &body(json!({}))).await;
    assert_eq!(retried.status, 201);
    assert_eq!(run_id(&retried.json()), reserved);
    assert_eq!(records(&crashed, &reserved).await, 1);
}

async fn records(harness: &Harness, run_id: &RunId) -> usize {
    harness.stores.log.read(&LogKey::run(run_id), None).await.unwrap().len()
}

#[tokio::test]
async fn a_refused_request_leaves_the_key_free() {
    let harness = Harness::start().await;
    let refused = harness.api.post_once("k", RUNS, &body(json!({"secrets": ["pin"]}))).await;
    assert_eq!(refused.message(), "\"secrets\" names an unknown secret: \"pin\"");
    assert_eq!(harness.api.post_once("k", RUNS, &body(json!({}))).await.status, 201);
    let invalid = harness.api.post_once("a b", RUNS, &body(json!({}))).await;
    assert_eq!(invalid.error().2.as_deref(), Some("Idempotency-Key"));
}
