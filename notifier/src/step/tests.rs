use errand_domain::delivery::{DeliveryEvent, DeliveryOutcome, DeliveryResolved, fold};
use errand_domain::run::{Finished, HumanAsked, PauseKind, RunRequest, Stakes, Status, TerminalReason, Usage, Writer};
use errand_domain::{AccountId, CommitId};
use serde_json::json;
use std::collections::BTreeMap;

use super::*;

fn at(ms: i64) -> Timestamp {
    Timestamp::from_millis(ms)
}

fn run_id() -> RunId {
    RunId::new(at(10_000), 1)
}

fn commits<E: Clone>(events: &[E], writer: Writer) -> Vec<Commit<E>> {
    let commit = |(index, event): (usize, &E)| Commit {
        id: CommitId(index as u128 + 1),
        run_id: run_id(),
        seq: index as u64 + 1,
        prev: (index > 0).then_some(CommitId(index as u128)),
        at: at(10_000),
        writer,
        events: vec![event.clone()],
    };
    events.iter().enumerate().map(commit).collect()
}

fn created(webhook: Option<&str>) -> RunEvent {
    let body = json!({"goal": "g", "start_url": "https://shop.example/", "webhook": webhook});
    let request = RunRequest::parse(&body, AccountId::parse("default").unwrap(), "00000000".to_owned()).unwrap();
    RunEvent::Created { spec: Box::new(request.into_spec()), reserved: Default::default() }
}

fn asked() -> RunEvent {
    RunEvent::HumanAsked(Box::new(HumanAsked {
        pause: 1,
        step: 1,
        attempt: 1,
        kind: PauseKind::Question,
        prompt: "which?".to_owned(),
        fields: Vec::new(),
        stakes: Stakes::default(),
        options: Vec::new(),
        proposal: None,
        url: None,
        pages: Vec::new(),
        screenshot: None,
        checkpoint: None,
        usage: Usage::default(),
    }))
}

fn finished() -> RunEvent {
    RunEvent::Finished(Box::new(Finished {
        status: Status::Stopped,
        reason: TerminalReason::Stopped,
        answer: None,
        data: None,
        data_blob: None,
        data_error: None,
        sources: BTreeMap::new(),
        error: None,
        profile_saved: None,
        usage: Usage::default(),
    }))
}

fn history(events: &[RunEvent]) -> Vec<Commit<RunEvent>> {
    commits(events, Writer::Gateway)
}

fn with_webhook(events: &[RunEvent]) -> Vec<Commit<RunEvent>> {
    history(&[&[created(Some("https://a.example/"))], events].concat())
}

fn claim(n: u32, event_seq: u64, event: WebhookEvent) -> DeliveryEvent {
    DeliveryEvent::Claimed(DeliveryClaimed { n, event_seq, event, epoch: "a/1".to_owned(), deadline: at(20_000) })
}

fn deliveries(events: &[DeliveryEvent]) -> Option<Deliveries> {
    fold(&commits(events, Writer::Notifier)).unwrap()
}

fn delivered(n: u32) -> DeliveryEvent {
    let outcome = DeliveryOutcome::Delivered { status: 200 };
    DeliveryEvent::Resolved(DeliveryResolved { n, outcome, duration_ms: 1 })
}

const LATER: Timestamp = Timestamp::from_millis(60_000);

#[test]
fn no_delivery_starts_earlier_than_a_second_after_the_run_was_created() {
    let history = with_webhook(&[asked()]);
    assert_eq!(next_step(&history, None, at(10_999)), Step::WaitUntil(at(11_000)));
    let due = Due { run_id: run_id(), n: 1, event_seq: 2, event: WebhookEvent::Waiting };
    assert_eq!(next_step(&history, None, at(11_000)), Step::Deliver(due));
}

#[test]
fn events_are_due_one_after_the_other() {
    let history = with_webhook(&[asked(), finished()]);
    let first = deliveries(&[claim(1, 2, WebhookEvent::Waiting), delivered(1)]);
    let due = Due { run_id: run_id(), n: 2, event_seq: 3, event: WebhookEvent::Finished };
    assert_eq!(next_step(&history, first.as_ref(), LATER), Step::Deliver(due));
    let both = deliveries(&[
        claim(1, 2, WebhookEvent::Waiting),
        delivered(1),
        claim(2, 3, WebhookEvent::Finished),
        delivered(2),
    ]);
    assert_eq!(next_step(&history, both.as_ref(), LATER), Step::Idle { read_seq: 3 });
}

#[test]
fn an_open_claim_is_waited_for_then_in_doubt_and_never_sent_again() {
    let history = with_webhook(&[asked(), finished()]);
    let open = deliveries(&[claim(1, 2, WebhookEvent::Waiting)]);
    assert_eq!(next_step(&history, open.as_ref(), at(21_999)), Step::WaitUntil(at(22_000)));
    let step = next_step(&history, open.as_ref(), at(22_000));
    let expected = DeliveryClaimed {
        n: 1,
        event_seq: 2,
        event: WebhookEvent::Waiting,
        epoch: "a/1".to_owned(),
        deadline: at(20_000),
    };
    assert_eq!(step, Step::ResolveInDoubt(expected));
}

#[test]
fn a_run_without_webhook_and_a_deleted_one_are_forgotten() {
    assert_eq!(next_step(&history(&[created(None), finished()]), None, LATER), Step::Forget);
    assert_eq!(next_step(&with_webhook(&[finished(), RunEvent::Deleted]), None, LATER), Step::Forget);
    assert_eq!(next_step(&[], None, LATER), Step::Forget);
    let mut tombstone = history(&[RunEvent::Deleted]);
    tombstone[0].seq = 9;
    assert_eq!(next_step(&tombstone, None, LATER), Step::Forget);
}

#[test]
fn a_run_that_goes_on_is_idle() {
    assert_eq!(next_step(&with_webhook(&[]), None, LATER), Step::Idle { read_seq: 1 });
}
