//! Exit statuses, and which error means which.

use errand_client::ClientError;
use errand_read::SchemaError;
use errand_store::embedded::EmbeddedError;
use serde_json::Value;
use std::process::ExitCode;
use thiserror::Error;

use crate::config::ConfigFaults;
use crate::output::{PrintError, tell_line};
use crate::read::NoPlace;
use crate::schema_option::SchemaOptionError;

pub const FAILED: u8 = 1;
pub const BAD_INPUT: u8 = 2;
pub const TIMED_OUT: u8 = 3;
pub const STOPPED: u8 = 4;

/// Something on the command line that is not usable; clap finds the rest.
#[derive(Debug, Error)]
pub enum BadInput {
    #[error("an API key is needed: give --key or set ERRAND_API_KEY")]
    NoKey,
    #[error("the value is empty: give it on stdin or with --from-file")]
    NoValue,
    #[error("the value is longer than {max_bytes} bytes")]
    LongValue { max_bytes: u64 },
    #[error("--secret {given:?} must be NAME, NAME=@FILE or NAME=env:VARIABLE: a value never stands on a command line")]
    Secret { given: String },
    #[error("--secret {name}: {reason}")]
    NoSecret { name: String, reason: String },
    #[error("--metadata {given:?} must be KEY=VALUE")]
    Metadata { given: String },
    #[error("--url {given:?} must be an absolute http or https URL, and goes with a file or \"-\" only")]
    PageUrl { given: String },
    #[error("{account:?} is not an account: 1 to 128 letters, digits, \"_\", \"-\" or \".\"")]
    Account { account: String },
}

/// Prints an error and gives its status.
pub fn report(error: &anyhow::Error) -> ExitCode {
    if matches!(error.downcast_ref::<PrintError>(), Some(PrintError::Closed)) {
        return ExitCode::SUCCESS;
    }
    let refused = match error.downcast_ref::<ClientError>() {
        Some(ClientError::Api(fault)) => Some(fault),
        Some(
            ClientError::Address { .. }
            | ClientError::Setup(_)
            | ClientError::Http(_)
            | ClientError::TimedOut
            | ClientError::LineTooLong { .. }
            | ClientError::NotErrand { .. },
        )
        | None => None,
    };
    match (refused, unreached(error)) {
        // The message says it all; the status is only the API's way of sorting it.
        (Some(fault), _) => tell_line(&format!("Error: {}", fault.message)),
        (None, Some(address)) => {
            tell_line(&format!("Error: no server answers at {address}: is `errand serve` running there?"));
        }
        (None, None) => tell_line(&format!("Error: {error:#}")),
    }
    let is_bad_input = refused.is_some_and(|fault| fault.status == 400)
        || error.is::<BadInput>()
        || error.is::<ConfigFaults>()
        || error.downcast_ref::<EmbeddedError>().is_some_and(is_faulty_setting)
        || error.is::<SchemaOptionError>()
        || error.is::<SchemaError>()
        || error.is::<NoPlace>();
    ExitCode::from(if is_bad_input { BAD_INPUT } else { FAILED })
}

/// The address at which nobody listens.
fn unreached(error: &anyhow::Error) -> Option<String> {
    let failed = match error.downcast_ref::<ClientError>()? {
        ClientError::Http(failed) if failed.is_connect() => failed,
        ClientError::Http(_)
        | ClientError::Api(_)
        | ClientError::Address { .. }
        | ClientError::Setup(_)
        | ClientError::TimedOut
        | ClientError::LineTooLong { .. }
        | ClientError::NotErrand { .. } => return None,
    };
    failed.url().map(|url| url.origin().ascii_serialization())
}

/// Whether the folder is not one for these settings, rather than unusable.
fn is_faulty_setting(error: &EmbeddedError) -> bool {
    matches!(error, EmbeddedError::Partitions { .. } | EmbeddedError::PartitionsOutOfRange { .. })
}

/// What a finished run means for the shell.
#[must_use]
pub fn of_run(run: &Value) -> ExitCode {
    match run["status"].as_str() {
        Some("succeeded") => ExitCode::SUCCESS,
        Some("timed_out") => ExitCode::from(TIMED_OUT),
        Some("stopped") => ExitCode::from(STOPPED),
        _ => ExitCode::from(FAILED),
    }
}
