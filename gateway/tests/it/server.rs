//! Probes, keys and the end of the process.

use errand_domain::{AccountId, Timestamp};
use errand_gateway::{ensure_key, key_record, list_keys, revoke_key};
use secrecy::SecretString;
use serde_json::json;

use crate::client::{Api, PATIENCE};
use crate::harness::{Harness, path};

#[tokio::test]
async fn probes_need_no_key() {
    let harness = Harness::start().await;
    let api = Api { key: String::new(), ..harness.api.clone() };
    assert_eq!(api.get("/healthz").await.status, 200);
    assert_eq!(api.get("/readyz").await.status, 200);
    let metrics = api.get("/metrics").await;
    assert_eq!(metrics.status, 200);
    assert!(metrics.headers["content-type"].to_str().unwrap().starts_with("text/plain"));
}

#[tokio::test]
async fn a_shutdown_ends_streams_and_the_gateway() {
    let mut harness = Harness::start().await;
    let id = harness.create(json!({})).await;
    let mut run = harness.api.stream(&format!("{}/events", path(&id)), None).await;
    let mut all = harness.api.stream("/v1/events", None).await;
    assert_eq!(run.names(1).await, ["run.created"]);
    harness.shutdown.cancel();
    assert!(run.next().await.is_none());
    assert!(all.next().await.is_none());
    let ended = harness.handle.take().unwrap().ended();
    tokio::time::timeout(PATIENCE, ended).await.unwrap().unwrap();
}

#[tokio::test]
async fn a_revoked_key_opens_nothing() {
    let harness = Harness::start().await;
    let store = &*harness.stores.keyvalue;
    let given = SecretString::from("a-key-of-my-own");
    let record = key_record(AccountId::parse("mine").unwrap(), false, "first", Timestamp::from_millis(5));
    ensure_key(store, &given, record.clone()).await.unwrap();
    ensure_key(store, &given, record.clone()).await.unwrap();
    let api = Api { key: "a-key-of-my-own".to_owned(), ..harness.api.clone() };
    assert_eq!(api.get("/v1/browser/runs").await.status, 200);
    let stored = list_keys(store).await.unwrap();
    let ours = stored.iter().find(|key| key.record == record).unwrap();
    assert_eq!((stored.len(), ours.id.len()), (2, 12));
    assert!(revoke_key(store, &ours.id).await.unwrap());
    assert!(!revoke_key(store, &ours.id).await.unwrap());
    assert_eq!(api.get("/v1/browser/runs").await.status, 401);
}
