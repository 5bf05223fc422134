//! Validates data with a JSON Schema within a bounded effort, whoever wrote the schema and whatever the data is. Nothing
//! else of ours uses a validator: whoever validates goes through [`Validator`], which counts before it works.

#![cfg_attr(test, allow(clippy::unwrap_used, reason = "a test may fail loudly"))]

mod compile;
mod effort;
pub mod limits;
mod pattern;
mod pointer;
mod refs;
mod violation;
mod worst;

use std::fmt;

use serde_json::Value;
use thiserror::Error;

pub use limits::{SCHEMA_DEPTH_MAX, VIOLATIONS_MAX};
pub use pointer::{child, shown};
pub use refs::Document;
pub use violation::Violation;

use limits::{CHECKS_MAX, CHOICES_TOLD_MAX, ERRORS_TOLD_MAX};
use pattern::Patterns;

/// What `format` means: checked for `output_schema`, a note for `output_format` (SPEC §2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Formats {
    Checked,
    Annotation,
}

/// A schema that cannot be used. Permanent: the same schema is refused again.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{reason}")]
pub struct UnusableSchema {
    /// The place in the schema and what is wrong there.
    pub reason: String,
}

/// A compiled schema. Validating costs at most [`limits::CHECKS_MAX`]: what would cost more is not begun.
#[derive(Clone)]
pub struct Validator {
    schema: Value,
    patterns: Patterns,
    compiled: jsonschema::Validator,
}

impl Validator {
    /// # Errors
    /// When it is no JSON Schema, refers to what is not in it, or asks for more checks than [`limits::SCHEMA_CHECKS_MAX`].
    pub fn compile(schema: &Value, formats: Formats) -> Result<Self, UnusableSchema> {
        let compiled = compile::compile(schema, formats).map_err(|reason| UnusableSchema { reason })?;
        Ok(Self { schema: schema.clone(), patterns: Patterns::of(schema), compiled })
    }

    /// # Errors
    /// One violation per failing place, in document order, at most [`VIOLATIONS_MAX`].
    pub fn check(&self, data: &Value) -> Result<(), Vec<Violation>> {
        match self.judge(data) {
            Verdict::Valid => Ok(()),
            Verdict::Fails(errors) => Err(violation::violations(&errors)),
            Verdict::Untold(violation) => Err(vec![violation]),
        }
    }

    /// # Errors
    /// What is wrong, a line each with its place, at most `lines_max`.
    pub fn check_in_lines(&self, data: &Value, lines_max: usize) -> Result<(), Vec<String>> {
        match self.judge(data) {
            Verdict::Valid => Ok(()),
            Verdict::Fails(errors) => Err(violation::lines(&errors[..errors.len().min(lines_max)])),
            Verdict::Untold(violation) => Err(vec![violation.message]),
        }
    }

    /// Counts, asks whether the data is valid, and only of what is not asks why: whoever tells apart why a choice of
    /// schemas failed keeps each failure of each of them.
    fn judge<'v>(&'v self, data: &'v Value) -> Verdict<'v> {
        let cost = effort::cost(&self.schema, &self.patterns, data);
        if cost.checks > CHECKS_MAX {
            return Verdict::Untold(Violation::too_costly());
        }
        if self.compiled.is_valid(data) {
            return Verdict::Valid;
        }
        if cost.kept > CHOICES_TOLD_MAX {
            return Verdict::Untold(Violation::untold());
        }
        if cost.checks > ERRORS_TOLD_MAX {
            return Verdict::Fails(self.compiled.validate(data).err().into_iter().collect());
        }
        Verdict::Fails(self.compiled.iter_errors(data).collect())
    }
}

enum Verdict<'v> {
    Valid,
    Fails(Vec<jsonschema::ValidationError<'v>>),
    /// Saying more would cost too much.
    Untold(Violation),
}

impl fmt::Debug for Validator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Validator").field("schema", &self.schema).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
