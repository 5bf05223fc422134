//! Named situations, each with the claim that it is about.

use errand_domain::run::{RunEvent, TerminalReason};
use std::time::Duration;

use crate::chaos::Rates;
use crate::check::{History, histories};
use crate::client::{Errand, Task};
use crate::process::Fate;
use crate::simulation::{Outcome, simulate};
use crate::world::{Kind, Options};

fn order(number: u32, approve: &'static str) -> Errand {
    Errand {
        number,
        task: Task::Order { approve },
        starts_after: Duration::from_millis(100),
        has_webhook: true,
        wants_data: true,
        approves: Some(true),
        stops_after: None,
    }
}

fn expect_no_violation(what: &str, outcome: &Outcome) {
    assert_eq!(outcome.violations, [], "{what}");
}

fn reason(history: &History) -> Option<TerminalReason> {
    let events = history.commits.iter().flat_map(|commit| &commit.events);
    events
        .filter_map(|event| if let RunEvent::Finished(finished) = event { Some(finished.reason) } else { None })
        .next()
}

fn error(history: &History) -> Option<&str> {
    let mut events = history.commits.iter().flat_map(|commit| &commit.events);
    events.find_map(|event| if let RunEvent::Finished(finished) = event { finished.error.as_deref() } else { None })
}

/// How often a step was claimed.
fn attempts(history: &History) -> usize {
    let events = history.commits.iter().flat_map(|commit| &commit.events);
    events.filter(|event| matches!(event, RunEvent::StepStarted(_))).count()
}

fn is_asked_about_doubt(history: &History) -> bool {
    let mut events = history.commits.iter().flat_map(|commit| &commit.events);
    events.any(|event| match event {
        RunEvent::HumanAsked(asked) => asked.proposal.as_ref().is_some_and(|proposal| proposal.in_doubt),
        _ => false,
    })
}

#[test]
fn without_faults_every_errand_is_done() {
    let errands = (1..=5).map(|number| order(number, ["risky", "always", "never"][number as usize % 3])).collect();
    let outcome = simulate(Options { workers: 3, ..Options::quiet(1, errands) });
    expect_no_violation("no faults", &outcome);
    assert!(outcome.orders.values().eq([1; 5].iter()), "{:?}", outcome.orders);
    for history in histories(&outcome.stored) {
        assert_eq!(reason(&history), Some(TerminalReason::Completed));
    }
}

#[test]
fn a_full_worker_goes_on_with_the_runs_that_it_holds() {
    let errands = (1..=7).map(|number| order(number, "never")).collect();
    let outcome = simulate(Options::quiet(1, errands));
    expect_no_violation("one worker for seven errands", &outcome);
    assert!(outcome.orders.values().eq([1; 7].iter()), "{:?}", outcome.orders);
}

#[test]
fn a_browser_that_is_lost_in_every_attempt_ends_the_run_with_its_reason() {
    let rates = Rates { session_lost: 1_000, ..Rates::NONE };
    let faults_for = Duration::from_secs(90);
    let outcome = simulate(Options { rates, faults_for, ..Options::quiet(1, vec![order(1, "risky")]) });
    expect_no_violation("every session is lost", &outcome);
    let history = &histories(&outcome.stored)[0];
    assert_eq!(reason(history), Some(TerminalReason::BrowserError));
    assert_eq!(error(history), Some("the simulated browser crashed"));
    assert_eq!(attempts(history), 3);
}

#[test]
fn a_click_that_a_crash_interrupts_is_never_repeated_unasked() {
    let mut crashes_after_effect = 0;
    for seed in 1..=24 {
        let options = Options { crashes_in_orders: 1, ..Options::quiet(seed, vec![order(1, "risky")]) };
        let outcome = simulate(options);
        expect_no_violation(&format!("seed {seed}"), &outcome);
        let history = &histories(&outcome.stored)[0];
        assert!(is_asked_about_doubt(history), "seed {seed}: nobody was asked");
        assert_eq!(reason(history), Some(TerminalReason::Completed), "seed {seed}");
        assert_eq!(outcome.orders.get(&1), Some(&1), "seed {seed}");
        crashes_after_effect += u32::from(approvals(history) == 1);
    }
    assert!((1..24).contains(&crashes_after_effect), "the order reached the shop {crashes_after_effect} times of 24");
}

/// How often a person approved: once when the interrupted click had its effect, else twice.
fn approvals(history: &History) -> usize {
    let events = history.commits.iter().flat_map(|commit| &commit.events);
    let is_approval =
        |event: &&RunEvent| matches!(event, RunEvent::HumanReplied { reply: errand_domain::run::Reply::Approve, .. });
    events.filter(is_approval).count()
}

#[test]
fn without_anybody_to_ask_an_interrupted_click_ends_in_doubt() {
    for seed in 1..=12 {
        let options = Options { crashes_in_orders: 1, ..Options::quiet(seed, vec![order(1, "never")]) };
        let outcome = simulate(options);
        expect_no_violation(&format!("seed {seed}"), &outcome);
        assert_eq!(reason(&histories(&outcome.stored)[0]), Some(TerminalReason::ActionInDoubt), "seed {seed}");
    }
}

#[test]
fn workers_that_race_for_every_job_claim_it_once() {
    let mut conflicts = 0;
    for seed in 1..=10 {
        let rates = Rates { job_twice: 1_000, ..Rates::NONE };
        let errands = (1..=3).map(|number| order(number, "risky")).collect();
        let outcome = simulate(Options { rates, workers: 3, ..Options::quiet(seed, errands) });
        expect_no_violation(&format!("seed {seed}"), &outcome);
        assert!(outcome.orders.values().eq([1; 3].iter()), "seed {seed}: {:?}", outcome.orders);
        conflicts += outcome.conflicts;
    }
    assert!(conflicts > 10, "only {conflicts} races");
}

#[test]
fn two_owners_of_a_partition_do_no_harm() {
    let mut conflicts = 0;
    for seed in 1..=10 {
        let errands = (1..=4).map(|number| order(number, "risky")).collect();
        let options = Options { grants_every_lease: true, workers: 2, ..Options::quiet(seed, errands) };
        let outcome = simulate(options);
        expect_no_violation(&format!("seed {seed}"), &outcome);
        assert!(outcome.orders.values().eq([1; 4].iter()), "seed {seed}: {:?}", outcome.orders);
        conflicts += outcome.conflicts;
    }
    assert!(conflicts > 10, "only {conflicts} conflicts");
}

/// So many passages of a process are tried at most; the errand is done earlier.
const PASSAGES_MAX: u64 = 120;

/// One simulation in which this befalls the first process of the kind; `None` when it never came so far.
fn befallen(kind: Kind, passage: u64, fate: Fate) -> Option<Outcome> {
    let workers = if fate == Fate::Halts { 2 } else { 1 };
    let faults_for = Duration::from_secs(150);
    let quiet = Options::quiet(passage, vec![order(1, "risky")]);
    let outcome = simulate(Options { fate: Some((kind, passage, fate)), workers, faults_for, ..quiet });
    (outcome.crashes + outcome.halts > 0).then_some(outcome)
}

/// Whatever step it happens at, the errand is done, once.
fn befall_everywhere(kind: Kind, fate: Fate, passages_min: u64) {
    for passage in 1..=PASSAGES_MAX {
        let Some(outcome) = befallen(kind, passage, fate) else {
            assert!(passage > passages_min, "{kind:?} passed its gate {passage} times only");
            return;
        };
        let what = format!("{kind:?} {fate:?} at passage {passage}");
        expect_no_violation(&what, &outcome);
        assert_eq!(outcome.orders.get(&1), Some(&1), "{what}");
        assert_eq!(reason(&histories(&outcome.stored)[0]), Some(TerminalReason::Completed), "{what}");
    }
}

#[test]
fn a_worker_may_die_anywhere() {
    befall_everywhere(Kind::Worker, Fate::Dies, 60);
}

#[test]
fn a_scheduler_may_die_anywhere() {
    befall_everywhere(Kind::Scheduler, Fate::Dies, 30);
}

#[test]
fn a_notifier_may_die_anywhere() {
    befall_everywhere(Kind::Notifier, Fate::Dies, 10);
}

#[test]
fn a_worker_may_halt_anywhere() {
    befall_everywhere(Kind::Worker, Fate::Halts, 60);
}

#[test]
fn a_scheduler_may_halt_anywhere() {
    befall_everywhere(Kind::Scheduler, Fate::Halts, 30);
}

#[test]
fn a_notifier_may_halt_anywhere() {
    befall_everywhere(Kind::Notifier, Fate::Halts, 10);
}
