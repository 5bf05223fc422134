//! The `--schema` option: shorthand or JSON Schema, as text or the name of a file.

use errand_domain::schema::{OutputContract, SchemaFault};
use serde_json::Value;
use thiserror::Error;

/// What is wrong with the option; the texts are the contract's (SPEC §7).
#[derive(Debug, Error)]
pub enum SchemaOptionError {
    #[error("--json-schema file cannot be read: {0}")]
    File(#[source] std::io::Error),
    #[error("--json-schema is not valid JSON: {0}")]
    Json(#[source] serde_json::Error),
    #[error("--json-schema is not a valid JSON Schema: {0}")]
    Schema(String),
}

/// Reads and checks the option.
///
/// # Errors
/// When it is neither JSON nor a readable file, or not a usable schema.
pub fn read(given: &str) -> Result<Value, SchemaOptionError> {
    let text = if given.trim_start().starts_with(['{', '[']) || !std::path::Path::new(given).exists() {
        given.to_owned()
    } else {
        std::fs::read_to_string(given).map_err(SchemaOptionError::File)?
    };
    let schema: Value = serde_json::from_str(&text).map_err(SchemaOptionError::Json)?;
    match OutputContract::from_request(Some(&schema), None) {
        Ok(_) => Ok(schema),
        Err(fault) => Err(SchemaOptionError::Schema(reason(&fault))),
    }
}

/// The reason without the request's field name, which means nothing on a command line.
fn reason(fault: &SchemaFault) -> String {
    fault.reason()
}
