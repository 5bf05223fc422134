//! A request as the browser is about to send it: what stands in its address and its body. Pure.

use super::words::{HIDDEN, any_in, words_of};
use crate::limits::{BODY_BYTES_READ_MAX, HELD_VALUE_CHARS_MAX, HELD_VALUES_MAX};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use url::{Url, form_urlencoded};

/// Parameters of `Fetch.requestPaused`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RequestPaused {
    pub(crate) request_id: String,
    request: RequestDetails,
    #[serde(default)]
    resource_type: String,
    /// Missing where the page is on its way out.
    pub(crate) network_id: Option<String>,
    /// The request that was redirected to this one.
    pub(crate) redirected_request_id: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct RequestDetails {
    url: String,
    method: String,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    post_data: Option<String>,
    #[serde(default)]
    has_post_data: bool,
    #[serde(default)]
    post_data_entries: Vec<PostDataEntry>,
}

#[derive(Debug, Deserialize)]
struct PostDataEntry {
    /// Base64; missing for what is read from a file.
    bytes: Option<String>,
}

/// What a request is for, as far as it decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A navigation of a page or a frame.
    Document,
    /// Asked for by a script.
    Data,
    /// Sent without waiting for an answer: `sendBeacon`, `<a ping>`.
    Ping,
    /// The browser's own: reports, preflights.
    Own,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Body {
    None,
    Fields(Vec<(String, String)>),
    Json(Value),
    Text(String),
    /// There is one, which the browser does not show.
    Unseen,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Outgoing {
    pub(crate) method: String,
    pub(crate) url: Url,
    pub(crate) kind: Kind,
    /// Origin of the document that sends it; `null` is that of an opaque one.
    pub(crate) sender: Option<String>,
    pub(crate) body: Body,
}

impl RequestPaused {
    /// `None` for what does not go over the network.
    pub(crate) fn outgoing(&self) -> Option<Outgoing> {
        let url = Url::parse(&self.request.url).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
        let kind = match self.resource_type.as_str() {
            "Document" => Kind::Document,
            "Ping" => Kind::Ping,
            "CSPViolationReport" | "Preflight" => Kind::Own,
            _ => Kind::Data,
        };
        let kind = if self.header("content-type") == "text/ping" { Kind::Own } else { kind };
        let sender = match self.header("origin") {
            "" => Url::parse(self.header("referer")).ok().map(|url| url.origin().ascii_serialization()),
            origin => Some(origin.to_owned()),
        };
        Some(Outgoing { method: self.request.method.to_ascii_uppercase(), url, kind, sender, body: self.body() })
    }

    fn header(&self, name: &str) -> &str {
        let named = self.request.headers.iter().find(|(key, _)| key.eq_ignore_ascii_case(name));
        named.map(|(_, value)| value.as_str()).unwrap_or_default()
    }

    fn body(&self) -> Body {
        match self.body_text() {
            Some(text) if text.is_empty() => Body::None,
            Some(text) if text.len() <= BODY_BYTES_READ_MAX => read_body(self.header("content-type"), &text),
            Some(_) => Body::Unseen,
            None if self.request.has_post_data => Body::Unseen,
            None => Body::None,
        }
    }

    fn body_text(&self) -> Option<String> {
        if let Some(text) = &self.request.post_data {
            return Some(text.clone());
        }
        let entries = &self.request.post_data_entries;
        let parts: Option<Vec<Vec<u8>>> =
            entries.iter().map(|entry| STANDARD.decode(entry.bytes.as_ref()?).ok()).collect();
        parts.filter(|parts| !parts.is_empty()).map(|parts| String::from_utf8_lossy(&parts.concat()).into_owned())
    }
}

fn read_body(content_type: &str, text: &str) -> Body {
    if let Some((_, boundary)) = content_type.split_once("boundary=") {
        return Body::Fields(multipart_fields(text, boundary.trim_matches('"')));
    }
    if let Ok(json @ (Value::Object(_) | Value::Array(_))) = serde_json::from_str(text) {
        return Body::Json(json);
    }
    let is_form = content_type.starts_with("application/x-www-form-urlencoded");
    if is_form || text.split('&').all(|part| part.contains('=') && !part.contains(char::is_whitespace)) {
        return Body::Fields(form_urlencoded::parse(text.as_bytes()).into_owned().collect());
    }
    Body::Text(text.to_owned())
}

/// Names and texts of a form's parts (RFC 7578); a file shows its name only.
fn multipart_fields(text: &str, boundary: &str) -> Vec<(String, String)> {
    let border = format!("--{boundary}");
    let parts = text.split(&border).filter_map(|part| part.split_once("\r\n\r\n"));
    let fields = parts.filter_map(|(head, value)| {
        let name = quoted_after(head, " name=\"")?;
        let file = quoted_after(head, "filename=\"").map(|file| format!("[file {file}]"));
        Some((name, file.unwrap_or_else(|| value.strip_suffix("\r\n").unwrap_or(value).to_owned())))
    });
    fields.collect()
}

fn quoted_after(head: &str, mark: &str) -> Option<String> {
    let (_, rest) = head.split_once(mark)?;
    rest.split_once('"').map(|(quoted, _)| quoted.to_owned())
}

impl Outgoing {
    pub(crate) fn is_safe_method(&self) -> bool {
        matches!(self.method.as_str(), "GET" | "HEAD" | "OPTIONS")
    }

    /// Host and port, the port only where it is not the scheme's own.
    pub(crate) fn target(&self) -> String {
        let host = self.url.host_str().unwrap_or_default();
        self.url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
    }

    /// Same method, address and body.
    pub(crate) fn key(&self) -> String {
        let mut url = self.url.clone();
        url.set_fragment(None);
        hashed([&self.method, url.as_str(), &format!("{:?}", self.body)])
    }

    /// As [`Outgoing::key`], without what changes each time although the same is meant: tokens and times.
    pub(crate) fn meaning(&self) -> String {
        let address = format!("{}{}", self.url.origin().ascii_serialization(), self.url.path());
        let values = self.values();
        let lasting = values.iter().filter(|(_, value)| !is_passing(value));
        let values: Vec<String> = lasting.map(|(name, value)| format!("{}:{name}={value}", name.len())).collect();
        hashed([&self.method, &address, &values.join("\n")])
    }

    /// What the request sends, by name: of the query and of the body.
    pub(crate) fn values(&self) -> Vec<(String, String)> {
        let mut values: Vec<(String, String)> = self.url.query_pairs().into_owned().collect();
        match &self.body {
            Body::Fields(fields) => values.extend(fields.iter().cloned()),
            Body::Json(json) => add_leaves(&mut values, "", json),
            Body::Text(text) => values.push(("body".to_owned(), text.clone())),
            Body::None | Body::Unseen => {}
        }
        values.truncate(HELD_VALUES_MAX);
        values
    }

    /// As [`Outgoing::values`], for people: what is secret by its name, and what says nothing to them, is not shown.
    pub(crate) fn shown_values(&self) -> Vec<(String, String)> {
        let shown = |(name, value): (String, String)| {
            let value = if any_in(&words_of(&name), HIDDEN) {
                "[hidden]".to_owned()
            } else if is_random(&value) {
                "[token]".to_owned()
            } else {
                value.chars().take(HELD_VALUE_CHARS_MAX).collect()
            };
            (name, value)
        };
        self.values().into_iter().map(shown).collect()
    }
}

fn hashed<'a>(parts: impl IntoIterator<Item = &'a (impl AsRef<str> + ?Sized + 'a)>) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        let part = part.as_ref();
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part.as_bytes());
    }
    hex::encode(hash.finalize())
}

fn add_leaves(values: &mut Vec<(String, String)>, name: &str, json: &Value) {
    if values.len() >= HELD_VALUES_MAX {
        return;
    }
    let inner = |key: &str| if name.is_empty() { key.to_owned() } else { format!("{name}.{key}") };
    match json {
        Value::Object(map) => map.iter().for_each(|(key, value)| add_leaves(values, &inner(key), value)),
        Value::Array(list) => {
            list.iter().enumerate().for_each(|(at, value)| add_leaves(values, &inner(&at.to_string()), value));
        }
        Value::String(text) => values.push((name.to_owned(), text.clone())),
        Value::Null | Value::Bool(_) | Value::Number(_) => values.push((name.to_owned(), json.to_string())),
    }
}

/// A long run of letters and digits that no person wrote.
fn is_random(value: &str) -> bool {
    let is_token = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '+' | '/' | '=' | ':');
    value.len() >= 16
        && value.chars().all(is_token)
        && value.chars().any(|c| c.is_ascii_digit())
        && value.chars().any(|c| c.is_ascii_alphabetic())
        && !value.contains("://")
}

/// Differs from one time to the next: a token, or the time in seconds or milliseconds of this century.
fn is_passing(value: &str) -> bool {
    let is_time = matches!(value.len(), 10 | 13) && value.starts_with('1') && value.bytes().all(|b| b.is_ascii_digit());
    is_random(value) || is_time
}
