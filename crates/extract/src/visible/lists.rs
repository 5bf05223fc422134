//! Lists of texts that the page shows: under a heading that names them, in a part whose class names them, or told by their amounts.

use std::collections::BTreeMap;

use serde_json::Value;

use super::items::{Part, STEP_CHARS_MIN, of_part};
use super::segments::Segment;
use super::units::{Sort, heading_level, sort_of, unit_text};
use super::{amounts, hints, labels};
use crate::convert::convert;
use crate::dom::{Dom, Id};
use crate::fill::Candidate;
use crate::page::Page;
use crate::schema::Field;
use crate::text::{fold, is_hidden, is_silent, words};

/// Most nodes looked at for one list, all parts of the page together; what lies in several parts counts for each.
const NODES_MAX: Id = 2_000_000;
/// Most labels of one list whose parts are read.
const LABELS_MAX: usize = 200;
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

/// Most items among which the same list in other measures is looked for.
const ALTERNATES_MAX: usize = 200;
/// Most elements called an item.
const ITEMS_MAX: usize = 500;
/// Most items kept of paragraphs that may be one list, all classes together.
const LIKE_ITEMS_MAX: usize = 5000;
/// Items that count for a list's size.
const SIZE_ITEMS_MAX: usize = 10;
/// What each of them adds.
const SIZE_EACH: f64 = 0.3;

/// A list that may be the one wanted.
struct Found {
    texts: Vec<String>,
    fit: f64,
    why: String,
    source: &'static str,
}

/// The best list so far: only one is kept, however many a page shows.
struct Best {
    sort: Sort,
    found: Option<(f64, Found)>,
}

impl Best {
    fn new(sort: Sort) -> Self {
        Self { sort, found: None }
    }

    /// Of lists equally good the first stays.
    fn consider(&mut self, mut one: Found) {
        one.texts = without_alternates(one.texts);
        let score = one.fit + shape(&one.texts, self.sort) + size(&one.texts);
        if one.texts.len() > 1 && self.found.as_ref().is_none_or(|(known, _)| score > *known) {
            self.found = Some((score, one));
        }
    }
}

/// The list that is named and shaped best.
#[must_use]
pub fn find(page: &Page, segments: &[Segment], field: &Field, item: &Field) -> Option<Candidate> {
    let sort = sort_of(field);
    let mut nodes_left = NODES_MAX;
    let mut named = Best::new(sort);
    under_labels(page, segments, field, &mut nodes_left, &mut named);
    if sort != Sort::Other {
        in_named_parts(page, field, &mut nodes_left, &mut named);
    }
    if sort == Sort::Ingredients {
        named.consider(of_named_items(page));
    }
    let mut best = named.found;
    if sort == Sort::Ingredients && best.as_ref().is_none_or(|(_, found)| amounts::share(&found.texts) < 0.3) {
        let mut told = Best::new(sort);
        unnamed(page, field, &mut nodes_left, &mut told);
        best = told.found.or(best);
    }
    let (score, found) = best?;
    let values: Vec<Value> =
        found.texts.into_iter().filter_map(|text| convert(page, item, &Value::String(text))).collect();
    (values.len() > 1).then(|| Candidate::new(Value::Array(values), found.source, score, found.why))
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

fn under_labels(page: &Page, segments: &[Segment], field: &Field, nodes_left: &mut Id, best: &mut Best) {
    let dom = &page.dom;
    let short = segments.iter().filter(|segment| segment.text.len() <= 80);
    let labels = short.filter_map(|segment| Some((segment, labels::names_list(&segment.text, field)?)));
    for (segment, fit) in labels.take(LABELS_MAX) {
        let heading = dom.ancestors(segment.node).take(4).find(|id| heading_level(dom.name(*id)).is_some());
        let level = heading.and_then(|id| heading_level(dom.name(id))).unwrap_or(7);
        let start = heading.map_or(segment.node + 1, |id| dom.end(id));
        let part = Part { start, end: dom.len(), level };
        let texts = of_part(page, part, field, nodes_left);
        let framing = if hints::is_framing(dom, segment.node) { -8.0 } else { 0.0 };
        let fit = fit + framing + if heading.is_some() { 2.0 } else { 0.0 };
        best.consider(Found { texts, fit, why: format!("the list after \"{}\"", segment.text), source: "label" });
    }
}

/// Parts of the page whose class or other attributes name the list.
fn in_named_parts(page: &Page, field: &Field, nodes_left: &mut Id, best: &mut Best) {
    let dom = &page.dom;
    let parts = dom.below(page.body).filter(|id| {
        matches!(dom.name(*id), "ul" | "ol" | "div" | "section" | "table" | "tbody" | "dl" | "form" | "article")
            && dom.element(*id).is_some_and(|element| !element.attrs.is_empty())
            && names(&hints::own_words(dom, *id), field)
    });
    for id in parts.take(PARTS_MAX) {
        let texts = of_part(page, Part { start: id + 1, end: dom.end(id), level: 0 }, field, nodes_left);
        best.consider(Found {
            texts,
            fit: CLASS_FIT,
            why: format!("the list in {}", described(dom, id)),
            source: "text",
        });
    }
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
    Found { texts, fit: CLASS_FIT - 4.0, why: "elements called an ingredient each".to_owned(), source: "text" }
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

/// Paragraphs of one class: recipes told in columns put each step's ingredients beside it.
#[derive(Default)]
struct Alike {
    texts: Vec<String>,
    /// Whether one of them alone is a list of amounts.
    is_told: bool,
}

/// Lists that nothing names, told by their amounts.
fn unnamed(page: &Page, field: &Field, nodes_left: &mut Id, best: &mut Best) {
    let dom = &page.dom;
    let places = dom
        .below(page.body)
        .filter(|id| matches!(dom.name(*id), "ul" | "ol" | "table" | "p" | "dl"))
        .take(PLACES_MAX)
        .filter(|id| !hints::is_framing(dom, *id));
    let found = |texts, fit, why: &str| Found { texts, fit, why: why.to_owned(), source: "text" };
    let mut classes: BTreeMap<&str, Alike> = BTreeMap::new();
    let mut items_left = LIKE_ITEMS_MAX;
    for id in places {
        let texts = of_part(page, Part { start: id, end: dom.end(id), level: 0 }, field, nodes_left);
        let is_told = texts.len() >= UNNAMED_ITEMS_MIN && amounts::share(&texts) >= UNNAMED_SHARE_MIN;
        if let Some(class) = dom.attr(id, "class").filter(|class| dom.name(id) == "p" && !class.is_empty()) {
            let alike = classes.entry(class).or_default();
            alike.is_told |= is_told;
            let before = alike.texts.len();
            alike.texts.extend(texts.iter().take(items_left).cloned());
            items_left -= alike.texts.len() - before;
        }
        if is_told {
            best.consider(found(texts, UNNAMED_FIT, "a list of amounts"));
        }
    }
    for alike in classes.into_values().filter(|alike| alike.is_told) {
        // More than one of them alone: they hold it.
        if amounts::share(&alike.texts) >= AMONG_LIKE_SHARE_MIN {
            best.consider(found(alike.texts, UNNAMED_FIT + SHAPE, "paragraphs of amounts"));
        }
    }
}

/// The same list in other measures after itself is one list.
fn without_alternates(mut texts: Vec<String>) -> Vec<String> {
    for copies in [3, 2] {
        let size = texts.len() / copies;
        if size < 2 || texts.len() > ALTERNATES_MAX || !texts.len().is_multiple_of(copies) {
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
