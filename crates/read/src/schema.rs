//! The fields that a read is asked for.

use errand_extract::{Options, SchemaError, extract};
use serde_json::Value;
use std::sync::Arc;

/// A JSON Schema that the extractor takes.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadSchema(Arc<Value>);

impl ReadSchema {
    /// # Errors
    /// When it is not an object with properties, or not a JSON Schema.
    pub fn new(schema: Value) -> Result<Self, SchemaError> {
        // An empty page has nothing to extract: what is left is the extractor's own check.
        let checked = extract("", "", &schema, &Options::default())?;
        if checked.of == 0 { Err(SchemaError::NotAnObject) } else { Ok(Self(Arc::new(schema))) }
    }

    /// As JSON Schema.
    #[must_use]
    pub fn json(&self) -> &Value {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_no_schema_of_an_object_has_the_contracts_words() {
        for bad in [
            json!({"type": "string"}),
            json!({}),
            json!([]),
            json!("name"),
            json!({"type": "object", "properties": {}}),
        ] {
            let error = ReadSchema::new(bad).unwrap_err().to_string();
            assert_eq!(error, "extract_schema must be a JSON Schema object with properties");
        }
        let error = ReadSchema::new(json!({"properties": {"a": {"type": "strin"}}})).unwrap_err().to_string();
        assert!(error.starts_with("extract_schema is not a valid JSON Schema: "), "{error}");
        assert!(ReadSchema::new(json!({"properties": {"a": {}}})).is_ok());
    }
}
