//! How faults and values become HTTP answers: the one place with status codes.

use axum::Json;
use axum::response::{IntoResponse, Response};
use http::{HeaderName, HeaderValue, StatusCode, header};
use serde_json::json;

use crate::fault::{Fault, FaultKind};

impl FaultKind {
    fn status(self) -> StatusCode {
        match self {
            Self::Invalid => StatusCode::BAD_REQUEST,
            Self::Unauthorized => StatusCode::UNAUTHORIZED,
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
            Self::Conflict => StatusCode::CONFLICT,
            Self::Gone => StatusCode::GONE,
            Self::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::WrongMediaType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::TooMany => StatusCode::TOO_MANY_REQUESTS,
            Self::SlowBody => StatusCode::REQUEST_TIMEOUT,
            Self::NoPage => StatusCode::BAD_GATEWAY,
            Self::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
            Self::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    /// What else a client should be told.
    fn header(self) -> Option<(HeaderName, &'static str)> {
        match self {
            Self::Unauthorized => Some((header::WWW_AUTHENTICATE, "Bearer")),
            Self::Unavailable => Some((header::RETRY_AFTER, "1")),
            Self::Invalid
            | Self::NotFound
            | Self::MethodNotAllowed
            | Self::Conflict
            | Self::Gone
            | Self::TooLarge
            | Self::WrongMediaType
            | Self::SlowBody
            | Self::TooMany
            | Self::NoPage
            | Self::Internal => None,
        }
    }
}

impl IntoResponse for Fault {
    fn into_response(self) -> Response {
        let error = json!({"code": self.code, "message": self.message, "param": self.param});
        let mut response = (self.kind.status(), Json(json!({"error": error}))).into_response();
        if let Some((name, value)) = self.kind.header() {
            response.headers_mut().insert(name, HeaderValue::from_static(value));
        }
        if let Some(seconds) = self.retry_after_s {
            response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
        }
        response
    }
}

/// A page or asset of our own, with the policy under which a browser may run it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Page {
    pub media_type: &'static str,
    pub text: &'static str,
}

/// Our pages load their own script and style only; pictures are screenshots held as blobs.
const CONTENT_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; \
     connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

impl IntoResponse for Page {
    fn into_response(self) -> Response {
        let headers = [
            (header::CONTENT_TYPE, self.media_type),
            (header::CONTENT_SECURITY_POLICY, CONTENT_POLICY),
            (header::REFERRER_POLICY, "no-referrer"),
            (header::CACHE_CONTROL, "no-cache"),
        ];
        (headers, self.text).into_response()
    }
}
