//! The scheduler's settings.

use errand_domain::WorkerId;
use errand_domain::limits;
use errand_domain::price::PriceTable;

/// A claim of a process that has ended is given up as soon as the log's end is reached, which later commits tell.
const DEAD_CLAIM_MS: u64 = 100;

/// Times in milliseconds.
#[derive(Debug, Clone)]
pub struct SchedulerConfig {
    /// Names this incarnation in leases.
    pub owner: String,
    /// When this worker is the only one that there can be, as on a store of one process: every other worker's claim is of
    /// a process that has ended.
    pub sole_worker: Option<WorkerId>,
    pub prices: PriceTable,
    /// A claim without a beat for so long is lost. Workers stop before real input at half of it.
    pub claim_lease_ms: u64,
    /// A job that nobody claimed is offered again after so long; a routed one to everybody.
    pub redispatch_ms: u64,
    /// A conclusion that was not stored is ordered again after so long: it is computed without beats meanwhile.
    pub reconclude_ms: u64,
    /// How long a partition's lease lasts without renewal.
    pub partition_lease_ms: u64,
}

impl SchedulerConfig {
    /// How long that worker's silence is waited for. A step that was lost before waits as long as for a live worker: a
    /// machine that restarts again and again would else use up all attempts of every run within seconds.
    #[must_use]
    pub fn lease_ms_of(&self, worker: &WorkerId, losses: u32) -> u64 {
        if self.may_live(worker) || losses > 0 { self.claim_lease_ms } else { DEAD_CLAIM_MS }
    }

    /// Whether a worker of this name may still be there.
    #[must_use]
    pub fn may_live(&self, worker: &WorkerId) -> bool {
        self.sole_worker.as_ref().is_none_or(|sole| sole == worker)
    }

    /// The defaults, for the owner of this name.
    #[must_use]
    pub fn new(owner: impl Into<String>) -> Self {
        Self {
            owner: owner.into(),
            sole_worker: None,
            prices: PriceTable::default(),
            claim_lease_ms: 10_000,
            redispatch_ms: 2_000,
            reconclude_ms: limits::CONCLUDE_MS / 3,
            partition_lease_ms: 9_000,
        }
    }
}
