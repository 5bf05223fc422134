//! Reads a JSON body within its bounds.

use axum::extract::{FromRequest, Request};
use http::HeaderMap;
use http::header::CONTENT_TYPE;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use serde_json::Value;

use crate::fault::{Fault, FaultKind};
use crate::limits::{BODY_BYTES_MAX, BODY_DEADLINE};

/// The request's body.
#[derive(Debug)]
pub(crate) struct JsonBody(pub Value);

impl<S: Sync> FromRequest<S> for JsonBody {
    type Rejection = Fault;

    async fn from_request(request: Request, _: &S) -> Result<Self, Fault> {
        check_media_type(request.headers())?;
        let body = Limited::new(request.into_body(), BODY_BYTES_MAX).collect();
        let slow = |_| Fault::new(FaultKind::SlowBody, "body_timeout", "the body did not arrive in time");
        let collected = tokio::time::timeout(BODY_DEADLINE, body).await.map_err(slow)?;
        let bytes = collected.map_err(|error| unreadable(&*error))?.to_bytes();
        let parsed = serde_json::from_slice(&bytes);
        parsed.map(Self).map_err(|error| Fault::invalid(format!("the body is not valid JSON: {error}")))
    }
}

fn unreadable(error: &(dyn std::error::Error + 'static)) -> Fault {
    if error.is::<LengthLimitError>() {
        let message = format!("the body is larger than {BODY_BYTES_MAX} bytes");
        return Fault::new(FaultKind::TooLarge, "body_too_large", message);
    }
    Fault::invalid("the body could not be read")
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
