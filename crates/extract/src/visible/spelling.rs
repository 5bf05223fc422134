//! The shown spelling of a list that is also published.

use std::collections::BTreeSet;

use serde_json::Value;

use super::units::unit_text;
use crate::convert::convert;
use crate::dom::{Dom, Id};
use crate::fill::Candidate;
use crate::page::Page;
use crate::schema::Field;
use crate::text::{is_block, is_hidden, shown_up_to, words};

/// Share of a published list's words that a part of the page must hold to show that list.
const COVER_MIN: f64 = 0.8;
/// Most elements tried as the place that shows a published list.
const PLACES_MAX: usize = 4000;

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
        let texts = ids.into_iter().map(|id| unit_text(dom, id)).filter(|text| !text.is_empty());
        texts.filter(|text| is_mostly(text, wanted)).collect::<Vec<String>>()
    });
    matched.into_iter().find(|texts| texts.len() * 10 >= count * 4).unwrap_or_default()
}

fn is_mostly(text: &str, wanted: &BTreeSet<String>) -> bool {
    let own = words(text);
    let common = own.iter().filter(|word| wanted.contains(*word)).count();
    !own.is_empty() && common * 2 >= own.len()
}
