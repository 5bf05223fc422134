//! Reads one page without a model (SPEC §5). Nothing is stored: a read is over with its answer.

mod request;

use errand_read::{ReadError, Reading, answer};
use serde_json::Value;

use crate::app::App;
use crate::fault::{Fault, FaultKind};
use crate::rest::Caller;
use request::ReadRequest;

/// SPEC §5's answer.
///
/// # Errors
/// 400 that names the field, 429 when the account has too many reads at once, 502 when no tool got the page, 503 when that was for a fault of this server, too many pages
/// are being read, or the server is ending.
pub(crate) async fn read(app: &App, caller: &Caller, body: &Value) -> Result<Value, Fault> {
    let request = ReadRequest::parse(body)?;
    let reader = app.config.reader.as_ref().filter(|_| !app.shutdown.is_cancelled()).ok_or_else(Fault::unavailable)?;
    let read = tokio::select! {
        read = reader.read(caller.account.as_str(), &request.url, request.engine, request.schema.as_ref()) => Some(read),
        () = last_call(app) => None,
    };
    metrics::counter!("errand_gateway_reads_total", "outcome" => outcome(read.as_ref())).increment(1);
    Ok(answer(&read.ok_or_else(Fault::unavailable)??))
}

/// When a read must end so that its answer is out before the connections are cut: open reads get the first half of the
/// drain.
async fn last_call(app: &App) {
    app.shutdown.cancelled().await;
    tokio::time::sleep(app.config.drain / 2).await;
}

/// As the metric names it.
fn outcome(read: Option<&Result<Reading, ReadError>>) -> &'static str {
    match read {
        Some(Ok(_)) => "read",
        Some(Err(ReadError::Blocked { .. })) => "blocked",
        Some(Err(ReadError::NoPage { .. })) => "no_page",
        Some(Err(ReadError::Failed { .. })) => "failed",
        Some(Err(ReadError::Busy { .. } | ReadError::AskerBusy { .. })) => "busy",
        None => "shutdown",
    }
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
            ReadError::AskerBusy { frees_in, .. } => Self {
                retry_after_s: Some(frees_in.as_secs() + 1),
                ..Self::new(FaultKind::TooMany, "too_many_reads", error.to_string())
            },
            ReadError::Busy { .. } => Self::new(FaultKind::Unavailable, "too_many_reads", error.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn the_metric_tells_apart_what_is_refused_and_what_is_not_there() {
        let reasons = Vec::new;
        let errors = [
            (ReadError::Blocked { reason: String::new() }, "blocked"),
            (ReadError::NoPage { reasons: reasons() }, "no_page"),
            (ReadError::Failed { reasons: reasons() }, "failed"),
            (ReadError::Busy { max: 1 }, "busy"),
            (ReadError::AskerBusy { max: 1, frees_in: Duration::ZERO }, "busy"),
        ];
        for (error, wanted) in errors {
            assert_eq!(outcome(Some(&Err(error))), wanted);
        }
        assert_eq!(outcome(None), "shutdown");
    }
}
