//! What a JSON Schema asks for, as a tree of fields; references inside the document are followed, others are not.

use std::cell::Cell;

use serde_json::{Map, Value};

use crate::names::{self, Concept};

/// Deepest nesting of fields followed.
const DEPTH_MAX: usize = 8;
/// Most references followed from one place.
const REFERENCES_MAX: usize = 16;
/// Most fields of one object.
const FIELDS_MAX: usize = 500;
/// Fields of all levels together: a schema that refers to itself from each of its fields has that many to the power of
/// the depth.
const FIELDS_TOTAL_MAX: usize = 3_000;
/// Allowed values of a field that count as much as a field: they are copied with it.
const VALUES_A_FIELD: usize = 16;

/// Why a schema cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SchemaError {
    /// Not an object schema.
    #[error("extract_schema must be a JSON Schema object with properties")]
    NotAnObject,
    /// Refused by the JSON Schema rules.
    #[error("extract_schema is not a valid JSON Schema: {reason}")]
    Invalid {
        /// Where and why.
        reason: String,
    },
}

/// The shape a field's value must have.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// Text.
    Text,
    /// Any number.
    Number,
    /// A whole number.
    Integer,
    /// True or false.
    Boolean,
    /// Whatever is there.
    Any,
    /// A list of one shape.
    List(Box<Field>),
    /// An object.
    Record(Vec<Field>),
}

/// One field that a schema asks for.
#[derive(Clone, Debug)]
pub struct Field {
    /// The property's name.
    pub name: String,
    /// What the name means, if known.
    pub concept: Option<&'static Concept>,
    /// The shape wanted.
    pub shape: Shape,
    /// What the schema says about it.
    pub description: String,
    /// `x-paths`, first.
    pub paths: Vec<String>,
    /// `x-type` or `title`: the preferred schema.org type.
    pub of_type: String,
    /// `format`.
    pub format: String,
    /// Allowed values, empty if not limited.
    pub allowed: Vec<Value>,
    /// Whether null is a valid value.
    pub nullable: bool,
    /// Whether the object must hold it.
    pub required: bool,
}

impl PartialEq for Field {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && self.shape == other.shape
    }
}

impl Field {
    /// Whether the value is a list of objects.
    #[must_use]
    pub fn is_records(&self) -> bool {
        matches!(&self.shape, Shape::List(item) if matches!(item.shape, Shape::Record(_)))
    }
}

/// Reads a schema into its root field.
///
/// # Errors
/// [`SchemaError`] when the schema is not an object with properties.
pub fn read(schema: &Value) -> Result<Field, SchemaError> {
    let root = expanded(schema);
    match root.shape {
        Shape::Record(ref fields) if !fields.is_empty() => Ok(root),
        Shape::Record(_) if schema.get("properties").is_some_and(Value::is_object) => Ok(root),
        Shape::Record(_)
        | Shape::Text
        | Shape::Number
        | Shape::Integer
        | Shape::Boolean
        | Shape::Any
        | Shape::List(_) => Err(SchemaError::NotAnObject),
    }
}

/// As deep as the number of fields allows.
fn expanded(schema: &Value) -> Field {
    let mut depth_max = DEPTH_MAX;
    loop {
        let resolver = Resolver { root: schema, depth_max, left: Cell::new(FIELDS_TOTAL_MAX) };
        let root = resolver.field("", schema, true, 0);
        if resolver.left.get() > 0 || depth_max == 1 {
            return root;
        }
        depth_max -= 1;
    }
}

struct Resolver<'a> {
    root: &'a Value,
    depth_max: usize,
    /// Fields that may still be made.
    left: Cell<usize>,
}

impl<'a> Resolver<'a> {
    fn field(&self, name: &str, schema: &'a Value, required: bool, depth: usize) -> Field {
        let parts = self.parts(schema);
        let text = |key: &str| parts.iter().find_map(|part| part.get(key)?.as_str()).unwrap_or("").to_owned();
        let allowed = allowed(&parts);
        self.left.set(self.left.get().saturating_sub(1 + allowed.len() / VALUES_A_FIELD));
        let of_type = if text("x-type").is_empty() { text("title") } else { text("x-type") };
        Field {
            name: name.to_owned(),
            concept: names::concept(name),
            shape: self.shape(name, &parts, depth),
            description: text("description"),
            paths: parts.iter().find_map(|part| Some(string_list(part.get("x-paths")?))).unwrap_or_default(),
            of_type,
            format: text("format"),
            allowed,
            nullable: self.is_nullable(schema, &parts),
            required,
        }
    }

    /// The schema with its references and the first useful branch of its combinations, most specific first.
    fn parts(&self, schema: &'a Value) -> Vec<&'a Map<String, Value>> {
        let mut parts = Vec::new();
        let mut queue = vec![schema];
        while let Some(next) = queue.pop() {
            let Some(object) = next.as_object() else { continue };
            if parts.len() >= REFERENCES_MAX {
                break;
            }
            parts.push(object);
            if let Some(target) = object.get("$ref").and_then(Value::as_str).and_then(|pointer| self.resolve(pointer)) {
                queue.push(target);
            }
            for key in ["anyOf", "oneOf"] {
                let branches = object.get(key).and_then(Value::as_array);
                queue.extend(branches.and_then(|branches| branches.iter().find(|branch| !is_null_type(branch))));
            }
            queue.extend(object.get("allOf").and_then(Value::as_array).into_iter().flatten());
        }
        parts
    }

    fn may_expand(&self, depth: usize) -> bool {
        depth < self.depth_max && (depth == 0 || self.left.get() > 0)
    }

    fn resolve(&self, pointer: &str) -> Option<&'a Value> {
        let path = pointer.strip_prefix('#')?;
        self.root.pointer(path).or_else(|| {
            // A plain name anchor.
            let definitions = self.root.get("$defs").or_else(|| self.root.get("definitions"))?.as_object()?;
            definitions.values().find(|item| item.get("$anchor").and_then(Value::as_str) == Some(path))
        })
    }

    fn shape(&self, name: &str, parts: &[&'a Map<String, Value>], depth: usize) -> Shape {
        let wanted = parts.iter().find_map(|part| main_type(part.get("type")?));
        let has_properties = parts.iter().any(|part| part.get("properties").is_some_and(Value::is_object));
        match wanted {
            Some("object") => self.record(parts, depth),
            None if has_properties => self.record(parts, depth),
            Some("array") => self.list(name, parts, depth),
            None if parts.iter().any(|part| part.contains_key("items")) => self.list(name, parts, depth),
            Some("string") => Shape::Text,
            Some("number") => Shape::Number,
            Some("integer") => Shape::Integer,
            Some("boolean") => Shape::Boolean,
            Some(_) | None => shape_of_values(&allowed(parts)),
        }
    }

    fn record(&self, parts: &[&'a Map<String, Value>], depth: usize) -> Shape {
        let mut fields: Vec<Field> = Vec::new();
        let required: Vec<String> =
            parts.iter().filter_map(|part| part.get("required")).flat_map(string_list).collect();
        for part in parts {
            let Some(properties) = part.get("properties").and_then(Value::as_object) else { continue };
            for (name, schema) in properties.iter().take(FIELDS_MAX) {
                if self.may_expand(depth) && !fields.iter().any(|field| field.name == *name) {
                    fields.push(self.field(name, schema, required.contains(name), depth + 1));
                }
            }
        }
        Shape::Record(fields)
    }

    fn list(&self, name: &str, parts: &[&'a Map<String, Value>], depth: usize) -> Shape {
        let items = parts.iter().find_map(|part| part.get("items").or_else(|| part.get("prefixItems")?.get(0)));
        let item = match items {
            Some(schema) if self.may_expand(depth) => self.field(name, schema, true, depth + 1),
            Some(_) | None => self.field(name, &Value::Null, true, depth + 1),
        };
        Shape::List(Box::new(item))
    }

    fn is_nullable(&self, schema: &Value, parts: &[&Map<String, Value>]) -> bool {
        let branches = |key: &str| {
            schema.get(key).and_then(Value::as_array).is_some_and(|branches| branches.iter().any(is_null_type))
        };
        let types_null = parts.iter().find_map(|part| part.get("type")).is_some_and(|kind| match kind {
            Value::Array(kinds) => kinds.iter().any(|kind| kind == "null"),
            other => other == "null",
        });
        let flagged = parts.iter().any(|part| part.get("nullable") == Some(&Value::Bool(true)));
        types_null || flagged || branches("anyOf") || branches("oneOf") || allowed(parts).contains(&Value::Null)
    }
}

fn is_null_type(schema: &Value) -> bool {
    schema.get("type").is_some_and(|kind| kind == "null") || schema.get("const").is_some_and(Value::is_null)
}

/// The first type that is not null; number before the others when several are allowed, as it is the narrowest.
fn main_type(kind: &Value) -> Option<&str> {
    match kind {
        Value::String(kind) => Some(kind),
        Value::Array(kinds) => {
            let mut names = kinds.iter().filter_map(Value::as_str).filter(|kind| *kind != "null");
            names.clone().find(|kind| *kind == "number").or_else(|| names.next())
        }
        _ => None,
    }
}

fn shape_of_values(values: &[Value]) -> Shape {
    match values.iter().find(|value| !value.is_null()) {
        Some(Value::String(_)) => Shape::Text,
        Some(Value::Number(_)) => Shape::Number,
        Some(Value::Bool(_)) => Shape::Boolean,
        Some(Value::Null | Value::Array(_) | Value::Object(_)) | None => Shape::Any,
    }
}

fn allowed(parts: &[&Map<String, Value>]) -> Vec<Value> {
    for part in parts {
        if let Some(values) = part.get("enum").and_then(Value::as_array) {
            return values.clone();
        }
        if let Some(value) = part.get("const") {
            return vec![value.clone()];
        }
    }
    Vec::new()
}

fn string_list(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.clone()],
        Value::Array(items) => items.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn references_and_nullable_spellings_are_followed() {
        let schema = json!({"type": "object", "required": ["a"], "properties": {
            "a": {"$ref": "#/$defs/money"}, "b": {"type": ["string", "null"]}, "c": {"anyOf": [{"type": "null"}, {"type": "integer"}]},
            "d": {"type": "array", "items": {"type": "object", "properties": {"e": {"type": "boolean"}}}}, "f": {"enum": ["x", "y"]}},
            "$defs": {"money": {"type": "number"}}});
        let Shape::Record(fields) = read(&schema).unwrap().shape else { panic!("not a record") };
        assert_eq!(fields[0].shape, Shape::Number);
        assert!(fields[0].required && fields[1].nullable && fields[2].nullable);
        assert_eq!(fields[2].shape, Shape::Integer);
        assert!(fields[3].is_records());
        assert_eq!(fields[4].allowed.len(), 2);
    }

    #[test]
    fn a_schema_without_properties_is_refused() {
        for schema in [json!({"type": "array"}), json!("x"), json!({"name": "string"})] {
            assert_eq!(
                read(&schema).unwrap_err().to_string(),
                "extract_schema must be a JSON Schema object with properties"
            );
        }
    }

    fn fields_of(field: &Field) -> usize {
        match &field.shape {
            Shape::Record(fields) => 1 + fields.iter().map(fields_of).sum::<usize>(),
            Shape::List(item) => 1 + fields_of(item),
            Shape::Text | Shape::Number | Shape::Integer | Shape::Boolean | Shape::Any => 1,
        }
    }

    #[test]
    fn a_schema_that_refers_to_itself_from_every_field_is_read_less_deep() {
        let names: Vec<String> = (0..200).map(|field| format!("f{field}")).collect();
        let properties: Map<String, Value> = names.iter().map(|name| (name.clone(), json!({"$ref": "#"}))).collect();
        let root = read(&json!({ "properties": properties })).unwrap();
        assert_eq!(fields_of(&root), 201);
        let few = json!({"properties": {"a": {"$ref": "#"}, "b": {"$ref": "#"}, "name": {"type": "string"}}});
        assert!(fields_of(&read(&few).unwrap()) > 700);
    }

    #[test]
    fn a_schema_that_refers_to_itself_ends() {
        let schema = json!({"properties": {"child": {"$ref": "#"}, "name": {"type": "string"}}});
        assert!(read(&schema).is_ok());
    }
}
