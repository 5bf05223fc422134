//! Creating and reading runs.

use bytes::Bytes;
use errand_domain::BlobKey;
use errand_domain::run::{PauseKind, StepOutcome, WorkerCommand};
use serde_json::json;
use std::time::Instant;

use crate::client::PATIENCE;
use crate::harness::{Harness, body, path, run_id};

#[tokio::test]
async fn a_new_run_is_answered_with_its_object_in_the_contracts_order() {
    let harness = Harness::start().await;
    let answer = harness.api.post("/v1/browser/runs", &body(json!({"metadata": {"order": "7"}}))).await;
    assert_eq!(answer.status, 201);
    let run = answer.json();
    let names: Vec<&str> = run.as_object().unwrap().keys().map(String::as_str).collect();
    let first = ["id", "object", "status", "goal", "start_url", "engine", "mode", "model", "steps", "max_steps"];
    assert_eq!(names[..first.len()], first);
    assert_eq!((&run["status"], &run["object"]), (&json!("running"), &json!("browser_run")));
    assert_eq!(run["poll"], format!("/v1/browser/runs/{}?wait=30", run["id"].as_str().unwrap()));
    assert_eq!((&run["reserved_usd"], &run["charge_usd"]), (&json!(0.445), &json!(null)));
    assert_eq!(run["metadata"], json!({"order": "7"}));
}

#[tokio::test]
async fn the_webhook_secret_stands_in_the_201_only() {
    let harness = Harness::start().await;
    let created = harness.api.post("/v1/browser/runs", &body(json!({"webhook": "https://example.com/h"}))).await.json();
    let secret = created["webhook_secret"].as_str().unwrap().to_owned();
    assert_eq!(secret.len(), 48);
    assert!(secret.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b)));
    let id = run_id(&created);
    harness.succeed(&id, None).await;
    for call in ["", "/events", "/deliveries", "?wait=1"] {
        let answer = harness.api.get(&format!("{}{call}", path(&id))).await;
        assert_eq!(answer.status, 200, "{call}");
        assert!(!String::from_utf8_lossy(&answer.body).contains(&secret), "{call}");
    }
    let list = harness.api.get("/v1/browser/runs").await;
    assert!(!String::from_utf8_lossy(&list.body).contains(&secret));
}

#[tokio::test]
async fn a_long_poll_is_woken_by_a_pause() {
    let harness = Harness::start().await;
    let id = harness.create(json!({})).await;
    let began = Instant::now();
    let poll = {
        let (api, path) = (harness.api.clone(), format!("{}?wait=60", path(&id)));
        tokio::spawn(async move { api.get(&path).await })
    };
    harness.ask(&id, PauseKind::Question, &[]).await;
    let run = poll.await.unwrap().json();
    assert_eq!(run["status"], "waiting_for_human");
    assert_eq!((&run["needs"]["kind"], &run["needs"]["pause"]), (&json!("question"), &json!(1)));
    assert!(began.elapsed() < PATIENCE);
    let again = harness.api.get(&format!("{}?wait=60", path(&id))).await.json();
    assert_eq!(again["status"], "waiting_for_human", "a paused run is answered at once");
}

#[tokio::test]
async fn a_long_poll_of_another_gateway_is_woken_by_the_end() {
    let harness = Harness::start().await;
    let other = harness.another().await;
    let id = harness.create(json!({})).await;
    let poll = {
        let (api, path) = (other.api.clone(), format!("{}?wait=60", path(&id)));
        tokio::spawn(async move { api.get(&path).await })
    };
    harness.succeed(&id, Some(json!({"trims": 3}))).await;
    let run = poll.await.unwrap().json();
    assert_eq!((&run["status"], &run["terminal_reason"]), (&json!("succeeded"), &json!("completed")));
    assert_eq!((&run["answer"], &run["data"]), (&json!("Three trims."), &json!({"trims": 3})));
}

#[tokio::test]
async fn a_long_poll_ends_when_its_time_is_over() {
    let harness = Harness::start().await;
    let id = harness.create(json!({})).await;
    let run = harness.api.get(&format!("{}?wait=1", path(&id))).await.json();
    assert_eq!(run["status"], "running");
}

#[tokio::test]
async fn data_that_was_stored_as_a_blob_is_shown() {
    let harness = Harness::start().await;
    let id = harness.create(json!({})).await;
    let key = BlobKey::parse("data").unwrap();
    let large = json!({"list": [1, 2, 3]});
    harness.stores.blobs.put(&id, &key, large.to_string().into()).await.unwrap();
    harness.start_step(&id).await;
    harness.finish_step(&id, StepOutcome::GoalReached, None).await;
    let conclusion = errand_domain::run::Conclusion { data_blob: Some(key), ..Default::default() };
    harness.runs.execute(&id, WorkerCommand::Conclude(Box::new(conclusion))).await.unwrap();
    assert_eq!(harness.api.get(&path(&id)).await.json()["data"], large);
    let events = harness.api.get(&format!("{}/events", path(&id))).await.json();
    assert_eq!(events["data"].as_array().unwrap().last().unwrap()["data"], large);
}

#[tokio::test]
async fn screenshots_are_served_by_step_and_latest() {
    let harness = Harness::start().await;
    let id = harness.create(json!({})).await;
    let url = format!("{}/screenshot", path(&id));
    assert_eq!(harness.api.get(&url).await.error().0, "no_screenshot");
    for (step, picture) in [("shot-1", "one"), ("shot-2", "two")] {
        let key = BlobKey::parse(step).unwrap();
        harness.stores.blobs.put(&id, &key, Bytes::from(picture)).await.unwrap();
        harness.start_step(&id).await;
        let outcome = StepOutcome::Acted { result: "ok".to_owned() };
        harness.finish_step(&id, outcome, Some(step)).await;
    }
    let latest = harness.api.get(&url).await;
    assert_eq!((latest.status, &latest.body[..]), (200, &b"two"[..]));
    assert_eq!(latest.headers["content-type"], "image/png");
    assert_eq!(&harness.api.get(&format!("{url}?step=1")).await.body[..], b"one");
    assert_eq!(harness.api.get(&format!("{url}?step=3")).await.status, 404);
    let tag = latest.headers["etag"].to_str().unwrap();
    let known = harness.api.call("GET", &url, &[("if-none-match", tag)], Bytes::new()).await;
    assert_eq!(known.status, 304);
}
