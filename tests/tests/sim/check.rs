//! The invariants (DESIGN §10), checked at the end of every simulation against what was stored, ordered and sent.

use errand_domain::RunId;
use errand_domain::delivery::{self, Deliveries, DeliveryEvent, DeliveryOutcome, WebhookEvent};
use errand_domain::run::{self, ApprovePolicy, Commit, Reply, Run, RunEvent, TerminalReason};
use errand_store::LogKind;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::client::{Task, Told};
use crate::history::StoredCommit;
use crate::receiver::Post;
use crate::world::World;

/// Something that must never happen, and where it did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    pub invariant: &'static str,
    pub what: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.invariant, self.what)
    }
}

/// All that a simulation leaves behind.
#[derive(Debug)]
pub struct Evidence<'a> {
    pub world: &'a World,
    pub told: &'a [Told],
    /// Runs as processes folded them while they went.
    pub views: &'a [Run],
    pub service_faults: &'a [String],
    pub has_ended: bool,
}

/// The violations found, in the order of the checks.
pub fn check(evidence: &Evidence<'_>) -> Vec<Violation> {
    let world = evidence.world;
    let stored = world.recorded.stored();
    let mut found = Found::default();
    if let Some((key, position)) = world.acknowledged.first_missing(&stored) {
        found.add("acknowledged commits are all there", format!("{key:?} at {position}"));
    }
    for fault in evidence.service_faults {
        found.add("no service fails", fault.clone());
    }
    if !evidence.has_ended {
        found.add("every run finishes after faults stop", "time is up, or a log cannot be read".to_owned());
    }
    for told in evidence.told {
        check_told(&mut found, told, &stored);
    }
    let posts = world.receiver.posts();
    for history in histories(&stored) {
        check_history(&mut found, evidence, &history, &posts);
    }
    found.violations
}

#[derive(Debug, Default)]
struct Found {
    violations: Vec<Violation>,
}

impl Found {
    fn add(&mut self, invariant: &'static str, what: String) {
        self.violations.push(Violation { invariant, what });
    }

    fn unless(&mut self, holds: bool, invariant: &'static str, what: impl FnOnce() -> String) {
        if !holds {
            self.add(invariant, what());
        }
    }
}

/// One run's two logs, as they lie in the store.
#[derive(Debug)]
pub struct History {
    pub run_id: RunId,
    pub commits: Vec<Commit<RunEvent>>,
    pub deliveries: Vec<Commit<DeliveryEvent>>,
}

/// Every run's logs, in order of the runs' ids.
pub fn histories(stored: &[StoredCommit]) -> Vec<History> {
    let mut by_run: BTreeMap<RunId, History> = BTreeMap::new();
    for commit in stored {
        let run_id = &commit.key.run_id;
        let history = by_run.entry(run_id.clone()).or_insert_with(|| History {
            run_id: run_id.clone(),
            commits: Vec::new(),
            deliveries: Vec::new(),
        });
        match commit.key.kind {
            LogKind::Run => history.commits.extend(errand_proto::decode_run_commit(&commit.payload).ok()),
            LogKind::Delivery => history.deliveries.extend(errand_proto::decode_delivery_commit(&commit.payload).ok()),
        }
    }
    by_run.into_values().collect()
}

fn check_told(found: &mut Found, told: &Told, stored: &[StoredCommit]) {
    for complaint in &told.complaints {
        found.add("no answer is older than what the client was told", format!("{}: {complaint}", told.run_id));
    }
    for commit_id in &told.commits {
        let is_there = stored.iter().any(|commit| commit.commit_id == *commit_id && commit.key.run_id == told.run_id);
        found.unless(is_there, "acknowledged commits are all there", || format!("{}: {commit_id}", told.run_id));
    }
}

fn check_history(found: &mut Found, evidence: &Evidence<'_>, history: &History, posts: &[Post]) {
    let run_id = &history.run_id;
    check_writers(found, history);
    check_claims(found, history);
    let run = match run::fold(&history.commits) {
        Ok(Some(run)) => run,
        Ok(None) => return found.add("commits are dense", format!("{run_id} has deliveries only")),
        Err(error) => return found.add("commits are dense", error.to_string()),
    };
    check_end(found, history, &run);
    let is_same = evidence.views.iter().filter(|view| view.id == *run_id).all(|view| *view == run);
    found.unless(is_same, "a view folded while it went equals a cold replay", || run_id.to_string());
    let told = evidence.told.iter().find(|told| told.run_id == *run_id);
    if let Some(told) = told {
        check_order(found, history, &run, told, evidence.world.shop.orders_of(told.errand.number));
    }
    match delivery::fold(&history.deliveries) {
        Ok(deliveries) => check_deliveries(found, evidence, history, &run, deliveries.as_ref(), posts),
        Err(error) => found.add("commits are dense", error.to_string()),
    }
}

fn check_writers(found: &mut Found, history: &History) {
    let mut seen = BTreeSet::new();
    for commit in &history.commits {
        let is_new = seen.insert(commit.seq);
        found.unless(is_new, "one writer per run_seq", || format!("{} commit {}", history.run_id, commit.seq));
    }
}

fn events(history: &History) -> impl Iterator<Item = &RunEvent> {
    history.commits.iter().flat_map(|commit| &commit.events)
}

fn check_claims(found: &mut Found, history: &History) {
    let mut claims = BTreeSet::new();
    let (mut step, mut attempt) = (0, 0);
    for event in events(history) {
        match event {
            RunEvent::StepStarted(started) => {
                let is_new = claims.insert((started.step, started.attempt));
                found.unless(is_new, "one accepted claim per step and attempt", || {
                    format!("{} step {} attempt {}", history.run_id, started.step, started.attempt)
                });
                (step, attempt) = (started.step, started.attempt);
            }
            RunEvent::ActionChosen(chosen) => {
                let is_claimed = (chosen.step, chosen.attempt) == (step, attempt);
                found.unless(is_claimed, "only the claim's holder acts", || format!("{} step {step}", history.run_id));
            }
            RunEvent::Created { .. }
            | RunEvent::StepFinished(_)
            | RunEvent::HumanAsked(_)
            | RunEvent::HumanReplied { .. }
            | RunEvent::StopRequested
            | RunEvent::ConclusionStarted(_)
            | RunEvent::WorkerLost { .. }
            | RunEvent::Finished(_)
            | RunEvent::ChargeSettled { .. }
            | RunEvent::Deleted => {}
        }
    }
}

fn check_end(found: &mut Found, history: &History, run: &Run) {
    let run_id = &history.run_id;
    let mut after = events(history).skip_while(|event| !matches!(event, RunEvent::Finished(_)));
    found.unless(after.next().is_some(), "every run finishes after faults stop", || {
        format!("{run_id}: {:?}", run.phase)
    });
    let stray = after.find(|event| !matches!(event, RunEvent::ChargeSettled { .. } | RunEvent::Deleted));
    found.unless(stray.is_none(), "nothing follows Finished", || format!("{run_id}: {stray:?}"));
    found.unless(run.charge.is_some(), "the charge is settled", || run_id.to_string());
}

fn check_order(found: &mut Found, history: &History, run: &Run, told: &Told, orders: u32) {
    let run_id = &history.run_id;
    found.unless(orders <= 1, "side effects of a token are at most one", || format!("{run_id}: {orders} orders"));
    let is_completed = run.outcome.as_ref().is_some_and(|outcome| outcome.reason == TerminalReason::Completed);
    if is_completed && matches!(told.errand.task, Task::Order { .. }) {
        found.unless(orders == 1, "a completed run did what it says", || format!("{run_id}: {orders} orders"));
    }
    let is_approved =
        events(history).any(|event| matches!(event, RunEvent::HumanReplied { reply: Reply::Approve, .. }));
    let is_allowed = orders == 0 || is_approved || run.spec.approve == ApprovePolicy::Never;
    found.unless(is_allowed, "nothing is ordered unless a person approved", || run_id.to_string());
}

fn check_deliveries(
    found: &mut Found,
    evidence: &Evidence<'_>,
    history: &History,
    run: &Run,
    deliveries: Option<&Deliveries>,
    posts: &[Post],
) {
    let run_id = &history.run_id;
    let posts: Vec<(u64, &Post)> = posts.iter().filter_map(|post| Some((event_seq(post, run_id)?, post))).collect();
    let is_in_order = posts.windows(2).all(|pair| pair[0].0 < pair[1].0);
    found.unless(is_in_order, "posts per event are at most one, in order", || {
        format!("{run_id}: {:?}", posts.iter().map(|(seq, _)| seq).collect::<Vec<_>>())
    });
    let secret = evidence.world.master_key.webhook_secret(run_id.as_str());
    let is_signed = |post: &Post| errand_vault::verify_lovely(&secret, &post.body, &post.signature);
    let all_signed = posts.iter().all(|(_, post)| is_signed(post));
    found.unless(all_signed, "posts are signed", || run_id.to_string());
    let events: Vec<u64> = webhook_events(history);
    let all = deliveries.map(|deliveries| deliveries.all.as_slice()).unwrap_or_default();
    let claimed: Vec<u64> = all.iter().map(|delivery| delivery.claim.event_seq).collect();
    if run.spec.webhook.is_some() && evidence.has_ended {
        found.unless(claimed == events, "every event is delivered once", || {
            format!("{run_id}: {claimed:?} of {events:?}")
        });
    }
    for delivery in all {
        let count = posts.iter().filter(|(seq, _)| *seq == delivery.claim.event_seq).count();
        let fits = match &delivery.outcome {
            Some(DeliveryOutcome::Delivered { .. } | DeliveryOutcome::Rejected { .. }) => count == 1,
            Some(DeliveryOutcome::NotSent { .. }) => count == 0,
            Some(DeliveryOutcome::NoResponse { .. } | DeliveryOutcome::InDoubt) => count <= 1,
            None => !evidence.has_ended,
        };
        found
            .unless(fits, "a delivery's result is true", || format!("{run_id}: {count} posts, {:?}", delivery.outcome));
    }
}

fn event_seq(post: &Post, run_id: &RunId) -> Option<u64> {
    let seq = post.id.strip_prefix(run_id.as_str())?.strip_prefix('-')?;
    seq.parse().ok()
}

fn webhook_events(history: &History) -> Vec<u64> {
    let is_told = |commit: &&Commit<RunEvent>| commit.events.iter().any(|event| WebhookEvent::of(event).is_some());
    history.commits.iter().filter(is_told).map(|commit| commit.seq).collect()
}
