//! Redaction: in whatever leaves the server a secret's value is replaced by `[secret:<name>]` (SPEC §2), also where it
//! stands URL-encoded, escaped for JSON or HTML, or in Base64.

mod escape;

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use serde_json::{Map, Value};
use zeroize::Zeroizing;

use crate::SecretName;

/// Shorter values, such as a card's check digits, are replaced only where no letter or digit stands beside them: inside
/// other words and numbers they mean nothing, and replacing them there would show that they are short and common.
const ANYWHERE_CHARS_MIN: usize = 4;
/// Characters of Base64 that must be the secret's own before they are taken for it: 48 bits do not agree by chance.
const BASE64_CHARS_MIN: usize = 8;

/// Replaces the values of a run's secrets by their names. Its `Debug` shows names only, its memory is wiped.
#[derive(Clone, Default)]
pub struct Redactor {
    secrets: Vec<Secret>,
}

#[derive(Clone)]
struct Secret {
    name: SecretName,
    value: Zeroizing<String>,
    /// What the value looks like inside Base64, for each of the three ways its bytes can be aligned.
    base64: Vec<Zeroizing<String>>,
}

/// A stretch of text that gives a secret away.
#[derive(Debug, Clone, Copy)]
struct Exposure {
    start: usize,
    end: usize,
    secret: usize,
}

impl Redactor {
    /// Empty values hide nothing and are left out. Of values that overlap, the longer one names the marker.
    #[must_use]
    pub fn new(secrets: Vec<(SecretName, String)>) -> Self {
        let mut secrets: Vec<Secret> = secrets
            .into_iter()
            .filter(|(_, value)| !value.is_empty())
            .map(|(name, value)| Secret { name, base64: base64_forms(value.as_bytes()), value: Zeroizing::new(value) })
            .collect();
        secrets.sort_by(|a, b| b.value.len().cmp(&a.value.len()).then(a.name.cmp(&b.name)));
        Self { secrets }
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.secrets.is_empty()
    }

    /// Whether the text gives a secret away.
    #[must_use]
    pub fn is_exposed_in(&self, text: &str) -> bool {
        !self.exposures(text).is_empty()
    }

    /// The text with markers for secrets; redacting twice is redacting once.
    #[must_use]
    pub fn text(&self, text: &str) -> String {
        let mut redacted = String::with_capacity(text.len());
        let mut copied = 0;
        for exposure in self.exposures(text) {
            redacted.push_str(&text[copied..exposure.start]);
            redacted.push_str(&self.secrets[exposure.secret].marker());
            copied = exposure.end;
        }
        redacted.push_str(&text[copied..]);
        redacted
    }

    /// The value with markers for secrets in its texts and names; a number that is a secret becomes the marker.
    #[must_use]
    pub fn value(&self, value: Value) -> Value {
        if self.is_empty() {
            return value;
        }
        match value {
            Value::String(text) => Value::String(self.text(&text)),
            Value::Array(items) => Value::Array(items.into_iter().map(|item| self.value(item)).collect()),
            Value::Object(fields) => {
                let redacted = fields.into_iter().map(|(name, field)| (self.text(&name), self.value(field)));
                Value::Object(redacted.collect::<Map<String, Value>>())
            }
            Value::Number(number) => {
                let text = number.to_string();
                if self.is_exposed_in(&text) { Value::String(self.text(&text)) } else { Value::Number(number) }
            }
            Value::Null | Value::Bool(_) => value,
        }
    }

    /// Where secrets stand, in order, without overlaps.
    fn exposures(&self, text: &str) -> Vec<Exposure> {
        let markers = self.markers_in(text);
        let mut found: Vec<Exposure> = Vec::new();
        for (index, secret) in self.secrets.iter().enumerate() {
            let ranges = secret.plain_ranges(text).into_iter().chain(secret.base64_ranges(text));
            found.extend(ranges.map(|(start, end)| Exposure { start, end, secret: index }));
        }
        found.retain(|one| !markers.iter().any(|(start, end)| *start <= one.start && one.end <= *end));
        found.sort_by_key(|one| (one.start, one.secret));
        merged(found)
    }

    /// Markers that stand in the text already.
    fn markers_in(&self, text: &str) -> Vec<(usize, usize)> {
        let markers = self.secrets.iter().map(Secret::marker);
        let ranges = |marker: String| -> Vec<(usize, usize)> {
            text.match_indices(&marker).map(|(start, found)| (start, start + found.len())).collect()
        };
        markers.flat_map(ranges).collect()
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

impl Secret {
    fn marker(&self) -> String {
        format!("[secret:{}]", self.name)
    }

    fn plain_ranges(&self, text: &str) -> Vec<(usize, usize)> {
        let needs_edges = self.value.chars().count() < ANYWHERE_CHARS_MIN;
        let mut ranges = Vec::new();
        let mut at = 0;
        while let Some(c) = text[at..].chars().next() {
            let end =
                if escape::may_begin(c, &self.value) { escape::match_end(&text[at..], &self.value) } else { None };
            let end = end.map(|length| at + length);
            let end = end.filter(|end| !needs_edges || stands_alone(text, at, *end));
            match end {
                Some(end) => {
                    ranges.push((at, end));
                    at = end;
                }
                None => at += c.len_utf8(),
            }
        }
        ranges
    }

    fn base64_ranges(&self, text: &str) -> Vec<(usize, usize)> {
        let is_base64 = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '_' | '=');
        let widened = |(at, found): (usize, &str)| {
            let start = text[..at].trim_end_matches(is_base64).len();
            let after = &text[at + found.len()..];
            let end = text.len() - after.trim_start_matches(is_base64).len();
            (start, end)
        };
        self.base64.iter().flat_map(|form| text.match_indices(form.as_str())).map(widened).collect()
    }
}

/// Whether no letter or digit stands beside the range; one that ends a percent escape is a separator.
fn stands_alone(text: &str, start: usize, end: usize) -> bool {
    let before = &text[..start];
    let is_escape_before = before.len() >= 3
        && before.as_bytes()[before.len() - 3] == b'%'
        && before.bytes().rev().take(2).all(|byte| byte.is_ascii_hexdigit());
    let starts = is_escape_before || !before.ends_with(char::is_alphanumeric);
    starts && !text[end..].starts_with(char::is_alphanumeric)
}

fn base64_forms(value: &[u8]) -> Vec<Zeroizing<String>> {
    let mut forms = Vec::new();
    for (lead_bytes, lead_chars) in [(0, 0), (1, 2), (2, 3)] {
        let aligned = Zeroizing::new([vec![0; lead_bytes], value.to_vec()].concat());
        let own_chars_end = aligned.len() * 8 / 6;
        for engine in [STANDARD_NO_PAD, URL_SAFE_NO_PAD] {
            let encoded = Zeroizing::new(engine.encode(&*aligned));
            let own = encoded.get(lead_chars..own_chars_end).unwrap_or_default();
            if own.len() >= BASE64_CHARS_MIN {
                forms.push(Zeroizing::new(own.to_owned()));
            }
        }
    }
    forms.sort_by(|a, b| a.as_str().cmp(b.as_str()));
    forms.dedup();
    forms
}

impl fmt::Debug for Redactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.secrets.iter().map(|secret| &secret.name);
        f.debug_list().entries(names).finish()
    }
}

#[cfg(test)]
mod tests;
