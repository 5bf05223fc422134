//! The public run object has exactly the names of SPEC §1, and a webhook's those of SPEC §6.

use super::*;
use crate::ground::Source;
use crate::price::MicroUsd;
use serde_json::{Value, json};

fn object(scenario: &Scenario) -> Value {
    let prices = PriceTable::default();
    run_object(&scenario.run, ObjectOptions { now: scenario.now, prices: &prices, data: None })
}

fn names(object: &Value) -> Vec<&str> {
    object.as_object().unwrap().keys().map(String::as_str).collect()
}

#[test]
fn a_running_run_is_shown_as_the_contract_says() {
    let scenario = Scenario::created_with(|spec| {
        spec.metadata.insert("order".to_owned(), "17".to_owned());
    });
    let id = scenario.run.id.as_str();
    let expected = json!({
        "id": id, "object": "browser_run",
        "status": "running",
        "goal": "Find the cheapest lamp", "start_url": "https://shop.example.com/",
        "engine": "chromium", "mode": "fast", "model": null,
        "steps": 0, "max_steps": 50, "billable_time_s": 0, "time_usd": 0,
        "current_url": null, "answer": null, "data": null, "error": null,
        "needs": null, "profile_saved": null,
        "usage": {"decision_calls": 0, "llm_calls": 0},
        "metadata": {"order": "17"},
        "created_at": "2026-10-11T09:40:21.000Z", "finished_at": null,
        "poll": format!("/v1/browser/runs/{id}?wait=30"), "charge_usd": null, "reserved_usd": 0.445,
    });
    assert_eq!(object(&scenario), expected);
    assert_eq!(names(&object(&scenario)), names(&expected));
}

fn stakes() -> Stakes {
    Stakes {
        total: Some("$12.00".to_owned()),
        items: vec!["Blue mug | $12.00".to_owned()],
        target: Some("shop.example.com".to_owned()),
        values: vec![SentValue { name: "qty".to_owned(), label: String::new(), value: "1".to_owned() }],
    }
}

#[test]
fn a_pause_is_shown_in_needs() {
    let scenario = Scenario::created().start().after(42_000).ask_with(|asked| {
        asked.kind = PauseKind::Approval;
        asked.prompt = "Approve: click button \"Buy\"?".to_owned();
        asked.fields = vec!["Full name: \"John Smith\"".to_owned()];
        asked.stakes = stakes();
        asked.proposal = Some(proposal(buy(), false));
    });
    let id = scenario.run.id.as_str();
    let object = object(&scenario);
    assert_eq!(object["status"], "waiting_for_human");
    let needs = json!({
        "kind": "approval", "pause": 1, "prompt": "Approve: click button \"Buy\"?",
        "fields": ["Full name: \"John Smith\""], "total": "$12.00", "items": ["Blue mug | $12.00"],
        "target": "shop.example.com", "values": [{"name": "qty", "label": "", "value": "1"}], "action": "Buy",
        "screenshot": format!("/v1/browser/runs/{id}/screenshot"), "since": "2026-10-11T09:41:03.000Z",
        "reply": format!("/v1/browser/runs/{id}/reply"),
    });
    assert_eq!(object["needs"], needs);
    assert_eq!(names(&object["needs"]), names(&needs));
}

#[test]
fn a_question_shows_its_options_and_no_action() {
    let scenario = Scenario::created().start().ask_with(|asked| asked.options = vec!["red".to_owned()]);
    let needs = &object(&scenario)["needs"];
    assert_eq!(needs["kind"], "question");
    assert_eq!(needs["options"], json!(["red"]));
    assert!(needs.get("action").is_none());
}

#[test]
fn a_finished_run_shows_its_outcome_and_charge() {
    let source = Source { url: page(1).url, place: "text".to_owned() };
    let conclusion = Conclusion {
        answer: Some("89.95".to_owned()),
        data: Some(json!({"price": 89.95})),
        sources: BTreeMap::from([("/price".to_owned(), source)]),
        profile_saved: Some("shopper".to_owned()),
        usage: usage(2, 1),
        ..Conclusion::default()
    };
    let scenario = Scenario::created()
        .start()
        .after(610_000)
        .finish(StepOutcome::GoalReached)
        .when(WorkerCommand::Conclude(Box::new(conclusion)))
        .when(SchedulerCommand::SettleCharge { charge: MicroUsd(7_000) });
    let object = object(&scenario);
    assert_eq!(object["status"], "succeeded");
    assert_eq!(object["terminal_reason"], "completed");
    assert_eq!(object["data"], json!({"price": 89.95}));
    assert_eq!(object["data_sources"], json!({"/price": {"url": page(1).url, "place": "text"}}));
    assert_eq!(object["profile_saved"], "shopper");
    assert_eq!(object["usage"], json!({"decision_calls": 2, "llm_calls": 1}));
    assert_eq!(object["billable_time_s"], 10);
    assert_eq!(object["time_usd"], 0.001);
    assert_eq!(object["charge_usd"], 0.007);
    assert_eq!(object["finished_at"], "2026-10-11T09:50:31.000Z");
    assert!(object.get("data_error").is_none());
}

#[test]
fn a_data_error_is_shown_when_there_is_one() {
    let conclusion = Conclusion { data_error: Some("does not match".to_owned()), ..Conclusion::default() };
    let scenario = Scenario::created().start().finish(StepOutcome::GoalReached);
    let object = object(&scenario.when(WorkerCommand::Conclude(Box::new(conclusion))));
    assert_eq!(object["data_error"], "does not match");
    assert_eq!(object["data"], Value::Null);
}

#[test]
fn a_failed_run_shows_reason_and_error() {
    let scenario = Scenario::created_with(|spec| spec.max_steps = 1).take_step().conclude();
    let object = object(&scenario);
    assert_eq!(object["status"], "failed");
    assert_eq!(object["terminal_reason"], "max_steps");
    assert_eq!(object["error"], "reached the step limit (1)");
}

#[test]
fn data_that_was_stored_as_a_blob_is_shown_in_its_place() {
    let prices = PriceTable::default();
    let scenario = Scenario::succeeded();
    let data = json!([1]);
    let options = ObjectOptions { now: scenario.now, prices: &prices, data: Some(&data) };
    assert_eq!(run_object(&scenario.run, options)["data"], json!([1]));
}

#[test]
fn a_webhook_shows_the_same_run_without_money_and_poll() {
    let prices = PriceTable::default();
    for scenario in [Scenario::created().start().ask(PauseKind::Handoff), Scenario::succeeded()] {
        let options = ObjectOptions { now: scenario.now, prices: &prices, data: None };
        let webhook = webhook_object(&scenario.run, options);
        let mut expected = run_object(&scenario.run, options);
        for name in ["charge_usd", "reserved_usd", "poll"] {
            assert!(expected.as_object_mut().unwrap().shift_remove(name).is_some(), "{name}");
        }
        assert_eq!(webhook, expected);
        assert!(webhook.get("webhook_secret").is_none());
    }
}
