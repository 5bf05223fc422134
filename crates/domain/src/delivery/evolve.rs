//! Folds delivery commits; a history that no sequence of decisions can have written is an error.

use thiserror::Error;

use super::event::DeliveryEvent;
use super::state::{Deliveries, Delivery};
use crate::ids::RunId;
use crate::run::Commit;

/// A delivery log that cannot be right.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("deliveries of run {run_id}: commit {seq} cannot follow commit {last}")]
pub struct CorruptDeliveries {
    pub run_id: RunId,
    pub last: u64,
    pub seq: u64,
}

/// Folds a whole delivery log, oldest commit first; `None` when there is none.
///
/// # Errors
/// When it is corrupt.
pub fn fold<'a>(
    commits: impl IntoIterator<Item = &'a Commit<DeliveryEvent>>,
) -> Result<Option<Deliveries>, CorruptDeliveries> {
    commits.into_iter().try_fold(None, |state, commit| evolve(state, commit).map(Some))
}

/// The state after one more commit.
///
/// # Errors
/// When the commit cannot follow.
pub fn evolve(deliveries: Option<Deliveries>, commit: &Commit<DeliveryEvent>) -> Result<Deliveries, CorruptDeliveries> {
    let last = deliveries.as_ref().map_or(0, |deliveries| deliveries.seq);
    let corrupt = || CorruptDeliveries { run_id: commit.run_id.clone(), last, seq: commit.seq };
    let prev = deliveries.as_ref().map(|deliveries| deliveries.last_commit);
    let is_of_run = deliveries.as_ref().is_none_or(|deliveries| deliveries.run_id == commit.run_id);
    if !is_of_run || commit.seq != last + 1 || commit.prev != prev || commit.events.is_empty() {
        return Err(corrupt());
    }
    let mut state = deliveries.unwrap_or_else(|| Deliveries {
        run_id: commit.run_id.clone(),
        seq: 0,
        last_commit: commit.id,
        last_at: commit.at,
        all: Vec::new(),
    });
    for event in &commit.events {
        apply(&mut state, event, commit).ok_or_else(corrupt)?;
    }
    state.seq = commit.seq;
    state.last_commit = commit.id;
    state.last_at = commit.at;
    Ok(state)
}

fn apply(state: &mut Deliveries, event: &DeliveryEvent, commit: &Commit<DeliveryEvent>) -> Option<()> {
    match event {
        DeliveryEvent::Claimed(claim) => {
            let is_next = claim.n as usize == state.all.len() + 1;
            let is_later = claim.event_seq > state.last_event_seq();
            if !is_next || !is_later || state.open().is_some() {
                return None;
            }
            let claim = claim.clone();
            state.all.push(Delivery { claim, claimed_at: commit.at, outcome: None, duration_ms: 0 });
        }
        DeliveryEvent::Resolved(resolved) => {
            let open = state.all.last_mut().filter(|delivery| delivery.outcome.is_none())?;
            if open.claim.n != resolved.n {
                return None;
            }
            open.outcome = Some(resolved.outcome.clone());
            open.duration_ms = resolved.duration_ms;
        }
    }
    Some(())
}
