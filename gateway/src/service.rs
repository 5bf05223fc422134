//! Starts a gateway and tells where it listens.

use errand_store::{LogError, Stores};
use std::net::SocketAddr;
use std::sync::Arc;
use thiserror::Error;
use tokio::task::{JoinError, JoinHandle};
use tokio_util::sync::CancellationToken;

use crate::app::App;
use crate::config::GatewayConfig;
use crate::hub::{Hub, HubTails};
use crate::idempotency;
use crate::limits::BROWSERS_END;
use crate::rest::{Server, routers};
use crate::retention;

/// Why a gateway did not start, or stopped.
#[derive(Debug, Error)]
pub enum GatewayError {
    #[error("cannot listen on {address}")]
    Listen {
        address: SocketAddr,
        #[source]
        source: std::io::Error,
    },
    #[error("the log cannot be followed")]
    Log(#[source] LogError),
    #[error("the gateway's task died")]
    Task(#[source] JoinError),
}

/// A running gateway.
#[derive(Debug)]
pub struct GatewayHandle {
    address: SocketAddr,
    task: JoinHandle<()>,
}

impl GatewayHandle {
    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Waits for its end: after the shutdown, when what was open has drained.
    ///
    /// # Errors
    /// When it died.
    pub async fn ended(self) -> Result<(), GatewayError> {
        self.task.await.map_err(GatewayError::Task)
    }
}

/// Serves until `shutdown`. When this returns, connections are accepted.
///
/// # Errors
/// When the address is taken, or the log cannot be followed.
pub async fn serve(
    config: GatewayConfig,
    stores: Stores,
    shutdown: CancellationToken,
) -> Result<GatewayHandle, GatewayError> {
    let listen = |source| GatewayError::Listen { address: config.listen, source };
    let server = Server::bind(config.listen).await.map_err(listen)?;
    let hub = Hub::new(stores.log.partitions());
    let tails = HubTails::start(&hub, &stores, &shutdown).await.map_err(GatewayError::Log)?;
    let address = server.address();
    let (drain, connections_max) = (config.drain, config.connections_max);
    let reader = config.reader.clone();
    let sweep = idempotency::sweep(stores.clone(), shutdown.clone());
    let app = Arc::new(App::new(config, stores, hub, shutdown.clone()));
    tracing::info!(%address, "gateway listens");
    let task = tokio::spawn(async move {
        let retention = retention::run(Arc::clone(&app));
        let serving = server.serve(routers(&app), connections_max, shutdown, drain);
        drop(app);
        tokio::join!(serving, sweep, retention);
        tails.ended().await;
        if let Some(reader) = reader
            && tokio::time::timeout(BROWSERS_END, reader.ended()).await.is_err()
        {
            tracing::warn!("browsers of reads did not end in time");
        }
    });
    Ok(GatewayHandle { address, task })
}
