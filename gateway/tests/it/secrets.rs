//! Secrets and profiles.

use errand_store::Bucket;
use serde_json::json;

use crate::harness::{Harness, body};

const VALUE: &str = "hunter22-correct-horse";

#[tokio::test]
async fn a_secrets_value_is_never_returned_or_stored_in_the_clear() {
    let harness = Harness::start().await;
    let secret = json!({"value": VALUE, "hosts": ["Shop.example.com"]});
    let put = harness.api.put("/v1/browser/secrets/shop-password", &secret).await;
    assert_eq!(put.status, 200);
    assert_eq!(put.json()["hosts"], json!(["shop.example.com"]));
    let mut shown = vec![put.body];
    for path in ["/v1/browser/secrets/shop-password", "/v1/browser/secrets"] {
        let answer = harness.api.get(path).await;
        assert_eq!(answer.status, 200);
        shown.push(answer.body);
    }
    let entry = harness.stores.keyvalue.get(Bucket::Secrets, "default/shop-password").await.unwrap().unwrap();
    shown.push(entry.value);
    assert!(shown.iter().all(|bytes| !String::from_utf8_lossy(bytes).contains(VALUE)));
}

#[tokio::test]
async fn a_run_may_name_the_accounts_own_secrets_only() {
    let harness = Harness::start().await;
    harness.api.put("/v1/browser/secrets/pin", &json!({"value": "4711"})).await;
    harness.create(json!({"secrets": ["pin"]})).await;
    let stranger = harness.api_of("other", false).await;
    let refused = stranger.post("/v1/browser/runs", &body(json!({"secrets": ["pin"]}))).await;
    assert_eq!(refused.message(), "\"secrets\" names an unknown secret: \"pin\"");
    assert_eq!(stranger.get("/v1/browser/secrets/pin").await.status, 404);
    assert_eq!(stranger.delete("/v1/browser/secrets/pin").await.status, 404);
    assert_eq!(stranger.get("/v1/browser/secrets").await.json()["data"], json!([]));
    assert_eq!(harness.api.delete("/v1/browser/secrets/pin").await.json()["deleted"], true);
    assert_eq!(harness.api.get("/v1/browser/secrets/pin").await.error().0, "secret_not_found");
}

#[tokio::test]
async fn a_secret_that_is_not_valid_is_refused_by_field() {
    let harness = Harness::start().await;
    let put = async |name: &str, secret| {
        let answer = harness.api.put(&format!("/v1/browser/secrets/{name}"), &secret).await;
        (answer.status, answer.error().2.unwrap())
    };
    assert_eq!(put("pin", json!({"value": ""})).await, (400, "value".to_owned()));
    assert_eq!(put("pin", json!({"value": "x", "hosts": "a.b"})).await, (400, "hosts".to_owned()));
    assert_eq!(put("pin", json!({"value": "18!", "totp": true})).await, (400, "value".to_owned()));
    assert_eq!(put("a%20b", json!({"value": "x"})).await, (400, "name".to_owned()));
}

#[tokio::test]
async fn profiles_are_listed_and_removed_and_runs_may_start_from_them() {
    let harness = Harness::start().await;
    harness.stores.keyvalue.put(Bucket::Profiles, "default/shop", "sealed".into()).await.unwrap();
    harness.create(json!({"profile": "shop"})).await;
    harness.create(json!({"profile": "new", "save_profile": true})).await;
    let refused = harness.api.post("/v1/browser/runs", &body(json!({"profile": "new"}))).await;
    assert_eq!(refused.message(), "\"profile\" names an unknown profile: \"new\"");
    let list = harness.api.get("/v1/browser/profiles").await.json();
    assert_eq!(list["data"], json!([{"object": "profile", "name": "shop"}]));
    assert_eq!(harness.api.delete("/v1/browser/profiles/shop").await.status, 200);
    assert_eq!(harness.api.get("/v1/browser/profiles/shop").await.error().0, "profile_not_found");
}
