//! Reads a page that was saved as a file, or comes through a pipe. Only the command line does: no address leads here.

use std::io;
use std::path::Path;
use tokio::io::AsyncReadExt;
use tokio::time::Instant;
use url::Url;

use crate::climb::{Attempt, Reading, reading, told};
use crate::encoding;
use crate::limits::PAGE_BYTES_MAX;
use crate::reader::ReadError;
use crate::schema::ReadSchema;
use crate::tools::{Page, Tool, ToolError};
use crate::weigh::weigh_apart;

/// The fields and the text of a file of HTML; `file` is an absolute path, `saved_from` the address that the page has when
/// that is not the file's own.
///
/// # Errors
/// When it cannot be read, is larger than [`PAGE_BYTES_MAX`], or its path is not absolute.
pub async fn read_file(
    file: &Path,
    saved_from: Option<&Url>,
    schema: Option<&ReadSchema>,
) -> Result<Reading, ReadError> {
    weighed(async { page(bytes_of(file).await?, &address(file, saved_from)?) }, schema).await
}

/// As [`read_file`], for HTML that is at hand.
///
/// # Errors
/// When it is larger than [`PAGE_BYTES_MAX`].
pub async fn read_html(html: Vec<u8>, saved_from: &Url, schema: Option<&ReadSchema>) -> Result<Reading, ReadError> {
    weighed(async { page(html, saved_from) }, schema).await
}

async fn weighed(
    page: impl Future<Output = Result<Page, ToolError>>,
    schema: Option<&ReadSchema>,
) -> Result<Reading, ReadError> {
    let began = Instant::now();
    let weighed = async { weigh_apart(page.await?, schema.cloned(), ()).await }.await;
    let no_page = |error| ReadError::NoPage { reasons: vec![format!("{}: {}", Tool::File.as_str(), told(&error))] };
    let weighed = weighed.map_err(no_page)?;
    let attempt =
        Attempt { tool: Tool::File, ms: began.elapsed().as_millis() as u64, is_cut: false, outcome: Ok(weighed.firm) };
    Ok(reading(weighed.page.url.clone(), weighed, vec![attempt]))
}

fn address(file: &Path, saved_from: Option<&Url>) -> Result<Url, ToolError> {
    let not_absolute = || ToolError::File(io::Error::from(io::ErrorKind::InvalidFilename));
    saved_from.cloned().map_or_else(|| Url::from_file_path(file).map_err(|()| not_absolute()), Ok)
}

async fn bytes_of(file: &Path) -> Result<Vec<u8>, ToolError> {
    let opened = tokio::fs::File::open(file).await.map_err(ToolError::File)?;
    let mut bytes = Vec::new();
    let one_more = PAGE_BYTES_MAX as u64 + 1;
    opened.take(one_more).read_to_end(&mut bytes).await.map_err(ToolError::File)?;
    Ok(bytes)
}

fn page(bytes: Vec<u8>, url: &Url) -> Result<Page, ToolError> {
    if bytes.len() > PAGE_BYTES_MAX {
        return Err(ToolError::TooLarge);
    }
    Ok(Page { url: url.to_string(), html: encoding::decode(&bytes, None), is_cut: false })
}
