//! Grounding (SPEC §2): every value of the data is looked up in what the run saw; what is not found becomes null.

mod currency;
mod date;
mod decimal;
mod link;
mod lookup;
mod number;
mod page;
mod settle;
mod terms;
mod text;
mod tree;
mod walk;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::page::PageSnapshot;
use crate::schema::{OutputContract, Schema};

pub use settle::{Attempt, Rejected, Settlement, attempt, settle, settle_partial};

pub(crate) use date::{only_day, only_time, rfc3339};
pub(crate) use link::name_words;
pub(crate) use number::only_number;
pub(crate) use text::{clean, fold};

/// Where a value stood.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// URL of the page; of the last page for a value that stands in the run's answer.
    pub url: String,
    /// `text`, `title`, `link`, `url`, `code`, `answer`, `count`, or what a hint named: `table`,
    /// `jsonld:product.offers.price`, …
    pub place: String,
}

/// Where an extractor or model says it read a value. A hint never proves a value: it chooses the page that is looked at
/// first and names the place, and its passage is looked up like any text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hint {
    /// Index into [`Evidence::pages`].
    pub page_index: usize,
    /// `text`, `table`, `jsonld:…`, `meta:…`, `microdata:…`, `state:…`; `count` for the number of times the passage stands
    /// on the page; `count:/pointer` for the length of a list of the data.
    pub place: String,
    /// Words of the page that show the value; needed for booleans and for enums whose text is not shown.
    pub passage: Option<String>,
}

/// Hints by JSON Pointer into the data.
pub type Hints = BTreeMap<String, Hint>;

/// What a run saw.
#[derive(Debug, Clone, Copy)]
pub struct Evidence<'a> {
    /// Visited pages, oldest first; the last [`crate::limits::GROUNDING_PAGES_MAX`] count.
    pub pages: &'a [PageSnapshot],
    /// The run's own answer about the pages.
    pub answer: Option<&'a str>,
    pub hints: &'a Hints,
    /// `precise` mode: page code and published metadata count too (SPEC §2).
    pub reads_code: bool,
}

/// Data of which every value was found, or is null.
#[derive(Debug, Clone, PartialEq)]
pub struct Grounded {
    pub data: Value,
    /// By JSON Pointer into `data`.
    pub sources: BTreeMap<String, Source>,
    /// Pointers, in the data as it came, of values that were not found.
    pub dropped: Vec<String>,
}

/// Grounds and prunes data that was normalised. Sources follow list items that move up because others were dropped.
#[must_use]
pub fn ground(contract: &OutputContract, data: Value, evidence: &Evidence<'_>) -> Grounded {
    let seen = lookup::Seen::new(evidence);
    ground_in(&seen, contract, data, evidence.hints)
}

fn ground_in(seen: &lookup::Seen, contract: &OutputContract, data: Value, hints: &Hints) -> Grounded {
    let schema = Schema::new(contract.schema());
    let top = schema.top();
    let (tree, dropped) = walk::ground_tree(seen, &schema, data, hints);
    let (data, sources) = tree.pruned(&schema, &top).into_parts();
    Grounded { data, sources, dropped }
}

/// Grounds data of a shape that the goal itself asked for: fields stay (null when not found), empty list items go.
#[must_use]
pub fn ground_unchecked(data: Value, evidence: &Evidence<'_>) -> Grounded {
    let seen = lookup::Seen::new(evidence);
    let (tree, dropped) = walk::ground_tree(&seen, &Schema::new(&ANY_SCHEMA), data, evidence.hints);
    let (data, sources) = tree.without_empty_items().into_parts();
    Grounded { data, sources, dropped }
}

static ANY_SCHEMA: Value = Value::Bool(true);

#[cfg(test)]
mod tests;
