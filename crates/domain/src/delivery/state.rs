//! A run's deliveries as the log tells them.

use serde::{Deserialize, Serialize};

use super::event::{DeliveryClaimed, DeliveryOutcome};
use crate::ids::{CommitId, RunId};
use crate::time::Timestamp;

/// One claim and what came of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delivery {
    pub claim: DeliveryClaimed,
    pub claimed_at: Timestamp,
    pub outcome: Option<DeliveryOutcome>,
    pub duration_ms: u64,
}

/// All deliveries of one run, in order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Deliveries {
    pub run_id: RunId,
    pub seq: u64,
    pub last_commit: CommitId,
    pub last_at: Timestamp,
    pub all: Vec<Delivery>,
}

impl Deliveries {
    /// The claim without a result; there is at most one, the last.
    #[must_use]
    pub fn open(&self) -> Option<&Delivery> {
        self.all.last().filter(|delivery| delivery.outcome.is_none())
    }

    /// The last run commit that a claim was made for.
    #[must_use]
    pub fn last_event_seq(&self) -> u64 {
        self.all.last().map_or(0, |delivery| delivery.claim.event_seq)
    }
}
