//! The notifier's settings.

use errand_domain::price::PriceTable;
use errand_egress::Dialer;
use errand_store::Sabotage;
use errand_vault::MasterKey;
use std::sync::Arc;

use crate::limits;
use crate::transport::Transport;

/// What one notifier process is given.
#[derive(Debug, Clone)]
pub struct NotifierConfig {
    /// Names this incarnation in leases and claims.
    pub owner: String,
    /// How receivers are reached: a `Dialer` says which, and which CAs are trusted.
    pub transport: Arc<dyn Transport>,
    /// What webhook secrets are derived from.
    pub master_key: Arc<MasterKey>,
    pub prices: PriceTable,
    /// Exchanges at a time.
    pub exchanges_max: usize,
    /// Exchanges with one host at a time.
    pub exchanges_per_host_max: usize,
    /// How long a partition's lease lasts without renewal.
    pub partition_lease_ms: u64,
    /// Which safeguard to leave out. Without effect in release builds.
    pub sabotage: Option<Sabotage>,
}

impl NotifierConfig {
    /// The defaults, for the owner of this name.
    #[must_use]
    pub fn new(owner: impl Into<String>, dialer: Dialer, master_key: Arc<MasterKey>) -> Self {
        Self::over(owner, Arc::new(dialer), master_key)
    }

    /// The defaults, over another network.
    #[must_use]
    pub fn over(owner: impl Into<String>, transport: Arc<dyn Transport>, master_key: Arc<MasterKey>) -> Self {
        Self {
            owner: owner.into(),
            transport,
            master_key,
            prices: PriceTable::default(),
            exchanges_max: limits::EXCHANGES_MAX_DEFAULT,
            exchanges_per_host_max: limits::EXCHANGES_PER_HOST_MAX_DEFAULT,
            partition_lease_ms: limits::PARTITION_LEASE_MS_DEFAULT,
            sabotage: Sabotage::from_env(),
        }
    }

    pub(crate) fn is_sabotaged(&self, by: Sabotage) -> bool {
        cfg!(debug_assertions) && self.sabotage == Some(by)
    }
}
