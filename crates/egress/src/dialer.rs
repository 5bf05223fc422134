//! The one way to open a connection: resolve, check each address, connect to that very address, finish TLS.

use std::{
    collections::BTreeMap,
    io,
    net::{IpAddr, SocketAddr},
    sync::Arc,
};

use rustls::{ClientConfig, pki_types::ServerName};
use tokio::{
    net::TcpStream,
    time::{Instant, timeout_at},
};
use tokio_rustls::{TlsConnector, client::TlsStream};
use url::Host;

use crate::{
    address::{AddressPolicy, Blocked},
    hosts::{InvalidHost, normal_host},
    limits::{CANDIDATE_CONNECT_MAX, CANDIDATES_MAX},
};

/// Opens connections to allowed addresses only. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Dialer {
    policy: Arc<AddressPolicy>,
    tls: Arc<ClientConfig>,
    fixed_names: Arc<BTreeMap<String, Vec<IpAddr>>>,
}

/// Linux' numbers for: out of memory, out of files in all, out of files of this process, out of ports, out of buffers.
const SHORTAGES: [i32; 5] = [12, 23, 24, 99, 105];

/// Why no connection was made. In none of these cases was a byte of the caller's sent.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    #[error(transparent)]
    InvalidHost(#[from] InvalidHost),
    #[error("{host} could not be resolved")]
    Resolve { host: String, source: io::Error },
    #[error("{host} has no address")]
    NoAddress { host: String },
    #[error("{host} may not be reached")]
    Blocked { host: String, source: Blocked },
    #[error("no connection to {address} could be made")]
    Refused { address: SocketAddr, source: io::Error },
    #[error("{host} port {port} did not answer in time")]
    TimedOut { host: String, port: u16 },
    #[error("the TLS handshake with {host} failed")]
    Tls { host: String, source: io::Error },
}

impl ConnectError {
    /// A stable word for records and headers.
    pub fn code(&self) -> &'static str {
        match self {
            Self::InvalidHost(_) => "invalid_host",
            Self::Resolve { .. } | Self::NoAddress { .. } => "unresolved",
            Self::Blocked { .. } => "blocked",
            Self::Refused { .. } => "refused",
            Self::TimedOut { .. } => "timed_out",
            Self::Tls { .. } => "tls",
        }
    }

    /// Whether this machine had nothing left to connect with, so that nothing is known of the site.
    pub fn is_of_machine(&self) -> bool {
        match self {
            Self::Resolve { source, .. } | Self::Refused { source, .. } | Self::Tls { source, .. } => {
                source.raw_os_error().is_some_and(|number| SHORTAGES.contains(&number))
            }
            Self::InvalidHost(_) | Self::NoAddress { .. } | Self::Blocked { .. } | Self::TimedOut { .. } => false,
        }
    }

    /// Whether the same call may succeed later without anything being changed here.
    pub fn is_transient(&self) -> bool {
        match self {
            Self::Resolve { .. } | Self::Refused { .. } | Self::TimedOut { .. } => true,
            Self::InvalidHost(_) | Self::NoAddress { .. } | Self::Blocked { .. } | Self::Tls { .. } => false,
        }
    }
}

impl Dialer {
    pub fn new(policy: AddressPolicy, tls: Arc<ClientConfig>) -> Self {
        Self { policy: Arc::new(policy), tls, fixed_names: Arc::default() }
    }

    /// Answers these names from the given addresses instead of asking a name server, as a hosts file would. The
    /// addresses are checked like any others.
    #[must_use]
    pub fn with_fixed_names(mut self, names: BTreeMap<String, Vec<IpAddr>>) -> Self {
        self.fixed_names = Arc::new(names);
        self
    }

    /// Connects to an allowed address of `host` and says which one. `host` is read as browsers do; addresses that may
    /// not be reached are passed over, and no packet is sent to them.
    ///
    /// # Errors
    /// [`ConnectError`]; [`ConnectError::Blocked`] when every address of the host is blocked.
    pub async fn connect(
        &self,
        host: &str,
        port: u16,
        deadline: Instant,
    ) -> Result<(TcpStream, SocketAddr), ConnectError> {
        let target = Target { host: normal_host(host)?, port };
        let found = timeout_at(deadline, self.resolve(&target)).await.map_err(|_| target.timed_out())??;
        let allowed = self.allowed(&target, &found)?;
        connect_to_one_of(&target, &allowed, deadline).await
    }

    /// As [`Dialer::connect`], and finishes a TLS handshake that authenticates `host`.
    ///
    /// # Errors
    /// [`ConnectError`]; [`ConnectError::Tls`] when the handshake fails, say on an unknown issuer.
    pub async fn connect_tls(
        &self,
        host: &str,
        port: u16,
        deadline: Instant,
    ) -> Result<(TlsStream<TcpStream>, SocketAddr), ConnectError> {
        let target = Target { host: normal_host(host)?, port };
        let name = target.server_name()?;
        let (tcp, address) = self.connect(host, port, deadline).await?;
        let handshake = TlsConnector::from(self.tls.clone()).connect(name, tcp);
        match timeout_at(deadline, handshake).await {
            Ok(Ok(stream)) => Ok((stream, address)),
            Ok(Err(source)) => Err(ConnectError::Tls { host: target.host.to_string(), source }),
            Err(_) => Err(target.timed_out()),
        }
    }

    async fn resolve(&self, target: &Target) -> Result<Vec<IpAddr>, ConnectError> {
        let name = match &target.host {
            Host::Ipv4(address) => return Ok(vec![IpAddr::V4(*address)]),
            Host::Ipv6(address) => return Ok(vec![IpAddr::V6(*address)]),
            Host::Domain(name) => name,
        };
        if let Some(addresses) = self.fixed_names.get(name) {
            return Ok(addresses.clone());
        }
        let found = tokio::net::lookup_host((name.as_str(), target.port))
            .await
            .map_err(|source| ConnectError::Resolve { host: name.clone(), source })?;
        Ok(found.map(|address| address.ip()).collect())
    }

    /// The addresses that may be connected to, in the resolver's order, at most [`CANDIDATES_MAX`].
    fn allowed(&self, target: &Target, found: &[IpAddr]) -> Result<Vec<SocketAddr>, ConnectError> {
        let host = target.host.to_string();
        let mut allowed = Vec::new();
        let mut first_blocked = None;
        for &address in found {
            match self.policy.check_for_host(&host, address) {
                Ok(()) => allowed.push(SocketAddr::new(address, target.port)),
                Err(blocked) => first_blocked = first_blocked.or(Some(blocked)),
            }
        }
        allowed.truncate(CANDIDATES_MAX);
        match first_blocked {
            Some(source) if allowed.is_empty() => Err(ConnectError::Blocked { host, source }),
            None if allowed.is_empty() => Err(ConnectError::NoAddress { host }),
            Some(_) | None => Ok(allowed),
        }
    }
}

/// What a caller wants to reach.
struct Target {
    host: Host<String>,
    port: u16,
}

impl Target {
    fn timed_out(&self) -> ConnectError {
        ConnectError::TimedOut { host: self.host.to_string(), port: self.port }
    }

    fn server_name(&self) -> Result<ServerName<'static>, ConnectError> {
        match &self.host {
            Host::Ipv4(address) => Ok(IpAddr::V4(*address).into()),
            Host::Ipv6(address) => Ok(IpAddr::V6(*address).into()),
            Host::Domain(name) => {
                let invalid = |_| ConnectError::InvalidHost(InvalidHost { host: name.clone() });
                ServerName::try_from(name.clone()).map_err(invalid)
            }
        }
    }
}

/// Tries the addresses in turn; all but the last get only a part of the time.
async fn connect_to_one_of(
    target: &Target,
    addresses: &[SocketAddr],
    deadline: Instant,
) -> Result<(TcpStream, SocketAddr), ConnectError> {
    let mut failure = target.timed_out();
    for (index, &address) in addresses.iter().enumerate() {
        let is_last = index + 1 == addresses.len();
        let until = if is_last { deadline } else { deadline.min(Instant::now() + CANDIDATE_CONNECT_MAX) };
        match timeout_at(until, TcpStream::connect(address)).await {
            Ok(Ok(stream)) => {
                // Small writes of a page load or a signed body must not wait for acknowledgements; harmless if refused.
                let _ = stream.set_nodelay(true);
                return Ok((stream, address));
            }
            Ok(Err(source)) => failure = ConnectError::Refused { address, source },
            Err(_) => failure = target.timed_out(),
        }
    }
    Err(failure)
}
