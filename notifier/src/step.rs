//! Decides what to do next for one run, from its history and its delivery log alone. Pure.

use errand_domain::delivery::{self, Deliveries, DeliveryClaimed, WebhookEvent};
use errand_domain::limits::DELIVERY_DELAY_MS;
use errand_domain::run::{Commit, RunEvent, RunSpec};
use errand_domain::{RunId, Timestamp};

use crate::limits::{CLAIM_MARGIN_MS, CLAIM_MS};

/// What to do next for a run.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// The run has no webhook, or was deleted.
    Forget,
    /// Every event up to the run's commit `read_seq` is delivered.
    Idle {
        read_seq: u64,
    },
    WaitUntil(Timestamp),
    /// The claim's owner is gone; what became of the request is not known.
    ResolveInDoubt(DeliveryClaimed),
    Deliver(Due),
}

/// An event to be claimed and sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Due {
    pub run_id: RunId,
    /// The number of its claim.
    pub n: u32,
    pub event_seq: u64,
    pub event: WebhookEvent,
}

impl Due {
    /// The claim that one attempt makes at `now`.
    #[must_use]
    pub fn claim(&self, epoch: String, now: Timestamp) -> DeliveryClaimed {
        let deadline = now.plus_ms(CLAIM_MS);
        DeliveryClaimed { n: self.n, event_seq: self.event_seq, event: self.event, epoch, deadline }
    }
}

/// The spec of the run with this history; `None` when the run was deleted and only its tombstone, or nothing, is left.
#[must_use]
pub fn spec_of(history: &[Commit<RunEvent>]) -> Option<&RunSpec> {
    let is_deleted = history.last().is_some_and(|commit| commit.events.contains(&RunEvent::Deleted));
    match history.first().and_then(|commit| commit.events.first()) {
        Some(RunEvent::Created { spec, .. }) if !is_deleted => Some(spec),
        Some(_) | None => None,
    }
}

/// Decides. An open claim is always another attempt's: an attempt that made one never asks again.
#[must_use]
pub fn next_step(history: &[Commit<RunEvent>], deliveries: Option<&Deliveries>, now: Timestamp) -> Step {
    let Some((created, _)) = history.first().zip(spec_of(history).and_then(|spec| spec.webhook.as_ref())) else {
        return Step::Forget;
    };
    if let Some(open) = deliveries.and_then(Deliveries::open) {
        let given_up_at = given_up_at(&open.claim);
        return if now < given_up_at { Step::WaitUntil(given_up_at) } else { Step::ResolveInDoubt(open.claim.clone()) };
    }
    let Some((event_seq, event)) = delivery::due(history, deliveries) else {
        return Step::Idle { read_seq: history.last().map_or(0, |commit| commit.seq) };
    };
    let starts_at = created.at.plus_ms(DELIVERY_DELAY_MS);
    if now < starts_at {
        return Step::WaitUntil(starts_at);
    }
    let n = deliveries.map_or(0, |deliveries| deliveries.all.len() as u32) + 1;
    Step::Deliver(Due { run_id: created.run_id.clone(), n, event_seq, event })
}

/// When nobody waits for the result of a claim any more.
#[must_use]
pub fn given_up_at(claim: &DeliveryClaimed) -> Timestamp {
    claim.deadline.plus_ms(CLAIM_MARGIN_MS)
}

#[cfg(test)]
mod tests;
