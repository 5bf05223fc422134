//! URLs compared as browsers and servers treat them.

use std::collections::BTreeMap;

use url::Url;

/// The URLs of a page, by what makes them equal.
///
/// Two URLs are the same when they differ only in the case of scheme, host and percent escapes, in a default port, in
/// dot segments, in an empty fragment or in a slash at the end. A value without a fragment also means a link with one;
/// a value with a fragment means only that fragment.
#[derive(Debug, Default)]
pub(crate) struct Urls {
    exact: BTreeMap<String, String>,
    without_fragment: BTreeMap<String, String>,
}

impl Urls {
    /// The first of several equal URLs is kept as it was written.
    pub(crate) fn insert(&mut self, written: &str) {
        let Ok(url) = Url::parse(written) else { return };
        self.exact.entry(key(&url)).or_insert_with(|| written.to_owned());
        let mut bare = url;
        bare.set_fragment(None);
        self.without_fragment.entry(key(&bare)).or_insert_with(|| written.to_owned());
    }

    /// The page's own form of the URL.
    pub(crate) fn find(&self, url: &Url) -> Option<&str> {
        let key = key(url);
        self.exact.get(&key).or_else(|| self.without_fragment.get(&key)).map(String::as_str)
    }
}

fn key(url: &Url) -> String {
    let mut url = url.clone();
    if url.fragment().is_some_and(str::is_empty) {
        url.set_fragment(None);
    }
    let (path, rest) = split_path(url.as_str());
    lower_escapes(&format!("{}{rest}", path.trim_end_matches('/')))
}

/// The part up to the query or fragment, and the rest.
fn split_path(text: &str) -> (&str, &str) {
    text.split_at(text.find(['?', '#']).unwrap_or(text.len()))
}

fn lower_escapes(text: &str) -> String {
    let mut lowered = String::with_capacity(text.len());
    let mut hex_digits = 0;
    for c in text.chars() {
        lowered.push(if hex_digits > 0 { c.to_ascii_lowercase() } else { c });
        hex_digits = if c == '%' { 2 } else { hex_digits.max(1) - 1 };
    }
    lowered
}

/// Whether a field's name says that it holds a URL.
pub(crate) fn names_url(name: &str) -> bool {
    let words = name_words(name);
    words.last().is_some_and(|word| {
        matches!(
            word.as_str(),
            "url" | "urls" | "uri" | "link" | "links" | "href" | "permalink" | "website" | "homepage"
        )
    })
}

/// The words of a field name in `snake_case`, `kebab-case` or `camelCase`, in lower case.
pub(crate) fn name_words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = vec![String::new()];
    let mut was_lower = false;
    for c in name.chars() {
        let starts_word = c.is_uppercase() && was_lower;
        if starts_word || !c.is_alphanumeric() {
            words.push(String::new());
        }
        if c.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(c.to_lowercase());
        }
        was_lower = c.is_lowercase() || c.is_ascii_digit();
    }
    words.retain(|word| !word.is_empty());
    words
}

/// The http(s) URLs written out in a text.
pub(crate) fn written_in(text: &str) -> Vec<&str> {
    let ends = |c: char| c.is_whitespace() || matches!(c, '"' | '<' | '>' | '\'' | '`' | '\\' | '{' | '}' | '|');
    let mut found = Vec::new();
    for (at, _) in text.match_indices("http") {
        let candidate = &text[at..];
        if candidate.starts_with("http://") || candidate.starts_with("https://") {
            let end = candidate.find(ends).unwrap_or(candidate.len());
            found.push(candidate[..end].trim_end_matches(['.', ',', ';', ':', '!', '?', ')', ']']));
        }
    }
    found
}
