//! What is refused, and how it is said (SPEC §1).

use bytes::Bytes;
use serde_json::{Value, json};

use crate::client::Api;
use crate::harness::{Harness, body, path};

async fn refused(api: &Api, extra: Value) -> String {
    let answer = api.post("/v1/browser/runs", &body(extra)).await;
    assert_eq!(answer.status, 400, "{:?}", answer.body);
    answer.message()
}

#[tokio::test]
async fn every_fault_of_a_request_names_its_field() {
    let harness = Harness::start().await;
    let cases = [
        (json!({"webhook": "http://example.com/"}), "\"webhook\" must be an https URL"),
        (json!({"colour": "red"}), "\"colour\" is not a field of a run request"),
        (json!({"goal": ""}), "\"goal\" must have 1 to 10000 characters"),
        (json!({"start_url": "/cars"}), "\"start_url\" must be an absolute http or https URL"),
        (json!({"max_steps": 0}), "\"max_steps\" must be an integer from 1 to 200"),
        (json!({"secrets": ["a b"]}), "\"secrets\" names an unknown secret: \"a b\""),
        (json!({"model": "huge"}), "\"model\" names a model that is not configured: \"huge\""),
        (json!({"profile": "x"}), "\"profile\" names an unknown profile: \"x\""),
        (
            json!({"allowed_hosts": ["*.example.com"]}),
            "\"start_url\" must be on one of \"allowed_hosts\", not on \"example.com\"",
        ),
    ];
    for (extra, message) in cases {
        assert_eq!(refused(&harness.api, extra).await, message);
    }
    let both = json!({"output_schema": {"a": "string"}, "output_format": {"type": "json_schema", "schema": {}}});
    assert!(refused(&harness.api, both).await.contains("\"output_format\""));
    let schema = json!({"output_schema": {"type": "nothing"}});
    let message = refused(&harness.api, schema).await;
    assert!(message.starts_with("\"output_schema\" is not a usable JSON Schema: "), "{message}");
    harness.create(json!({"model": "small", "allowed_hosts": ["example.com"]})).await;
}

#[tokio::test]
async fn a_body_that_is_no_json_is_refused_as_such() {
    let harness = Harness::start().await;
    let post = async |headers: &[(&str, &str)], body: &'static [u8]| {
        harness.api.call("POST", "/v1/browser/runs", headers, Bytes::from_static(body)).await
    };
    let json = [("content-type", "application/json; charset=utf-8")];
    let broken = post(&json, b"{\"goal\": ").await;
    assert_eq!(broken.status, 400);
    assert!(broken.message().starts_with("the body is not valid JSON: "), "{}", broken.message());
    assert_eq!(post(&json, b"[]").await.message(), "the body must be a JSON object");
    let form = post(&[("content-type", "application/x-www-form-urlencoded")], b"goal=x").await;
    assert_eq!((form.status, form.error().0.as_str()), (415, "wrong_media_type"));
    let large = Bytes::from(vec![b' '; 1024 * 1024 + 1]);
    let large = harness.api.call("POST", "/v1/browser/runs", &json, large).await;
    assert_eq!((large.status, large.error().0.as_str()), (413, "body_too_large"));
}

#[tokio::test]
async fn a_call_without_a_known_key_is_401() {
    let harness = Harness::start().await;
    for key in ["", "erk_000000000000000000000000000000000000000000000000"] {
        let api = Api { key: key.to_owned(), ..harness.api.clone() };
        let answer = api.get("/v1/browser/runs").await;
        assert_eq!((answer.status, answer.error().0.as_str()), (401, "unauthorized"));
        assert_eq!(answer.headers["www-authenticate"], "Bearer");
    }
    let basic = Api { key: String::new(), ..harness.api.clone() };
    let answer = basic.call("GET", "/v1/browser/runs", &[("authorization", "Basic eDp5")], Bytes::new()).await;
    assert_eq!(answer.status, 401);
}

#[tokio::test]
async fn paths_and_methods_that_are_not_there_are_refused_in_json() {
    let harness = Harness::start().await;
    let missing = harness.api.get("/v1/browser/nothing").await;
    assert_eq!((missing.status, missing.error().0.as_str()), (404, "not_found"));
    assert_eq!(missing.json()["error"]["param"], json!(null));
    let method = harness.api.delete("/v1/browser/runs").await;
    assert_eq!((method.status, method.error().0.as_str()), (405, "method_not_allowed"));
    assert!(method.headers.contains_key("allow"));
}

#[tokio::test]
async fn another_accounts_run_is_404_for_every_call() {
    let harness = Harness::start().await;
    let id = harness.create(json!({})).await;
    let stranger = harness.api_of("other", false).await;
    let run = path(&id);
    for call in ["", "?wait=1", "/events", "/deliveries", "/screenshot"] {
        let answer = stranger.get(&format!("{run}{call}")).await;
        assert_eq!((answer.status, answer.error().0.as_str()), (404, "run_not_found"), "{call}");
    }
    assert_eq!(stranger.post(&format!("{run}/reply"), &json!({"done": true})).await.status, 404);
    assert_eq!(stranger.post(&format!("{run}/stop"), &json!({})).await.status, 404);
    assert_eq!(stranger.delete(&run).await.status, 404);
    let operator = harness.api_of("ops", true).await;
    assert_eq!(operator.get(&run).await.status, 200);
    for unknown in ["brun_000000000000000000000000", "brun_X", "x"] {
        assert_eq!(harness.api.get(&format!("/v1/browser/runs/{unknown}")).await.status, 404);
    }
}

#[tokio::test]
async fn a_wait_outside_its_bounds_is_400() {
    let harness = Harness::start().await;
    let id = harness.create(json!({})).await;
    for wait in ["61", "-1", "x", "1.5"] {
        let answer = harness.api.get(&format!("{}?wait={wait}", path(&id))).await;
        assert_eq!((answer.status, answer.message().as_str()), (400, "\"wait\" must be an integer from 0 to 60"));
    }
}

#[tokio::test]
async fn parameters_that_a_call_does_not_know_are_refused_on_every_call() {
    let harness = Harness::start().await;
    let run = path(&harness.create(json!({})).await);
    let calls =
        ["/v1/browser/runs", "/v1/events", "/v1/browser/secrets", "/v1/browser/profiles/p", "/healthz", "/metrics"];
    let of_run = ["", "/events", "/deliveries", "/screenshot"].map(|call| format!("{run}{call}"));
    for call in calls.map(str::to_owned).into_iter().chain(of_run) {
        let answer = harness.api.get(&format!("{call}?offset=1")).await;
        let wanted = "\"offset\" is not a parameter of this call";
        assert_eq!((answer.status, answer.message().as_str()), (400, wanted), "{call}");
        assert_eq!(answer.error().2.as_deref(), Some("offset"), "{call}");
    }
    for call in ["/reply", "/stop"] {
        assert_eq!(harness.api.post(&format!("{run}{call}?force=1"), &json!({})).await.status, 400, "{call}");
    }
    assert_eq!(harness.api.get(&run).await.json()["status"], "running", "the refused stop stopped nothing");
    assert_eq!(harness.api.get(&format!("{run}?wait=0&wait=60")).await.message(), "\"wait\" must be given once");
}

#[tokio::test]
async fn a_path_that_is_no_text_is_refused_in_json() {
    let harness = Harness::start().await;
    for call in ["/v1/browser/secrets/%C0%AE", "/v1/browser/runs/%FF", "/v1/browser/profiles/%80"] {
        let answer = harness.api.get(call).await;
        let error = (answer.status, answer.error().0, answer.message());
        assert_eq!(error, (400, "invalid_request".to_owned(), "the path is not valid UTF-8".to_owned()), "{call}");
    }
}

#[tokio::test]
async fn a_head_or_body_that_can_be_read_in_two_ways_is_refused_by_name() {
    let harness = Harness::start().await;
    let second_key = [("authorization", "Bearer erk_other")];
    let answer = harness.api.call("GET", "/v1/browser/runs", &second_key, Bytes::new()).await;
    assert_eq!((answer.status, answer.message().as_str()), (400, "\"authorization\" must be given once"));
    let post = async |body: &'static str| {
        let json = [("content-type", "application/json")];
        harness.api.call("POST", "/v1/browser/runs", &json, Bytes::from_static(body.as_bytes())).await
    };
    let twice = post(r#"{"goal": "a", "goal": "b", "start_url": "https://example.com/"}"#).await;
    assert_eq!((twice.status, twice.message().as_str()), (400, "\"goal\" stands twice in the body"));
    assert_eq!(twice.error().2.as_deref(), Some("goal"));
    let nul = post(r#"{"goal": "a\u0000", "start_url": "https://example.com/"}"#).await;
    assert_eq!((nul.status, nul.message().as_str()), (400, "\"goal\" must not hold a NUL character"));
    assert_eq!(harness.api.get("/v1/browser/runs").await.json()["data"], json!([]), "nothing was started");
}
