//! The scheduler's settings.

use errand_domain::limits;
use errand_domain::price::PriceTable;

/// Times in milliseconds.
#[derive(Debug, Clone)]
pub struct SchedulerConfig {
    /// Names this incarnation in leases.
    pub owner: String,
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
    /// The defaults, for the owner of this name.
    #[must_use]
    pub fn new(owner: impl Into<String>) -> Self {
        Self {
            owner: owner.into(),
            prices: PriceTable::default(),
            claim_lease_ms: 10_000,
            redispatch_ms: 2_000,
            reconclude_ms: limits::CONCLUDE_MS / 3,
            partition_lease_ms: 9_000,
        }
    }
}
