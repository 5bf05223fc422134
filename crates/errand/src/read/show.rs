//! What a read prints for people; for programs it prints SPEC §5's answer.

use errand_read::{Attempt, Reading};
use serde_json::Value;

use crate::table::{lines, one_line, table};

/// Text that a terminal gets; the answer has it whole.
const TEXT_CHARS_SHOWN: usize = 2_000;

/// Title, address, then the fields with their sources, or the text when no fields were asked for.
pub(super) fn people(reading: &Reading) -> String {
    let mut out = format!("{}\n{}\n\n", one_line(&reading.title), one_line(&reading.page.url));
    match &reading.extracted {
        Some(extracted) => {
            let rows: Vec<Vec<String>> = extracted.data.as_object().into_iter().flatten().map(row(extracted)).collect();
            out.push_str(&table(&["FIELD", "VALUE", "SOURCE"], &rows));
            if !extracted.missing.is_empty() {
                out.push_str(&format!("\nmissing: {}\n", one_line(&extracted.missing.join(", "))));
            }
            for error in &extracted.errors {
                out.push_str(&format!("not valid: {}\n", one_line(error)));
            }
        }
        None => out.extend(lines(&reading.text).chars().take(TEXT_CHARS_SHOWN).chain(['\n'])),
    }
    let tools: Vec<String> = reading.attempts.iter().map(attempt_line).collect();
    out.push_str(&format!("\nread by {}\n", tools.join(", then ")));
    out
}

fn row(extracted: &errand_extract::Extracted) -> impl Fn((&String, &Value)) -> Vec<String> + '_ {
    |(name, value)| {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        vec![name.clone(), text, extracted.sources.get(name).cloned().unwrap_or_default()]
    }
}

fn attempt_line(attempt: &Attempt) -> String {
    let tool = attempt.tool.as_str();
    match &attempt.outcome {
        Ok(_) if attempt.is_cut => format!("{tool} ({} ms, only the beginning of the page)", attempt.ms),
        Ok(_) => format!("{tool} ({} ms)", attempt.ms),
        Err(error) => format!("{tool} (failed: {})", one_line(error)),
    }
}
