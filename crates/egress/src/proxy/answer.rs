//! The proxy's own answers: small texts for people, and a header by which the worker knows them from a site's.

use bytes::Bytes;
use http::{HeaderName, HeaderValue, Response, StatusCode, header};
use http_body_util::{BodyExt, Empty, Full, combinators::BoxBody};

use super::ledger::BlockReason;
use crate::dialer::ConnectError;

/// Stands on answers that the proxy made itself, with the reason's word; taken off what sites send.
pub const EGRESS_HEADER: HeaderName = HeaderName::from_static("x-errand-egress");

pub(super) type Body = BoxBody<Bytes, hyper::Error>;

/// Why a request is answered by the proxy itself.
#[derive(Debug, thiserror::Error)]
pub(super) enum Refusal {
    #[error("the request is not one for a proxy")]
    NotForAProxy,
    #[error("blocked: {host}: {reason}")]
    Blocked { host: String, reason: BlockReason },
    #[error("no connection: {0}")]
    Unreachable(ConnectError),
    #[error("this was sent already, and is not sent again")]
    Repeated,
    #[error("nobody decided that this may be sent")]
    Undecided,
    #[error("the site broke the connection")]
    Broken(#[source] hyper::Error),
}

impl Refusal {
    fn status(&self) -> StatusCode {
        match self {
            Self::NotForAProxy => StatusCode::BAD_REQUEST,
            Self::Blocked { .. } | Self::Undecided => StatusCode::FORBIDDEN,
            Self::Repeated => StatusCode::CONFLICT,
            Self::Unreachable(ConnectError::TimedOut { .. }) => StatusCode::GATEWAY_TIMEOUT,
            Self::Unreachable(_) | Self::Broken(_) => StatusCode::BAD_GATEWAY,
        }
    }

    fn word(&self) -> &'static str {
        match self {
            Self::NotForAProxy => "bad_request",
            Self::Blocked { .. } => "blocked",
            Self::Unreachable(error) => error.code(),
            Self::Repeated => "repeated",
            Self::Undecided => "undecided",
            Self::Broken(_) => "broken",
        }
    }

    pub(super) fn into_response(self) -> Response<Body> {
        let text = Full::new(Bytes::from(format!("{self}\n")));
        let mut response = Response::new(text.map_err(|never| match never {}).boxed());
        *response.status_mut() = self.status();
        let headers = response.headers_mut();
        headers.insert(EGRESS_HEADER, HeaderValue::from_static(self.word()));
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        response
    }
}

/// The answer to CONNECT after which the connection is a tunnel (RFC 9110 §9.3.6).
pub(super) fn tunnel_opened() -> Response<Body> {
    Response::new(Empty::new().map_err(|never| match never {}).boxed())
}
