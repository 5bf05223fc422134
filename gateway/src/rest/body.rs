//! Reads a JSON body within its bounds.

use axum::extract::{FromRequest, Request};
use http::HeaderMap;
use http::header::CONTENT_TYPE;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::body::Body;
use serde_json::Value;

use super::json;
use crate::fault::{Fault, FaultKind};
use crate::limits::{BODY_BYTES_MAX, BODY_DEADLINE};

/// The request's body.
#[derive(Debug)]
pub(crate) struct JsonBody(pub Value);

impl<S: Sync> FromRequest<S> for JsonBody {
    type Rejection = Fault;

    async fn from_request(request: Request, _: &S) -> Result<Self, Fault> {
        check_media_type(request.headers())?;
        // Said before the first look, so that a client that waits for the word to send sends nothing.
        if request.body().size_hint().lower() > BODY_BYTES_MAX as u64 {
            return Err(too_large());
        }
        let body = Limited::new(request.into_body(), BODY_BYTES_MAX).collect();
        let slow = |_| Fault::new(FaultKind::SlowBody, "body_timeout", "the body did not arrive in time");
        let collected = tokio::time::timeout(BODY_DEADLINE, body).await.map_err(slow)?;
        let bytes = collected.map_err(|error| unreadable(&*error))?.to_bytes();
        json::parse(&bytes).map(Self)
    }
}

fn unreadable(error: &(dyn std::error::Error + 'static)) -> Fault {
    if error.is::<LengthLimitError>() { too_large() } else { Fault::invalid("the body could not be read") }
}

fn too_large() -> Fault {
    let message = format!("the body is larger than {BODY_BYTES_MAX} bytes");
    Fault::new(FaultKind::TooLarge, "body_too_large", message)
}

/// A request without the header is taken for JSON; every other type is not.
fn check_media_type(headers: &HeaderMap) -> Result<(), Fault> {
    let Some(header) = headers.get(CONTENT_TYPE) else { return Ok(()) };
    let full = header.to_str().unwrap_or_default();
    let media_type = full.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    if media_type == "application/json" || media_type.ends_with("+json") {
        return Ok(());
    }
    let message = "the body must be sent as \"content-type: application/json\"";
    Err(Fault::new(FaultKind::WrongMediaType, "wrong_media_type", message))
}
