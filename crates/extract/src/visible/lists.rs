//! Lists of texts that the page shows: under a heading that names them, in a part whose class names them, or told by their amounts.

use serde_json::Value;

use super::items::{self, STEP_CHARS_MIN};
use super::segments::Segment;
use super::units::{Sort, heading_level, sort_of, unit_text};
use super::{amounts, hints, labels};
use crate::convert::convert;
use crate::dom::{Dom, Id};
use crate::fill::Candidate;
use crate::page::Page;
use crate::schema::Field;
use crate::text::{fold, is_hidden, is_silent, words};

/// Most parts of the page weighed by their class.
const PARTS_MAX: usize = 200;
/// Fit of a part whose class names the list.
const CLASS_FIT: f64 = 42.0;
/// Fit of a list that nothing names, told by its amounts.
const UNNAMED_FIT: f64 = 20.0;
/// What the shape of the items adds at most.
const SHAPE: f64 = 14.0;
/// Share of amounts from which an unnamed list is believed.
const UNNAMED_SHARE_MIN: f64 = 0.6;
/// Fewest items of an unnamed list.
const UNNAMED_ITEMS_MIN: usize = 3;
/// Share of amounts from which paragraphs of one class are one list.
const AMONG_LIKE_SHARE_MIN: f64 = 0.5;
/// Most elements tried as an unnamed list.
const PLACES_MAX: usize = 2000;
/// Mean length, in characters, above which items are not ingredients.
const INGREDIENT_CHARS_MEAN_MAX: usize = 90;

/// Most elements called an item.
const ITEMS_MAX: usize = 500;
/// Items that count for a list's size.
const SIZE_ITEMS_MAX: usize = 10;
/// What each of them adds.
const SIZE_EACH: f64 = 0.3;

/// A list that may be the one wanted.
struct Found {
    texts: Vec<String>,
    fit: f64,
    why: String,
}

/// The list that is named and shaped best.
#[must_use]
pub fn find(page: &Page, segments: &[Segment], field: &Field, item: &Field) -> Option<Candidate> {
    let sort = sort_of(field);
    let mut found = under_labels(page, segments, field);
    if sort != Sort::Other {
        found.extend(in_named_parts(page, field));
    }
    if sort == Sort::Ingredients {
        found.push(of_named_items(page));
    }
    let mut best = best_of(found, sort);
    if sort == Sort::Ingredients && best.as_ref().is_none_or(|(_, found)| amounts::share(&found.texts) < 0.3) {
        best = best_of(unnamed(page, field), sort).or(best);
    }
    let (score, found) = best?;
    let values: Vec<Value> =
        found.texts.into_iter().filter_map(|text| convert(page, item, &Value::String(text))).collect();
    (values.len() > 1).then(|| Candidate::new(Value::Array(values), "label", score, found.why))
}

fn best_of(found: Vec<Found>, sort: Sort) -> Option<(f64, Found)> {
    let mut best: Option<(f64, Found)> = None;
    for mut one in found {
        one.texts = without_alternates(one.texts);
        let score = one.fit + shape(&one.texts, sort) + size(&one.texts);
        if one.texts.len() > 1 && best.as_ref().is_none_or(|(known, _)| score > *known) {
            best = Some((score, one));
        }
    }
    best
}

/// How much the items look like what is wanted.
fn shape(texts: &[String], sort: Sort) -> f64 {
    let chars: usize = texts.iter().map(|text| text.chars().count()).sum();
    let mean = chars / texts.len().max(1);
    match sort {
        Sort::Other => 0.0,
        Sort::Ingredients => {
            let length = if mean > INGREDIENT_CHARS_MEAN_MAX { -SHAPE } else { 0.0 };
            amounts::share(texts) * SHAPE + length
        }
        Sort::Steps => {
            let sentences =
                texts.iter().filter(|text| text.chars().count() >= STEP_CHARS_MIN || is_unspaced(text)).count();
            let listed = texts.iter().filter(|text| amounts::leads(text) && text.chars().count() < 60).count();
            #[expect(clippy::cast_precision_loss, reason = "lists are short")]
            let share = (sentences as f64 - listed as f64) / texts.len().max(1) as f64;
            share * SHAPE
        }
    }
}

/// Of lists alike the longer one is the whole.
fn size(texts: &[String]) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "at most SIZE_ITEMS_MAX")]
    let items = texts.len().min(SIZE_ITEMS_MAX) as f64;
    items * SIZE_EACH
}

/// A script without spaces says much in few characters.
fn is_unspaced(text: &str) -> bool {
    text.chars().count() >= 6 && text.chars().all(|c| !c.is_ascii_alphabetic() && c != ' ')
}

fn under_labels(page: &Page, segments: &[Segment], field: &Field) -> Vec<Found> {
    let dom = &page.dom;
    let mut found = Vec::new();
    for segment in segments.iter().filter(|segment| segment.text.len() <= 80) {
        let Some(fit) = labels::names_list(&segment.text, field) else { continue };
        let heading = dom.ancestors(segment.node).take(4).find(|id| heading_level(dom.name(*id)).is_some());
        let level = heading.and_then(|id| heading_level(dom.name(id))).unwrap_or(7);
        let start = heading.map_or(segment.node + 1, |id| dom.end(id));
        let texts = items::between(page, start, dom.len(), level, field);
        let framing = if hints::is_framing(dom, segment.node) { -8.0 } else { 0.0 };
        let fit = fit + framing + if heading.is_some() { 2.0 } else { 0.0 };
        found.push(Found { texts, fit, why: format!("the list after \"{}\"", segment.text) });
    }
    found
}

/// Parts of the page whose class or other attributes name the list.
fn in_named_parts(page: &Page, field: &Field) -> Vec<Found> {
    let dom = &page.dom;
    let parts = dom.below(page.body).filter(|id| {
        matches!(dom.name(*id), "ul" | "ol" | "div" | "section" | "table" | "tbody" | "dl" | "form" | "article")
            && dom.element(*id).is_some_and(|element| !element.attrs.is_empty())
            && names(&hints::own_words(dom, *id), field)
    });
    let found = parts.take(PARTS_MAX).map(|id| Found {
        texts: items::between(page, id + 1, dom.end(id), 0, field),
        fit: CLASS_FIT,
        why: format!("the list in {}", described(dom, id)),
    });
    found.collect()
}

/// Elements that are called an ingredient each, as the microformats hRecipe and h-recipe have it.
fn of_named_items(page: &Page) -> Found {
    let dom = &page.dom;
    let is_called = |id: Id| {
        let class = dom.attr(id, "class").unwrap_or("");
        class.contains("ngredient")
            && class.split_ascii_whitespace().any(|word| words(word).last().is_some_and(|last| last == "ingredient"))
    };
    let mut texts = Vec::new();
    let mut at = page.body;
    while at < dom.end(page.body) && texts.len() < ITEMS_MAX {
        if is_hidden(dom, at) || is_silent(dom.name(at)) {
            at = dom.end(at);
        } else if is_called(at) {
            texts.push(unit_text(dom, at));
            at = dom.end(at);
        } else {
            at += 1;
        }
    }
    texts.retain(|text| !text.is_empty());
    Found { texts, fit: CLASS_FIT - 4.0, why: "elements called an ingredient each".to_owned() }
}

fn described(dom: &Dom, id: Id) -> String {
    let class = dom.attr(id, "class").or_else(|| dom.attr(id, "id")).unwrap_or("");
    format!("<{}> \"{}\"", dom.name(id), class.chars().take(60).collect::<String>())
}

fn names(own: &[String], field: &Field) -> bool {
    let Some(concept) = field.concept else { return own.contains(&fold(&field.name)) };
    own.iter().any(|word| {
        concept.aliases.contains(&word.as_str()) || word.len() > 4 && concept.labels.contains(&word.as_str())
    })
}

/// Lists that nothing names, told by their amounts.
fn unnamed(page: &Page, field: &Field) -> Vec<Found> {
    let dom = &page.dom;
    let places: Vec<Id> = dom
        .below(page.body)
        .filter(|id| matches!(dom.name(*id), "ul" | "ol" | "table" | "p" | "dl") && !hints::is_framing(dom, *id))
        .take(PLACES_MAX)
        .collect();
    let is_list = |texts: &[String]| texts.len() >= UNNAMED_ITEMS_MIN && amounts::share(texts) >= UNNAMED_SHARE_MIN;
    let mut found = Vec::new();
    for place in &places {
        let texts = items::between(page, *place, dom.end(*place), 0, field);
        if is_list(&texts) {
            let all = with_its_like(page, field, &places, *place);
            let texts = if amounts::share(&all) >= AMONG_LIKE_SHARE_MIN { all } else { texts };
            found.push(Found { texts, fit: UNNAMED_FIT, why: "a list of amounts".to_owned() });
        }
    }
    found
}

/// The items of a paragraph and of all others of its class: recipes told in columns put each step's ingredients beside it.
fn with_its_like(page: &Page, field: &Field, places: &[Id], place: Id) -> Vec<String> {
    let dom = &page.dom;
    let class = dom.attr(place, "class").filter(|class| dom.name(place) == "p" && !class.is_empty());
    let Some(class) = class else { return Vec::new() };
    let alike = places.iter().filter(|other| dom.name(**other) == "p" && dom.attr(**other, "class") == Some(class));
    alike.flat_map(|other| items::between(page, *other, dom.end(*other), 0, field)).collect()
}

/// The same list in other measures after itself is one list.
fn without_alternates(mut texts: Vec<String>) -> Vec<String> {
    for copies in [3, 2] {
        let size = texts.len() / copies;
        if size < 2 || !texts.len().is_multiple_of(copies) {
            continue;
        }
        let same = (size..texts.len()).filter(|at| is_same_thing(&texts[at % size], &texts[*at])).count();
        if same * 10 >= (texts.len() - size) * 8 {
            texts.truncate(size);
            return texts;
        }
    }
    texts
}

/// Whether two texts share most of their words, amounts aside.
fn is_same_thing(left: &str, right: &str) -> bool {
    let named = |text: &str| -> Vec<String> {
        words(text).into_iter().filter(|word| word.chars().count() > 2 && !word.chars().any(char::is_numeric)).collect()
    };
    let (left, right) = (named(left), named(right));
    let common = left.iter().filter(|word| right.contains(word)).count();
    common > 0 && common * 2 >= left.len().max(right.len())
}
