//! From the plain tool to the browser: a page that lacks a required property is read again by the next tool, and the
//! page that fills the most properties is kept.

use errand_extract::{Extracted, Options, extract, readable};
use serde_json::Value;
use std::time::Instant;

use super::tools::{Fetched, Tool, Tools};
use super::{Place, ReadError};
use crate::options::Engine;

/// One tool that was tried.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Attempt {
    pub tool: Tool,
    pub ms: u128,
    /// Properties found in published data or behind an exact label; why there was no page otherwise.
    pub outcome: Result<usize, String>,
}

/// The page that is kept, and how it was come by.
#[derive(Debug)]
pub(super) struct Reading {
    pub url: String,
    pub final_url: String,
    pub title: String,
    /// Markdown.
    pub text: String,
    /// Absent without a schema.
    pub extracted: Option<Extracted>,
    pub attempts: Vec<Attempt>,
}

struct Candidate {
    page: Fetched,
    extracted: Option<Extracted>,
    firm: usize,
    is_complete: bool,
}

/// Tries the engine's tools in order until a page is complete.
pub(super) async fn read(
    tools: &Tools,
    place: &Place,
    engine: Engine,
    schema: Option<&Value>,
) -> Result<Reading, ReadError> {
    let mut attempts = Vec::new();
    let mut best: Option<Candidate> = None;
    for tool in in_order(place, engine) {
        let began = Instant::now();
        let fetched = tools.fetch(tool, place).await;
        let candidate = match fetched {
            Ok(page) => Ok(weigh(page, schema)?),
            // A cause may end a line with a full stop or repeat nothing: the chain is one line.
            Err(error) => Err(format!("{:#}", anyhow::Error::from(error))),
        };
        let outcome = candidate.as_ref().map(|candidate| candidate.firm).map_err(Clone::clone);
        attempts.push(Attempt { tool, ms: began.elapsed().as_millis(), outcome });
        let Ok(candidate) = candidate else { continue };
        let is_complete = candidate.is_complete;
        if best.as_ref().is_none_or(|best| fills_more(&candidate, best)) {
            best = Some(candidate);
        }
        if is_complete {
            break;
        }
    }
    let Some(best) = best else { return Err(ReadError::NoPage { reasons: reasons(&attempts) }) };
    Ok(reading(place, best, attempts))
}

fn in_order(place: &Place, engine: Engine) -> Vec<Tool> {
    match (place, engine) {
        (Place::File(_), Engine::Http | Engine::Chromium | Engine::Auto) => vec![Tool::File],
        (Place::Web(_), Engine::Http) => vec![Tool::Http],
        (Place::Web(_), Engine::Chromium) => vec![Tool::Chromium],
        (Place::Web(_), Engine::Auto) => vec![Tool::Http, Tool::Chromium],
    }
}

fn weigh(page: Fetched, schema: Option<&Value>) -> Result<Candidate, ReadError> {
    let Some(schema) = schema else {
        return Ok(Candidate { page, extracted: None, firm: 0, is_complete: true });
    };
    let extracted = extract(&page.html, &page.final_url, schema, &Options::default())?;
    let firm = extracted.sources.values().filter(|source| is_firm(source)).count();
    Ok(Candidate { page, firm, is_complete: is_complete(schema, &extracted, firm), extracted: Some(extracted) })
}

/// Published data and exactly labelled values; the rest is read from how the page looks (SPEC §5).
fn is_firm(source: &str) -> bool {
    !["text", "record"].iter().any(|weak| source.starts_with(weak))
}

/// A page on which nothing firm was found has not shown yet what it is about, required or not.
fn is_complete(schema: &Value, extracted: &Extracted, firm: usize) -> bool {
    let required = schema["required"].as_array().map(Vec::as_slice).unwrap_or_default();
    let has = |name: &str| extracted.sources.get(name).is_some_and(|source| is_firm(source));
    firm > 0 && required.iter().filter_map(Value::as_str).all(has)
}

/// The earlier tool's page wins a tie.
fn fills_more(candidate: &Candidate, best: &Candidate) -> bool {
    let total = |candidate: &Candidate| candidate.extracted.as_ref().map_or(0, |extracted| extracted.found);
    (candidate.firm, total(candidate)) > (best.firm, total(best))
}

fn reasons(attempts: &[Attempt]) -> Vec<String> {
    let told = attempts.iter().filter_map(|attempt| Some((attempt.tool, attempt.outcome.as_ref().err()?)));
    told.map(|(tool, reason)| format!("{}: {reason}", tool.as_str())).collect()
}

fn reading(place: &Place, best: Candidate, attempts: Vec<Attempt>) -> Reading {
    let shown = readable(&best.page.html, &best.page.final_url);
    let url = match place {
        Place::Web(url) => url.to_string(),
        Place::File(_) => best.page.final_url.clone(),
    };
    Reading {
        url,
        final_url: best.page.final_url,
        title: shown.title,
        text: shown.text,
        extracted: best.extracted,
        attempts,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn candidate(html: &str) -> Candidate {
        let schema = json!({"type": "object", "properties": {"name": {"type": "string"}, "price": {"type": "number"}},
            "required": ["price"]});
        let page = Fetched { final_url: "https://shop.example/".to_owned(), html: html.to_owned() };
        weigh(page, Some(&schema)).unwrap()
    }

    #[test]
    fn a_page_is_complete_when_required_properties_are_published_not_when_they_only_look_so() {
        let published = "<script type=\"application/ld+json\">{\"@type\": \"Product\", \"name\": \"Lamp\", \
            \"offers\": {\"price\": 5}}</script>";
        let (published, shown) = (candidate(published), candidate("<h1>Lamp</h1><p>$5.00</p>"));
        assert!(published.is_complete);
        assert!(!shown.is_complete);
        assert!(fills_more(&published, &shown) && !fills_more(&shown, &published));
    }
}
