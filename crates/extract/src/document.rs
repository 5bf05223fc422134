//! Documents that are a JSON value, sent as they are or shown by a browser as text.

use serde_json::Value;

use crate::dom::Id;
use crate::page::Page;

/// Longest document read, in bytes.
const DOCUMENT_BYTES_MAX: usize = 32 << 20;

/// The JSON value that a document consists of, if it is nothing else.
#[must_use]
pub fn read(html: &str, page: &Page) -> Option<Value> {
    parsed(html).or_else(|| parsed(&text_of_viewer(page)?))
}

/// Only objects and arrays: a lone word or number is text.
fn parsed(text: &str) -> Option<Value> {
    let text = text.trim_start_matches('\u{feff}').trim();
    let can_be = text.starts_with(['{', '[']) && text.ends_with(['}', ']']) && text.len() <= DOCUMENT_BYTES_MAX;
    if can_be { serde_json::from_str(text).ok() } else { None }
}

/// The text of the only thing that a browser's view of plain text shows.
fn text_of_viewer(page: &Page) -> Option<String> {
    let dom = &page.dom;
    let first: Id = dom.child_elements(page.body).next().filter(|id| dom.name(*id) == "pre")?;
    let text = dom.raw_text(first, DOCUMENT_BYTES_MAX);
    let others = dom.children(page.body).filter(|id| *id != first);
    others.into_iter().all(|id| dom.raw_text(id, 1).trim().is_empty()).then_some(text)
}
