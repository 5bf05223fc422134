//! What the notifier needs of a network. TLS over TCP is what is shipped; the simulator has another.

use async_trait::async_trait;
use bytes::Bytes;
use errand_domain::delivery::DeliveryOutcome;
use errand_egress::ConnectError;
use http::Request;
use http_body_util::Full;
use std::fmt;
use thiserror::Error;
use tokio::time::Instant;

use crate::target::Target;

/// Why there is no connection. Permanent for its event: nothing is tried twice.
#[derive(Debug, Error)]
pub enum ConnectFault {
    #[error(transparent)]
    Connect(#[from] ConnectError),
    #[error("the connection cannot be used")]
    Http(#[source] hyper::Error),
}

impl ConnectFault {
    /// As the delivery's record says it. Names no address: a host name must not tell what it stands for inside a network.
    #[must_use]
    pub fn reason(&self) -> &'static str {
        match self {
            Self::Connect(ConnectError::Blocked { .. }) => "the receiver's address may not be reached",
            Self::Connect(ConnectError::Resolve { .. } | ConnectError::NoAddress { .. }) => {
                "the receiver's host name could not be resolved"
            }
            Self::Connect(ConnectError::InvalidHost(_)) => "the receiver's host name is not valid",
            Self::Connect(ConnectError::Refused { .. }) => "the receiver refused the connection",
            Self::Connect(ConnectError::TimedOut { .. }) => "connecting to the receiver timed out",
            Self::Connect(ConnectError::Tls { .. }) => "the TLS handshake with the receiver failed",
            Self::Http(_) => "the connection closed before the request was written",
        }
    }
}

/// Makes connections, each for one request.
#[async_trait]
pub trait Transport: Send + Sync + fmt::Debug {
    /// Connects, and writes nothing of a request.
    ///
    /// # Errors
    /// [`ConnectFault`]; nothing of a request was written.
    async fn connect(&self, target: &Target) -> Result<Box<dyn Connection>, ConnectFault>;
}

/// A connection that nothing of the request was written to yet.
#[async_trait]
pub trait Connection: Send + fmt::Debug {
    /// Writes the request once and reads the answer until `deadline`.
    async fn exchange(self: Box<Self>, request: Request<Full<Bytes>>, deadline: Instant) -> DeliveryOutcome;
}
