//! The shorthand of `output_schema` (SPEC §2): a sketch of the data, translated to a JSON Schema.

use serde_json::{Map, Value, json};

use super::SCHEMA_DEPTH_MAX;
use errand_schema::{child, shown};

/// A top level with any of these is JSON Schema.
const JSON_SCHEMA_KEYS: [&str; 4] = ["type", "properties", "items", "$schema"];

pub(super) fn is_shorthand(top_level: &Map<String, Value>) -> bool {
    !JSON_SCHEMA_KEYS.iter().any(|key| top_level.contains_key(*key))
}

/// # Errors
/// The place and the reason, when something in the sketch is not shorthand.
pub(super) fn translate(fields: &Map<String, Value>) -> Result<Value, String> {
    object(fields, "")
}

fn node(sketch: &Value, place: &str) -> Result<Value, String> {
    if place.matches('/').count() > SCHEMA_DEPTH_MAX {
        return Err(format!("{}: nested more than {SCHEMA_DEPTH_MAX} deep", shown(place)));
    }
    match sketch {
        Value::String(text) => Ok(leaf(text)),
        Value::Array(items) => list(items, place),
        Value::Object(fields) => object(fields, place),
        Value::Null | Value::Bool(_) | Value::Number(_) => Err(format!(
            "{}: {sketch} is not shorthand; write a type name or a description in quotes, a list or an object",
            shown(place)
        )),
    }
}

fn leaf(text: &str) -> Value {
    match text {
        "null" => json!({"type": "null"}),
        "string" | "number" | "integer" | "boolean" | "array" | "object" => json!({"type": [text, "null"]}),
        description => json!({"type": ["string", "null"], "description": description}),
    }
}

fn list(items: &[Value], place: &str) -> Result<Value, String> {
    match items {
        [] => Ok(json!({"type": "array"})),
        [item] => Ok(json!({"type": "array", "items": node(item, &child(place, "0"))?})),
        [_, _, ..] => Err(format!("{}: a list in shorthand shows one item, not {}", shown(place), items.len())),
    }
}

fn object(fields: &Map<String, Value>, place: &str) -> Result<Value, String> {
    let mut properties = Map::new();
    for (name, sketch) in fields {
        properties.insert(name.clone(), node(sketch, &child(place, name))?);
    }
    let required: Vec<&String> = fields.keys().collect();
    Ok(json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false}))
}
