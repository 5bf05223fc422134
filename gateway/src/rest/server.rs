//! The listener: accepts connections, serves each in a task of its own, and drains them at the end.

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::{JoinError, JoinSet};
use tokio_util::sync::CancellationToken;

use crate::limits::{ACCEPT_PAUSE, CONNECTIONS_MAX, HEADER_DEADLINE};

/// A bound listener, not serving yet.
#[derive(Debug)]
pub(crate) struct Server {
    listener: TcpListener,
    address: SocketAddr,
}

impl Server {
    /// # Errors
    /// When the address cannot be taken.
    pub(crate) async fn bind(listen: SocketAddr) -> std::io::Result<Self> {
        let listener = TcpListener::bind(listen).await?;
        let address = listener.local_addr()?;
        Ok(Self { listener, address })
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves until `shutdown`; then takes no new connection, and gives the open requests `drain` to end.
    pub(crate) async fn serve(self, router: Router, shutdown: CancellationToken, drain: Duration) {
        let slots = Arc::new(Semaphore::new(CONNECTIONS_MAX));
        let mut connections = JoinSet::new();
        while let Some((stream, slot)) = self.accept(&slots, &shutdown).await {
            connections.spawn(serve_connection(stream, router.clone(), shutdown.clone(), slot));
            while let Some(ended) = connections.try_join_next() {
                report(ended);
            }
        }
        drop(self.listener);
        let drained = async {
            while let Some(ended) = connections.join_next().await {
                report(ended);
            }
        };
        if tokio::time::timeout(drain, drained).await.is_err() {
            tracing::warn!(open = connections.len(), "connections did not end in time");
            connections.shutdown().await;
        }
    }

    /// The next connection; `None` at shutdown.
    async fn accept(
        &self,
        slots: &Arc<Semaphore>,
        shutdown: &CancellationToken,
    ) -> Option<(TcpStream, OwnedSemaphorePermit)> {
        shutdown.run_until_cancelled(self.accept_one(slots)).await?
    }

    async fn accept_one(&self, slots: &Arc<Semaphore>) -> Option<(TcpStream, OwnedSemaphorePermit)> {
        let slot = Arc::clone(slots).acquire_owned().await.ok()?;
        loop {
            match self.listener.accept().await {
                Ok((stream, _)) => return Some((stream, slot)),
                Err(error) => {
                    tracing::warn!(%error, "connection could not be accepted");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            }
        }
    }
}

/// A handler that panicked ends its connection only.
fn report(ended: Result<(), JoinError>) {
    if let Err(error) = ended {
        tracing::error!(%error, "connection's task died");
    }
}

async fn serve_connection(stream: TcpStream, router: Router, shutdown: CancellationToken, _slot: OwnedSemaphorePermit) {
    // Answers are small and whole; waiting to fill a packet only delays them.
    let _ = stream.set_nodelay(true);
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEADER_DEADLINE);
    let connection = http.serve_connection(TokioIo::new(stream), TowerToHyperService::new(router));
    let mut connection = std::pin::pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = shutdown.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        let error: &dyn std::error::Error = &error;
        tracing::debug!(error, "connection ended with an error");
    }
}
