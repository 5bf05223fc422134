//! What is wrong with data, field by field, in words for `data_error` and for the planner that repairs it.

use std::collections::BTreeSet;
use std::fmt;

use jsonschema::ValidationError;
use jsonschema::error::{TypeKind, ValidationErrorKind};

use crate::limits::VIOLATIONS_MAX;
use crate::pointer::child;

/// Characters of one message: it may quote the value.
const MESSAGE_CHARS_MAX: usize = 200;

/// One place of the data that does not fit the schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// JSON Pointer into the data (RFC 6901); of a missing member, where it should be.
    pub pointer: String,
    pub message: String,
    /// A required value is missing or null: nothing is wrong with what was found.
    pub is_unfound: bool,
}

impl Violation {
    fn new(pointer: String, message: String) -> Self {
        Self { pointer, message, is_unfound: false }
    }

    pub(crate) fn too_costly() -> Self {
        Self::new(String::new(), "takes too many checks to validate with this schema".to_owned())
    }

    /// It fails, and finding out where would cost too much.
    pub(crate) fn untold() -> Self {
        Self::new(String::new(), "does not match".to_owned())
    }

    fn unfound(pointer: String) -> Self {
        Self { pointer, message: "is required but was not found on the visited pages".to_owned(), is_unfound: true }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = if self.pointer.is_empty() { "/" } else { &self.pointer };
        write!(f, "{place}: {}", self.message)
    }
}

pub(crate) fn violations(errors: &[ValidationError<'_>]) -> Vec<Violation> {
    let mut seen = BTreeSet::new();
    let mut violations: Vec<Violation> = errors
        .iter()
        .flat_map(describe)
        .filter(|violation| seen.insert((violation.pointer.clone(), violation.message.clone())))
        .take(VIOLATIONS_MAX)
        .collect();
    if violations.is_empty() {
        violations.push(Violation::untold());
    }
    violations
}

/// A line for each error, in the validator's own words.
pub(crate) fn lines(errors: &[ValidationError<'_>]) -> Vec<String> {
    let line = |error: &ValidationError<'_>| {
        let place = error.instance_path().to_string();
        if place.is_empty() { error.to_string() } else { format!("{place}: {error}") }
    };
    errors.iter().map(line).collect()
}

fn describe(error: &ValidationError<'_>) -> Vec<Violation> {
    let place = error.instance_path().to_string();
    match error.kind() {
        ValidationErrorKind::Required { property } => {
            vec![Violation::unfound(child(&place, property.as_str().unwrap_or_default()))]
        }
        ValidationErrorKind::AdditionalProperties { unexpected }
        | ValidationErrorKind::UnevaluatedProperties { unexpected } => {
            let at = |name: &String| Violation::new(child(&place, name), "is not a field of the schema".to_owned());
            unexpected.iter().map(at).collect()
        }
        _ if error.instance().is_null() => vec![Violation::unfound(place)],
        ValidationErrorKind::Type { kind } => vec![Violation::new(place, type_message(error, kind))],
        ValidationErrorKind::BacktrackLimitExceeded { .. } | ValidationErrorKind::RegexEngineFailure { .. } => {
            vec![Violation::new(place, "could not be matched with the pattern".to_owned())]
        }
        ValidationErrorKind::OneOfNotValid { context } | ValidationErrorKind::AnyOf { context } => {
            branch_violations(context).unwrap_or_else(|| vec![told(error, place)])
        }
        _ => vec![told(error, place)],
    }
}

fn type_message(error: &ValidationError<'_>, kind: &TypeKind) -> String {
    let wanted = match kind {
        TypeKind::Single(wanted) => wanted.to_string(),
        TypeKind::Multiple(wanted) => wanted.iter().map(|wanted| wanted.to_string()).collect::<Vec<_>>().join(" or "),
    };
    shortened(&format!("{} is not of type {wanted}", error.instance()))
}

/// A branch that fails only for what was not found, or only inside the value, says more than the union as a whole.
fn branch_violations(context: &[Vec<ValidationError<'static>>]) -> Option<Vec<Violation>> {
    let is_type_error = |error: &ValidationError<'_>| matches!(error.kind(), ValidationErrorKind::Type { .. });
    let fitting = context.iter().filter(|errors| !errors.iter().any(is_type_error) && !errors.is_empty());
    let closest = fitting.min_by_key(|errors| errors.len())?;
    Some(closest.iter().flat_map(describe).collect())
}

fn told(error: &ValidationError<'_>, pointer: String) -> Violation {
    Violation::new(pointer, shortened(&error.to_string()))
}

fn shortened(message: &str) -> String {
    if message.chars().count() <= MESSAGE_CHARS_MAX {
        return message.to_owned();
    }
    let start: String = message.chars().take(MESSAGE_CHARS_MAX).collect();
    format!("{start}…")
}
