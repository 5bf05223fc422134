//! Reads one page without a model (SPEC §5). Nothing is stored: a read is over with its answer.

mod request;

use errand_read::{ReadError, answer};
use serde_json::Value;

use crate::app::App;
use crate::fault::{Fault, FaultKind};
use request::ReadRequest;

/// SPEC §5's answer.
///
/// # Errors
/// 400 that names the field, 502 when no tool got the page, 503 when that was for a fault of this server, or too many
/// pages are being read.
pub(crate) async fn read(app: &App, body: &Value) -> Result<Value, Fault> {
    let request = ReadRequest::parse(body)?;
    let reader = app.config.reader.as_ref().ok_or_else(Fault::unavailable)?;
    let read = reader.read(&request.url, request.engine, request.schema.as_ref()).await;
    let outcome = if read.is_ok() { "read" } else { "refused" };
    metrics::counter!("errand_gateway_reads_total", "outcome" => outcome).increment(1);
    Ok(answer(&read?))
}

impl From<ReadError> for Fault {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::Blocked { reason } => {
                let message = format!("\"url\" may not be read: {reason}");
                let fault = Self::new(FaultKind::Invalid, "address_not_allowed", message);
                Self { param: Some("url".to_owned()), ..fault }
            }
            ReadError::NoPage { .. } => Self::new(FaultKind::NoPage, "page_not_read", error.to_string()),
            ReadError::Failed { .. } => Self::new(FaultKind::Unavailable, "unavailable", error.to_string()),
            ReadError::Busy { .. } => Self::new(FaultKind::Unavailable, "too_many_reads", error.to_string()),
        }
    }
}
