//! Histories that no sequence of decisions can have written are reported, never served.

use super::*;

fn scenario() -> Scenario {
    Scenario::created().take_step().start()
}

/// The error of one more commit with these events.
fn fault_of(scenario: &Scenario, events: Vec<RunEvent>) -> CorruptHistory {
    let commit = Commit {
        id: CommitId(99),
        run_id: scenario.run.id.clone(),
        seq: scenario.run.seq + 1,
        prev: Some(scenario.run.last_commit),
        at: scenario.now,
        writer: Writer::Worker,
        events,
    };
    evolve(Some(scenario.run.clone()), &commit).unwrap_err()
}

#[test]
fn folding_the_log_gives_the_live_state() {
    let scenario = scenario();
    assert_eq!(fold(&scenario.log), Ok(Some(scenario.run)));
    assert_eq!(fold([]), Ok(None));
}

#[test]
fn a_missing_commit_is_a_hole() {
    let mut log = scenario().log;
    log.remove(2);
    let fault = fold(&log).unwrap_err();
    assert!(matches!(fault, CorruptHistory::Hole { last: 2, found: 4, .. }), "{fault}");
    assert!(matches!(fold(&log[1..]), Err(CorruptHistory::Hole { last: 0, found: 2, .. })));
}

#[test]
fn a_commit_taken_twice_is_not_applied_twice() {
    let mut log = scenario().log;
    log.insert(2, log[1].clone());
    assert!(matches!(fold(&log), Err(CorruptHistory::Hole { last: 2, found: 2, .. })));
}

#[test]
fn a_commit_that_does_not_name_the_last_one_is_a_fork() {
    let mut log = scenario().log;
    log[3].prev = Some(CommitId(77));
    assert!(matches!(fold(&log), Err(CorruptHistory::Fork { seq: 4, .. })));
    let mut log = scenario().log;
    log[0].prev = Some(CommitId(77));
    assert!(matches!(fold(&log), Err(CorruptHistory::Fork { seq: 1, .. })));
}

#[test]
fn a_commit_of_another_run_is_refused() {
    let mut log = scenario().log;
    log[1].run_id = RunId::new(STARTED_AT, 8);
    assert!(matches!(fold(&log), Err(CorruptHistory::OtherRun { seq: 2, .. })));
}

#[test]
fn a_commit_without_events_is_refused() {
    assert!(matches!(fault_of(&scenario(), Vec::new()), CorruptHistory::Empty { .. }));
}

#[test]
fn events_that_cannot_follow_are_refused_and_named() {
    let created = create(spec(), &PriceTable::default()).remove(0);
    let started = RunEvent::StepStarted(StepStarted { step: 2, attempt: 1, worker: worker("w2") });
    let other_step = RunEvent::StepFinished(step_finished(3, 1, acted()));
    let other_attempt = RunEvent::StepFinished(step_finished(2, 2, acted()));
    let other_pause = RunEvent::HumanAsked(Box::new(asked(2, 2, 1)));
    let replied = RunEvent::HumanReplied { pause: 1, reply: Reply::Done };
    let lost = RunEvent::WorkerLost { step: 2, attempt: 2, worker: worker("w1") };
    let settled = RunEvent::ChargeSettled { charge: crate::price::MicroUsd(1) };
    let events = [created, started, other_step, other_attempt, other_pause, replied, lost, settled, RunEvent::Deleted];
    for wrong in events {
        let fault = fault_of(&scenario(), vec![wrong.clone()]);
        assert!(matches!(fault, CorruptHistory::Impossible { event, .. } if event == wrong.name()), "{fault}");
    }
}

#[test]
fn a_history_does_not_begin_without_a_creation() {
    let mut log = scenario().log;
    log[0].events = vec![RunEvent::StopRequested];
    assert!(matches!(fold(&log), Err(CorruptHistory::Impossible { seq: 1, event: "run.stop_requested", .. })));
}

#[test]
fn nothing_but_settling_and_deleting_follows_the_end() {
    let scenario = Scenario::succeeded();
    let finished = RunEvent::Finished(Box::new(scenario.run.outcome.clone().unwrap()));
    let concluding = RunEvent::ConclusionStarted(Ending { reason: TerminalReason::Timeout, error: None });
    let started = RunEvent::StepStarted(StepStarted { step: 2, attempt: 1, worker: worker("w2") });
    for late in [finished, concluding, started, RunEvent::StopRequested] {
        assert!(matches!(fault_of(&scenario, vec![late]), CorruptHistory::Impossible { .. }));
    }
}

#[test]
fn a_charge_is_settled_and_a_run_deleted_once() {
    let settled = RunEvent::ChargeSettled { charge: crate::price::MicroUsd(1) };
    let twice = vec![settled.clone(), settled];
    assert!(matches!(fault_of(&Scenario::succeeded(), twice), CorruptHistory::Impossible { .. }));
    let deleted_twice = vec![RunEvent::Deleted, RunEvent::Deleted];
    assert!(matches!(fault_of(&Scenario::succeeded(), deleted_twice), CorruptHistory::Impossible { .. }));
}
