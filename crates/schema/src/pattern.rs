//! What matching the patterns of a schema costs: states of those that run in linear time, and which ones backtrack.

use std::collections::HashMap;

use regex_syntax::hir::{Class, Hir, HirKind};
use serde_json::Value;

use crate::limits::{
    BACKTRACKING_CHECKS, BACKTRACKING_CHECKS_A_BYTE, BACKTRACKING_STATES, PATTERN_STATES_MAX, PATTERN_STEPS_A_CHECK,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Engine {
    Linear { states: u64 },
    Backtracking,
}

impl Engine {
    /// What the linear engine does not know, the backtracking one may.
    fn of(pattern: &str) -> Self {
        regex_syntax::parse(pattern).map_or(Self::Backtracking, |parsed| Self::Linear { states: states(&parsed) })
    }

    fn states(self) -> u64 {
        match self {
            Self::Linear { states } => states,
            Self::Backtracking => BACKTRACKING_STATES,
        }
    }
}

/// Every pattern of a schema, by its text.
#[derive(Debug, Clone, Default)]
pub(crate) struct Patterns(HashMap<String, Engine>);

impl Patterns {
    pub(crate) fn of(schema: &Value) -> Self {
        let mut patterns = Self::default();
        patterns.collect(schema);
        patterns
    }

    /// Gives the largest one when compiling all of them would fill memory.
    pub(crate) fn too_large(&self) -> Option<&str> {
        let states = self.0.values().fold(0_u64, |sum, engine| sum.saturating_add(engine.states()));
        if states <= PATTERN_STATES_MAX {
            return None;
        }
        self.0.iter().max_by_key(|(_, engine)| engine.states()).map(|(pattern, _)| pattern.as_str())
    }

    /// Checks that matching a text of so many bytes is counted as.
    pub(crate) fn checks(&self, pattern: &str, bytes: usize) -> u64 {
        let bytes = bytes as u64;
        match self.0.get(pattern) {
            None => 0,
            Some(Engine::Linear { states }) => bytes.saturating_mul(*states) / PATTERN_STEPS_A_CHECK,
            Some(Engine::Backtracking) => {
                bytes.saturating_mul(BACKTRACKING_CHECKS_A_BYTE).saturating_add(BACKTRACKING_CHECKS)
            }
        }
    }

    fn add(&mut self, pattern: &str) {
        if !self.0.contains_key(pattern) {
            self.0.insert(pattern.to_owned(), Engine::of(pattern));
        }
    }

    fn collect(&mut self, node: &Value) {
        match node {
            Value::Object(fields) => {
                if let Some(pattern) = fields.get("pattern").and_then(Value::as_str) {
                    self.add(pattern);
                }
                for pattern in fields.get("patternProperties").and_then(Value::as_object).into_iter().flatten() {
                    self.add(pattern.0);
                }
                fields.values().for_each(|inner| self.collect(inner));
            }
            Value::Array(items) => items.iter().for_each(|inner| self.collect(inner)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
}

/// Counted repetitions are written out by the engine.
fn states(parsed: &Hir) -> u64 {
    match parsed.kind() {
        HirKind::Empty | HirKind::Look(_) => 1,
        HirKind::Literal(literal) => literal.0.len() as u64,
        HirKind::Class(Class::Unicode(class)) => class.ranges().len() as u64,
        HirKind::Class(Class::Bytes(class)) => class.ranges().len() as u64,
        HirKind::Repetition(repetition) => {
            let times = repetition.max.unwrap_or(repetition.min.saturating_add(1)).max(1);
            states(&repetition.sub).saturating_mul(u64::from(times))
        }
        HirKind::Capture(capture) => states(&capture.sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => {
            parts.iter().fold(1, |sum, part| sum.saturating_add(states(part)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn look_around_backtracks_and_a_counted_class_is_as_large_as_it_is_written_out() {
        for pattern in ["^(?=a)b$", "(a)\\1", "(?<!x)y"] {
            assert_eq!(Engine::of(pattern), Engine::Backtracking, "{pattern}");
        }
        let Engine::Linear { states: one } = Engine::of("^\\p{L}$") else { panic!() };
        let Engine::Linear { states: many } = Engine::of("^\\p{L}{50}$") else { panic!() };
        assert!(one > 500 && many > 45 * one, "{one} {many}");
        assert!(Engine::of("^[A-Z]{2}-[0-9]+$").states() < 20);
    }
}
