//! Events of a run's webhook deliveries.

use errand_domain::delivery::{DeliveryClaimed, DeliveryEvent, DeliveryOutcome, DeliveryResolved, WebhookEvent};
use errand_domain::time::Timestamp;
use wire::delivery_event::Kind;
use wire::delivery_resolved::Outcome;

use crate::error::DecodeError;
use crate::field::{enumeration, kind, unspecified};
use crate::unknown_kind::EVENT_KIND;
use crate::wire;

impl From<&DeliveryEvent> for wire::DeliveryEvent {
    fn from(event: &DeliveryEvent) -> Self {
        let kind = match event {
            DeliveryEvent::Claimed(claimed) => Kind::Claimed(claimed.into()),
            DeliveryEvent::Resolved(resolved) => Kind::Resolved(resolved.into()),
        };
        Self { kind: Some(kind) }
    }
}

/// Reads an event; an unknown kind is an error that [`crate::unknown_kind`] completes.
pub(crate) fn read(event: wire::DeliveryEvent) -> Result<DeliveryEvent, DecodeError> {
    match kind(event.kind, EVENT_KIND)? {
        Kind::Claimed(claimed) => Ok(DeliveryEvent::Claimed(read_claimed(claimed)?)),
        Kind::Resolved(resolved) => Ok(DeliveryEvent::Resolved(read_resolved(resolved)?)),
    }
}

impl From<&DeliveryClaimed> for wire::DeliveryClaimed {
    fn from(claimed: &DeliveryClaimed) -> Self {
        let event = match claimed.event {
            WebhookEvent::Waiting => wire::WebhookEvent::Waiting,
            WebhookEvent::Finished => wire::WebhookEvent::Finished,
        };
        Self {
            n: claimed.n,
            event_seq: claimed.event_seq,
            event: event.into(),
            epoch: claimed.epoch.clone(),
            deadline_ms: claimed.deadline.as_millis(),
        }
    }
}

fn read_claimed(claimed: wire::DeliveryClaimed) -> Result<DeliveryClaimed, DecodeError> {
    let event = match enumeration(claimed.event, "claimed.event")? {
        wire::WebhookEvent::Unspecified => return Err(unspecified("claimed.event")),
        wire::WebhookEvent::Waiting => WebhookEvent::Waiting,
        wire::WebhookEvent::Finished => WebhookEvent::Finished,
    };
    Ok(DeliveryClaimed {
        n: claimed.n,
        event_seq: claimed.event_seq,
        event,
        epoch: claimed.epoch,
        deadline: Timestamp::from_millis(claimed.deadline_ms),
    })
}

impl From<&DeliveryResolved> for wire::DeliveryResolved {
    fn from(resolved: &DeliveryResolved) -> Self {
        let outcome = match &resolved.outcome {
            DeliveryOutcome::Delivered { status } => Outcome::Delivered(wire::Delivered { status: u32::from(*status) }),
            DeliveryOutcome::Rejected { status } => Outcome::Rejected(wire::Rejected { status: u32::from(*status) }),
            DeliveryOutcome::NoResponse { reason } => Outcome::NoResponse(wire::NoResponse { reason: reason.clone() }),
            DeliveryOutcome::NotSent { reason } => Outcome::NotSent(wire::NotSent { reason: reason.clone() }),
            DeliveryOutcome::InDoubt => Outcome::InDoubt(wire::InDoubt {}),
        };
        Self { n: resolved.n, duration_ms: resolved.duration_ms, outcome: Some(outcome) }
    }
}

fn read_resolved(resolved: wire::DeliveryResolved) -> Result<DeliveryResolved, DecodeError> {
    let outcome = match kind(resolved.outcome, "resolved.outcome")? {
        Outcome::Delivered(delivered) => {
            DeliveryOutcome::Delivered { status: read_status(delivered.status, "resolved.delivered.status")? }
        }
        Outcome::Rejected(rejected) => {
            DeliveryOutcome::Rejected { status: read_status(rejected.status, "resolved.rejected.status")? }
        }
        Outcome::NoResponse(no_response) => DeliveryOutcome::NoResponse { reason: no_response.reason },
        Outcome::NotSent(not_sent) => DeliveryOutcome::NotSent { reason: not_sent.reason },
        Outcome::InDoubt(wire::InDoubt {}) => DeliveryOutcome::InDoubt,
    };
    Ok(DeliveryResolved { n: resolved.n, outcome, duration_ms: resolved.duration_ms })
}

fn read_status(status: u32, field: &'static str) -> Result<u16, DecodeError> {
    u16::try_from(status).map_err(|_| DecodeError::OutOfRange { field, value: u64::from(status) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_http_status_beyond_16_bits_is_refused() {
        let outcome = Some(Outcome::Delivered(wire::Delivered { status: 65_736 }));
        let error = read_resolved(wire::DeliveryResolved { n: 1, duration_ms: 1, outcome }).unwrap_err();
        assert_eq!(error.to_string(), "resolved.delivered.status is out of range: 65736");
    }
}
