//! How much work validating some data with some schema is. References let a short schema ask for more checks than any
//! machine can make; data is judged only when the number is known to be small.

use std::collections::HashMap;

use serde_json::{Map, Value};

use crate::limits::{BYTES_A_CHECK, CHECK_DEPTH_MAX, OPTIONS_A_CHECK, PAIRS_MAX};
use crate::pattern::Patterns;
use crate::refs::Document;

/// What one schema costs at one place, with all that it applies there and below.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cost {
    pub checks: u64,
    /// Checks whose failures are kept, each with a copy of its value, until a choice is decided.
    pub kept: u64,
    /// Checks made again to learn what the schemas of this place have looked at.
    looked_at: u64,
}

impl Cost {
    const TOO_MUCH: Self = Self { checks: u64::MAX, kept: u64::MAX, looked_at: u64::MAX };

    pub(crate) fn of_one_check() -> Self {
        Self { checks: 1, kept: 0, looked_at: 0 }
    }

    /// The cost of a schema object beside this one of its own: of the schemas at the same place and of those below.
    pub(crate) fn with(self, node: &Value, in_place: &[Self], below: &[Self]) -> Self {
        let sum = |costs: &[Self], of: fn(&Self) -> u64| costs.iter().map(of).fold(0, u64::saturating_add);
        let checks_in_place = sum(in_place, |cost| cost.checks);
        let looked_at = checks_in_place.saturating_add(sum(in_place, |cost| cost.looked_at));
        let looks = ["unevaluatedProperties", "unevaluatedItems"].iter().any(|keyword| node.get(*keyword).is_some());
        let chooses = ["anyOf", "oneOf"].iter().any(|keyword| node.get(*keyword).is_some());
        let checks = self
            .checks
            .saturating_add(checks_in_place)
            .saturating_add(sum(below, |cost| cost.checks))
            .saturating_add(if looks { looked_at } else { 0 });
        let kept_in_place = if chooses { checks_in_place } else { sum(in_place, |cost| cost.kept) };
        Self { checks, looked_at, kept: kept_in_place.saturating_add(sum(below, |cost| cost.kept)) }
    }
}

/// Counts what validating costs, in a time that the number of schemas and places bounds.
pub(crate) fn cost(schema: &Value, patterns: &Patterns, data: &Value) -> Cost {
    let schema = Document::new(schema);
    let mut count = Count { schema: &schema, patterns, counted: HashMap::new(), sizes: HashMap::new(), depth: 0 };
    count.measure(data);
    count.cost(schema.root(), data)
}

struct Count<'c, 's> {
    schema: &'c Document<'s>,
    patterns: &'c Patterns,
    /// By schema and place, so that counting takes no longer than there are pairs of them.
    counted: HashMap<(usize, usize), Cost>,
    /// Bytes of each value with all that is in it.
    sizes: HashMap<usize, u64>,
    depth: usize,
}

fn identity(value: &Value) -> usize {
    std::ptr::from_ref(value) as usize
}

impl<'s> Count<'_, 's> {
    fn measure(&mut self, data: &Value) -> u64 {
        let size = match data {
            Value::Null | Value::Bool(_) | Value::Number(_) => 1,
            Value::String(text) => text.len() as u64,
            Value::Array(items) => items.iter().map(|item| self.measure(item) + 1).sum(),
            Value::Object(members) => {
                members.iter().map(|(name, member)| self.measure(member) + name.len() as u64).sum()
            }
        };
        self.sizes.insert(identity(data), size);
        size
    }

    fn cost(&mut self, node: &'s Value, data: &Value) -> Cost {
        let pair = (identity(node), identity(data));
        if let Some(cost) = self.counted.get(&pair) {
            return *cost;
        }
        if self.counted.len() >= PAIRS_MAX || self.depth >= CHECK_DEPTH_MAX {
            return Cost::TOO_MUCH;
        }
        self.depth += 1;
        let in_place: Vec<Cost> = self.schema.in_place(node).into_iter().map(|part| self.cost(part, data)).collect();
        let below = node.as_object().map(|fields| self.costs_below(fields, data)).unwrap_or_default();
        self.depth -= 1;
        let own = Cost { checks: self.own_checks(node, data), ..Cost::of_one_check() };
        let cost = own.with(node, &in_place, &below);
        self.counted.insert(pair, cost);
        cost
    }

    /// The keywords of the schema object itself, at this place.
    fn own_checks(&self, node: &Value, data: &Value) -> u64 {
        let size = self.sizes.get(&identity(data)).copied().unwrap_or_default();
        let options = node.get("enum").and_then(Value::as_array).map_or(0, Vec::len) / OPTIONS_A_CHECK;
        let matching = match data {
            Value::String(text) => node.get("pattern").and_then(Value::as_str).map(|pattern| (pattern, text.len())),
            _ => None,
        };
        let matching = matching.map_or(0, |(pattern, bytes)| self.patterns.checks(pattern, bytes));
        (1 + size / BYTES_A_CHECK + options as u64).saturating_add(matching).saturating_add(self.names(node, data))
    }

    /// What judging the members' names costs.
    fn names(&self, node: &Value, data: &Value) -> u64 {
        let Value::Object(members) = data else { return 0 };
        let by_pattern = node.get("patternProperties").and_then(Value::as_object);
        let of_names = node.get("propertyNames").and_then(|names| names.get("pattern")?.as_str());
        let patterns: Vec<&str> =
            by_pattern.into_iter().flatten().map(|(pattern, _)| pattern.as_str()).chain(of_names).collect();
        let of_name = |name: &String| {
            patterns.iter().map(|pattern| self.patterns.checks(pattern, name.len())).fold(1, u64::saturating_add)
        };
        members.keys().map(of_name).fold(0, u64::saturating_add)
    }

    fn costs_below(&mut self, fields: &'s Map<String, Value>, data: &Value) -> Vec<Cost> {
        match data {
            Value::Object(members) => {
                let pairs = members.iter().flat_map(|(name, member)| {
                    member_schemas(fields, name).into_iter().map(move |schema| (schema, member))
                });
                pairs.map(|(schema, member)| self.cost(schema, member)).collect()
            }
            Value::Array(items) => {
                let pairs = items.iter().enumerate().flat_map(|(index, item)| {
                    item_schemas(fields, index).into_iter().map(move |schema| (schema, item))
                });
                pairs.map(|(schema, item)| self.cost(schema, item)).collect()
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
        }
    }
}

fn member_schemas<'s>(fields: &'s Map<String, Value>, name: &str) -> Vec<&'s Value> {
    let declared = fields.get("properties").and_then(|properties| properties.get(name));
    let by_pattern = fields.get("patternProperties").and_then(Value::as_object).into_iter().flatten();
    // A schema for names judges each of them, which costs what it costs at a small value.
    let others = ["additionalProperties", "unevaluatedProperties", "propertyNames"];
    let others = others.iter().filter_map(|keyword| fields.get(*keyword));
    declared.into_iter().chain(by_pattern.map(|(_, schema)| schema)).chain(others).collect()
}

fn item_schemas(fields: &Map<String, Value>, index: usize) -> Vec<&Value> {
    let keywords = ["items", "additionalItems", "contains", "unevaluatedItems"];
    let prefix = ["prefixItems", "items"].iter().filter_map(|keyword| fields.get(*keyword)?.get(index));
    prefix
        .chain(keywords.iter().filter_map(|keyword| fields.get(*keyword).filter(|schema| !schema.is_array())))
        .collect()
}
