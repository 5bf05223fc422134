//! Durations in elements whose class names them, such as `<div class="item cooking_time">15 min</div>`.

use serde_json::Value;

use super::hints::is_framing;
use crate::convert::convert;
use crate::dom::{Dom, Id};
use crate::fill::Candidate;
use crate::page::Page;
use crate::schema::Field;
use crate::text::{fold, shown_up_to};

/// Score of such a duration: less than a labelled one.
const SCORE: f64 = 44.0;
/// Longest duration, in bytes.
const DURATION_BYTES_MAX: usize = 40;
/// Most elements looked at.
const ELEMENTS_MAX: usize = 50_000;

/// The first duration that a class names.
#[must_use]
pub fn find(page: &Page, field: &Field) -> Option<Candidate> {
    let concept = field.concept?;
    let dom = &page.dom;
    // "time" alone names too much.
    let mut aliases: Vec<&str> = concept.aliases.iter().copied().filter(|alias| alias.len() > 5).collect();
    if concept.id == "totalTime" {
        // The microformats hRecipe and h-recipe call it so.
        aliases.push("duration");
    }
    let named = dom.below(page.body).filter(|id| dom.element(*id).is_some()).take(ELEMENTS_MAX).filter(|id| {
        dom.attr(*id, "class").is_some_and(|class| class.split_ascii_whitespace().any(|word| names(word, &aliases)))
    });
    named.filter(|id| !is_framing(dom, *id)).find_map(|id| {
        let value = duration(dom, id).and_then(|text| convert(page, field, &Value::String(text)))?;
        Some(Candidate::new(value, "text", SCORE, "in an element whose class names it"))
    })
}

fn names(class: &str, aliases: &[&str]) -> bool {
    class.len() > 5 && {
        let folded = fold(class);
        aliases.iter().any(|alias| folded.ends_with(alias))
    }
}

fn duration(dom: &Dom, id: Id) -> Option<String> {
    if let Some(machine) = dom.attr(id, "datetime").filter(|text| text.starts_with('P')) {
        return Some(machine.to_owned());
    }
    let text = shown_up_to(dom, id, DURATION_BYTES_MAX);
    (text.len() <= DURATION_BYTES_MAX && text.chars().any(|c| c.is_ascii_digit())).then_some(text)
}
