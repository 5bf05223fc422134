//! Real answers against the API's description: a field that one has and the other lacks makes a test fail.

use errand_domain::delivery::{DeliveryClaimed, DeliveryCommand, WebhookEvent};
use errand_domain::run::{PauseKind, StepOutcome};
use errand_domain::{BlobKey, Timestamp};
use errand_store::{Bucket, DeliveryLog};
use serde_json::{Value, json};

use crate::client::Api;
use crate::harness::{Harness, body, path, run_id};
use crate::reads;

struct Described(Value);

/// Clients must take fields that they do not know. Here a field that is not described is a fault.
fn close(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            fields.values_mut().for_each(close);
            if fields.get("properties").is_some_and(Value::is_object) {
                fields.entry("additionalProperties").or_insert(json!(false));
            }
        }
        Value::Array(items) => items.iter_mut().for_each(close),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

impl Described {
    async fn of(harness: &Harness) -> Self {
        let api = Api { key: String::new(), ..harness.api.clone() };
        let answer = api.get("/openapi.json").await;
        assert_eq!((answer.status, &answer.json()["info"]["version"]), (200, &json!(env!("CARGO_PKG_VERSION"))));
        let mut description = answer.json();
        close(&mut description["components"]["schemas"]);
        Self(description)
    }

    #[track_caller]
    fn check(&self, name: &str, value: &Value) {
        let reference = format!("#/components/schemas/{name}");
        let schema = json!({"$ref": reference, "components": self.0["components"]});
        let validator = jsonschema::draft202012::new(&schema).unwrap();
        let errors: Vec<String> =
            validator.iter_errors(value).map(|error| format!("{}: {error}", error.instance_path())).collect();
        assert!(errors.is_empty(), "{name}: {errors:?} in {value:#}");
    }
}

#[tokio::test]
async fn runs_events_and_deliveries_are_as_described() {
    let harness = Harness::start().await;
    let described = Described::of(&harness).await;
    let request = body(json!({"webhook": "https://example.com/h", "metadata": {"a": "b"}}));
    described.check("RunRequest", &request);
    let created = harness.api.post("/v1/browser/runs", &request).await.json();
    described.check("CreatedRun", &created);
    let id = run_id(&created);
    harness.start_step(&id).await;
    harness.finish_step(&id, StepOutcome::Acted { result: "ok".to_owned() }, Some("shot-1")).await;
    for (kind, reply) in [
        (PauseKind::Question, json!({"answer": "red", "pause": 1})),
        (PauseKind::Approval, json!({"approve": false, "note": "no"})),
        (PauseKind::Handoff, json!({"done": true})),
    ] {
        harness.ask(&id, kind, &[]).await;
        described.check("Run", &harness.api.get(&path(&id)).await.json());
        described.check("Reply", &reply);
        described.check("Run", &harness.api.post(&format!("{}/reply", path(&id)), &reply).await.json());
    }
    harness.succeed(&id, Some(json!({"trims": ["LX"]}))).await;
    harness.settle(&id).await;
    described.check("Run", &harness.api.get(&path(&id)).await.json());
    described.check("RunList", &harness.api.get("/v1/browser/runs").await.json());
    described.check("EventList", &harness.api.get(&format!("{}/events", path(&id))).await.json());
    let claim = DeliveryClaimed {
        n: 1,
        event_seq: 4,
        event: WebhookEvent::Waiting,
        epoch: "n1".to_owned(),
        deadline: Timestamp::from_millis(0),
    };
    DeliveryLog::new(&harness.stores).execute(&id, DeliveryCommand::Claim(claim)).await.unwrap();
    described.check("DeliveryList", &harness.api.get(&format!("{}/deliveries", path(&id))).await.json());
}

#[tokio::test]
async fn other_answers_and_refusals_are_as_described() {
    let harness = Harness::start().await;
    let described = Described::of(&harness).await;
    let secret = json!({"value": "v", "hosts": ["example.com"]});
    described.check("SecretInput", &secret);
    described.check("Secret", &harness.api.put("/v1/browser/secrets/s", &secret).await.json());
    described.check("SecretList", &harness.api.get("/v1/browser/secrets").await.json());
    described.check("DeletedName", &harness.api.delete("/v1/browser/secrets/s").await.json());
    described.check("Error", &harness.api.get("/v1/browser/secrets/s").await.json());
    harness.stores.keyvalue.put(Bucket::Profiles, "default/p", "sealed".into()).await.unwrap();
    described.check("ProfileList", &harness.api.get("/v1/browser/profiles").await.json());
    described.check("StreamToken", &harness.api.post("/v1/stream_tokens", &json!({})).await.json());
    described.check("Health", &harness.api.get("/healthz").await.json());
    let id = harness.create(json!({})).await;
    harness.stores.blobs.put(&id, &BlobKey::parse("b").unwrap(), "x".into()).await.unwrap();
    let stopped = harness.api.post(&format!("{}/stop", path(&id)), &json!({})).await.json();
    described.check("Run", &stopped);
    described.check("EventList", &harness.api.get(&format!("{}/events", path(&id))).await.json());
    harness.settle(&id).await;
    described.check("DeletedRun", &harness.api.delete(&path(&id)).await.json());
}

#[tokio::test]
async fn readings_are_as_described() {
    let harness = reads::harness().await;
    let described = Described::of(&harness).await;
    let base = reads::site(reads::LAMP).await;
    let schema = json!({"type": "object", "properties": {"name": {"type": "string"}, "sku": {"type": "string"}}});
    for request in [json!({"url": base}), json!({"url": base, "schema": schema, "engine": "http"})] {
        described.check("ReadRequest", &request);
        described.check("Reading", &harness.api.post("/v1/read", &request).await.json());
    }
    let incomplete = reads::site(reads::EMPTY).await;
    for (path, last_row) in
        [("/", json!({"ok": true})), ("/long", json!({"cut": true})), ("/unable", json!({"ok": false}))]
    {
        let climbs = json!({"url": format!("{incomplete}{path}"), "schema": schema});
        let reading = harness.api.post("/v1/read", &climbs).await.json();
        described.check("Reading", &reading);
        let (name, wanted) = last_row.as_object().unwrap().iter().next().unwrap();
        let row = &reading["receipt"]["tools"][1];
        assert_eq!((&row["tool"], &row[name]), (&json!("chromium"), wanted), "{path}: {reading}");
    }
    for nothing in ["/gone", "/unable"] {
        let refused = json!({"url": format!("{base}{nothing}"), "engine": "chromium"});
        described.check("Error", &harness.api.post("/v1/read", &refused).await.json());
    }
}
