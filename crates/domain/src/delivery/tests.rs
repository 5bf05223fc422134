//! Scenarios of the delivery aggregate: one claim per event, in order, and never a second one.

use super::*;
use crate::ids::{CommitId, RunId};
use crate::price::MicroUsd;
use crate::run::{
    Commit, Finished, HumanAsked, PauseKind, Reply, RunEvent, Stakes, Status, TerminalReason, Usage, Writer,
};
use crate::time::Timestamp;
use std::collections::BTreeMap;

fn run_id() -> RunId {
    RunId::new(Timestamp::from_millis(1_000), 7)
}

fn commit<E>(seq: u64, events: Vec<E>) -> Commit<E> {
    Commit {
        id: CommitId(u128::from(seq)),
        run_id: run_id(),
        seq,
        prev: (seq > 1).then(|| CommitId(u128::from(seq - 1))),
        at: Timestamp::from_millis(1_000 * seq as i64),
        writer: Writer::Notifier,
        events,
    }
}

/// The log after these commands, each of which is accepted.
fn log_of(commands: Vec<DeliveryCommand>) -> Vec<Commit<DeliveryEvent>> {
    let mut log: Vec<Commit<DeliveryEvent>> = Vec::new();
    for command in commands {
        let deliveries = fold(&log).unwrap();
        let events = decide(deliveries.as_ref(), command).unwrap();
        log.push(commit(log.len() as u64 + 1, events));
    }
    fold(&log).unwrap();
    log
}

fn state_of(commands: Vec<DeliveryCommand>) -> Deliveries {
    fold(&log_of(commands)).unwrap().unwrap()
}

fn claim(n: u32, event_seq: u64) -> DeliveryClaimed {
    let deadline = Timestamp::from_millis(9_000);
    DeliveryClaimed { n, event_seq, event: WebhookEvent::Waiting, epoch: "e1".to_owned(), deadline }
}

fn claim_command(n: u32, event_seq: u64) -> DeliveryCommand {
    DeliveryCommand::Claim(claim(n, event_seq))
}

fn delivered(n: u32) -> DeliveryCommand {
    let outcome = DeliveryOutcome::Delivered { status: 200 };
    DeliveryCommand::Resolve(DeliveryResolved { n, outcome, duration_ms: 41 })
}

fn asked() -> RunEvent {
    RunEvent::HumanAsked(Box::new(HumanAsked {
        pause: 1,
        step: 1,
        attempt: 1,
        kind: PauseKind::Handoff,
        prompt: String::new(),
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

/// A run that waited in commit 2 and was stopped in commit 4.
fn history() -> Vec<Commit<RunEvent>> {
    vec![
        commit(1, vec![RunEvent::StopRequested]),
        commit(2, vec![asked()]),
        commit(3, vec![RunEvent::HumanReplied { pause: 1, reply: Reply::Done }]),
        commit(4, vec![RunEvent::StopRequested, finished()]),
        commit(5, vec![RunEvent::ChargeSettled { charge: MicroUsd(1) }]),
    ]
}

#[test]
fn an_event_is_claimed_once_whatever_came_of_it() {
    let again = || claim_command(2, 2);
    let open = state_of(vec![claim_command(1, 2)]);
    assert_eq!(decide(Some(&open), again()), Err(DeliveryRejection::AlreadyClaimed { event_seq: 2 }));
    let in_doubt = state_of(vec![claim_command(1, 2), DeliveryCommand::ResolveInDoubt { n: 1 }]);
    assert_eq!(decide(Some(&in_doubt), again()), Err(DeliveryRejection::AlreadyClaimed { event_seq: 2 }));
    let reason = "address not allowed".to_owned();
    let not_sent = state_of(vec![DeliveryCommand::RecordNotSent { claim: claim(1, 2), reason }]);
    assert_eq!(decide(Some(&not_sent), again()), Err(DeliveryRejection::AlreadyClaimed { event_seq: 2 }));
}

#[test]
fn an_event_before_the_last_claimed_one_is_refused() {
    let state = state_of(vec![claim_command(1, 4), delivered(1)]);
    assert_eq!(decide(Some(&state), claim_command(2, 2)), Err(DeliveryRejection::AlreadyClaimed { event_seq: 2 }));
}

#[test]
fn the_next_event_waits_for_the_open_claim() {
    let open = state_of(vec![claim_command(1, 2)]);
    assert_eq!(decide(Some(&open), claim_command(2, 4)), Err(DeliveryRejection::StillOpen { n: 1 }));
    let resolved = state_of(vec![claim_command(1, 2), delivered(1), claim_command(2, 4)]);
    assert_eq!(resolved.open().unwrap().claim.n, 2);
}

#[test]
fn claims_are_numbered_without_a_hole() {
    let wrong = DeliveryRejection::OtherNumber { given: 2, next: 1 };
    assert_eq!(decide(None, claim_command(2, 2)), Err(wrong));
}

#[test]
fn a_claim_has_one_result() {
    let resolved = state_of(vec![claim_command(1, 2), delivered(1)]);
    assert_eq!(resolved.all[0].outcome, Some(DeliveryOutcome::Delivered { status: 200 }));
    assert_eq!(resolved.all[0].duration_ms, 41);
    assert_eq!(decide(Some(&resolved), delivered(1)), Err(DeliveryRejection::NotOpen { given: 1 }));
    let late = DeliveryCommand::ResolveInDoubt { n: 1 };
    assert_eq!(decide(Some(&resolved), late), Err(DeliveryRejection::NotOpen { given: 1 }));
}

#[test]
fn a_result_without_a_claim_is_refused() {
    assert_eq!(decide(None, delivered(1)), Err(DeliveryRejection::NotOpen { given: 1 }));
    let open = state_of(vec![claim_command(1, 2)]);
    assert_eq!(decide(Some(&open), delivered(2)), Err(DeliveryRejection::NotOpen { given: 2 }));
}

#[test]
fn what_never_connected_is_claimed_and_resolved_in_one_commit() {
    let reason = "connection refused".to_owned();
    let log = log_of(vec![DeliveryCommand::RecordNotSent { claim: claim(1, 2), reason: reason.clone() }]);
    assert_eq!(log.len(), 1);
    let state = fold(&log).unwrap().unwrap();
    assert_eq!(state.open(), None);
    assert_eq!(state.all[0].outcome, Some(DeliveryOutcome::NotSent { reason }));
    assert_eq!(state.all[0].claimed_at, log[0].at);
}

#[test]
fn the_first_event_without_a_claim_is_due() {
    let history = history();
    assert_eq!(due(&history[..1], None), None);
    assert_eq!(due(&history, None), Some((2, WebhookEvent::Waiting)));
    let first = state_of(vec![claim_command(1, 2)]);
    assert_eq!(due(&history, Some(&first)), Some((4, WebhookEvent::Finished)));
    assert_eq!(due(&history[..3], Some(&first)), None);
    let both = state_of(vec![claim_command(1, 2), delivered(1), claim_command(2, 4)]);
    assert_eq!(due(&history, Some(&both)), None);
}

#[test]
fn a_delivery_log_with_a_hole_a_fork_or_a_second_claim_is_refused() {
    let good = log_of(vec![claim_command(1, 2), delivered(1), claim_command(2, 4)]);
    let mut hole = good.clone();
    hole.remove(1);
    let mut fork = good.clone();
    fork[1].prev = Some(CommitId(77));
    let mut of_another_run = good.clone();
    of_another_run[2].run_id = RunId::new(Timestamp::from_millis(2_000), 8);
    let mut claimed_twice = good.clone();
    claimed_twice[2].events = vec![DeliveryEvent::Claimed(claim(2, 2))];
    let mut empty = good.clone();
    empty[1].events.clear();
    for log in [hole, fork, of_another_run, claimed_twice, empty] {
        assert!(fold(&log).is_err(), "{log:?}");
    }
}
