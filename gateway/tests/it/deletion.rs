//! Removing runs for good.

use bytes::Bytes;
use errand_domain::delivery::{DeliveryClaimed, DeliveryCommand, DeliveryOutcome, DeliveryResolved, WebhookEvent};
use errand_domain::run::GatewayCommand;
use errand_domain::{BlobKey, Timestamp};
use errand_store::{DeliveryLog, LogKey};
use serde_json::json;

use crate::harness::{Harness, path};

#[tokio::test]
async fn a_deleted_run_answers_410_and_leaves_a_tombstone_only() {
    let harness = Harness::start().await;
    let id = harness.create(json!({})).await;
    let blob = BlobKey::parse("shot-1").unwrap();
    harness.stores.blobs.put(&id, &blob, Bytes::from("png")).await.unwrap();
    assert_eq!(harness.api.delete(&path(&id)).await.error().0, "not_finished");
    harness.succeed(&id, None).await;
    assert_eq!(harness.api.delete(&path(&id)).await.error().0, "not_settled");
    harness.settle(&id).await;
    let deleted = harness.api.delete(&path(&id)).await;
    assert_eq!((deleted.status, &deleted.json()["deleted"]), (200, &json!(true)));
    for call in ["", "/events", "/deliveries", "/screenshot"] {
        let gone = harness.api.get(&format!("{}{call}", path(&id))).await;
        assert_eq!((gone.status, gone.error().0.as_str()), (410, "run_deleted"), "{call}");
    }
    assert_eq!(harness.api.delete(&path(&id)).await.status, 410);
    assert_eq!(harness.stores.log.read(&LogKey::run(&id), None).await.unwrap().len(), 1);
    assert!(harness.stores.blobs.get(&id, &blob).await.unwrap().is_none());
    assert_eq!(harness.api.get("/v1/browser/runs").await.json()["data"], json!([]));
}

#[tokio::test]
async fn a_deleted_run_was_never_there_for_another_account() {
    let harness = Harness::start().await;
    let id = harness.create(json!({})).await;
    harness.succeed(&id, None).await;
    harness.settle(&id).await;
    let stranger = harness.api_of("other", false).await;
    assert_eq!(stranger.delete(&path(&id)).await.status, 404);
    harness.api.delete(&path(&id)).await;
    assert_eq!(stranger.get(&path(&id)).await.error().0, "run_not_found");
    let other = harness.another().await;
    assert_eq!(other.api.get(&path(&id)).await.status, 410);
}

#[tokio::test]
async fn a_deletion_that_broke_off_is_completed_by_the_next() {
    let harness = Harness::start().await;
    let id = harness.create(json!({})).await;
    harness.succeed(&id, None).await;
    harness.settle(&id).await;
    harness.runs.execute(&id, GatewayCommand::Delete).await.unwrap();
    assert_eq!(harness.api.get(&path(&id)).await.status, 410);
    assert_eq!(harness.api_of("other", false).await.delete(&path(&id)).await.status, 404);
    assert_eq!(harness.api.delete(&path(&id)).await.status, 200);
    assert_eq!(harness.stores.log.read(&LogKey::run(&id), None).await.unwrap().len(), 1);
    assert_eq!(harness.api.delete(&path(&id)).await.status, 410);
}

#[tokio::test]
async fn a_run_is_kept_until_its_webhooks_are_done() {
    let harness = Harness::start().await;
    let id = harness.create(json!({"webhook": "https://example.com/hook"})).await;
    harness.succeed(&id, None).await;
    assert_eq!(harness.api.delete(&path(&id)).await.error().0, "delivery_open", "not sent yet");
    harness.settle(&id).await;
    let finished_seq = harness.runs.load(&id).await.unwrap().unwrap().state.seq - 1;
    let deliveries = DeliveryLog::new(&harness.stores);
    let claim = DeliveryClaimed {
        n: 1,
        event_seq: finished_seq,
        event: WebhookEvent::Finished,
        epoch: "n1".to_owned(),
        deadline: Timestamp::from_millis(0),
    };
    deliveries.execute(&id, DeliveryCommand::Claim(claim)).await.unwrap();
    assert_eq!(harness.api.delete(&path(&id)).await.error().0, "delivery_open", "on its way");
    let outcome = DeliveryOutcome::Rejected { status: 500 };
    let resolved = DeliveryResolved { n: 1, outcome, duration_ms: 12 };
    deliveries.execute(&id, DeliveryCommand::Resolve(resolved)).await.unwrap();
    let list = harness.api.get(&format!("{}/deliveries", path(&id))).await.json();
    let delivery = &list["data"][0];
    assert_eq!((&delivery["n"], &delivery["event"]), (&json!(1), &json!("run.finished")));
    assert_eq!((&delivery["outcome"], &delivery["http_status"]), (&json!("rejected"), &json!(500)));
    assert_eq!((&delivery["duration_ms"], &delivery["event_seq"]), (&json!(12), &json!(finished_seq)));
    assert_eq!(harness.api.delete(&path(&id)).await.status, 200);
}
