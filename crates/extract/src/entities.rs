//! Character references of HTML in published text, which is often escaped twice.

use std::borrow::Cow;

/// Most rounds of entity decoding; pages double-escape, rarely more.
const DECODE_ROUNDS_MAX: usize = 4;

/// Decodes character references until nothing changes, as published text is often escaped twice.
#[must_use]
pub fn decode_entities(text: &str) -> Cow<'_, str> {
    let mut current = Cow::Borrowed(text);
    for _ in 0..DECODE_ROUNDS_MAX {
        if !current.contains('&') {
            return current;
        }
        let next = decode_once(&current);
        if next == *current {
            return current;
        }
        current = Cow::Owned(next);
    }
    current
}

fn decode_once(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find('&') {
        out.push_str(rest.get(..start).unwrap_or(""));
        rest = rest.get(start..).unwrap_or("");
        match reference(rest) {
            Some((decoded, len)) => {
                out.push_str(&decoded);
                rest = rest.get(len..).unwrap_or("");
            }
            None => {
                out.push('&');
                rest = rest.get(1..).unwrap_or("");
            }
        }
    }
    out.push_str(rest);
    out
}

/// One character reference at the start of `text`: what it stands for and its length. Named ones need their semicolon.
fn reference(text: &str) -> Option<(String, usize)> {
    let end = text.bytes().take(34).position(|byte| byte == b';')?;
    let body = text.get(1..end)?;
    let decoded = match body.strip_prefix('#') {
        Some(number) => numeric(number)?.to_string(),
        None => named(body)?,
    };
    Some((decoded, end + 1))
}

fn numeric(number: &str) -> Option<char> {
    let code = match number.strip_prefix(['x', 'X']) {
        Some(hex) => u32::from_str_radix(hex, 16).ok()?,
        None => number.parse().ok()?,
    };
    char::from_u32(code).filter(|c| *c != '\0')
}

/// Named references by the HTML standard's own table.
fn named(name: &str) -> Option<String> {
    let common = match name {
        "amp" => "&",
        "lt" => "<",
        "gt" => ">",
        "quot" => "\"",
        "apos" => "'",
        "nbsp" => "\u{a0}",
        _ => "",
    };
    if !common.is_empty() {
        return Some(common.to_owned());
    }
    let key = format!("{name};");
    let (first, second) = html5ever::data::NAMED_ENTITIES.get(key.as_str())?;
    let out: String = [*first, *second].into_iter().filter(|code| *code != 0).filter_map(char::from_u32).collect();
    (!out.is_empty()).then_some(out)
}
