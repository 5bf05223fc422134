//! Lists of texts: the items under a heading that names them, and the shown spelling of a list that is also published.

use std::collections::BTreeSet;

use serde_json::Value;

use super::labels;
use super::segments::Segment;
use crate::convert::convert;
use crate::dom::{Dom, Id};
use crate::fill::Candidate;
use crate::names::concept;
use crate::page::Page;
use crate::schema::Field;
use crate::text::{is_block, is_hidden, is_silent, shown_up_to, words};

/// Most nodes looked at after a heading.
const REACH: Id = 4000;
/// Longest item, in bytes.
const ITEM_BYTES_MAX: usize = 4000;
/// Share of a published list's words that a part of the page must hold to show that list.
const COVER_MIN: f64 = 0.8;
/// Most elements tried as the place that shows a published list.
const PLACES_MAX: usize = 4000;

/// The list under the heading or label that names the field best.
#[must_use]
pub fn under_heading(page: &Page, segments: &[Segment], field: &Field, item: &Field) -> Option<Candidate> {
    let mut best: Option<Candidate> = None;
    for segment in segments.iter().filter(|segment| segment.text.len() <= 80) {
        let Some(fit) = labels::names_list(&segment.text, field) else { continue };
        let score = if heading_above(&page.dom, segment.node).is_some() { fit + 2.0 } else { fit };
        if best.as_ref().is_some_and(|known| known.score >= score) {
            continue;
        }
        let texts = items_after(page, segment.node, field);
        let values: Vec<Value> =
            texts.into_iter().filter_map(|text| convert(page, item, &Value::String(text))).collect();
        if values.len() > 1 {
            let why = format!("the list after \"{}\"", segment.text);
            best = Some(Candidate::new(Value::Array(values), "label", score, why));
        }
    }
    best
}

fn heading_level(name: &str) -> Option<u8> {
    match name.as_bytes() {
        [b'h', digit @ b'1'..=b'6'] => Some(digit - b'0'),
        _ => None,
    }
}

fn heading_above(dom: &Dom, node: Id) -> Option<Id> {
    dom.ancestors(node).take(4).find(|id| heading_level(dom.name(*id)).is_some())
}

/// The items that follow a label, up to the next heading of its level or the label of something else.
fn items_after(page: &Page, label: Id, field: &Field) -> Vec<String> {
    let dom = &page.dom;
    let heading = heading_above(dom, label);
    let level = heading.and_then(|id| heading_level(dom.name(id))).unwrap_or(7);
    let start = heading.map_or(label + 1, |id| dom.end(id));
    let mut items = Vec::new();
    let mut lines = Vec::new();
    let mut at = start;
    while at < dom.len() && at - start < REACH {
        let name = dom.name(at);
        if is_silent(name) || is_hidden(dom, at) {
            at = dom.end(at);
            continue;
        }
        let ends = heading_level(name).is_some_and(|other| other <= level)
            || is_other_label(dom, at, field)
            || matches!(name, "footer" | "nav");
        if ends {
            break;
        }
        if name == "li" && !holds_items(dom, at) {
            items.push(item_text(dom, at));
            at = dom.end(at);
            continue;
        }
        if name == "p" && items.is_empty() {
            lines.extend(broken_lines(dom, at));
            at = dom.end(at);
            continue;
        }
        at += 1;
    }
    items.retain(|text| !text.is_empty());
    if items.is_empty() { lines } else { items }
}

/// A heading or bold line that names another field ends the list.
fn is_other_label(dom: &Dom, id: Id, field: &Field) -> bool {
    if heading_level(dom.name(id)).is_none() && !matches!(dom.name(id), "strong" | "b" | "dt") {
        return false;
    }
    let text = shown_up_to(dom, id, 80);
    let first = words(&text).into_iter().next().unwrap_or_default();
    let named = |text: &str| {
        concept(text).or_else(|| crate::names::by_label(text)).is_some_and(|other| {
            matches!(other.id, "instructions" | "ingredients" | "nutrition")
                && field.concept.is_none_or(|own| own.id != other.id)
        })
    };
    text.len() <= 60 && (named(text.trim_end_matches([':', '.'])) || named(&first))
}

fn holds_items(dom: &Dom, id: Id) -> bool {
    dom.below(id).any(|inner| dom.name(inner) == "li")
}

/// An item's text without the marks that stand for bullets and boxes.
fn item_text(dom: &Dom, id: Id) -> String {
    shown_up_to(dom, id, ITEM_BYTES_MAX)
        .trim_start_matches(['▢', '☐', '□', '•', '·', '–', '-', '*', '✓', ' '])
        .trim()
        .to_owned()
}

/// The lines of a paragraph that breaks them itself.
fn broken_lines(dom: &Dom, id: Id) -> Vec<String> {
    let text = crate::text::content_lines(dom, id, ITEM_BYTES_MAX);
    let lines: Vec<String> = text
        .split('\n')
        .map(|line| crate::text::collapse(line).trim_start_matches(['•', '·', '–', '-', '*', ' ']).trim().to_owned())
        .filter(|line| !line.is_empty())
        .collect();
    if lines.len() > 1 { lines } else { Vec::new() }
}

/// The shown spelling of a published list: the items of the smallest part of the page that holds nearly all its words.
#[must_use]
pub fn as_shown(page: &Page, published: &[String], field: &Field, item: &Field) -> Option<Candidate> {
    let dom = &page.dom;
    let wanted: BTreeSet<String> = published.iter().flat_map(|text| words(text)).collect();
    if published.len() < 2 || wanted.is_empty() {
        return None;
    }
    let longest = published.iter().map(String::len).sum::<usize>() * 2 + 400;
    let mut best: Option<(usize, Id)> = None;
    let places = dom.below(page.body).filter(|id| {
        matches!(dom.name(*id), "ul" | "ol" | "div" | "section" | "table" | "tbody" | "dl" | "form" | "article")
    });
    for id in places.take(PLACES_MAX) {
        let text = shown_up_to(dom, id, longest);
        if text.len() > longest || best.is_some_and(|(known, _)| text.len() > known) {
            continue;
        }
        if cover(&wanted, &text) >= COVER_MIN {
            best = Some((text.len(), id));
        }
    }
    let (_, place) = best?;
    let texts = items_of(dom, place, &wanted, published.len());
    let values: Vec<Value> = texts.into_iter().filter_map(|text| convert(page, item, &Value::String(text))).collect();
    let enough =
        values.len() * 10 >= published.len() * 4 && values.len() * 10 <= published.len() * 12 && values.len() > 1;
    let why = format!("the published {} as the page shows them", field.name);
    enough.then(|| Candidate::new(Value::Array(values), "text", 60.0, why))
}

/// The share of the wanted words that a text holds.
fn cover(wanted: &BTreeSet<String>, text: &str) -> f64 {
    let held: BTreeSet<String> = words(text).into_iter().collect();
    let common = wanted.intersection(&held).count();
    #[expect(clippy::cast_precision_loss, reason = "word counts are small")]
    let share = common as f64 / wanted.len() as f64;
    share
}

/// The items below a place: list items, rows, or its own children; those that hold mostly wanted words.
fn items_of(dom: &Dom, place: Id, wanted: &BTreeSet<String>, count: usize) -> Vec<String> {
    let leaves = |name: &str| -> Vec<Id> {
        let all = dom.below(place).filter(|id| dom.name(*id) == name && !is_hidden(dom, *id));
        all.filter(|id| !dom.below(*id).any(|inner| dom.name(inner) == name)).collect()
    };
    let mut tries = vec![leaves("li"), leaves("tr"), dom.child_elements(place).collect()];
    tries.extend(
        dom.child_elements(place)
            .filter(|id| is_block(dom.name(*id)))
            .map(|id| dom.child_elements(id).collect::<Vec<Id>>()),
    );
    let matched = tries.into_iter().map(|ids| {
        let texts = ids.into_iter().map(|id| item_text(dom, id)).filter(|text| !text.is_empty());
        texts.filter(|text| is_mostly(text, wanted)).collect::<Vec<String>>()
    });
    matched.into_iter().find(|texts| texts.len() * 10 >= count * 4).unwrap_or_default()
}

fn is_mostly(text: &str, wanted: &BTreeSet<String>) -> bool {
    let own = words(text);
    let common = own.iter().filter(|word| wanted.contains(*word)).count();
    !own.is_empty() && common * 2 >= own.len()
}
