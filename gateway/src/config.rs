//! What a gateway is started with.

use errand_domain::price::PriceTable;
use errand_read::Reader;
use errand_vault::MasterKey;
use metrics_exporter_prometheus::PrometheusHandle;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use crate::limits;

/// The gateway's settings.
#[derive(Debug, Clone)]
pub struct GatewayConfig {
    /// Where to listen; port 0 takes a free one, which [`crate::GatewayHandle::address`] tells.
    pub listen: SocketAddr,
    pub prices: PriceTable,
    /// Seals secrets, and derives webhook secrets.
    pub master_key: Arc<MasterKey>,
    /// Names that a run's `model` may have.
    pub models: Vec<String>,
    /// Reads pages for `/v1/read`, within its own address rules and bounds; without it that call is unavailable.
    pub reader: Option<Reader>,
    /// Renders `/metrics`; without it that path is 404.
    pub metrics: Option<PrometheusHandle>,
    /// Finished runs are removed after so long.
    pub retention: Duration,
    /// Connections at once: what the process may open, less what the store and the browsers need.
    pub connections_max: usize,
    /// Live streams at once of one account.
    pub account_streams: usize,
    /// How long open requests may still take after the shutdown began.
    pub drain: Duration,
}

impl GatewayConfig {
    /// The defaults, for an address and a master key.
    #[must_use]
    pub fn new(listen: SocketAddr, master_key: Arc<MasterKey>) -> Self {
        Self {
            listen,
            prices: PriceTable::default(),
            master_key,
            models: Vec::new(),
            reader: None,
            metrics: None,
            retention: limits::RETENTION_DEFAULT,
            connections_max: limits::CONNECTIONS_MAX,
            account_streams: limits::ACCOUNT_STREAMS_DEFAULT,
            drain: limits::DRAIN_DEFAULT,
        }
    }
}
