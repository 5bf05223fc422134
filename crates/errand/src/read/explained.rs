//! `errand read --explain`: every candidate considered for each field, and why it won or lost.

use errand_extract::{Candidate, FieldExplanation, Options, SchemaError};
use errand_read::{ReadSchema, Reading};
use serde_json::{Value, json};

use crate::table::{cell, one_line};

pub(super) type Field = FieldExplanation;

/// Reads the kept page once more, for the candidates.
///
/// # Errors
/// As for the reading itself.
pub(super) fn explain(reading: &Reading, schema: &ReadSchema) -> Result<Vec<Field>, SchemaError> {
    errand_extract::explain(&reading.page.html, &reading.page.url, schema.json(), &Options::default())
}

/// By field, the winner first.
pub(super) fn json(fields: &[Field]) -> Value {
    let lists = fields.iter().map(|field| {
        let candidates: Vec<Value> = field.candidates.iter().enumerate().map(candidate_json).collect();
        (field.field.clone(), Value::Array(candidates))
    });
    Value::Object(lists.collect())
}

fn candidate_json((place, candidate): (usize, &Candidate)) -> Value {
    json!({
        "won": place == 0, "value": candidate.value, "source": candidate.source, "score": candidate.score,
        "why": candidate.why,
    })
}

/// For each field its candidates, each with its score and, below, all that speaks for and against it.
pub(super) fn people(fields: &[Field]) -> String {
    fields.iter().map(field_lines).collect()
}

fn field_lines(field: &Field) -> String {
    let name = one_line(&field.field);
    let Some(winner) = field.candidates.first() else {
        return format!("\n{name}: nothing was found that fits\n");
    };
    let lines = field.candidates.iter().enumerate().map(|(place, candidate)| {
        let value = candidate.value.as_str().map_or_else(|| candidate.value.to_string(), str::to_owned);
        let (outcome, reason) = match place {
            0 => ("won", ""),
            _ if candidate.score < winner.score => ("lost", ""),
            _ => ("lost", "; found after its equal"),
        };
        let (value, source, why) = (cell(&value), one_line(&candidate.source), one_line(&candidate.why));
        format!("  {outcome:4} {:6.1}  {value}  ({source})\n               {why}{reason}\n", candidate.score)
    });
    format!("\n{name}\n{}", lines.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(candidates: &[(&str, f64)]) -> Field {
        let candidate = |(value, score): &(&str, f64)| Candidate::new(json!(value), "text", *score, "shown\tso");
        Field { field: "name".to_owned(), candidates: candidates.iter().map(candidate).collect() }
    }

    #[test]
    fn every_candidate_says_what_it_got_and_a_field_without_any_is_named() {
        let shown = people(&[field(&[("A", 9.0), ("B", 9.0), ("C\x1b[2J", 1.0)]), field(&[])]);
        let wanted = "\nname\n  won     9.0  A  (text)\n               shown so\n  lost    9.0  B  (text)\n               \
            shown so; found after its equal\n  lost    1.0  C [2J  (text)\n               shown so\n\n\
            name: nothing was found that fits\n";
        assert_eq!(shown, wanted);
        assert_eq!(json(&[field(&[("A", 9.0)])])["name"][0]["won"], true);
    }
}
