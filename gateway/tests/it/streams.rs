//! Live streams and event lists.

use errand_domain::run::PauseKind;
use serde_json::{Value, json};

use crate::client::Api;
use crate::harness::{Harness, path};

#[tokio::test]
async fn a_runs_stream_tells_the_past_and_follows_to_the_end() {
    let harness = Harness::start().await;
    let id = harness.create(json!({})).await;
    harness.start_step(&id).await;
    let mut stream = harness.api.stream(&format!("{}/events", path(&id)), None).await;
    assert_eq!(stream.names(2).await, ["run.created", "step.started"]);
    harness.finish_step(&id, errand_domain::run::StepOutcome::Acted { result: "ok".to_owned() }, None).await;
    assert_eq!(stream.names(1).await, ["step.finished"]);
    harness.succeed(&id, Some(json!({"a": 1}))).await;
    assert_eq!(stream.names(4).await, ["step.started", "step.finished", "run.concluding", "run.finished"]);
    harness.settle(&id).await;
    let settled = stream.next().await.unwrap();
    assert_eq!((settled.name.as_str(), &settled.json["status"]), ("charge.settled", &json!("succeeded")));
    assert_eq!(settled.json["charge_usd"], 0.006);
    assert!(stream.next().await.is_none(), "nothing follows the settled charge");
}

#[tokio::test]
async fn a_runs_stream_resumes_within_a_commit() {
    let harness = Harness::start().await;
    let id = harness.create(json!({})).await;
    harness.succeed(&id, None).await;
    harness.settle(&id).await;
    let events = format!("{}/events", path(&id));
    let list = harness.api.get(&events).await.json();
    let list = list["data"].as_array().unwrap();
    let finished = list.iter().position(|event| event["type"] == "step.finished").unwrap();
    let mut stream = harness.api.stream(&events, list[finished]["id"].as_str()).await;
    let mut rest: Vec<Value> = Vec::new();
    while let Some(event) = stream.next().await {
        rest.push(event.json);
    }
    assert_eq!(rest, list[finished + 1..], "the list and the stream are the same events");
    assert_eq!(rest[0]["type"], "run.concluding", "step.finished and run.concluding are one commit");
    let wrong = harness.api.call("GET", &events, &[("accept", "text/event-stream"), ("last-event-id", "x")], "".into());
    assert_eq!(wrong.await.error().2.as_deref(), Some("Last-Event-ID"));
}

#[tokio::test]
async fn the_accounts_stream_shows_its_runs_only() {
    let harness = Harness::start().await;
    let stranger = harness.api_of("other", false).await;
    let operator = harness.api_of("ops", true).await;
    let mut own = harness.api.stream("/v1/events", None).await;
    let mut foreign = stranger.stream("/v1/events", None).await;
    let mut all = operator.stream("/v1/events?type=run.created", None).await;
    let id = harness.create(json!({})).await;
    let theirs = stranger.post("/v1/browser/runs", &crate::harness::body(json!({}))).await.json();
    assert_eq!(own.next().await.unwrap().json["run_id"], id.to_string());
    assert_eq!(foreign.next().await.unwrap().json["run_id"], theirs["id"]);
    let mut seen = [all.next().await.unwrap().json["run_id"].clone(), all.next().await.unwrap().json["run_id"].clone()];
    seen.sort_by_key(ToString::to_string);
    let mut made = [json!(id.to_string()), theirs["id"].clone()];
    made.sort_by_key(ToString::to_string);
    assert_eq!(seen, made);
}

#[tokio::test]
async fn the_accounts_stream_resumes_without_loss_or_repetition() {
    let harness = Harness::start().await;
    let mut stream = harness.api.stream("/v1/events", None).await;
    let mut expected = Vec::new();
    for _ in 0..6 {
        let id = harness.create(json!({})).await;
        harness.ask(&id, PauseKind::Question, &[]).await;
        harness.api.post(&format!("{}/stop", path(&id)), &json!({})).await;
        for name in ["run.created", "step.started", "run.waiting", "run.stop_requested", "run.finished"] {
            expected.push((id.to_string(), name.to_owned()));
        }
    }
    let mut seen = Vec::new();
    // Each connection reads four events and breaks: also between the two events of the stop's commit.
    while seen.len() < expected.len() {
        let mut last_id = String::new();
        for _ in 0..4.min(expected.len() - seen.len()) {
            let event = stream.next().await.unwrap();
            seen.push((event.json["run_id"].as_str().unwrap().to_owned(), event.name));
            last_id = event.id;
        }
        stream = harness.api.stream("/v1/events", Some(&last_id)).await;
    }
    let mut sorted = (seen.clone(), expected.clone());
    sorted.0.sort();
    sorted.1.sort();
    assert_eq!(sorted.0, sorted.1);
    for id in expected.iter().map(|(id, _)| id) {
        let of_run = |events: &[(String, String)]| -> Vec<String> {
            events.iter().filter(|(run, _)| run == id).map(|(_, name)| name.clone()).collect()
        };
        assert_eq!(of_run(&seen), of_run(&expected), "in order within a run");
    }
}

#[tokio::test]
async fn the_accounts_stream_resumes_at_another_gateway() {
    let harness = Harness::start().await;
    let mut stream = harness.api.stream("/v1/events", None).await;
    harness.create(json!({})).await;
    let last = stream.next().await.unwrap();
    let missed = harness.create(json!({})).await;
    let later = harness.another().await;
    let after = harness.create(json!({})).await;
    let mut resumed = later.api.stream("/v1/events?type=run.created", Some(&last.id)).await;
    let mut seen: Vec<String> = Vec::new();
    for _ in 0..2 {
        seen.push(resumed.next().await.unwrap().json["run_id"].as_str().unwrap().to_owned());
    }
    let mut made = vec![missed.to_string(), after.to_string()];
    made.sort();
    seen.sort();
    assert_eq!(seen, made);
}

#[tokio::test]
async fn the_accounts_stream_is_narrowed_by_status() {
    let harness = Harness::start().await;
    let mut waiting = harness.api.stream("/v1/events?status=waiting_for_human,stopped", None).await;
    let id = harness.create(json!({})).await;
    harness.ask(&id, PauseKind::Handoff, &[]).await;
    harness.api.post(&format!("{}/stop", path(&id)), &json!({})).await;
    assert_eq!(waiting.names(2).await, ["run.waiting", "run.finished"]);
    let wrong = harness.api.get("/v1/events?status=x").await;
    assert_eq!(wrong.status, 400);
}

async fn resumed(harness: &Harness, events: &str, last_event_id: &str) -> crate::client::Answer {
    let headers = [("accept", "text/event-stream"), ("last-event-id", last_event_id)];
    harness.api.call("GET", events, &headers, "".into()).await
}

#[tokio::test]
async fn an_id_that_no_event_of_the_run_has_is_400() {
    let harness = Harness::start().await;
    let id = harness.create(json!({})).await;
    harness.succeed(&id, None).await;
    let events = format!("{}/events", path(&id));
    for unknown in ["99.0", "1.7", "0.0", "01.0", "+1.0", "1", "-1.0", "1.0.0", "18446744073709551616.0"] {
        let answer = resumed(&harness, &events, unknown).await;
        assert_eq!((answer.status, answer.error().2.as_deref()), (400, Some("Last-Event-ID")), "{unknown}");
    }
}

#[tokio::test]
async fn a_settled_run_resumed_at_its_end_answers_204() {
    let harness = Harness::start().await;
    let id = harness.create(json!({})).await;
    harness.succeed(&id, None).await;
    harness.settle(&id).await;
    let events = format!("{}/events", path(&id));
    let list = harness.api.get(&events).await.json();
    let ids: Vec<&str> = list["data"].as_array().unwrap().iter().map(|event| event["id"].as_str().unwrap()).collect();
    let (last, before) = (ids[ids.len() - 1], ids[ids.len() - 2]);
    let answer = resumed(&harness, &events, last).await;
    assert_eq!((answer.status, answer.body.len()), (204, 0), "a browser does not connect again");
    let mut stream = harness.api.stream(&events, Some(before)).await;
    assert_eq!(stream.names(1).await, ["charge.settled"]);
}

#[tokio::test]
async fn a_type_that_no_event_has_is_400_and_named() {
    let harness = Harness::start().await;
    let answer = harness.api.get("/v1/events?type=run.waiting,run.paused").await;
    let wanted = "\"type\" names an unknown type of event: \"run.paused\"";
    assert_eq!((answer.status, answer.message().as_str()), (400, wanted));
}

#[tokio::test]
async fn a_stream_token_opens_the_accounts_streams_and_nothing_else() {
    let harness = Harness::start().await;
    let id = harness.create(json!({})).await;
    let made = harness.api.post("/v1/stream_tokens", &json!({})).await;
    assert_eq!(made.status, 201);
    let token = made.json()["token"].as_str().unwrap().to_owned();
    let browser = Api { key: String::new(), ..harness.api.clone() };
    let mut stream = browser.stream(&format!("{}/events?token={token}", path(&id)), None).await;
    assert_eq!(stream.names(1).await, ["run.created"]);
    let open = browser.open("GET", &format!("/v1/events?token={token}"), &[], "".into()).await;
    assert_eq!(open.headers()["access-control-allow-origin"], "*", "a page of any origin that has a token");
    let refused = async |path: &str| browser.get(path).await.status;
    assert_eq!(refused(&format!("{}?token={token}", path(&id))).await, 400, "not a parameter of this call");
    assert_eq!(
        browser
            .call("GET", "/v1/browser/runs", &[("authorization", &format!("Bearer {token}"))], "".into())
            .await
            .status,
        401
    );
    assert_eq!(refused(&format!("/v1/events?token={token}0")).await, 401);
    assert_eq!(refused("/v1/events?token=est_x").await, 401);
    assert_eq!(harness.api.get(&format!("/v1/events?token={token}")).await.status, 400, "a key and a token");
    let stranger = harness.api_of("other", false).await;
    let theirs = stranger.post("/v1/stream_tokens", &json!({})).await.json()["token"].as_str().unwrap().to_owned();
    assert_eq!(refused(&format!("{}/events?token={theirs}", path(&id))).await, 404);
}
