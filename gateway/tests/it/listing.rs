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

/// All pages of a list, and how long each was.
async fn pages(api: &Api, query: &str) -> (Vec<String>, Vec<usize>) {
    let (mut all, mut lengths) = (Vec::new(), Vec::new());
    let mut cursor = String::new();
    loop {
        let list = api.get(&format!("/v1/browser/runs?{query}{cursor}")).await.json();
        let page = list["data"].as_array().unwrap();
        all.extend(page.iter().map(|run| run["id"].as_str().unwrap().to_owned()));
        lengths.push(page.len());
        let Some(next) = list["next_cursor"].as_str() else { return (all, lengths) };
        cursor = format!("&cursor={next}");
    }
}

#[tokio::test]
async fn every_run_is_on_one_page_also_beyond_the_newest() {
    let harness = Harness::start().await;
    let mut made = Vec::new();
    for n in 0..120 {
        let id = harness.create(json!({})).await;
        if n % 40 == 0 {
            harness.succeed(&id, None).await;
        }
        made.push(id.to_string());
    }
    let done: Vec<String> = made.iter().step_by(40).rev().cloned().collect();
    made.sort();
    made.reverse();
    assert_eq!(pages(&harness.api, "").await, (made.clone(), vec![50, 50, 20]));
    assert_eq!(pages(&harness.api, "limit=40").await, (made.clone(), vec![40, 40, 40]));
    let (found, lengths) = pages(&harness.api, "status=succeeded&limit=2").await;
    assert_eq!((found, lengths.len()), (done, 2));
    let operator = harness.api_of("ops", true).await;
    assert_eq!(pages(&operator, "limit=50").await.0, made);
    let answer = harness.api.get("/v1/browser/runs?cursor=r1.x").await;
    assert_eq!((answer.status, answer.error().2.as_deref()), (400, Some("cursor")));
}

#[tokio::test]
async fn a_run_that_begins_between_two_pages_moves_no_other() {
    let harness = Harness::start().await;
    harness.create(json!({})).await;
    harness.create(json!({})).await;
    let before = listed(&harness.api, "").await;
    let page = harness.api.get("/v1/browser/runs?limit=1").await.json();
    harness.create(json!({})).await;
    let cursor = page["next_cursor"].as_str().unwrap();
    assert_eq!(listed(&harness.api, &format!("?cursor={cursor}")).await, before[1..]);
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
