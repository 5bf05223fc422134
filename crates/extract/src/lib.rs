//! Structured fields of a page without a model: `(html, url, schema, options) -> Extracted`, pure, with the source of every value.

use std::collections::BTreeMap;

use errand_schema::{Formats, Validator};
use serde_json::Value;

mod booleans;
pub mod choose;
pub mod convert;
mod convert_list;
mod copies;
pub mod currency;
pub mod dates;
mod document;
pub mod dom;
mod entities;
mod fill;
pub mod json;
mod jsonld;
mod meta;
mod microdata;
pub mod names;
pub mod numbers;
mod offered;
mod page;
mod parse;
mod published;
mod readable;
mod references;
pub mod schema;
mod settle;
mod state;
mod state_search;
pub mod text;
mod visible;

pub use fill::Candidate;
pub use numbers::{parse_number, parse_price};
pub use page::Page as ParsedPage;
pub use parse::{parse, reads_as_by_tokenizer};
pub use readable::{Link, Page, readable};
pub use schema::SchemaError;

/// Most validation errors reported (SPEC §5).
const ERRORS_MAX: usize = 10;

/// How a page is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Whether to read what the page shows, beside what it publishes for machines.
    pub visible: bool,
    /// Most records of each list at the top of the schema; all when absent.
    pub limit: Option<usize>,
}

impl Default for Options {
    fn default() -> Self {
        Self { visible: true, limit: None }
    }
}

/// What a page gave for a schema.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Extracted {
    /// The filled object.
    pub data: Value,
    /// Required properties that were not found.
    pub missing: Vec<String>,
    /// Where each top-level property came from, such as `jsonld:product.offers.price`.
    pub sources: BTreeMap<String, String>,
    /// Where each value came from, by JSON pointer (`/stories/0/title`).
    pub pointer_sources: BTreeMap<String, String>,
    /// Words that made a value which is not those words, such as a boolean, by JSON pointer.
    pub passages: BTreeMap<String, String>,
    /// Whether `data` validates against the schema.
    pub valid: bool,
    /// Why not, at most 10 lines.
    pub errors: Vec<String>,
    /// Published blocks that were faulty and had to be repaired or left out.
    pub problems: Vec<String>,
    /// Top-level properties that have a value.
    pub found: usize,
    /// Top-level properties of the schema.
    pub of: usize,
}

/// Fills a schema from one page.
///
/// # Errors
/// [`SchemaError`] when the schema has no properties or breaks the JSON Schema rules.
pub fn extract(html: &str, url: &str, schema: &Value, options: &Options) -> Result<Extracted, SchemaError> {
    let root = schema::read(schema)?;
    let validator = validator(schema)?;
    let page = page::Page::new(parse(html), url);
    let document = document::read(html, &page);
    let (published, problems) = fill::publish(&page, document);
    let filled = fill::Filler::new(&page, &published, &root, options.visible).fill();
    Ok(Extracted { problems, ..finish(filled, &root, &validator, options) })
}

/// What was considered for one field.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldExplanation {
    /// The property's name.
    pub field: String,
    /// Every candidate, the winner first.
    pub candidates: Vec<Candidate>,
}

/// Lists every candidate considered for each field and why it lost.
///
/// # Errors
/// As [`extract`].
pub fn explain(html: &str, url: &str, schema: &Value, options: &Options) -> Result<Vec<FieldExplanation>, SchemaError> {
    let root = schema::read(schema)?;
    let page = page::Page::new(parse(html), url);
    let (published, _) = fill::publish(&page, document::read(html, &page));
    let explained = fill::Filler::new(&page, &published, &root, options.visible).explain();
    Ok(explained.into_iter().map(|(field, candidates)| FieldExplanation { field, candidates }).collect())
}

fn finish(filled: fill::Filled, root: &schema::Field, validator: &Validator, options: &Options) -> Extracted {
    let schema::Shape::Record(fields) = &root.shape else { return Extracted::default() };
    let missing = fields
        .iter()
        .filter(|field| field.required && !filled.sources.contains_key(&field.name))
        .map(|field| field.name.clone())
        .collect();
    let mut data = Value::Object(filled.data);
    let mut pointer_sources = filled.pointers;
    if let Some(limit) = options.limit {
        cut_lists(&mut data, &mut pointer_sources, limit);
    }
    let errors = validator.check_in_lines(&data, ERRORS_MAX).err().unwrap_or_default();
    Extracted {
        data,
        missing,
        sources: filled.sources,
        pointer_sources,
        passages: filled.passages,
        valid: errors.is_empty(),
        errors,
        problems: Vec::new(),
        found: filled.found,
        of: fields.len(),
    }
}

fn validator(schema: &Value) -> Result<Validator, SchemaError> {
    Validator::compile(schema, Formats::Checked).map_err(|error| SchemaError::Invalid { reason: error.reason })
}

/// Shortens top-level lists of objects, with the sources of what is dropped.
fn cut_lists(data: &mut Value, pointers: &mut BTreeMap<String, String>, limit: usize) {
    let Value::Object(map) = data else { return };
    for (name, value) in map {
        let Value::Array(items) = value else { continue };
        if !items.iter().any(Value::is_object) {
            continue;
        }
        items.truncate(limit);
        let prefix = format!("/{name}/");
        pointers.retain(|pointer, _| {
            let index = pointer.strip_prefix(&prefix).and_then(|rest| rest.split('/').next()?.parse::<usize>().ok());
            index.is_none_or(|index| index < limit)
        });
    }
}
