//! What can go wrong with a call.

use serde_json::Value;
use std::fmt;
use thiserror::Error;

/// An error that the API answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiFault {
    /// HTTP status.
    pub status: u16,
    pub code: String,
    pub message: String,
    /// The field at fault, when there is one.
    pub param: Option<String>,
}

impl ApiFault {
    /// Reads an error body; `None` when it is not of the API's form, as of another server or a proxy.
    #[must_use]
    pub(crate) fn read(status: u16, text: &str) -> Option<Self> {
        let body: Value = serde_json::from_str(text).ok()?;
        let field = |name: &str| body["error"][name].as_str().map(str::to_owned);
        Some(Self { status, code: field("code")?, message: field("message")?, param: field("param") })
    }
}

impl fmt::Display for ApiFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}, {})", self.message, self.status, self.code)
    }
}

/// A call without an answer.
#[derive(Debug, Error)]
pub enum ClientError {
    #[error("{address:?} is not a server's address")]
    Address {
        address: String,
        #[source]
        source: url::ParseError,
    },
    #[error("the HTTP client cannot be set up")]
    Setup(#[source] reqwest::Error),
    /// The server refused the call.
    #[error("{0}")]
    Api(ApiFault),
    /// Transient, and for calls that change something: the outcome is not known.
    #[error("the server could not be reached")]
    Http(#[source] reqwest::Error),
    /// As [`ClientError::Http`].
    #[error("the server did not answer in time")]
    TimedOut,
    /// Permanent: what comes is not a stream of events.
    #[error("a line of the event stream is longer than {bytes_max} bytes")]
    LineTooLong { bytes_max: usize },
    /// Permanent: another server listens there, or something stands between.
    #[error("what answers at {address} (HTTP {status}) is not Errand: is `errand serve` running there?")]
    NotErrand { address: String, status: u16 },
}
