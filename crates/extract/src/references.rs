//! State whose parts refer to each other, in circles too: Nuxt 3 payloads by index, Apollo caches by key.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::copies::Copies;

/// Deepest that a payload is followed.
const PAYLOAD_DEPTH_MAX: usize = 40;
/// Deepest that an Apollo cache is followed.
const CACHE_DEPTH_MAX: usize = 12;
/// How often what is referred to again and again is taken with all that it holds.
const TIMES_MAX: u8 = 50;

/// The value that a payload stands for.
#[must_use]
pub fn revive(items: &[Value], copies: &Copies) -> Value {
    Payload { items, copies, times: vec![0; items.len()], open: Vec::new() }.at(0).unwrap_or(Value::Null)
}

/// The cache, or what is in it, with `{"__ref": key}` replaced by what it holds under that key.
#[must_use]
pub fn follow(value: &Value, cache: &Map<String, Value>, copies: &Copies) -> Value {
    Cache { entries: cache, copies, times: BTreeMap::new(), open: Vec::new() }.follow(value, 0).unwrap_or(Value::Null)
}

/// A payload whose containers name their parts by index. An index may be named again and again, also by what it holds: the
/// first times it is taken with all it holds, later only with its plain values.
struct Payload<'a> {
    items: &'a [Value],
    copies: &'a Copies,
    times: Vec<u8>,
    /// The containers that are being taken.
    open: Vec<usize>,
}

impl<'a> Payload<'a> {
    /// Nothing once no more may be copied; every value counts, empty ones too.
    fn at(&mut self, index: usize) -> Option<Value> {
        self.copies.count_value()?;
        let Some(value) = self.items.get(index) else { return Some(Value::Null) };
        if !value.is_object() && !value.is_array() {
            return self.copies.copy(value);
        }
        let times = self.times.get(index).copied().unwrap_or(TIMES_MAX);
        if times == TIMES_MAX || self.open.len() > PAYLOAD_DEPTH_MAX || self.open.contains(&index) {
            return Some(self.outline(value));
        }
        if let Some(known) = self.times.get_mut(index) {
            *known += 1;
        }
        self.open.push(index);
        let whole = self.whole(value);
        self.open.pop();
        whole
    }

    fn part(&mut self, value: &Value) -> Option<Value> {
        match value.as_u64().and_then(|index| usize::try_from(index).ok()) {
            Some(index) => self.at(index),
            None => self.copies.count_value().map(|()| Value::Null),
        }
    }

    fn whole(&mut self, value: &'a Value) -> Option<Value> {
        match value {
            Value::Object(map) => {
                let entries =
                    map.iter().map_while(|(key, value)| Some((self.copies.copy_key(key)?, self.part(value)?)));
                Some(Value::Object(entries.collect()))
            }
            Value::Array(list) => match list.first() {
                // A tagged value: `["Reactive", 1]`, `["Date", "…"]`, `["Set", 1, 2]`.
                Some(Value::String(tag)) if tag == "Date" || tag == "BigInt" => {
                    list.get(1).map_or(Some(Value::Null), |value| self.copies.copy(value))
                }
                Some(Value::String(tag)) if tag == "Set" => Some(self.parts(list.get(1..).unwrap_or(&[]))),
                Some(Value::String(tag)) if tag == "Map" => Some(self.map(list)),
                Some(Value::String(_)) => list.get(1).map_or(Some(Value::Null), |value| self.part(value)),
                _ => Some(self.parts(list)),
            },
            other => self.copies.copy(other),
        }
    }

    fn parts(&mut self, list: &[Value]) -> Value {
        Value::Array(list.iter().map_while(|value| self.part(value)).collect())
    }

    fn map(&mut self, list: &[Value]) -> Value {
        let mut map = Map::new();
        for pair in list.get(1..).unwrap_or(&[]).chunks(2) {
            let [key, value] = pair else { break };
            let Some((key, value)) = self.part(key).and_then(|key| Some((key, self.part(value)?))) else { break };
            if let Value::String(key) = key {
                map.insert(key, value);
            }
        }
        Value::Object(map)
    }

    /// The plain values of an object, and nothing of a list.
    fn outline(&self, value: &Value) -> Value {
        let Value::Object(map) = value else { return Value::Null };
        let plain = |value: &Value| {
            let part = value.as_u64().and_then(|index| self.items.get(usize::try_from(index).ok()?));
            part.filter(|part| !part.is_object() && !part.is_array())
        };
        let entries = map.iter().filter_map(|(key, value)| Some((key, plain(value)?)));
        let copied = entries.map_while(|(key, value)| Some((self.copies.copy_key(key)?, self.copies.copy(value)?)));
        Value::Object(copied.collect())
    }
}

/// An Apollo cache, whose entries refer to each other, in circles too. An entry is taken as a [`Payload`]'s container is.
struct Cache<'a> {
    entries: &'a Map<String, Value>,
    copies: &'a Copies,
    times: BTreeMap<&'a str, u8>,
    open: Vec<&'a str>,
}

impl<'a> Cache<'a> {
    /// Replaces `{"__ref": key}` by what the cache holds under that key. Nothing once no more may be copied.
    fn follow(&mut self, value: &'a Value, depth: usize) -> Option<Value> {
        self.copies.count_value()?;
        if depth > CACHE_DEPTH_MAX {
            return Some(Value::Null);
        }
        match value {
            Value::Object(map) => {
                let reference = map
                    .get("__ref")
                    .or_else(|| map.get("id").filter(|_| map.get("type").is_some_and(|kind| kind == "id")))
                    .and_then(Value::as_str);
                if let Some((key, entry)) = reference.and_then(|key| Some((key, self.entries.get(key)?))) {
                    return self.entry(key, entry, depth);
                }
                let entries = map
                    .iter()
                    .map_while(|(key, item)| Some((self.copies.copy_key(key)?, self.follow(item, depth + 1)?)));
                Some(Value::Object(entries.collect()))
            }
            Value::Array(items) => {
                Some(Value::Array(items.iter().map_while(|item| self.follow(item, depth + 1)).collect()))
            }
            other => self.copies.copy(other),
        }
    }

    fn entry(&mut self, key: &'a str, entry: &'a Value, depth: usize) -> Option<Value> {
        let times = self.times.entry(key).or_default();
        if *times == TIMES_MAX || self.open.contains(&key) {
            return Some(self.outline(entry));
        }
        *times += 1;
        self.open.push(key);
        let whole = self.follow(entry, depth + 1);
        self.open.pop();
        whole
    }

    /// The plain values of an entry.
    fn outline(&self, entry: &Value) -> Value {
        let Value::Object(map) = entry else { return Value::Null };
        let plain = map.iter().filter(|(_, value)| !value.is_object() && !value.is_array());
        let copied = plain.map_while(|(key, value)| Some((self.copies.copy_key(key)?, self.copies.copy(value)?)));
        Value::Object(copied.collect())
    }
}
