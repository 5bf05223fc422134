//! How much work validating some data with some schema is. References let a short schema ask for more checks than any
//! machine can make; data is judged only when the number is known to be small.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::refs::Schema;

/// Schemas applied to places of the data, in all: some seconds at worst. Large honest data needs a tenth of it.
pub(super) const CHECKS_MAX: u64 = 1_000_000;
/// Pairs of schema and place that are counted; more would be too many checks anyway.
const PAIRS_MAX: usize = 1_000_000;

/// Whether validating stays below [`CHECKS_MAX`].
pub(super) fn is_bearable(schema: &Value, data: &Value) -> bool {
    let schema = Schema::new(schema);
    let mut count = Count { schema: &schema, counted: HashMap::new() };
    count.checks(schema.root(), data) <= CHECKS_MAX
}

struct Count<'c, 's> {
    schema: &'c Schema<'s>,
    /// Checks by schema and place, so that counting takes no longer than there are pairs of them.
    counted: HashMap<(usize, usize), u64>,
}

impl<'s> Count<'_, 's> {
    fn checks(&mut self, node: &'s Value, data: &Value) -> u64 {
        let pair = (std::ptr::from_ref(node) as usize, std::ptr::from_ref(data) as usize);
        if let Some(checks) = self.counted.get(&pair) {
            return *checks;
        }
        if self.counted.len() >= PAIRS_MAX {
            return u64::MAX;
        }
        let mut checks = 1_u64;
        for part in self.schema.in_place(node) {
            checks = checks.saturating_add(self.checks(part, data));
        }
        if let Some(fields) = node.as_object() {
            checks = checks.saturating_add(self.checks_below(fields, data));
        }
        self.counted.insert(pair, checks);
        checks
    }

    fn checks_below(&mut self, fields: &'s Map<String, Value>, data: &Value) -> u64 {
        let mut checks = 0_u64;
        match data {
            Value::Object(members) => {
                for (name, member) in members {
                    for schema in member_schemas(fields, name) {
                        checks = checks.saturating_add(self.checks(schema, member));
                    }
                }
            }
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    for schema in item_schemas(fields, index) {
                        checks = checks.saturating_add(self.checks(schema, item));
                    }
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
        checks
    }
}

fn member_schemas<'s>(fields: &'s Map<String, Value>, name: &str) -> Vec<&'s Value> {
    let declared = fields.get("properties").and_then(|properties| properties.get(name));
    let by_pattern = fields.get("patternProperties").and_then(Value::as_object).into_iter().flatten();
    let others = ["additionalProperties", "unevaluatedProperties"].iter().filter_map(|keyword| fields.get(*keyword));
    declared.into_iter().chain(by_pattern.map(|(_, schema)| schema)).chain(others).collect()
}

fn item_schemas(fields: &Map<String, Value>, index: usize) -> Vec<&Value> {
    let keywords = ["items", "additionalItems", "contains", "unevaluatedItems"];
    let prefix = ["prefixItems", "items"].iter().filter_map(|keyword| fields.get(*keyword)?.get(index));
    prefix
        .chain(keywords.iter().filter_map(|keyword| fields.get(*keyword).filter(|schema| !schema.is_array())))
        .collect()
}
