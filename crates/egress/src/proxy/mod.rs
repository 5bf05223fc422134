//! A forward HTTP proxy on loopback for one browser context, through which all its traffic goes: it enforces the
//! context's host rules and the address policy where connections are made (DESIGN §7).
//!
//! Only the address is its protection: any process of this machine may speak to it while it runs, and gets no further
//! than the browser does.

mod answer;
mod commits;
mod exchange;
mod headers;
mod ledger;
mod tunnel;
mod tunnels;

use std::{
    io,
    net::{Ipv4Addr, SocketAddr},
    sync::Arc,
    time::Duration,
};

use http::Method;
use hyper::{server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::{OwnedSemaphorePermit, Semaphore},
};
use tokio_util::{
    sync::{CancellationToken, DropGuard},
    task::TaskTracker,
};
use url::Url;

pub use answer::EGRESS_HEADER;
pub use ledger::{BlockReason, BlockedAttempt, EgressCounts, EgressFault};

use crate::{
    dialer::Dialer,
    hosts::{HostRules, normal_host},
    limits::{PROXY_CONNECTIONS_MAX, PROXY_IDLE_MAX},
};
use commits::Place;
use exchange::Exchange;
use ledger::Ledger;
use tunnels::Tunnels;

/// The pause after a failed accept (no file descriptors left), so that the loop does not spin.
const ACCEPT_RETRY_PAUSE: Duration = Duration::from_millis(50);

/// A running proxy. Dropping it ends its tasks soon; [`EgressProxy::stop`] also awaits their end.
#[derive(Debug)]
pub struct EgressProxy {
    address: SocketAddr,
    shared: Arc<Shared>,
    _stop_on_drop: DropGuard,
}

/// What all connections of one proxy use.
#[derive(Debug)]
struct Shared {
    dialer: Dialer,
    rules: HostRules,
    ledger: Ledger,
    tunnels: Tunnels,
    tasks: TaskTracker,
    stopping: CancellationToken,
}

impl EgressProxy {
    /// Listens on a free port of 127.0.0.1 and serves until stopped.
    ///
    /// # Errors
    /// When no port can be opened.
    pub async fn start(dialer: Dialer, rules: HostRules) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let stopping = CancellationToken::new();
        let shared = Arc::new(Shared {
            dialer,
            rules,
            ledger: Ledger::default(),
            tunnels: Tunnels::default(),
            tasks: TaskTracker::new(),
            stopping: stopping.clone(),
        });
        shared.tasks.spawn(accept(listener, shared.clone()));
        Ok(Self { address, shared, _stop_on_drop: stopping.drop_guard() })
    }

    /// Where it listens, for the browser context's `proxyServer`.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The latest blocked attempts, oldest first, each host, port and reason once.
    pub fn blocked(&self) -> Vec<BlockedAttempt> {
        self.shared.ledger.blocked()
    }

    /// How many connections were opened, blocked, or failed so far.
    pub fn counts(&self) -> EgressCounts {
        self.shared.ledger.counts()
    }

    /// What the proxy did to a navigation since `earlier`, if its answer, not a site's, was what the browser met. `status` is
    /// that of the page which the browser shows at `url`; `None` when it got no connection through the proxy for `url`.
    pub fn fault_since(&self, earlier: EgressCounts, url: &str, status: Option<u16>) -> Option<EgressFault> {
        self.shared.ledger.fault_since(earlier, url, status)
    }

    /// A handle by which the browser's guard tells what may leave. From now on a plain request of a method that changes
    /// things goes only when it was allowed.
    pub fn departures(&self) -> Departures {
        self.shared.tunnels.commits(|commits| commits.is_strict = true);
        Departures { shared: self.shared.clone() }
    }

    /// Ends every connection and waits until all its tasks are over.
    pub async fn stop(self) {
        self.shared.stopping.cancel();
        self.shared.tasks.close();
        self.shared.tasks.wait().await;
    }
}

/// What the browser's guard tells the proxy, which cannot read what goes through its tunnels.
#[derive(Clone, Debug)]
pub struct Departures {
    shared: Arc<Shared>,
}

impl Departures {
    /// Lets one plain request of this method and URL go.
    pub fn allow(&self, method: &str, url: &Url) {
        if let Ok(method) = Method::from_bytes(method.as_bytes()) {
            self.shared.tunnels.commits(|commits| commits.allow(method, url.clone()));
        }
    }

    /// A request that commits something is about to go to a URL, whose answer will be told by [`Departures::answered`]. Ends
    /// when it can only leave over a connection that nothing went over before.
    pub async fn depart(&self, url: &Url) {
        if let Some(place) = place_of(url) {
            self.shared.tunnels.depart(&place).await;
        }
    }

    /// The answer has begun, or will not come.
    pub fn answered(&self, url: &Url) {
        if let Some(place) = place_of(url) {
            self.shared.tunnels.answered(&place);
        }
    }

    /// Whether a connection was refused to the URL's host since a request departed to it that is not answered yet.
    pub fn has_refused(&self, url: &Url) -> bool {
        place_of(url).is_some_and(|place| self.shared.tunnels.commits(|commits| commits.has_refused(&place)))
    }
}

fn place_of(url: &Url) -> Option<Place> {
    let host = normal_host(url.host_str()?).ok()?;
    Some((host.to_string(), url.port_or_known_default()?))
}

async fn accept(listener: TcpListener, shared: Arc<Shared>) {
    let slots = Arc::new(Semaphore::new(PROXY_CONNECTIONS_MAX));
    let stopping = shared.stopping.clone();
    let accepting = async {
        // The semaphore is never closed, so this ends only with the task.
        while let Ok(slot) = slots.clone().acquire_owned().await {
            match listener.accept().await {
                Ok((stream, _)) => {
                    shared.tasks.spawn(serve(stream, Arc::new(slot), shared.clone()));
                }
                Err(error) => {
                    shared.ledger.record_starved();
                    tracing::warn!(%error, "egress proxy could not accept a connection");
                    tokio::time::sleep(ACCEPT_RETRY_PAUSE).await;
                }
            }
        }
    };
    stopping.run_until_cancelled(accepting).await;
}

/// Serves one connection of the browser. Its slot is held until its tunnel, if it becomes one, is over too.
async fn serve(stream: TcpStream, slot: Arc<OwnedSemaphorePermit>, shared: Arc<Shared>) {
    let stopping = shared.stopping.clone();
    let exchange = Exchange::new(shared, slot);
    let service = service_fn(move |request| exchange.clone().answer(request));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(PROXY_IDLE_MAX)
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades();
    if let Some(Err(error)) = stopping.run_until_cancelled(connection).await {
        tracing::debug!(%error, "connection of a browser to its egress proxy broke");
    }
}
