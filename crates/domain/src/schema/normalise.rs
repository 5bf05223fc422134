//! Undoes what models habitually do to data (SPEC §2) before it is judged: fences, wrappers, objects as strings, numbers
//! as text, names in another case. It changes the form of values, never what they say.

use serde_json::{Map, Value};

use errand_schema::child;

use super::shape::Schema;
use super::shape::Shape;
use super::types::Types;
use super::{OutputContract, scalar};
use crate::ground::{Hints, name_words};

/// Names that models wrap the wanted object in.
const WRAPPERS: [&str; 8] = ["output", "data", "result", "results", "response", "json", "extracted", "extraction"];
/// Wrappers inside wrappers that are undone.
const WRAPPERS_DEEP_MAX: usize = 8;
/// JSON texts inside JSON texts that are undone.
const TEXTS_DEEP_MAX: usize = 4;

/// Data as the schema's author would have written it; normalising twice is normalising once.
#[must_use]
pub fn normalise(contract: &OutputContract, raw: Value) -> Value {
    normalise_and_rebase(contract, raw, &Hints::new()).0
}

/// Normalises data and moves the hints along when the data moved up or down a level.
pub(crate) fn normalise_and_rebase(contract: &OutputContract, raw: Value, hints: &Hints) -> (Value, Hints) {
    let schema = Schema::new(contract.schema());
    let top = schema.top();
    let mut data = raw;
    let mut hints = hints.clone();
    for _ in 0..WRAPPERS_DEEP_MAX {
        match unwrapped(&top, data) {
            Step::Same(value) => {
                data = value;
                break;
            }
            Step::Parsed(value) => data = value,
            Step::Out { token, value } => {
                data = value;
                hints = moved_out(hints, &child("", &token));
            }
            Step::Into { name, value } => {
                let prefix = child("", &name);
                hints = hints.into_iter().map(|(pointer, hint)| (format!("{prefix}{pointer}"), hint)).collect();
                data = Value::Object(Map::from_iter([(name, value)]));
            }
        }
    }
    let normaliser = Normaliser { schema: &schema, converts_dates: contract.checks_formats() };
    (normaliser.value(&top, data, 0), hints)
}

/// Hints that point into the wrapper lose its prefix; a model that cited the inner places already keeps them.
fn moved_out(hints: Hints, prefix: &str) -> Hints {
    let moved = |pointer: String| match pointer.strip_prefix(prefix) {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => rest.to_owned(),
        _ => pointer,
    };
    hints.into_iter().map(|(pointer, hint)| (moved(pointer), hint)).collect()
}

enum Step {
    Same(Value),
    Parsed(Value),
    Out { token: String, value: Value },
    Into { name: String, value: Value },
}

fn unwrapped(top: &Shape<'_>, value: Value) -> Step {
    let wants_object = top.wants(Types::OBJECT);
    let wants_list = top.wants(Types::ARRAY);
    match value {
        Value::String(text) if !top.types().has(Types::STRING) || wants_object || wants_list => {
            json_in(&text).map_or(Step::Same(Value::String(text)), Step::Parsed)
        }
        Value::Object(mut fields) => match wrapper_of(top, &fields, wants_object, wants_list) {
            Some(token) => Step::Out { value: fields.remove(&token).unwrap_or_default(), token },
            None => Step::Same(Value::Object(fields)),
        },
        Value::Array(mut items) if wants_object => match (only_list_member(top), items.as_slice()) {
            (Some(name), _) => Step::Into { name, value: Value::Array(items) },
            (None, [Value::Object(_)]) => Step::Out { token: "0".to_owned(), value: items.remove(0) },
            (None, _) => Step::Same(Value::Array(items)),
        },
        other => Step::Same(other),
    }
}

/// The member that holds the wanted data, when the object around it is not what the schema describes.
fn wrapper_of(top: &Shape<'_>, fields: &Map<String, Value>, wants_object: bool, wants_list: bool) -> Option<String> {
    let declared = top.declared();
    let is_container = |value: &Value| value.is_object() || value.is_array() || value.is_string();
    if wants_list {
        let lists: Vec<&String> = fields.iter().filter(|(_, value)| value.is_array()).map(|(name, _)| name).collect();
        let is_wrapper = |name: &str| fields.len() == 1 || name == "items" || WRAPPERS.contains(&name);
        return lists.first().filter(|name| lists.len() == 1 && is_wrapper(name)).map(|name| (*name).clone());
    }
    let is_described = fields.keys().any(|name| declared.iter().any(|known| same_name(known, name)));
    if !wants_object || declared.is_empty() || is_described {
        return None;
    }
    let wrappers = WRAPPERS.iter().filter(|name| fields.get(**name).is_some_and(is_container));
    wrappers.map(|name| (*name).to_owned()).next()
}

/// The one member of the schema, when it is a list.
fn only_list_member(top: &Shape<'_>) -> Option<String> {
    let declared = top.declared();
    let [only] = declared.as_slice() else { return None };
    top.member_is_list(only).then(|| (*only).to_owned())
}

fn same_name(left: &str, right: &str) -> bool {
    left == right || name_words(left).concat() == name_words(right).concat()
}

/// The JSON object or list in a text: alone, in a fence, or between other words.
fn json_in(text: &str) -> Option<Value> {
    let trimmed = text.trim();
    let fenced = trimmed.split_once("```").and_then(|(_, rest)| rest.split_once("```")).map(|(inside, _)| {
        let first_line_end = inside.find('\n').unwrap_or(0);
        let is_language = inside[..first_line_end].trim().chars().all(char::is_alphanumeric);
        if is_language { inside[first_line_end..].trim() } else { inside.trim() }
    });
    let outermost = |open: char, close: char| {
        let (start, end) = (trimmed.find(open)?, trimmed.rfind(close)?);
        trimmed.get(start..=end)
    };
    let candidates = [Some(trimmed), fenced, outermost('{', '}'), outermost('[', ']')];
    let parsed = candidates.into_iter().flatten().filter_map(|text| serde_json::from_str::<Value>(text).ok());
    parsed.into_iter().find(|value| value.is_object() || value.is_array() || value.is_string() && trimmed.len() > 2)
}

struct Normaliser<'n, 's> {
    schema: &'n Schema<'s>,
    converts_dates: bool,
}

impl<'s> Normaliser<'_, 's> {
    fn value(&self, shape: &Shape<'s>, value: Value, texts_deep: usize) -> Value {
        let types = shape.types();
        match value {
            Value::String(text) => self.text(shape, text, texts_deep),
            Value::Number(number) => scalar::number(types, number),
            Value::Array(mut items) if !types.has(Types::ARRAY) && items.len() == 1 => {
                self.value(shape, items.remove(0), texts_deep)
            }
            Value::Array(items) => {
                let item = |(index, item)| self.value(&self.schema.item(shape, index), item, texts_deep);
                Value::Array(items.into_iter().enumerate().map(item).collect())
            }
            Value::Object(_) if types.is_only(Types::ARRAY) => self.value(shape, Value::Array(vec![value]), texts_deep),
            Value::Object(fields) => self.object(shape, fields, texts_deep),
            Value::Null | Value::Bool(_) => value,
        }
    }

    fn text(&self, shape: &Shape<'s>, text: String, texts_deep: usize) -> Value {
        let types = shape.types();
        if types.has(Types::STRING) {
            return scalar::text(shape, &text, self.converts_dates);
        }
        if let Some(value) = scalar::from_text(types, &text) {
            return value;
        }
        let is_container = types.has(Types::OBJECT) || types.has(Types::ARRAY);
        let parsed = if is_container && texts_deep < TEXTS_DEEP_MAX { json_in(&text) } else { None };
        match parsed {
            Some(value) => self.value(shape, value, texts_deep + 1),
            None if types.is_only(Types::ARRAY) && self.schema.item(shape, 0).types().has(Types::STRING) => {
                Value::Array(vec![self.value(&self.schema.item(shape, 0), Value::String(text), texts_deep)])
            }
            None => Value::String(text),
        }
    }

    fn object(&self, shape: &Shape<'s>, fields: Map<String, Value>, texts_deep: usize) -> Value {
        let declared = shape.declared();
        let mut normalised = Map::new();
        let given: Vec<String> = fields.keys().cloned().collect();
        for (name, value) in fields {
            let name = declared_name(&declared, &given, name);
            if normalised.contains_key(&name) || shape.forbids(&name) {
                continue;
            }
            let member = self.value(&self.schema.member(shape, &name), value, texts_deep);
            normalised.insert(name, member);
        }
        Value::Object(normalised)
    }
}

/// `orderNumber` means the declared `order_number`, unless that is given too or two are meant.
fn declared_name(declared: &[&str], given: &[String], name: String) -> String {
    if declared.contains(&name.as_str()) {
        return name;
    }
    let meant: Vec<&&str> = declared.iter().filter(|known| same_name(known, &name)).collect();
    match meant[..] {
        [only] if !given.iter().any(|other| other == only) => (**only).to_owned(),
        _ => name,
    }
}
