//! Lists of runs.

use errand_store::Bucket;
use serde_json::{Value, json};

use crate::client::Api;
use crate::harness::Harness;

async fn listed(api: &Api, query: &str) -> Vec<String> {
    let list = api.get(&format!("/v1/browser/runs{query}")).await.json();
    assert_eq!(list["object"], "list");
    list["data"].as_array().unwrap().iter().map(|run| run["id"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn a_list_after_a_201_shows_the_run_newest_first() {
    let harness = Harness::start().await;
    let mut made = Vec::new();
    for _ in 0..3 {
        made.push(harness.create(json!({})).await.to_string());
    }
    made.sort();
    made.reverse();
    assert_eq!(listed(&harness.api, "").await, made);
    assert_eq!(listed(&harness.api, "?limit=2").await, made[..2]);
}

#[tokio::test]
async fn a_list_is_narrowed_by_status() {
    let harness = Harness::start().await;
    let done = harness.create(json!({})).await;
    let open = harness.create(json!({})).await;
    harness.succeed(&done, None).await;
    assert_eq!(listed(&harness.api, "?status=succeeded").await, [done.to_string()]);
    assert_eq!(listed(&harness.api, "?status=running,failed").await, [open.to_string()]);
    let wrong = harness.api.get("/v1/browser/runs?status=done").await;
    assert_eq!((wrong.status, wrong.error().2.as_deref()), (400, Some("status")));
    let wrong = harness.api.get("/v1/browser/runs?limit=51").await;
    assert_eq!(wrong.message(), "\"limit\" must be an integer from 1 to 50");
}

#[tokio::test]
async fn a_list_through_another_gateway_shows_the_run_at_once() {
    let harness = Harness::start().await;
    let id = harness.create(json!({})).await;
    let started_later = harness.another().await;
    assert_eq!(listed(&started_later.api, "").await, [id.to_string()]);
}

#[tokio::test]
async fn the_schedulers_index_is_shown_by_any_gateway() {
    let harness = Harness::start().await;
    let id = harness.create(json!({})).await;
    let index: Value = json!([id.to_string(), "brun_000000000000000000000000"]);
    harness.stores.keyvalue.put(Bucket::Recent, "default", index.to_string().into()).await.unwrap();
    let other = harness.another().await;
    assert_eq!(listed(&other.api, "").await, [id.to_string()], "an entry without a run is left out");
}

#[tokio::test]
async fn another_accounts_runs_are_seen_by_operators_only() {
    let harness = Harness::start().await;
    let id = harness.create(json!({})).await;
    let stranger = harness.api_of("other", false).await;
    assert!(listed(&stranger, "").await.is_empty());
    let operator = harness.api_of("ops", true).await;
    assert_eq!(listed(&operator, "").await, [id.to_string()]);
}
