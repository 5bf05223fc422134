//! Redaction: in whatever leaves the server a secret's value is replaced by `[secret:<name>]` (SPEC §2), however it is
//! written: a text is read in several ways (`view`, `decode`), and each reading is searched for what gives a value away
//! (`pattern`, `search`).

mod decode;
mod fold;
mod pattern;
mod search;
mod view;

use std::fmt;

use serde_json::{Map, Value};

use self::pattern::Pattern;
use self::search::Index;
use crate::SecretName;

/// Between texts that stand beside each other: two characters, so that short values are not put together from them.
const BETWEEN_TEXTS: &str = "\n\n";

/// Replaces the values of a run's secrets by their names. Its `Debug` shows names only, its memory is wiped.
#[derive(Clone, Default)]
pub struct Redactor {
    /// Longest value first.
    names: Vec<SecretName>,
    patterns: Index,
}

/// A stretch of text that gives a secret away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Exposure {
    start: usize,
    end: usize,
    secret: usize,
}

impl Redactor {
    /// Empty values hide nothing and are left out. Of values that overlap, the longer one names the marker.
    #[must_use]
    pub fn new(secrets: Vec<(SecretName, String)>) -> Self {
        let mut secrets: Vec<_> =
            secrets.into_iter().map(|(name, value)| (name, zeroize::Zeroizing::new(value))).collect();
        secrets.retain(|(_, value)| !value.is_empty());
        secrets.sort_by(|a, b| b.1.len().cmp(&a.1.len()).then(a.0.cmp(&b.0)));
        let patterns: Vec<Pattern> =
            secrets.iter().enumerate().flat_map(|(secret, (_, value))| pattern::of_value(value, secret)).collect();
        Self { names: secrets.into_iter().map(|(name, _)| name).collect(), patterns: Index::new(patterns) }
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Whether the text gives a secret away.
    #[must_use]
    pub fn found_in(&self, text: &str) -> bool {
        !self.exposures(text).is_empty()
    }

    /// The text with markers for secrets; redacting twice is redacting once.
    #[must_use]
    pub fn text(&self, text: &str) -> String {
        self.replaced(text, 0, &self.exposures(text))
    }

    /// Texts that stand beside each other, such as the items of a list: also what is spread over neighbours is replaced,
    /// by a marker in each of them.
    pub fn texts<'a>(&self, texts: impl IntoIterator<Item = &'a mut String>) {
        if self.is_empty() {
            return;
        }
        let texts: Vec<&mut String> = texts.into_iter().collect();
        let joined = texts.iter().map(|text| text.as_str()).collect::<Vec<_>>().join(BETWEEN_TEXTS);
        let exposures = self.exposures(&joined);
        let mut start = 0;
        for text in texts {
            let end = start + text.len();
            let own: Vec<Exposure> = exposures.iter().filter_map(|one| one.within(start, end)).collect();
            if !own.is_empty() {
                *text = self.replaced(text, start, &own);
            }
            start = end + BETWEEN_TEXTS.len();
        }
    }

    /// The value with markers for secrets in its texts and names; a number that is a secret becomes the marker.
    #[must_use]
    pub fn value(&self, value: Value) -> Value {
        if self.is_empty() {
            return value;
        }
        let mut leaves = Vec::new();
        leaves_of(&value, &mut leaves);
        self.texts(&mut leaves);
        self.rebuilt(value, &mut leaves.into_iter())
    }

    /// Texts and numbers are taken from the leaves, in the order in which [`leaves_of`] gave them.
    fn rebuilt(&self, value: Value, leaves: &mut impl Iterator<Item = String>) -> Value {
        match value {
            Value::String(text) => Value::String(leaves.next().unwrap_or(text)),
            Value::Array(items) => Value::Array(items.into_iter().map(|item| self.rebuilt(item, leaves)).collect()),
            Value::Object(fields) => {
                let rebuilt = fields.into_iter().map(|(name, field)| (self.text(&name), self.rebuilt(field, leaves)));
                Value::Object(rebuilt.collect::<Map<String, Value>>())
            }
            Value::Number(number) => match leaves.next() {
                Some(text) if text != number.to_string() => Value::String(text),
                _ => Value::Number(number),
            },
            Value::Null | Value::Bool(_) => value,
        }
    }

    /// `text` begins at `offset` of what the exposures were found in.
    fn replaced(&self, text: &str, offset: usize, exposures: &[Exposure]) -> String {
        let mut redacted = String::with_capacity(text.len());
        let mut copied = 0;
        for exposure in exposures {
            redacted.push_str(&text[copied..exposure.start - offset]);
            redacted.push_str(&marker(&self.names[exposure.secret]));
            copied = exposure.end - offset;
        }
        redacted.push_str(&text[copied..]);
        redacted
    }

    /// Where secrets stand, in order, without overlaps. Markers that stand in the text already part it: nothing is put
    /// together across them.
    fn exposures(&self, text: &str) -> Vec<Exposure> {
        if self.is_empty() {
            return Vec::new();
        }
        let mut found = Vec::new();
        let mut start = 0;
        for (marker_start, marker_end) in self.markers_in(text).into_iter().chain([(text.len(), text.len())]) {
            if start < marker_start {
                self.search(&text[start..marker_start], start, &mut found);
            }
            start = start.max(marker_end);
        }
        found.sort_by_key(|one| (one.start, one.secret));
        merged(found)
    }

    /// Searches every reading of the text, which begins at `offset`.
    fn search(&self, text: &str, offset: usize, found: &mut Vec<Exposure>) {
        view::each_reading(text, |reading| self.patterns.search(text, reading, offset, found));
    }

    /// Markers that stand in the text already, in order.
    fn markers_in(&self, text: &str) -> Vec<(usize, usize)> {
        const OPENING: &str = "[secret:";
        if !text.contains(OPENING) {
            return Vec::new();
        }
        let markers = self.names.iter().map(marker);
        let ranges = |marker: String| -> Vec<(usize, usize)> {
            text.match_indices(&marker).map(|(start, found)| (start, start + found.len())).collect()
        };
        let mut ranges: Vec<(usize, usize)> = markers.flat_map(ranges).collect();
        ranges.sort_unstable();
        ranges
    }
}

fn marker(name: &SecretName) -> String {
    format!("[secret:{name}]")
}

/// Texts and numbers of a value, in order.
fn leaves_of(value: &Value, leaves: &mut Vec<String>) {
    match value {
        Value::String(text) => leaves.push(text.clone()),
        Value::Number(number) => leaves.push(number.to_string()),
        Value::Array(items) => items.iter().for_each(|item| leaves_of(item, leaves)),
        Value::Object(fields) => fields.values().for_each(|field| leaves_of(field, leaves)),
        Value::Null | Value::Bool(_) => {}
    }
}

/// Exposures that overlap become one, named by the longest secret in it (secrets are sorted by length).
fn merged(sorted: Vec<Exposure>) -> Vec<Exposure> {
    let mut merged: Vec<Exposure> = Vec::with_capacity(sorted.len());
    for one in sorted {
        match merged.last_mut() {
            Some(last) if one.start < last.end => {
                last.end = last.end.max(one.end);
                last.secret = last.secret.min(one.secret);
            }
            _ => merged.push(one),
        }
    }
    merged
}

impl Exposure {
    /// The part of it that lies between `start` and `end`.
    fn within(&self, start: usize, end: usize) -> Option<Self> {
        let part = Self { start: self.start.max(start), end: self.end.min(end), secret: self.secret };
        (part.start < part.end).then_some(part)
    }
}

impl fmt::Debug for Redactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.names).finish()
    }
}

#[cfg(test)]
mod tests;
