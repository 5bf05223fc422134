//! The same calls on the embedded store: its tails, purges and blobs are others than the memory's.

use bytes::Bytes;
use errand_domain::BlobKey;
use errand_domain::run::PauseKind;
use errand_store::LogKey;
use errand_store::embedded::{EmbeddedOptions, EmbeddedStore};
use errand_store::{RandomIds, SystemClock};
use serde_json::json;
use std::sync::Arc;

use crate::harness::{Harness, path};

#[tokio::test]
async fn a_run_is_made_followed_answered_listed_and_removed_on_disk() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().to_owned();
    let open = move || EmbeddedStore::open(place, &EmbeddedOptions::default());
    let store = tokio::task::spawn_blocking(open).await.unwrap().unwrap();
    let harness = Harness::on_stores(store.stores(Arc::new(SystemClock), Arc::new(RandomIds))).await;
    let mut all = harness.api.stream("/v1/events", None).await;
    let id = harness.create(json!({})).await;
    let first = all.next().await.unwrap();
    let mut own = harness.api.stream(&format!("{}/events", path(&id)), None).await;
    let poll = {
        let (api, path) = (harness.api.clone(), format!("{}?wait=60", path(&id)));
        tokio::spawn(async move { api.get(&path).await })
    };
    harness.ask(&id, PauseKind::Question, &[]).await;
    assert_eq!(poll.await.unwrap().json()["status"], "waiting_for_human");
    harness.api.post(&format!("{}/reply", path(&id)), &json!({"answer": "red", "pause": 1})).await;
    harness.succeed(&id, Some(json!({"a": 1}))).await;
    harness.settle(&id).await;
    let told = own.names(9).await;
    assert_eq!((told[0].as_str(), told[8].as_str()), ("run.created", "charge.settled"));
    let mut resumed = harness.api.stream("/v1/events", Some(&first.id)).await;
    assert_eq!(resumed.names(8).await, told[1..]);
    assert_eq!(all.names(8).await, told[1..]);
    let list = harness.api.get("/v1/browser/runs").await.json();
    assert_eq!(list["data"][0]["id"], id.to_string());
    harness.stores.blobs.put(&id, &BlobKey::parse("b").unwrap(), Bytes::from("x")).await.unwrap();
    assert_eq!(harness.api.delete(&path(&id)).await.status, 200);
    assert_eq!(harness.api.get(&path(&id)).await.status, 410);
    assert_eq!(harness.stores.log.read(&LogKey::run(&id), None).await.unwrap().len(), 1);
    assert_eq!(all.names(1).await, ["run.deleted"]);
}
