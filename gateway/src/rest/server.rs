//! The listener: accepts connections, serves each in a task of its own while there is room, and drains them at the end.

use axum::Router;
use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{AbortHandle, JoinError, JoinSet};
use tokio_util::sync::CancellationToken;

use super::connection::{Seat, locked, serve_connection};
use super::room::{Admission, Bounds, ConnectionId, Room};
use crate::limits::{ACCEPT_PAUSE, IDLE_DRAIN, SPARE_CONNECTIONS};

/// A bound listener, not serving yet.
#[derive(Debug)]
pub(crate) struct Server {
    listener: TcpListener,
    address: SocketAddr,
}

/// What answers: everything, or what is left to say when there is no room.
#[derive(Debug, Clone)]
pub(crate) struct Routers {
    pub all: Router,
    pub crowded: Router,
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
    pub(crate) async fn serve(
        self,
        routers: Routers,
        connections_max: usize,
        shutdown: CancellationToken,
        drain: Duration,
    ) {
        let mut connections = Connections::new(routers, bounds(connections_max), shutdown.clone());
        loop {
            tokio::select! {
                () = shutdown.cancelled() => break,
                accepted = self.listener.accept() => match accepted {
                    Ok((stream, peer)) => connections.take(stream, peer),
                    Err(error) => {
                        tracing::warn!(%error, "connection could not be accepted");
                        tokio::time::sleep(ACCEPT_PAUSE).await;
                    }
                },
                Some(ended) = connections.tasks.join_next() => connections.ended(ended),
            }
        }
        drop(self.listener);
        connections.drain(drain).await;
    }
}

/// One peer gets half of the places.
fn bounds(connections_max: usize) -> Bounds {
    Bounds { connections: connections_max.max(1), of_one_peer: (connections_max / 2).max(1), spare: SPARE_CONNECTIONS }
}

/// The open connections, each with its task.
struct Connections {
    routers: Routers,
    room: Arc<Mutex<Room>>,
    tasks: JoinSet<ConnectionId>,
    handles: HashMap<ConnectionId, AbortHandle>,
    shutdown: CancellationToken,
}

impl Connections {
    fn new(routers: Routers, bounds: Bounds, shutdown: CancellationToken) -> Self {
        let room = Arc::new(Mutex::new(Room::new(bounds)));
        Self { routers, room, tasks: JoinSet::new(), handles: HashMap::new(), shutdown }
    }

    fn take(&mut self, stream: TcpStream, peer: SocketAddr) {
        let admission = locked(&self.room).admit(peer.ip());
        let (id, instead_of, is_spare) = match admission {
            Admission::Served { id, instead_of } => (id, instead_of, false),
            Admission::Spare { id, instead_of } => (id, instead_of, true),
            Admission::Refused => return metrics::counter!("errand_gateway_connections_refused_total").increment(1),
        };
        if let Some(handle) = instead_of.and_then(|id| self.handles.remove(&id)) {
            handle.abort();
            metrics::counter!("errand_gateway_connections_replaced_total").increment(1);
        }
        let router = if is_spare { &self.routers.crowded } else { &self.routers.all };
        let seat = Seat::new(id, Arc::clone(&self.room));
        let serving = serve_connection(stream, router.clone(), seat, is_spare, self.shutdown.clone());
        self.handles.insert(id, self.tasks.spawn(serving));
    }

    /// A handler that panicked ends its connection only.
    fn ended(&mut self, ended: Result<ConnectionId, JoinError>) {
        match ended {
            Ok(id) => drop(self.handles.remove(&id)),
            Err(error) if error.is_cancelled() => {}
            Err(error) => {
                tracing::error!(%error, "connection's task died");
                self.handles.retain(|_, handle| !handle.is_finished());
            }
        }
    }

    async fn drain(mut self, drain: Duration) {
        // Whoever is in the middle of a request's head by then has not asked for anything.
        if !self.all_end_within(drain.min(IDLE_DRAIN)).await {
            let idle = locked(&self.room).all_idle();
            idle.iter().filter_map(|id| self.handles.get(id)).for_each(AbortHandle::abort);
        }
        if !self.all_end_within(drain.saturating_sub(IDLE_DRAIN)).await {
            tracing::warn!(open = self.tasks.len(), "connections did not end in time");
            self.tasks.shutdown().await;
        }
    }

    async fn all_end_within(&mut self, patience: Duration) -> bool {
        let all_ended = async { while self.tasks.join_next().await.is_some() {} };
        tokio::time::timeout(patience, all_ended).await.is_ok()
    }
}
