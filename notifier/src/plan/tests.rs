use errand_domain::delivery::{DeliveryClaimed, DeliveryOutcome, DeliveryResolved};
use errand_domain::run::{Ending, RunRequest, TerminalReason, Writer};
use errand_domain::{AccountId, CommitId};
use serde_json::json;

use super::*;

const NOW: Timestamp = Timestamp::from_millis(1_000_000);

fn run(number: u64) -> RunId {
    RunId::new(Timestamp::from_millis(1_000), number)
}

fn commit<E>(run_id: &RunId, seq: u64, event: E) -> Commit<E> {
    let id = CommitId(seq.into());
    Commit { id, run_id: run_id.clone(), seq, prev: None, at: NOW, writer: Writer::Gateway, events: vec![event] }
}

fn created(run_id: &RunId, webhook: Option<&str>) -> Commit<RunEvent> {
    let body = json!({"goal": "g", "start_url": "https://shop.example/", "webhook": webhook});
    let request = RunRequest::parse(&body, AccountId::parse("default").unwrap(), "00000000".to_owned()).unwrap();
    commit(run_id, 1, RunEvent::Created { spec: Box::new(request.into_spec()), reserved: Default::default() })
}

fn finished(run_id: &RunId, seq: u64) -> Commit<RunEvent> {
    let finished = serde_json::from_value(json!({
        "status": "stopped", "reason": "stopped", "sources": {}, "usage": {"decision_calls": 0, "llm_calls": 0},
    }));
    commit(run_id, seq, RunEvent::Finished(Box::new(finished.unwrap())))
}

fn claimed(run_id: &RunId, event_seq: u64) -> Commit<DeliveryEvent> {
    let claim = DeliveryClaimed {
        n: 1,
        event_seq,
        event: WebhookEvent::Finished,
        epoch: String::new(),
        deadline: NOW.plus_ms(5_000),
    };
    commit(run_id, 1, DeliveryEvent::Claimed(claim))
}

fn resolved(run_id: &RunId) -> Commit<DeliveryEvent> {
    let resolved = DeliveryResolved { n: 1, outcome: DeliveryOutcome::InDoubt, duration_ms: 0 };
    commit(run_id, 2, DeliveryEvent::Resolved(resolved))
}

/// A plan that knows of one run's end.
fn plan_with_event() -> (Plan, RunId) {
    let (mut plan, run_id) = (Plan::default(), run(1));
    plan.observe_run(&created(&run_id, Some("https://a.example/")));
    plan.observe_run(&finished(&run_id, 2));
    (plan, run_id)
}

#[test]
fn only_events_that_are_told_make_a_run_due() {
    let (mut plan, run_id) = (Plan::default(), run(1));
    plan.observe_run(&created(&run_id, Some("https://a.example/")));
    let ending = Ending { reason: TerminalReason::Completed, error: None };
    plan.observe_run(&commit(&run_id, 2, RunEvent::ConclusionStarted(ending)));
    assert_eq!(plan.start(NOW), None);
    plan.observe_run(&finished(&run_id, 3));
    assert_eq!(plan.start(NOW), Some(run_id));
}

#[test]
fn a_run_without_webhook_is_never_looked_at() {
    let (mut plan, run_id) = (Plan::default(), run(1));
    plan.observe_run(&created(&run_id, None));
    plan.observe_run(&finished(&run_id, 2));
    assert_eq!((plan.start(NOW), plan.tracked().len(), plan.silent.len()), (None, 0, 0));
}

#[test]
fn a_run_in_flight_is_not_started_twice() {
    let (mut plan, run_id) = plan_with_event();
    assert_eq!(plan.start(NOW), Some(run_id.clone()));
    plan.observe_run(&finished(&run_id, 3));
    plan.watch(&run_id);
    assert_eq!(plan.start(NOW), None);
    plan.report(&run_id, Next::Idle { read_seq: 2 });
    assert_eq!(plan.start(NOW), Some(run_id), "the event that came meanwhile is lost");
}

#[test]
fn a_delivered_run_is_dropped_whichever_comes_first_report_or_tail() {
    let (mut plan, run_id) = plan_with_event();
    plan.start(NOW);
    plan.report(&run_id, Next::Idle { read_seq: 2 });
    plan.observe_delivery(&claimed(&run_id, 2));
    plan.observe_delivery(&resolved(&run_id));
    assert_eq!((plan.tracked().len(), plan.wake_at()), (0, None));

    let (mut plan, run_id) = plan_with_event();
    plan.start(NOW);
    plan.observe_delivery(&claimed(&run_id, 2));
    plan.observe_delivery(&resolved(&run_id));
    plan.report(&run_id, Next::Idle { read_seq: 2 });
    assert_eq!((plan.tracked().len(), plan.wake_at()), (0, None));
}

#[test]
fn a_backlog_of_delivered_runs_needs_no_look() {
    let (mut plan, run_id) = plan_with_event();
    plan.observe_delivery(&claimed(&run_id, 2));
    plan.observe_delivery(&resolved(&run_id));
    assert_eq!((plan.start(NOW), plan.tracked().len()), (None, 0));
}

#[test]
fn another_notifiers_open_claim_is_looked_at_once_it_is_given_up() {
    let (mut plan, run_id) = plan_with_event();
    plan.observe_delivery(&claimed(&run_id, 2));
    let given_up_at = NOW.plus_ms(5_000 + crate::limits::CLAIM_MARGIN_MS);
    assert_eq!(plan.wake_at(), Some(given_up_at));
    assert_eq!(plan.start(NOW), None);
    assert_eq!(plan.start(given_up_at), Some(run_id));
}

#[test]
fn a_failed_look_is_made_again_later() {
    let (mut plan, run_id) = plan_with_event();
    plan.start(NOW);
    plan.report(&run_id, Next::At(NOW.plus_ms(500)));
    assert_eq!(plan.start(NOW.plus_ms(499)), None);
    assert_eq!(plan.start(NOW.plus_ms(500)), Some(run_id));
}

#[test]
fn parked_runs_go_on_oldest_first_as_slots_get_free() {
    let mut plan = Plan::default();
    for number in 1..=3 {
        plan.watch(&run(number));
        plan.start(NOW);
        plan.report(&run(number), Next::WhenFree { host: "a".to_owned() });
    }
    assert_eq!((plan.start(NOW), plan.tracked().len()), (None, 3));
    plan.unpark(|_| 2);
    let started: Vec<_> = std::iter::from_fn(|| plan.start(NOW)).collect();
    assert_eq!(started, [run(1), run(2)]);
    plan.unpark(|_| 2);
    assert_eq!(plan.start(NOW), Some(run(3)));
}

#[test]
fn a_deleted_run_is_dropped_even_while_parked() {
    let (mut plan, run_id) = plan_with_event();
    plan.start(NOW);
    plan.report(&run_id, Next::WhenFree { host: "a".to_owned() });
    plan.observe_run(&commit(&run_id, 3, RunEvent::Deleted));
    plan.unpark(|_| 1);
    assert_eq!((plan.start(NOW), plan.tracked().len()), (None, 0));
}
