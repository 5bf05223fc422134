//! Many seeds, and what must hold for each.

use errand_domain::delivery::{DeliveryEvent, DeliveryOutcome};
use errand_domain::run::RunEvent;
use std::collections::BTreeMap;
use tracing_subscriber::EnvFilter;

use crate::check::histories;
use crate::sabotage::Break;
use crate::simulation::{Outcome, simulate};
use crate::world::Options;

/// A normal test run; `SIM_SEEDS` asks for another number.
const SEEDS_DEFAULT: u64 = 150;
/// So many seeds a broken safeguard may go unnoticed.
const SABOTAGE_SEEDS_MAX: u64 = 60;

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

/// Panics with all that is needed to see it again.
fn expect_no_violation(seed: u64, outcome: &Outcome) {
    if outcome.violations.is_empty() {
        return;
    }
    let violations: Vec<String> = outcome.violations.iter().map(ToString::to_string).collect();
    let violations = violations.join("\n  ");
    panic!(
        "seed {seed}:\n  {violations}\nagain: SIM_SEED={seed} cargo test -p errand-tests --test sim one_seed -- --nocapture"
    );
}

#[test]
fn same_seed_twice_gives_the_same_history() {
    for seed in 1..=4 {
        let (first, second) = (simulate(Options::of_seed(seed)), simulate(Options::of_seed(seed)));
        assert!(first.stored.len() > 50, "seed {seed}: {} commits", first.stored.len());
        let difference = first.stored.iter().zip(&second.stored).find(|(one, other)| one != other);
        assert_eq!(difference, None, "seed {seed}");
        assert_eq!(first.stored.len(), second.stored.len(), "seed {seed}");
    }
}

#[test]
fn no_seed_breaks_an_invariant() {
    let count = number("SIM_SEEDS").unwrap_or(SEEDS_DEFAULT);
    let mut seen: BTreeMap<&'static str, u64> = BTreeMap::new();
    for seed in 1..=count {
        let outcome = simulate(Options::of_seed(seed));
        expect_no_violation(seed, &outcome);
        tally(&mut seen, &outcome);
        if seed % 25 == 0 {
            println!("{seed} of {count} seeds");
        }
    }
    println!("seen: {seen:#?}");
    for what in ["worker lost", "in doubt", "delivery in doubt", "crash", "conflict", "completed", "stopped"] {
        assert!(count < SEEDS_DEFAULT || seen.contains_key(what), "no simulation came to {what:?}");
    }
}

fn tally(seen: &mut BTreeMap<&'static str, u64>, outcome: &Outcome) {
    let mut add = |what, count| *seen.entry(what).or_default() += count;
    add("crash", u64::from(outcome.crashes));
    add("conflict", outcome.conflicts);
    add("commit", outcome.stored.len() as u64);
    for history in histories(&outcome.stored) {
        for event in history.commits.iter().flat_map(|commit| &commit.events) {
            match event {
                RunEvent::WorkerLost { .. } => add("worker lost", 1),
                RunEvent::HumanAsked(asked) if asked.proposal.as_ref().is_some_and(|proposal| proposal.in_doubt) => {
                    add("in doubt", 1);
                }
                RunEvent::Finished(finished) => add(finished.reason.as_str(), 1),
                RunEvent::Created { .. }
                | RunEvent::StepStarted(_)
                | RunEvent::ActionChosen(_)
                | RunEvent::StepFinished(_)
                | RunEvent::HumanAsked(_)
                | RunEvent::HumanReplied { .. }
                | RunEvent::StopRequested
                | RunEvent::ConclusionStarted(_)
                | RunEvent::ChargeSettled { .. }
                | RunEvent::Deleted => {}
            }
        }
        for event in history.deliveries.iter().flat_map(|commit| &commit.events) {
            if let DeliveryEvent::Resolved(resolved) = event {
                add(delivery_word(&resolved.outcome), 1);
            }
        }
    }
}

fn delivery_word(outcome: &DeliveryOutcome) -> &'static str {
    match outcome {
        DeliveryOutcome::Delivered { .. } => "delivery delivered",
        DeliveryOutcome::Rejected { .. } => "delivery rejected",
        DeliveryOutcome::NoResponse { .. } => "delivery without response",
        DeliveryOutcome::NotSent { .. } => "delivery not sent",
        DeliveryOutcome::InDoubt => "delivery in doubt",
    }
}

/// Runs the seed of `SIM_SEED` and prints its history; `RUST_LOG` also shows what the services say.
#[test]
fn one_seed() {
    let Some(seed) = number("SIM_SEED") else { return };
    tracing_subscriber::fmt().with_env_filter(EnvFilter::from_default_env()).without_time().init();
    let outcome = simulate(Options::of_seed(seed));
    print_history(&outcome);
    expect_no_violation(seed, &outcome);
}

pub fn print_history(outcome: &Outcome) {
    for history in histories(&outcome.stored) {
        println!("{}", history.run_id);
        for commit in &history.commits {
            println!("  {} {:>3} {:?} {:?}", commit.at, commit.seq, commit.writer, commit.events);
        }
        for commit in &history.deliveries {
            println!("  {} {:>3} {:?} {:?}", commit.at, commit.seq, commit.writer, commit.events);
        }
    }
}

/// The violation that some seed shows when a safeguard is broken.
fn expect_noticed(sabotage: Break, invariants: &[&str]) {
    for seed in 1..=SABOTAGE_SEEDS_MAX {
        let outcome = simulate(Options { sabotage: Some(sabotage), ..Options::of_seed(seed) });
        if outcome.violations.iter().any(|violation| invariants.contains(&violation.invariant)) {
            println!("{sabotage:?} was noticed with seed {seed}: {}", outcome.violations[0]);
            return;
        }
    }
    panic!("{sabotage:?} went unnoticed with {SABOTAGE_SEEDS_MAX} seeds");
}

#[test]
fn a_log_that_ignores_the_expected_record_is_noticed() {
    expect_noticed(Break::IgnoreExpected, &["one writer per run_seq"]);
}

#[test]
fn a_worker_that_repeats_an_action_in_doubt_is_noticed() {
    expect_noticed(Break::ForgetDoubt, &["side effects of a token are at most one"]);
}

#[test]
fn a_notifier_that_sends_again_is_noticed() {
    expect_noticed(Break::ResendInDoubt, &["posts per event are at most one, in order"]);
}

#[test]
fn a_notifier_that_sends_before_its_claim_is_noticed() {
    expect_noticed(Break::ClaimAfterSend, &["posts per event are at most one, in order"]);
}
