//! `errand read`: structured fields of one page without a model (SPEC §5).

mod climb;
mod show;
mod tools;

use anyhow::Context;
use errand_egress::{AddressPolicy, Dialer};
use errand_extract::SchemaError;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use thiserror::Error;
use url::Url;

use crate::config::{Config, LogFormat};
use crate::options::ReadOptions;
use crate::server::launch_options;
use crate::server::tls;
use crate::{logging, schema_option, table};
use tools::Tools;

/// What is to be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    Web(Url),
    File(PathBuf),
}

/// Why nothing was read.
#[derive(Debug, Error)]
pub enum ReadError {
    #[error("{given:?} is neither an absolute http or https URL nor the name of a file")]
    Place { given: String },
    #[error(transparent)]
    Schema(#[from] SchemaError),
    #[error("the page could not be read: {}", reasons.join("; "))]
    NoPage { reasons: Vec<String> },
}

impl ReadError {
    /// Whether another command line would help, rather than another try.
    #[must_use]
    pub fn is_bad_input(&self) -> bool {
        match self {
            Self::Place { .. } | Self::Schema(_) => true,
            Self::NoPage { .. } => false,
        }
    }
}

/// Reads the page and prints what it gave.
pub async fn read(options: ReadOptions) -> anyhow::Result<ExitCode> {
    let schema = options.schema.as_deref().map(read_schema).transpose()?;
    let place = find_place(&options.page)?;
    let variables = std::env::vars().collect();
    let config = Config::load(options.config.as_deref(), &variables)?;
    logging::start(LogFormat::Human, "error");
    // One's own machine may be reached (SPEC §4).
    let dialer = Dialer::new(AddressPolicy::everything(), tls(&config)?);
    let tools = Tools { dialer, launch: launch_options(&config) };
    let reading = climb::read(&tools, &place, options.engine, schema.as_ref()).await?;
    if options.json || !table::is_for_people() {
        println!("{}", serde_json::to_string_pretty(&show::json(&reading)).context("cannot write JSON")?);
    } else {
        print!("{}", show::people(&reading));
    }
    Ok(ExitCode::SUCCESS)
}

/// The JSON Schema, checked for what a read needs of it.
fn read_schema(given: &str) -> anyhow::Result<Value> {
    let (_, schema) = schema_option::read(given)?;
    errand_extract::schema::read(&schema).map_err(ReadError::from)?;
    Ok(schema)
}

fn find_place(given: &str) -> Result<Place, ReadError> {
    let url = Url::parse(given).ok().filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
    if let Some(url) = url {
        return Ok(Place::Web(url));
    }
    let file = Path::new(given);
    let file = file.is_file().then(|| file.canonicalize().ok()).flatten();
    file.map(Place::File).ok_or_else(|| ReadError::Place { given: given.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_a_web_address_or_a_file_that_exists() {
        assert!(matches!(find_place("https://example.com/a"), Ok(Place::Web(_))));
        assert!(matches!(find_place(file!().trim_start_matches("crates/errand/")), Ok(Place::File(_))));
        for bad in ["ftp://example.com/", "no-such-file.html", ""] {
            assert!(matches!(find_place(bad), Err(ReadError::Place { .. })), "{bad}");
        }
    }

    #[test]
    fn a_schema_without_properties_has_the_contracts_words() {
        let error = read_schema("{\"type\": \"string\"}").unwrap_err();
        assert_eq!(format!("{error:#}"), "extract_schema must be a JSON Schema object with properties");
        assert!(read_schema("{\"name\": \"string\"}").is_ok(), "shorthand is a schema too");
    }
}
