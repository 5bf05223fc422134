use super::*;
use errand_domain::action::{Target, TypedText};
use errand_domain::run::{Proposal, Stakes, TerminalReason, Usage, Writer};
use errand_domain::{CommitId, SecretName, Timestamp, WorkerId};

fn json_of(event: RunEvent) -> Value {
    let commit = Commit {
        id: CommitId(7),
        run_id: RunId::parse("brun_000000000001000000000002").unwrap(),
        seq: 4,
        prev: None,
        at: Timestamp::from_millis(1_000),
        writer: Writer::Worker,
        events: vec![event.clone()],
    };
    event_json(&commit, 0, &event, EventContext { status: status_after(&event), data: None })
}

fn target() -> Target {
    Target {
        element: "e1".to_owned(),
        role: "textbox".to_owned(),
        name: "Password".to_owned(),
        fingerprint: "form#login input#pw".to_owned(),
    }
}

#[test]
fn a_step_says_what_was_done_and_where_its_picture_is() {
    let event = json_of(RunEvent::StepFinished(StepFinished {
        step: 2,
        attempt: 1,
        outcome: StepOutcome::Acted { result: "page changed".to_owned() },
        url: Some("https://example.com/b".to_owned()),
        pages: vec![],
        screenshot: Some(BlobKey::parse("shot-2").unwrap()),
        checkpoint: Some(BlobKey::parse("checkpoint-2").unwrap()),
        usage: Usage::default(),
    }));
    assert_eq!(event["v"], 1);
    assert_eq!(event["id"], "4.0");
    assert_eq!(event["type"], "step.finished");
    assert_eq!(event["at"], "1970-01-01T00:00:01.000Z");
    assert_eq!(event["outcome"], json!({"kind": "acted", "detail": "page changed"}));
    assert_eq!(event["screenshot"], "/v1/browser/runs/brun_000000000001000000000002/screenshot?step=2");
    assert!(event.get("checkpoint").is_none());
}

#[test]
fn a_typed_secret_is_shown_by_its_name() {
    let text = TypedText::Secret(SecretName::parse("pin").unwrap());
    let event = json_of(RunEvent::ActionChosen(ActionChosen {
        step: 1,
        attempt: 1,
        action: Action::Type { target: target(), text },
        committing: false,
        url: "https://example.com/".to_owned(),
        digest: "d".to_owned(),
        pages: vec![],
        usage: Usage::default(),
    }));
    assert_eq!(event["action"]["description"], "type [secret:pin] into textbox \"Password\"");
    assert!(!event.to_string().contains("fingerprint"));
}

#[test]
fn a_pause_shows_the_label_of_what_it_asks_for() {
    let proposal = Proposal {
        action: Action::Click { target: target() },
        label: "Get my quote".to_owned(),
        url: "https://example.com/".to_owned(),
        digest: "d".to_owned(),
        in_doubt: false,
        request: None,
    };
    let event = json_of(RunEvent::HumanAsked(Box::new(HumanAsked {
        pause: 1,
        step: 3,
        attempt: 1,
        kind: PauseKind::Approval,
        prompt: "Approve?".to_owned(),
        fields: vec!["Name: \"A\"".to_owned()],
        stakes: Stakes { target: Some("example.com".to_owned()), ..Stakes::default() },
        options: vec![],
        proposal: Some(proposal),
        url: None,
        pages: vec![],
        screenshot: None,
        checkpoint: None,
        usage: Usage::default(),
    })));
    assert_eq!((&event["status"], &event["kind"]), (&json!("waiting_for_human"), &json!("approval")));
    assert_eq!(event["action"], "Get my quote");
    assert_eq!((&event["target"], &event["total"]), (&json!("example.com"), &Value::Null));
}

#[test]
fn the_end_carries_answer_and_data() {
    let event = json_of(RunEvent::Finished(Box::new(Finished {
        status: Status::Succeeded,
        reason: TerminalReason::Completed,
        answer: Some("done".to_owned()),
        data: Some(json!({"b": 1, "a": 2})),
        data_blob: None,
        data_error: None,
        sources: std::collections::BTreeMap::new(),
        error: None,
        profile_saved: None,
        usage: Usage::default(),
    })));
    assert_eq!((&event["status"], &event["terminal_reason"]), (&json!("succeeded"), &json!("completed")));
    assert_eq!(event["data"], json!({"b": 1, "a": 2}));
    let lost = json_of(RunEvent::WorkerLost { step: 1, attempt: 2, worker: WorkerId::parse("w").unwrap() });
    assert_eq!(lost["attempt"], 2);
}

#[test]
fn the_types_that_a_stream_takes_are_those_that_are_described() {
    let description = crate::description::description();
    let schemas = &description["components"]["schemas"];
    let described = schemas["Event"]["oneOf"].as_array().unwrap().iter().map(|one| {
        let name = one["$ref"].as_str().unwrap().rsplit('/').next().unwrap();
        schemas[name]["properties"]["type"]["const"].as_str().unwrap()
    });
    assert_eq!(described.collect::<Vec<_>>(), EVENT_TYPES);
    assert_eq!(read_types(&["run.waiting", "run.paused"]).unwrap_err().param.as_deref(), Some("type"));
}
