//! Compiles a JSON Schema: drafts, references within the document only, patterns with bounded work.

use jsonschema::error::ValidationErrorKind;
use jsonschema::{Draft, PatternOptions, ReferencingError, ValidationError, Validator};
use serde_json::Value;

use crate::Formats;
use crate::limits::{PATTERN_BACKTRACKS_MAX, PATTERN_BYTES_MAX, PATTERN_CACHE_BYTES_MAX, SCHEMA_DEPTH_MAX};
use crate::pointer::{child, shown};
use crate::refs::Document;
use crate::worst;

/// # Errors
/// The place in the schema and the reason.
pub(crate) fn compile(schema: &Value, formats: Formats) -> Result<Validator, String> {
    refuse_deep(schema, "", 0)?;
    let draft = draft_of(schema)?;
    let references = Document::new(schema);
    references.refuse_endless()?;
    // Before the validator is built: building one takes as long and as much stack as using it.
    worst::refuse_costly(&references)?;
    let patterns = PatternOptions::fancy_regex()
        .backtrack_limit(PATTERN_BACKTRACKS_MAX)
        .size_limit(PATTERN_BYTES_MAX)
        .dfa_size_limit(PATTERN_CACHE_BYTES_MAX);
    jsonschema::options()
        .with_draft(draft)
        .offline()
        .should_validate_formats(formats == Formats::Checked)
        .with_pattern_options(patterns)
        .build(schema)
        .map_err(|error| reason(schema, &error))
}

fn refuse_deep(node: &Value, place: &str, depth: usize) -> Result<(), String> {
    if depth > SCHEMA_DEPTH_MAX {
        return Err(format!("{}: nested more than {SCHEMA_DEPTH_MAX} deep", shown(place)));
    }
    match node {
        Value::Object(fields) => {
            fields.iter().try_for_each(|(key, inner)| refuse_deep(inner, &child(place, key), depth + 1))
        }
        Value::Array(items) => items
            .iter()
            .enumerate()
            .try_for_each(|(index, inner)| refuse_deep(inner, &child(place, &index.to_string()), depth + 1)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Ok(()),
    }
}

fn draft_of(schema: &Value) -> Result<Draft, String> {
    let Some(named) = schema.get("$schema") else {
        return Ok(Draft::Draft202012);
    };
    let Some(uri) = named.as_str() else {
        return Err(format!("{}: must be a string", shown("/$schema")));
    };
    match Draft::from_schema_uri(uri) {
        Draft::Unknown => Err(unknown_reference(uri)),
        draft => Ok(draft),
    }
}

fn unknown_reference(uri: &str) -> String {
    format!("no schema with key or ref \"{uri}\"")
}

fn reason(schema: &Value, error: &ValidationError<'_>) -> String {
    if let ValidationErrorKind::Referencing(cause) = error.kind() {
        return referencing_reason(schema, cause);
    }
    let place = error.instance_path().to_string();
    let keyword = place.rsplit('/').next().unwrap_or_default();
    let value = error.instance();
    match (keyword, error.kind()) {
        ("type", ValidationErrorKind::AnyOf { .. } | ValidationErrorKind::Enum { .. }) => {
            format!("{}: {value} is not a JSON Schema type", shown(&place))
        }
        ("pattern", ValidationErrorKind::Format { .. } | ValidationErrorKind::Pattern { .. }) => {
            format!("{}: {value} is not a usable regular expression", shown(&place))
        }
        _ => format!("{}: {error}", shown(&place)),
    }
}

fn referencing_reason(schema: &Value, cause: &ReferencingError) -> String {
    if let Some((place, reference)) = Document::new(schema).first_unresolved() {
        return format!("{}: {}", shown(&place), unknown_reference(&reference));
    }
    match cause {
        ReferencingError::Unretrievable { uri, .. } => unknown_reference(uri),
        ReferencingError::PointerToNowhere { pointer } => unknown_reference(&format!("#{pointer}")),
        ReferencingError::NoSuchAnchor { anchor } => unknown_reference(&format!("#{anchor}")),
        ReferencingError::UnknownSpecification { specification } => unknown_reference(specification),
        other => other.to_string(),
    }
}
