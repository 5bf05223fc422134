//! One connection for one request: no pool, no retry, no redirect, no proxy from the environment.

use async_trait::async_trait;
use bytes::Bytes;
use errand_domain::delivery::DeliveryOutcome;
use errand_egress::Dialer;
use http::{Request, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use std::pin::pin;
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout_at};
use tokio_rustls::client::TlsStream;

use crate::limits::{ANSWER_BYTES_MAX, CONNECT_MAX};
use crate::target::Target;
use crate::transport::{ConnectFault, Connection, Transport};

type Body = Full<Bytes>;

/// An HTTP/1.1 connection over TLS that is used once.
#[derive(Debug)]
struct HttpConnection {
    sender: http1::SendRequest<Body>,
    driver: http1::Connection<TokioIo<TlsStream<TcpStream>>, Body>,
}

#[async_trait]
impl Transport for Dialer {
    /// Resolves, checks the address, connects to that address, finishes TLS; within [`CONNECT_MAX`].
    async fn connect(&self, target: &Target) -> Result<Box<dyn Connection>, ConnectFault> {
        let deadline = Instant::now() + CONNECT_MAX;
        let (stream, _) = self.connect_tls(&target.host, target.port, deadline).await?;
        // Writes nothing: HTTP/1.1 has no greeting.
        let (sender, driver) = http1::Builder::new()
            .max_buf_size(ANSWER_BYTES_MAX)
            .handshake(TokioIo::new(stream))
            .await
            .map_err(ConnectFault::Http)?;
        Ok(Box::new(HttpConnection { sender, driver }))
    }
}

/// Why there is no whole answer.
enum Fault {
    /// The request was handed back: no byte of it was written.
    NotWritten,
    Http(hyper::Error),
}

#[async_trait]
impl Connection for HttpConnection {
    async fn exchange(self: Box<Self>, request: Request<Body>, deadline: Instant) -> DeliveryOutcome {
        let Self { mut sender, driver } = *self;
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
