//! One connection for one request: no pool, no retry, no redirect, no proxy from the environment.

use bytes::Bytes;
use errand_domain::delivery::DeliveryOutcome;
use errand_egress::{ConnectError, Dialer};
use http::{Request, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use std::pin::pin;
use thiserror::Error;
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout_at};
use tokio_rustls::client::TlsStream;

use crate::limits::{ANSWER_BYTES_MAX, CONNECT_MAX};
use crate::target::Target;

type Body = Full<Bytes>;

/// A connection that nothing of the request was written to yet.
#[derive(Debug)]
pub struct Connection {
    sender: http1::SendRequest<Body>,
    driver: http1::Connection<TokioIo<TlsStream<TcpStream>>, Body>,
}

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

/// Resolves, checks the address, connects to that address, finishes TLS; within [`CONNECT_MAX`].
///
/// # Errors
/// [`ConnectFault`]; nothing of a request was written.
pub async fn connect(dialer: &Dialer, target: &Target) -> Result<Connection, ConnectFault> {
    let deadline = Instant::now() + CONNECT_MAX;
    let (stream, _) = dialer.connect_tls(&target.host, target.port, deadline).await?;
    // Writes nothing: HTTP/1.1 has no greeting.
    let (sender, driver) = http1::Builder::new()
        .max_buf_size(ANSWER_BYTES_MAX)
        .handshake(TokioIo::new(stream))
        .await
        .map_err(ConnectFault::Http)?;
    Ok(Connection { sender, driver })
}

/// Why there is no whole answer.
enum Fault {
    /// The request was handed back: no byte of it was written.
    NotWritten,
    Http(hyper::Error),
}

impl Connection {
    /// Writes the request once and reads the answer until `deadline`.
    pub async fn exchange(self, request: Request<Body>, deadline: Instant) -> DeliveryOutcome {
        let Self { mut sender, driver } = self;
        let answering = async {
            let response = sender.try_send_request(request).await.map_err(|mut fault| match fault.take_message() {
                Some(_) => Fault::NotWritten,
                None => Fault::Http(fault.into_error()),
            })?;
            let status = response.status();
            drop_body(response.into_body()).await.map_err(Fault::Http)?;
            Ok(status)
        };
        let exchanging = async {
            let (mut answering, mut driver) = (pin!(answering), pin!(driver));
            // The driver only carries the answer; its end says nothing that the answer does not, and may come first.
            tokio::select! {
                answer = &mut answering => answer,
                _ = &mut driver => answering.await,
            }
        };
        match timeout_at(deadline, exchanging).await {
            Ok(Ok(status)) => outcome_of(status),
            Ok(Err(fault)) => outcome_of_fault(&fault),
            Err(_) => DeliveryOutcome::NoResponse { reason: "no whole answer came in time".to_owned() },
        }
    }
}

/// Reads to the end, or to [`ANSWER_BYTES_MAX`].
async fn drop_body(mut body: Incoming) -> Result<(), hyper::Error> {
    let mut bytes = 0;
    while bytes < ANSWER_BYTES_MAX
        && let Some(frame) = body.frame().await
    {
        bytes += frame?.data_ref().map_or(0, Bytes::len);
    }
    Ok(())
}

fn outcome_of(status: StatusCode) -> DeliveryOutcome {
    let code = status.as_u16();
    if status.is_success() {
        DeliveryOutcome::Delivered { status: code }
    } else {
        DeliveryOutcome::Rejected { status: code }
    }
}

fn outcome_of_fault(fault: &Fault) -> DeliveryOutcome {
    let reason = match fault {
        Fault::NotWritten => {
            let reason = "the connection closed before the request was written".to_owned();
            return DeliveryOutcome::NotSent { reason };
        }
        Fault::Http(error) if error.is_parse() => "the answer was not HTTP/1.1",
        Fault::Http(error) if error.is_incomplete_message() => "the connection closed before a whole answer came",
        Fault::Http(_) => "the connection broke before a whole answer came",
    };
    DeliveryOutcome::NoResponse { reason: reason.to_owned() }
}
