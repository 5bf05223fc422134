//! A schema cut down to the keywords that every model endpoint with structured output understands (SPEC §2).

use serde_json::{Map, Value};

/// Keywords whose value is kept as it is.
const PLAIN: [&str; 6] = ["type", "required", "enum", "$ref", "description", "title"];
/// Keywords whose value is a schema.
const SCHEMAS: [&str; 2] = ["items", "additionalProperties"];
/// Keywords whose value is a list of schemas.
const LISTS: [&str; 3] = ["anyOf", "allOf", "prefixItems"];
/// Keywords whose members are schemas.
const MAPS: [&str; 3] = ["properties", "$defs", "definitions"];

pub(super) fn reduced(schema: &Value) -> Value {
    let Some(fields) = schema.as_object() else { return schema.clone() };
    let mut kept = Map::new();
    for (keyword, value) in fields {
        let (keyword, value) = match (keyword.as_str(), value) {
            ("const", only) => ("enum", Value::Array(vec![only.clone()])),
            ("oneOf", Value::Array(branches)) => ("anyOf", reduced_list(branches)),
            (keyword, Value::Object(members)) if MAPS.contains(&keyword) => (keyword, reduced_map(members)),
            (keyword, Value::Array(schemas)) if LISTS.contains(&keyword) || keyword == "items" => {
                (keyword, reduced_list(schemas))
            }
            (keyword, inner) if SCHEMAS.contains(&keyword) => (keyword, reduced(inner)),
            (keyword, plain) if PLAIN.contains(&keyword) => (keyword, plain.clone()),
            _ => continue,
        };
        kept.insert(keyword.to_owned(), value);
    }
    Value::Object(kept)
}

fn reduced_list(schemas: &[Value]) -> Value {
    Value::Array(schemas.iter().map(reduced).collect())
}

fn reduced_map(members: &Map<String, Value>) -> Value {
    Value::Object(members.iter().map(|(name, schema)| (name.clone(), reduced(schema))).collect())
}
