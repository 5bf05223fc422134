//! The `--schema` option: shorthand or JSON Schema, as text or the name of a file.

use errand_domain::schema::OutputContract;
use serde_json::Value;
use thiserror::Error;

/// What is wrong with the option; the texts, each with its cause behind a colon, are the contract's (SPEC §7).
#[derive(Debug, Error)]
pub enum SchemaOptionError {
    #[error("--json-schema file cannot be read")]
    File(#[source] std::io::Error),
    #[error("--json-schema is not valid JSON")]
    Json(#[source] serde_json::Error),
    #[error("--json-schema is not a valid JSON Schema: {reason}")]
    Schema { reason: String },
}

/// Reads and checks the option: as it was given, and as the JSON Schema that it means.
///
/// # Errors
/// When it is neither JSON nor a readable file, or not a usable schema.
pub fn read(given: &str) -> Result<(Value, Value), SchemaOptionError> {
    let text = if given.trim_start().starts_with(['{', '[']) || !std::path::Path::new(given).exists() {
        given.to_owned()
    } else {
        std::fs::read_to_string(given).map_err(SchemaOptionError::File)?
    };
    let schema: Value = serde_json::from_str(&text).map_err(SchemaOptionError::Json)?;
    match OutputContract::from_request(Some(&schema), None) {
        Ok(Some(contract)) => Ok((schema, contract.schema().clone())),
        Ok(None) => Err(SchemaOptionError::Schema { reason: "null is no schema".to_owned() }),
        // Without the request's field name, which means nothing on a command line.
        Err(fault) => Err(SchemaOptionError::Schema { reason: fault.reason() }),
    }
}
