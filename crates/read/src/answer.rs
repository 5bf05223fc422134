//! A reading as the JSON of SPEC §5.

use serde_json::{Value, json};

use crate::climb::{Attempt, Reading};

/// The answer that every way of reading gives.
#[must_use]
pub fn answer(reading: &Reading) -> Value {
    let extracted = reading.extracted.as_ref();
    let whole = extracted.map(|extracted| {
        json!({
            "data": extracted.data, "missing": extracted.missing, "sources": extracted.sources,
            "valid": extracted.valid, "errors": extracted.errors, "found": extracted.found, "of": extracted.of,
        })
    });
    let summary =
        extracted.map(|extracted| json!({"found": extracted.found, "of": extracted.of, "missing": extracted.missing}));
    let tools: Vec<Value> = reading.attempts.iter().map(attempt_json).collect();
    json!({
        "url": reading.url, "final_url": reading.page.url, "title": reading.title, "text": reading.text,
        "extracted": whole, "receipt": {"tools": tools, "extracted": summary},
    })
}

fn attempt_json(attempt: &Attempt) -> Value {
    let tool = attempt.tool.as_str();
    match &attempt.outcome {
        Ok(found) if attempt.is_cut => {
            json!({"tool": tool, "ok": true, "ms": attempt.ms, "found": found, "cut": true})
        }
        Ok(found) => json!({"tool": tool, "ok": true, "ms": attempt.ms, "found": found}),
        Err(error) => json!({"tool": tool, "ok": false, "ms": attempt.ms, "found": 0, "error": error}),
    }
}
