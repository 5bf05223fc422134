//! Output contracts: what shape of data a client asked for (SPEC §2), and whether data has it.

mod fault;
mod normalise;
mod reduce;
mod scalar;
mod shape;
mod shorthand;
mod types;

use std::fmt;
use std::sync::Arc;

use errand_schema::{Formats, Validator};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use serde_json::{Value, json};

pub use errand_schema::{SCHEMA_DEPTH_MAX, VIOLATIONS_MAX, Violation};
pub use fault::SchemaFault;
pub use normalise::normalise;

pub(crate) use errand_schema::child;
pub(crate) use normalise::normalise_and_rebase;
pub(crate) use shape::{Schema, Shape};
pub(crate) use types::Types;

use crate::limits::SCHEMA_BYTES_MAX;
use fault::{OUTPUT_FORMAT, OUTPUT_SCHEMA};

/// The shape of data a client asked for: the request's own field, the JSON Schema it means, and that schema compiled.
#[derive(Clone)]
pub struct OutputContract {
    source: Source,
    schema: Arc<Value>,
    is_shorthand: bool,
    validator: Arc<Validator>,
}

/// The request field a contract was made from, exactly as the client gave it.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Source {
    OutputSchema(Value),
    OutputFormat(Value),
}

/// A top-level name of the data, for the planner's instructions (SPEC §2, "Field names steer").
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldNote {
    pub name: String,
    /// The schema's `description`, or the text of a described shorthand field.
    pub description: Option<String>,
    /// JSON Schema type names joined with ` or `, `null` left out; `any` when the schema names none.
    pub type_name: String,
}

impl OutputContract {
    /// Reads a request's `output_schema` or `output_format`; neither (or null) is no contract.
    ///
    /// # Errors
    /// When both are given, or the one given is not what SPEC §1 and §2 allow.
    pub fn from_request(
        output_schema: Option<&Value>,
        output_format: Option<&Value>,
    ) -> Result<Option<Self>, SchemaFault> {
        let output_schema = output_schema.filter(|value| !value.is_null());
        let output_format = output_format.filter(|value| !value.is_null());
        match (output_schema, output_format) {
            (None, None) => Ok(None),
            (Some(_), Some(_)) => Err(SchemaFault::Both),
            (Some(value), None) => Self::from_output_schema(value).map(Some),
            (None, Some(value)) => Self::from_output_format(value).map(Some),
        }
    }

    fn from_output_schema(value: &Value) -> Result<Self, SchemaFault> {
        let Some(fields) = value.as_object() else {
            return Err(SchemaFault::NotAnObject { param: OUTPUT_SCHEMA });
        };
        refuse_large(OUTPUT_SCHEMA, value)?;
        let unusable = |reason| SchemaFault::Unusable { param: OUTPUT_SCHEMA, reason };
        let is_shorthand = shorthand::is_shorthand(fields);
        let schema = if is_shorthand { shorthand::translate(fields).map_err(unusable)? } else { value.clone() };
        let validator = Validator::compile(&schema, Formats::Checked).map_err(|error| unusable(error.reason))?;
        Ok(Self {
            source: Source::OutputSchema(value.clone()),
            schema: Arc::new(schema),
            is_shorthand,
            validator: Arc::new(validator),
        })
    }

    fn from_output_format(value: &Value) -> Result<Self, SchemaFault> {
        let Some(fields) = value.as_object() else {
            return Err(SchemaFault::NotAnObject { param: OUTPUT_FORMAT });
        };
        refuse_large(OUTPUT_FORMAT, value)?;
        if let Some(field) = fields.keys().find(|key| !matches!(key.as_str(), "type" | "schema")) {
            return Err(SchemaFault::UnknownField { field: field.clone() });
        }
        if fields.get("type").and_then(Value::as_str) != Some("json_schema") {
            return Err(SchemaFault::FormatType);
        }
        let Some(schema) = fields.get("schema").filter(|schema| schema.is_object()) else {
            return Err(SchemaFault::FormatSchema);
        };
        let validator = Validator::compile(schema, Formats::Annotation)
            .map_err(|error| SchemaFault::Unusable { param: OUTPUT_FORMAT, reason: error.reason })?;
        Ok(Self {
            schema: Arc::new(schema.clone()),
            source: Source::OutputFormat(value.clone()),
            is_shorthand: false,
            validator: Arc::new(validator),
        })
    }

    /// The full JSON Schema, also of a shorthand.
    #[must_use]
    pub fn schema(&self) -> &Value {
        &self.schema
    }

    /// The schema for a model that supports few keywords: the same shape, with less said about its values. What the model
    /// gives back is validated with the full schema.
    #[must_use]
    pub fn reduced_schema(&self) -> Value {
        reduce::reduced(&self.schema)
    }

    /// Whether the client wrote shorthand: fields that were not found then stay null instead of being left out.
    #[must_use]
    pub fn is_shorthand(&self) -> bool {
        self.is_shorthand
    }

    /// # Errors
    /// One violation per failing place, in document order, at most [`VIOLATIONS_MAX`].
    pub fn validate(&self, data: &Value) -> Result<(), Vec<Violation>> {
        self.validator.check(data)
    }

    /// The top-level names of the data, or those of its items when the data is a list.
    #[must_use]
    pub fn top_level(&self) -> Vec<FieldNote> {
        shape::field_notes(&self.schema)
    }

    /// Whether `format` is checked, so that dates must be RFC 3339 (SPEC §2: `output_schema` only).
    pub(crate) fn checks_formats(&self) -> bool {
        self.output_schema().is_some()
    }

    /// The stored form: `{"output_schema": …}` or `{"output_format": …}` with the client's own value.
    #[must_use]
    pub fn to_json(&self) -> Value {
        match &self.source {
            Source::OutputSchema(value) => json!({ OUTPUT_SCHEMA: value }),
            Source::OutputFormat(value) => json!({ OUTPUT_FORMAT: value }),
        }
    }

    /// The client's `output_schema`, if that was the field used.
    #[must_use]
    pub fn output_schema(&self) -> Option<&Value> {
        match &self.source {
            Source::OutputSchema(value) => Some(value),
            Source::OutputFormat(_) => None,
        }
    }

    /// The client's `output_format`, if that was the field used.
    #[must_use]
    pub fn output_format(&self) -> Option<&Value> {
        match &self.source {
            Source::OutputSchema(_) => None,
            Source::OutputFormat(value) => Some(value),
        }
    }

    /// Reads the stored form back.
    ///
    /// # Errors
    /// As [`OutputContract::from_request`]; a form that holds neither field is not an object of ours.
    pub fn from_json(stored: &Value) -> Result<Self, SchemaFault> {
        Self::from_request(stored.get(OUTPUT_SCHEMA), stored.get(OUTPUT_FORMAT))?
            .ok_or(SchemaFault::NotAnObject { param: OUTPUT_SCHEMA })
    }
}

fn refuse_large(param: &'static str, value: &Value) -> Result<(), SchemaFault> {
    let bytes = value.to_string().len();
    if bytes > SCHEMA_BYTES_MAX { Err(SchemaFault::TooLarge { param, bytes }) } else { Ok(()) }
}

impl fmt::Debug for OutputContract {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("OutputContract").field(&self.source).finish()
    }
}

/// Contracts are equal when the client's values are.
impl PartialEq for OutputContract {
    fn eq(&self, other: &Self) -> bool {
        self.source == other.source
    }
}

impl Eq for OutputContract {}

impl Serialize for OutputContract {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_json().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for OutputContract {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let stored = Value::deserialize(deserializer)?;
        Self::from_json(&stored).map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests;
