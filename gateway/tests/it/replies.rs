//! Replies and stops.

use errand_domain::run::{PauseKind, StepOutcome};
use serde_json::json;

use crate::harness::{Harness, path};

#[tokio::test]
async fn a_reply_ends_the_pause_and_the_answer_shows_it() {
    let harness = Harness::start().await;
    let id = harness.create(json!({})).await;
    harness.ask(&id, PauseKind::Question, &["red", "blue"]).await;
    let reply = format!("{}/reply", path(&id));
    let wrong = harness.api.post(&reply, &json!({"answer": "green", "pause": 1})).await;
    assert_eq!((wrong.status, wrong.message().as_str()), (400, "\"answer\" must be one of [\"red\",\"blue\"]"));
    let answer = harness.api.post(&reply, &json!({"answer": "red", "pause": 1})).await;
    assert_eq!((answer.status, &answer.json()["status"]), (200, &json!("running")));
    let again = harness.api.post(&reply, &json!({"answer": "red", "pause": 1})).await;
    assert_eq!((again.status, again.error().0.as_str()), (409, "not_waiting"));
}

#[tokio::test]
async fn a_reply_to_an_earlier_pause_is_a_conflict_whatever_it_holds() {
    let harness = Harness::start().await;
    let id = harness.create(json!({})).await;
    let reply = format!("{}/reply", path(&id));
    harness.ask(&id, PauseKind::Question, &[]).await;
    harness.api.post(&reply, &json!({"answer": "red"})).await;
    harness.ask(&id, PauseKind::Approval, &[]).await;
    let late = harness.api.post(&reply, &json!({"answer": "red", "pause": 1})).await;
    assert_eq!(late.status, 409);
    assert_eq!(late.error().2.as_deref(), Some("pause"));
    let misfit = harness.api.post(&reply, &json!({"answer": "red"})).await;
    assert_eq!(misfit.status, 400);
    assert_eq!(misfit.message(), "\"answer\" does not fit a pause that waits for \"approve\"");
    let refused = harness.api.post(&reply, &json!({"approve": false, "note": "too dear", "pause": 2})).await;
    assert_eq!(refused.status, 200);
}

#[tokio::test]
async fn a_stop_ends_the_run_and_a_second_one_changes_nothing() {
    let harness = Harness::start().await;
    let id = harness.create(json!({})).await;
    let stop = format!("{}/stop", path(&id));
    let stopped = harness.api.call("POST", &stop, &[], bytes::Bytes::new()).await;
    let run = stopped.json();
    assert_eq!((stopped.status, &run["status"]), (200, &json!("stopped")));
    assert_eq!((&run["terminal_reason"], &run["data"]), (&json!("stopped"), &json!(null)));
    let again = harness.api.call("POST", &stop, &[], bytes::Bytes::new()).await;
    assert_eq!((again.status, again.json()), (200, run));
    let reply = harness.api.post(&format!("{}/reply", path(&id)), &json!({"done": true})).await;
    assert_eq!((reply.status, reply.error().0.as_str()), (409, "finished"));
}

#[tokio::test]
async fn a_finished_run_is_stopped_as_it_is() {
    let harness = Harness::start().await;
    let id = harness.create(json!({})).await;
    harness.start_step(&id).await;
    harness.finish_step(&id, StepOutcome::Acted { result: "ok".to_owned() }, None).await;
    harness.succeed(&id, None).await;
    let stopped = harness.api.call("POST", &format!("{}/stop", path(&id)), &[], bytes::Bytes::new()).await;
    assert_eq!((stopped.status, &stopped.json()["status"]), (200, &json!("succeeded")));
}
