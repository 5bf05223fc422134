//! What happened to a run's webhook deliveries.

use serde::{Deserialize, Serialize};

use crate::run::RunEvent;
use crate::time::Timestamp;

/// The events that are sent (SPEC §6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum WebhookEvent {
    #[serde(rename = "run.waiting")]
    Waiting,
    #[serde(rename = "run.finished")]
    Finished,
}

impl WebhookEvent {
    /// The event to send for a run's event, if any.
    #[must_use]
    pub fn of(event: &RunEvent) -> Option<Self> {
        match event {
            RunEvent::HumanAsked(_) => Some(Self::Waiting),
            RunEvent::Finished(_) => Some(Self::Finished),
            RunEvent::Created { .. }
            | RunEvent::StepStarted(_)
            | RunEvent::ActionChosen(_)
            | RunEvent::StepFinished(_)
            | RunEvent::HumanReplied { .. }
            | RunEvent::StopRequested
            | RunEvent::ConclusionStarted(_)
            | RunEvent::WorkerLost { .. }
            | RunEvent::ChargeSettled { .. }
            | RunEvent::Deleted => None,
        }
    }

    /// As the header and body write it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Waiting => "run.waiting",
            Self::Finished => "run.finished",
        }
    }
}

/// A durable claim: from here on the request may have been written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeliveryClaimed {
    /// 1, 2, 3 … within the run.
    pub n: u32,
    /// `seq` of the run's commit that is told.
    pub event_seq: u64,
    pub event: WebhookEvent,
    /// Which incarnation of a notifier claimed it.
    pub epoch: String,
    /// After this time its claimer has given up.
    pub deadline: Timestamp,
}

/// What came of a claim.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum DeliveryOutcome {
    /// 2xx.
    Delivered { status: u16 },
    /// Any other status.
    Rejected { status: u16 },
    /// The request was written, no whole answer came.
    NoResponse { reason: String },
    /// Nothing was written.
    NotSent { reason: String },
    /// The claimer died between claim and result.
    InDoubt,
}

impl DeliveryOutcome {
    /// As the API writes it.
    #[must_use]
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Delivered { .. } => "delivered",
            Self::Rejected { .. } => "rejected",
            Self::NoResponse { .. } => "no_response",
            Self::NotSent { .. } => "not_sent",
            Self::InDoubt => "in_doubt",
        }
    }
}

/// The claim's result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeliveryResolved {
    pub n: u32,
    pub outcome: DeliveryOutcome,
    /// From the first byte written to the end of the answer.
    pub duration_ms: u64,
}

/// Everything that can happen to deliveries.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum DeliveryEvent {
    Claimed(DeliveryClaimed),
    Resolved(DeliveryResolved),
}
