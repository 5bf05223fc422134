//! Whether words near a value name a field: column headings, class words, labels in front, units beside a number.

use super::records::{same_name, singular};
use crate::dom::{Dom, Id};
use crate::names::concept;
use crate::schema::Field;
use crate::text::{collapse, fold, words};

pub fn heading_fit(heading: &str, field: &Field) -> f64 {
    if heading.is_empty() {
        return 0.0;
    }
    if same_name(heading, &field.name) {
        return 8.0;
    }
    let folded = fold(heading);
    if let Some(own) = field.concept
        && (own.labels.contains(&folded.as_str()) || concept(heading).is_some_and(|other| other.id == own.id))
    {
        return 7.0;
    }
    let wanted: Vec<String> = core_words(&field.name);
    let given: Vec<String> = words(heading).iter().map(|word| singular(word)).collect();
    if !wanted.is_empty() && wanted.iter().all(|word| given.contains(word)) {
        return 6.0;
    }
    0.0
}

/// The words of a field's name that say what it is, without words of counting.
pub fn core_words(name: &str) -> Vec<String> {
    let all: Vec<String> = words(name).iter().map(|word| singular(word)).collect();
    let core: Vec<String> = all
        .iter()
        .filter(|word| {
            !matches!(word.as_str(), "num" | "number" | "count" | "of" | "total" | "the" | "n" | "text" | "value")
        })
        .cloned()
        .collect();
    if core.is_empty() { all } else { core }
}

pub fn concept_id(field: &Field) -> &'static str {
    field.concept.map_or("", |concept| concept.id)
}

/// "<b>123</b> points": a number in an element of its own, directly before the word.
pub fn number_before_unit(dom: &Dom, id: Id, number: &str, wanted: &[String]) -> Option<String> {
    let is_number = number.chars().any(char::is_numeric) && !number.chars().any(char::is_alphabetic);
    let after = dom.end(dom.parent(id));
    if !is_number || after >= dom.len() || dom.parent(after) != dom.parent(dom.parent(id)) {
        return None;
    }
    let rest = collapse(dom.text_node(after)?);
    let word = rest.split(|c: char| !c.is_alphanumeric()).next()?;
    wanted.contains(&singular(&fold(word))).then(|| number.to_owned())
}

/// The number directly before or after one of the words.
pub fn number_with_unit(text: &str, wanted: &[String]) -> Option<String> {
    let parts: Vec<&str> = text
        .split(|c: char| c.is_whitespace() || matches!(c, '|' | '·' | '•' | '(' | ')'))
        .filter(|part| !part.is_empty())
        .collect();
    let is_word = |part: &str| {
        let folded = singular(&fold(part));
        wanted.contains(&folded)
    };
    let is_number = |part: &str| {
        part.chars().next().is_some_and(|c| c.is_numeric() || c == '-')
            && part.chars().filter(|c| c.is_alphabetic()).count() <= 1
    };
    for (at, part) in parts.iter().enumerate() {
        if !is_word(part.trim_end_matches([':', ','])) {
            continue;
        }
        if let Some(before) = at.checked_sub(1).and_then(|before| parts.get(before)).filter(|before| is_number(before))
        {
            return Some((*before).to_owned());
        }
        if let Some(after) = parts.get(at + 1).filter(|after| is_number(after) && part.ends_with(':')) {
            return Some((*after).to_owned());
        }
    }
    None
}

/// Whether an element's words name the field or mean the same.
pub fn matches_name(own: &[String], field: &Field) -> bool {
    if own.is_empty() {
        return false;
    }
    let own: Vec<String> = own.iter().map(|word| singular(word)).collect();
    let wanted = core_words(&field.name);
    if !wanted.is_empty() && wanted.iter().all(|word| own.contains(word)) {
        return true;
    }
    field.concept.is_some_and(|concept| {
        concept.id != "name"
            && concept.aliases.iter().any(|alias| alias.len() > 3 && own.iter().any(|word| word == alias))
    })
}

/// Drops "Label:" or "by" in front of a value.
pub fn strip_label(text: &str, field: &Field) -> String {
    if let Some((label, rest)) = text.split_once([':', '：'])
        && heading_fit(label, field) >= 6.0
        && !rest.trim().is_empty()
    {
        return rest.trim().to_owned();
    }
    if concept_id(field) == "author" {
        for prefix in ["by ", "By ", "von ", "par ", "por "] {
            if let Some(rest) = text.strip_prefix(prefix) {
                return rest.trim().to_owned();
            }
        }
    }
    text.to_owned()
}
