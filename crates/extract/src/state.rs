//! The page's own JSON: data scripts, assigned state, Next.js and Nuxt payloads, Apollo caches; and the object in it that fits a schema.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::copies::Copies;
use crate::json::{self, Names};
use crate::page::{Page, ScriptKind};
use crate::references;

/// Longest script looked into, in bytes.
const SCRIPT_BYTES_MAX: usize = 8 << 20;
/// Most values kept of one page.
const VALUES_MAX: usize = 400;
/// Shortest literal worth keeping, in bytes; shorter ones are settings.
const LITERAL_BYTES_MIN: usize = 8;
/// Deepest resolution of references and JSON inside strings.
const DEPTH_MAX: usize = 40;

/// Everything the page's own scripts hold as data, with the name it is under.
#[must_use]
pub fn collect(page: &Page) -> Vec<(String, Value)> {
    let copies = &page.copies;
    let mut out: Vec<(String, Value)> = Vec::new();
    let mut flight = String::new();
    for (kind, id) in &page.scripts {
        if out.len() >= VALUES_MAX {
            break;
        }
        let text = page.dom.raw_text(*id, SCRIPT_BYTES_MAX);
        match kind {
            ScriptKind::JsonLd => {}
            ScriptKind::Json => json_script(page, *id, &text, &mut out),
            ScriptKind::Code => code_script(&text, copies, &mut out, &mut flight),
        }
    }
    if !flight.is_empty() {
        out.extend(flight_rows(&flight).into_iter().map(|value| ("flight".to_owned(), value)));
    }
    out.into_iter().map(|(name, value)| (name, expand(value, copies))).collect()
}

fn json_script(page: &Page, id: u32, text: &str, out: &mut Vec<(String, Value)>) {
    let name = page.dom.attr(id, "id").unwrap_or("json").to_owned();
    for value in json::parse(text).values {
        let value = match value {
            Value::Array(items) if is_payload(&items) => references::revive(&items, &page.copies),
            other => other,
        };
        out.push((name.clone(), value));
    }
}

/// Nuxt 3 (devalue): a flat array in which numbers inside containers are indices.
fn is_payload(items: &[Value]) -> bool {
    match items.first() {
        Some(Value::Array(first)) => matches!(first.first(), Some(Value::String(word)) if word.ends_with("eactive")),
        Some(Value::Object(first)) => {
            items.len() > first.len()
                && !first.is_empty()
                && first.values().all(|value| value.as_u64().is_some_and(|index| index < items.len() as u64))
        }
        _ => false,
    }
}

/// Assignments and pushes of a script whose right side is a literal.
fn code_script(text: &str, copies: &Copies, out: &mut Vec<(String, Value)>, flight: &mut String) {
    if text.contains("__next_f") {
        next_flight(text, flight);
    }
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(found) = text.get(at..).and_then(|rest| rest.find(['=', '('])) {
        let place = at + found;
        at = place + 1;
        let start = at + bytes.get(at..).unwrap_or(&[]).iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        let Some(name) = target(text, place) else { continue };
        let rest = text.get(start..).unwrap_or("");
        let (value, used) = match rest.as_bytes().first() {
            Some(b'{' | b'[') => json::literal(rest, None).unwrap_or((Value::Null, 1)),
            Some(b'(' | b'f') if bytes.get(place) == Some(&b'=') => {
                nuxt_function(rest, copies).unwrap_or((Value::Null, 1))
            }
            Some(b'J') if rest.starts_with("JSON.parse(") => json::literal(rest, None).unwrap_or((Value::Null, 1)),
            Some(b'"' | b'\'')
                if rest.get(1..3).is_some_and(|head| head.starts_with('{') || head.starts_with("[{")) =>
            {
                json::literal(rest, None).unwrap_or((Value::Null, 1))
            }
            _ => continue,
        };
        if used >= LITERAL_BYTES_MIN && out.len() < VALUES_MAX && is_data(&value) {
            out.push((name.to_owned(), value));
            at = start + used;
        }
    }
}

fn is_data(value: &Value) -> bool {
    match value {
        Value::Object(map) => !map.is_empty(),
        Value::Array(items) => items.iter().any(|item| item.is_object() || item.is_array()),
        Value::String(text) => text.len() > LITERAL_BYTES_MIN,
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// What an assignment or call at `place` writes to, if it is worth reading: a name of four letters or more, or a `push`.
fn target(text: &str, place: usize) -> Option<&str> {
    let head = text.get(..place)?.trim_end();
    if text.as_bytes().get(place) == Some(&b'(') {
        let known = ["dataLayer.push", "__next_s.push", "digitalData.push", "_satellite.push"];
        return known.into_iter().find(|name| head.ends_with(name));
    }
    if text.as_bytes().get(place + 1) == Some(&b'=')
        || head.ends_with(['=', '!', '<', '>', '+', '-', '*', '|', '&', '?'])
    {
        return None;
    }
    let head = head.strip_suffix("\"]").or_else(|| head.strip_suffix("']")).unwrap_or(head);
    let start = head
        .rfind(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$'))
        .map_or(0, |at| at + head.get(at..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8));
    let name = head.get(start..)?;
    (name.len() >= 4 && name != "prototype" && name != "exports" && name != "defaults").then_some(name)
}

/// `(function(a,b){return {…}}(1,"x"))`: the returned literal with the arguments in place of the names.
fn nuxt_function(text: &str, copies: &Copies) -> Option<(Value, usize)> {
    let body = text.strip_prefix('(').unwrap_or(text).trim_start();
    let body = body.strip_prefix("function")?;
    let open = body.find('(')?;
    let close = body.find(')').filter(|close| *close > open && *close < 20_000)?;
    let names: Vec<&str> = body.get(open + 1..close)?.split(',').map(str::trim).collect();
    let inside = body.get(close + 1..)?.trim_start().strip_prefix('{')?;
    let returned = inside.find("return").filter(|at| *at < 20_000)?;
    let literal_text = inside.get(returned + 6..)?;
    let (_, used) = json::literal(literal_text, None)?;
    let after = literal_text.get(used..)?;
    let call = after
        .find('(')
        .filter(|at| after.get(..*at).is_some_and(|gap| gap.chars().all(|c| c.is_whitespace() || "});".contains(c))))?;
    let arguments_text = format!("[{}", after.get(call + 1..)?);
    let (arguments, _) = json::literal(&close_list(&arguments_text), None)?;
    let values = arguments.as_array()?.iter().cloned();
    let bound: BTreeMap<String, Value> = names.iter().map(|name| (*name).to_owned()).zip(values).collect();
    let bound_names = Names::new(&bound, copies);
    let assigned = assignments(inside.get(..returned)?, bound_names);
    let (mut value, _) = json::literal(literal_text, Some(bound_names))?;
    for (name, key, part) in assigned {
        // `a.price=b;` before the return fills an object that is passed in empty.
        let _ = name;
        if let Value::Object(map) = &mut value {
            map.entry(key).or_insert(part);
        }
    }
    let used_bytes = text.len() - after.len() + call;
    Some((value, used_bytes))
}

/// The arguments end with `)`, which a list must not.
fn close_list(text: &str) -> String {
    let mut open = 0usize;
    let mut quote: Option<char> = None;
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match quote {
            Some(_) if escaped => escaped = false,
            Some(_) if c == '\\' => escaped = true,
            Some(mark) if c == mark => quote = None,
            Some(_) => {}
            None if c == '"' || c == '\'' => quote = Some(c),
            None if matches!(c, '{' | '(') => open += 1,
            None if c == ')' && open == 0 => return format!("{}]", text.get(..at).unwrap_or("")),
            None if matches!(c, '}' | ')') => open = open.saturating_sub(1),
            None => {}
        }
    }
    text.to_owned()
}

/// `a.key=value;` statements before a `return`.
fn assignments(text: &str, names: Names<'_>) -> Vec<(String, String, Value)> {
    let mut out = Vec::new();
    for statement in text.split(';').take(500) {
        let Some((left, right)) = statement.split_once('=') else { continue };
        let Some((name, key)) = left.trim().split_once('.') else { continue };
        if let Some((value, _)) = json::literal(right, Some(names)) {
            out.push((name.to_owned(), key.to_owned(), value));
        }
    }
    out
}

/// Next.js app router: the strings pushed to `__next_f`, one text of rows.
fn next_flight(text: &str, flight: &mut String) {
    let mut rest = text;
    while let Some(start) = rest.find("__next_f.push(") {
        rest = rest.get(start + 14..).unwrap_or("");
        let Some((value, used)) = json::literal(rest, None) else { continue };
        if let Some(chunk) = value.get(1).and_then(Value::as_str)
            && flight.len() < SCRIPT_BYTES_MAX
        {
            flight.push_str(chunk);
        }
        rest = rest.get(used..).unwrap_or("");
    }
}

/// Rows `id:JSON`, one a line, or `id:Tlength,text`.
fn flight_rows(flight: &str) -> Vec<Value> {
    let mut rows = Vec::new();
    for line in flight.lines() {
        let Some((_, body)) = line.split_once(':') else { continue };
        let body = body.trim_start_matches(|c: char| c.is_ascii_uppercase());
        if body.starts_with(['{', '['])
            && rows.len() < VALUES_MAX
            && let Some((value, _)) = json::literal(body, None)
        {
            rows.push(value);
        }
    }
    rows
}

/// Opens JSON inside strings and follows Apollo references.
fn expand(value: Value, copies: &Copies) -> Value {
    let opened = open_strings(value, 0);
    let Value::Object(cache) = &opened else { return opened };
    let references = |map: &Map<String, Value>| {
        map.values().filter(|value| value.is_object()).count() > 0
            && cache.keys().any(|key| key.contains(':') || key == "ROOT_QUERY")
    };
    if !references(cache) {
        return opened;
    }
    references::follow(&opened, cache, copies)
}

fn open_strings(value: Value, depth: usize) -> Value {
    if depth > DEPTH_MAX {
        return value;
    }
    match value {
        Value::String(text) if text.len() > 6 && text.starts_with(['{', '[']) && text.ends_with(['}', ']']) => {
            match serde_json::from_str::<Value>(&text) {
                Ok(inner) => open_strings(inner, depth + 1),
                Err(_) => Value::String(text),
            }
        }
        Value::Array(items) => Value::Array(items.into_iter().map(|item| open_strings(item, depth + 1)).collect()),
        Value::Object(map) => {
            Value::Object(map.into_iter().map(|(key, item)| (key, open_strings(item, depth + 1))).collect())
        }
        other => other,
    }
}
