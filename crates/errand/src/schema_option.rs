//! The `--schema` option: shorthand or JSON Schema, as text or the name of a file.

use errand_domain::schema::OutputContract;
use serde_json::Value;
use std::io::ErrorKind;
use std::path::Path;
use thiserror::Error;

/// What is wrong with the option; the texts, each with its cause behind a colon, are the contract's (SPEC §7).
#[derive(Debug, Error)]
pub enum SchemaOptionError {
    #[error("--json-schema names a file that does not exist: {name:?}")]
    NoFile { name: String },
    #[error("--json-schema file {name:?} cannot be read")]
    File { name: String, source: std::io::Error },
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
    let schema = parse(given)?;
    match OutputContract::from_request(Some(&schema), None) {
        Ok(Some(contract)) => Ok((schema, contract.schema().clone())),
        Ok(None) => Err(SchemaOptionError::Schema { reason: "null is no schema".to_owned() }),
        // Without the request's field name, which means nothing on a command line.
        Err(fault) => Err(SchemaOptionError::Schema { reason: fault.reason() }),
    }
}

/// What begins like an object or a list is text; everything else may be a file.
fn parse(given: &str) -> Result<Value, SchemaOptionError> {
    let of_text = serde_json::from_str(given).map_err(SchemaOptionError::Json);
    if given.trim_start().starts_with(['{', '[']) || of_text.is_ok() {
        return of_text;
    }
    let name = given.to_owned();
    match std::fs::read_to_string(given) {
        Ok(text) => serde_json::from_str(&text).map_err(SchemaOptionError::Json),
        Err(_) if !looks_like_a_name(given) && !Path::new(given).exists() => of_text,
        Err(error) if error.kind() == ErrorKind::NotFound => Err(SchemaOptionError::NoFile { name }),
        Err(source) => Err(SchemaOptionError::File { name, source }),
    }
}

/// Whether a person meant a file, rather than JSON with a slip.
fn looks_like_a_name(given: &str) -> bool {
    !given.contains(['"', '{', '}', '[', ']', '\n']) && given.contains(['/', '.'])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(given: &str) -> String {
        format!("{:#}", anyhow::Error::from(read(given).unwrap_err()))
    }

    #[test]
    fn a_file_that_is_not_there_is_named_and_other_text_is_json_with_a_slip() {
        for name in ["/nonexistent", "shop/product.json", "product.json"] {
            assert_eq!(fault(name), format!("--json-schema names a file that does not exist: {name:?}"));
        }
        for slip in ["{nope", "not json", "\"a.b", "name: string", &"x".repeat(10_000), ""] {
            assert!(fault(slip).starts_with("--json-schema is not valid JSON: "), "{slip}");
        }
        assert!(fault("/").starts_with("--json-schema file \"/\" cannot be read: "));
    }
}
