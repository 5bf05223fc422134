//! The worst case of a schema, before any data is there: how many checks it asks for when each of its parts is met once,
//! and how many schemas lead through each other. A short schema can ask for more than any machine can do.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use crate::effort::Cost;
use crate::limits::{SCHEMA_CHAIN_MAX, SCHEMA_CHECKS_MAX};
use crate::pattern::Patterns;
use crate::refs::Document;

/// Enough to find a pattern again.
const PATTERN_CHARS_SHOWN: usize = 60;

/// # Errors
/// When the schema asks for too much, in words for the client.
pub(crate) fn refuse_costly(schema: &Document<'_>) -> Result<(), String> {
    if let Some(pattern) = Patterns::of(schema.root()).too_large() {
        let shown: String = pattern.chars().take(PATTERN_CHARS_SHOWN).collect();
        return Err(format!("its patterns are too large; the largest begins with {shown:?}"));
    }
    let mut count = Count { schema, counted: HashMap::new(), on_path: HashSet::new(), is_too_deep: false };
    let cost = count.cost(schema.root());
    if count.is_too_deep {
        return Err(format!("it leads through more than {SCHEMA_CHAIN_MAX} schemas at one place"));
    }
    if cost.checks > SCHEMA_CHECKS_MAX {
        return Err(format!("it asks for more than {SCHEMA_CHECKS_MAX} checks of one value"));
    }
    Ok(())
}

struct Count<'c, 's> {
    schema: &'c Document<'s>,
    counted: HashMap<usize, Cost>,
    on_path: HashSet<usize>,
    is_too_deep: bool,
}

impl<'s> Count<'_, 's> {
    /// A schema that leads back to itself does so through the data, which decides how often: it counts once.
    fn cost(&mut self, node: &'s Value) -> Cost {
        let identity = std::ptr::from_ref(node) as usize;
        if let Some(cost) = self.counted.get(&identity) {
            return *cost;
        }
        if !self.on_path.insert(identity) {
            return Cost::of_one_check();
        }
        self.is_too_deep |= self.on_path.len() > SCHEMA_CHAIN_MAX;
        let cost = if self.is_too_deep { Cost::of_one_check() } else { self.cost_within(node) };
        self.on_path.remove(&identity);
        self.counted.insert(identity, cost);
        cost
    }

    fn cost_within(&mut self, node: &'s Value) -> Cost {
        let in_place: Vec<Cost> = self.schema.in_place(node).into_iter().map(|part| self.cost(part)).collect();
        let below: Vec<Cost> = schemas_below(node).into_iter().map(|part| self.cost(part)).collect();
        Cost::of_one_check().with(node, &in_place, &below)
    }
}

/// Every schema for members and items.
fn schemas_below(node: &Value) -> Vec<&Value> {
    let maps = ["properties", "patternProperties"].iter().filter_map(|keyword| node.get(*keyword)?.as_object());
    let lists = ["prefixItems", "items"].iter().filter_map(|keyword| node.get(*keyword)?.as_array());
    let ones = [
        "additionalProperties",
        "unevaluatedProperties",
        "propertyNames",
        "items",
        "additionalItems",
        "contains",
        "unevaluatedItems",
    ];
    let ones = ones.iter().filter_map(|keyword| node.get(*keyword)).filter(|schema| schema.is_object());
    maps.flat_map(serde_json::Map::values).chain(lists.flatten()).chain(ones).collect()
}
