//! `errand read`: structured fields of one page without a model (SPEC §5).

mod explained;
mod show;

use anyhow::Context;
use errand_egress::{AddressPolicy, Dialer};
use errand_read::{Chromium, PAGE_BYTES_MAX, ReadSchema, Reader, Reading, read_file, read_html};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use thiserror::Error;
use url::Url;

use crate::config::{Config, LogFormat};
use crate::exit::BadInput;
use crate::options::{Engine, ReadOptions};
use crate::output::{PrintError, print_json};
use crate::server::{launch_options, tls};
use crate::{logging, output, schema_option, table};

/// What is to be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    Web(Url),
    File(PathBuf),
    Stdin,
}

/// Neither the one nor the other.
#[derive(Debug, Error)]
#[error("{given:?} is neither an absolute http or https URL nor the name of a file")]
pub struct NoPlace {
    given: String,
}

/// Reads the page and prints what it gave.
pub async fn read(options: ReadOptions) -> anyhow::Result<ExitCode> {
    let schema = options.schema.as_deref().map(read_schema).transpose()?;
    let place = find_place(&options.page)?;
    let saved_from = options.url.as_deref().map(|given| saved_from(given, &place)).transpose()?;
    let config = Config::of_reading_process(options.config.as_deref())?;
    logging::start(LogFormat::Human, "error");
    let reading = match &place {
        Place::Web(url) => {
            let reader = reader(&config)?;
            let read = reader.read("", url, engine(options.engine), schema.as_ref()).await;
            reader.ended().await;
            read?
        }
        Place::File(file) => read_file(file, saved_from.as_ref(), schema.as_ref()).await?,
        Place::Stdin => read_html(read_stdin().await?, &saved_from.unwrap_or(stdin_url()), schema.as_ref()).await?,
    };
    let explained =
        schema.filter(|_| options.explain).map(|schema| explained::explain(&reading, &schema)).transpose()?;
    print(&options, &reading, explained.as_deref())?;
    Ok(ExitCode::SUCCESS)
}

/// One's own machine may be reached (SPEC §4).
fn reader(config: &Config) -> anyhow::Result<Reader> {
    let dialer = Dialer::new(AddressPolicy::everything(), tls(config)?);
    Ok(Reader::new(dialer.clone(), Arc::new(Chromium::new(launch_options(config), dialer))))
}

fn engine(option: Engine) -> errand_read::Engine {
    match option {
        Engine::Http => errand_read::Engine::Http,
        Engine::Chromium => errand_read::Engine::Chromium,
        Engine::Auto => errand_read::Engine::Auto,
    }
}

fn print(options: &ReadOptions, reading: &Reading, explained: Option<&[explained::Field]>) -> Result<(), PrintError> {
    if options.json || !table::is_for_people() {
        let mut answer = errand_read::answer(reading);
        if let Some(explained) = explained {
            answer["explained"] = explained::json(explained);
        }
        return print_json(&answer);
    }
    output::print(&(show::people(reading) + &explained.map(explained::people).unwrap_or_default()))
}

/// The JSON Schema, checked for what a read needs of it.
fn read_schema(given: &str) -> anyhow::Result<ReadSchema> {
    let (_, schema) = schema_option::read(given)?;
    Ok(ReadSchema::new(schema)?)
}

/// The address that a saved page came from.
fn saved_from(given: &str, place: &Place) -> Result<Url, BadInput> {
    let unusable = || BadInput::PageUrl { given: given.to_owned() };
    match (web_address(given), place) {
        (Some(url), Place::File(_) | Place::Stdin) => Ok(url),
        (Some(_), Place::Web(_)) | (None, _) => Err(unusable()),
    }
}

/// Of a page that nobody says the address of.
fn stdin_url() -> Url {
    Url::parse("about:blank").expect("a constant that is a URL")
}

async fn read_stdin() -> anyhow::Result<Vec<u8>> {
    let read = || {
        let mut bytes = Vec::new();
        // One more than is read of a page, so that a longer one is refused and not cut.
        std::io::stdin().lock().take(PAGE_BYTES_MAX as u64 + 1).read_to_end(&mut bytes).map(|_read| bytes)
    };
    tokio::task::spawn_blocking(read).await?.context("cannot read stdin")
}

fn web_address(given: &str) -> Option<Url> {
    Url::parse(given).ok().filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
}

fn find_place(given: &str) -> Result<Place, NoPlace> {
    if given == "-" {
        return Ok(Place::Stdin);
    }
    if let Some(url) = web_address(given) {
        return Ok(Place::Web(url));
    }
    let file = Path::new(given);
    let file = file.is_file().then(|| file.canonicalize().ok()).flatten();
    file.map(Place::File).ok_or_else(|| NoPlace { given: given.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_a_web_address_or_a_file_that_exists() {
        assert!(matches!(find_place("https://example.com/a"), Ok(Place::Web(_))));
        assert!(matches!(find_place(file!().trim_start_matches("crates/errand/")), Ok(Place::File(_))));
        for bad in ["ftp://example.com/", "no-such-file.html", ""] {
            assert!(find_place(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_schema_without_properties_has_the_contracts_words() {
        let error = read_schema("{\"type\": \"string\"}").unwrap_err();
        assert_eq!(format!("{error:#}"), "extract_schema must be a JSON Schema object with properties");
        assert!(read_schema("{\"name\": \"string\"}").is_ok(), "shorthand is a schema too");
    }
}
