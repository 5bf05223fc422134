//! Decides delivery commands, and says which event is due.

use thiserror::Error;

use super::event::{DeliveryClaimed, DeliveryEvent, DeliveryOutcome, DeliveryResolved, WebhookEvent};
use super::state::Deliveries;
use crate::run::{Commit, RunEvent};

/// From the partition's notifier.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeliveryCommand {
    /// Before the request is written.
    Claim(DeliveryClaimed),
    /// For what never connected: claim and result in one commit.
    RecordNotSent {
        claim: DeliveryClaimed,
        reason: String,
    },
    Resolve(DeliveryResolved),
    /// For an open claim of another epoch whose deadline has passed.
    ResolveInDoubt {
        n: u32,
    },
}

/// The command does not fit.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum DeliveryRejection {
    #[error("event {event_seq} was claimed before")]
    AlreadyClaimed { event_seq: u64 },
    #[error("claim {n} has no result yet")]
    StillOpen { n: u32 },
    #[error("claim {given} is not the open claim")]
    NotOpen { given: u32 },
    #[error("claim {given} is not the next, which is {next}")]
    OtherNumber { given: u32, next: u32 },
}

/// Decides a command; `None` stands for a run without deliveries so far.
///
/// # Errors
/// When the command does not fit.
pub fn decide(
    deliveries: Option<&Deliveries>,
    command: DeliveryCommand,
) -> Result<Vec<DeliveryEvent>, DeliveryRejection> {
    match command {
        DeliveryCommand::Claim(claim) => {
            check_claim(deliveries, &claim)?;
            Ok(vec![DeliveryEvent::Claimed(claim)])
        }
        DeliveryCommand::RecordNotSent { claim, reason } => {
            check_claim(deliveries, &claim)?;
            let outcome = DeliveryOutcome::NotSent { reason };
            let resolved = DeliveryResolved { n: claim.n, outcome, duration_ms: 0 };
            Ok(vec![DeliveryEvent::Claimed(claim), DeliveryEvent::Resolved(resolved)])
        }
        DeliveryCommand::Resolve(resolved) => {
            check_open(deliveries, resolved.n)?;
            Ok(vec![DeliveryEvent::Resolved(resolved)])
        }
        DeliveryCommand::ResolveInDoubt { n } => {
            check_open(deliveries, n)?;
            let resolved = DeliveryResolved { n, outcome: DeliveryOutcome::InDoubt, duration_ms: 0 };
            Ok(vec![DeliveryEvent::Resolved(resolved)])
        }
    }
}

fn check_claim(deliveries: Option<&Deliveries>, claim: &DeliveryClaimed) -> Result<(), DeliveryRejection> {
    let (open, last_event_seq, next) = deliveries.map_or((None, 0, 1), |deliveries| {
        (deliveries.open(), deliveries.last_event_seq(), deliveries.all.len() as u32 + 1)
    });
    if claim.event_seq <= last_event_seq {
        return Err(DeliveryRejection::AlreadyClaimed { event_seq: claim.event_seq });
    }
    if let Some(open) = open {
        return Err(DeliveryRejection::StillOpen { n: open.claim.n });
    }
    if claim.n != next {
        return Err(DeliveryRejection::OtherNumber { given: claim.n, next });
    }
    Ok(())
}

fn check_open(deliveries: Option<&Deliveries>, n: u32) -> Result<(), DeliveryRejection> {
    match deliveries.and_then(Deliveries::open) {
        Some(open) if open.claim.n == n => Ok(()),
        Some(_) | None => Err(DeliveryRejection::NotOpen { given: n }),
    }
}

/// The first event of the run's history that no claim was made for.
#[must_use]
pub fn due(history: &[Commit<RunEvent>], deliveries: Option<&Deliveries>) -> Option<(u64, WebhookEvent)> {
    let after = deliveries.map_or(0, Deliveries::last_event_seq);
    history
        .iter()
        .filter(|commit| commit.seq > after)
        .find_map(|commit| commit.events.iter().find_map(WebhookEvent::of).map(|event| (commit.seq, event)))
}
