//! How likely a node of a record holds a field, by the field's kind.

use super::hints::own_words;
use super::naming::{
    concept_id, core_words, heading_fit, matches_name, number_before_unit, number_with_unit, strip_label,
};
use super::prices;
use super::records::Record;
use super::slots::VALUE_BYTES_MAX;
use super::titles::{href, is_button_text, is_title, weigh_image, weigh_link, weigh_title};
use crate::convert::kind_of;
use crate::dates;
use crate::dom::{Dom, Id};
use crate::names::Kind;
use crate::page::Page;
use crate::schema::{Field, Shape};
use crate::text::{collapse, shown_up_to, words};

/// Most siblings among which a label and its value are looked for.
const PAIR_SIBLINGS_MAX: usize = 60;

/// How likely a node of a record holds a field, with its text.
pub fn weigh(page: &Page, record: &Record, id: Id, field: &Field) -> Option<(f64, String, &'static str)> {
    match kind_of(field) {
        Kind::Url if !field_is_other_link(field) => weigh_link(page, record, id),
        Kind::Url => weigh_worded(page, id, field).and_then(|(score, _, _)| Some((score, href(page, id)?, "link"))),
        Kind::Image => weigh_image(&page.dom, id),
        Kind::Price => weigh_price(page, id, field),
        Kind::Currency => weigh_currency(page, id),
        Kind::Date => weigh_date(page, id, field),
        Kind::Rating => weigh_rating(page, id, field),
        Kind::Named | Kind::Text | Kind::Identifier | Kind::Count | Kind::Duration | Kind::Availability
            if is_title(field) =>
        {
            weigh_title(page, record, id)
        }
        Kind::Named | Kind::Text | Kind::Identifier | Kind::Count | Kind::Duration | Kind::Availability => {
            weigh_worded(page, id, field)
        }
    }
}

/// A link field with a name of its own (`comments_url`) is not the record's main link.
pub fn field_is_other_link(field: &Field) -> bool {
    let rest: Vec<String> = words(&field.name)
        .into_iter()
        .filter(|word| {
            !matches!(
                word.as_str(),
                "url"
                    | "link"
                    | "href"
                    | "uri"
                    | "page"
                    | "web"
                    | "product"
                    | "item"
                    | "story"
                    | "article"
                    | "detail"
                    | "details"
                    | "source"
                    | "permalink"
                    | "job"
                    | "post"
                    | "canonical"
                    | "title"
            )
        })
        .collect();
    !rest.is_empty()
}

pub fn weigh_price(page: &Page, id: Id, field: &Field) -> Option<(f64, String, &'static str)> {
    let dom = &page.dom;
    dom.element(id)?;
    let text = prices::price_text(dom, id);
    if text.len() > 60 {
        return None;
    }
    let own = own_words(dom, id);
    let has = |list: &[&str]| own.iter().any(|word| list.contains(&word.as_str()));
    let free = crate::numbers::means_free(&text);
    let with_sign = prices::is_price_text(&text);
    let worded =
        has(&["price", "amount", "cost", "preis", "prix", "salary", "total", "fee"]) || matches_name(&own, field);
    if !(with_sign || free && worded || worded && text.chars().any(|c| c.is_ascii_digit())) {
        return weigh_labelled(page, id, field);
    }
    let mut score = if with_sign { 5.0 } else { 3.0 };
    if worded {
        score += 2.0;
    }
    if has(&[
        "old", "was", "before", "list", "rrp", "strike", "original", "regular", "msrp", "previous", "compare", "uvp",
        "shipping", "delivery", "saving", "save", "discount",
    ]) {
        score -= 4.0;
    }
    if matches!(dom.name(id), "del" | "s" | "strike")
        || dom.ancestors(id).take(3).any(|above| matches!(dom.name(above), "del" | "s" | "strike"))
    {
        score -= 6.0;
    }
    // The element that shows only the price is surer than one around it.
    if text.chars().filter(|c| c.is_alphabetic()).count() > 8 {
        score -= 1.5;
    }
    Some((score, text, "record"))
}

pub fn weigh_currency(page: &Page, id: Id) -> Option<(f64, String, &'static str)> {
    page.dom.element(id)?;
    let text = shown_up_to(&page.dom, id, 60);
    (text.len() <= 50 && prices::is_price_text(&text)).then_some((5.0, text, "record"))
}

pub fn weigh_date(page: &Page, id: Id, field: &Field) -> Option<(f64, String, &'static str)> {
    let dom = &page.dom;
    dom.element(id)?;
    if dom.name(id) == "time" {
        let shown = shown_up_to(dom, id, 100);
        let text = dom.attr(id, "datetime").filter(|text| !text.is_empty()).map_or(shown, str::to_owned);
        return Some((7.0, text, "record"));
    }
    let text = shown_up_to(dom, id, 100);
    if text.len() <= 40 && dates::to_date(&text).is_some() {
        return Some((5.0, text, "record"));
    }
    if let Some(found) = weigh_worded(page, id, field) {
        return Some(found);
    }
    let lower = text.to_lowercase();
    let is_ago = text.len() <= 40
        && (lower.ends_with(" ago")
            || lower.ends_with("前")
            || lower.starts_with("vor ")
            || lower.starts_with("il y a "));
    is_ago.then_some((4.0, text, "record"))
}

pub fn weigh_rating(page: &Page, id: Id, field: &Field) -> Option<(f64, String, &'static str)> {
    let dom = &page.dom;
    dom.element(id)?;
    for name in ["aria-label", "title", "data-rating", "data-score", "alt"] {
        if let Some(text) = dom.attr(id, name) {
            let lower = text.to_lowercase();
            let says = name.starts_with("data-")
                || ["star", "out of", "/5", "rating", "von 5", "sur 5", "rated"]
                    .iter()
                    .any(|mark| lower.contains(mark));
            if says && text.chars().any(|c| c.is_ascii_digit()) && text.len() < 60 {
                return Some((6.0, text.to_owned(), "record"));
            }
        }
    }
    weigh_worded(page, id, field)
}

/// A node whose own attributes or words name the field.
pub fn weigh_worded(page: &Page, id: Id, field: &Field) -> Option<(f64, String, &'static str)> {
    let dom = &page.dom;
    if dom.element(id).is_none() {
        return weigh_unit_text(dom, id, field);
    }
    let own = own_words(dom, id);
    let text = shown_up_to(dom, id, VALUE_BYTES_MAX);
    if text.is_empty() {
        return None;
    }
    if matches_name(&own, field) && !is_button_text(&text) {
        let text = strip_label(&text, field);
        return Some((if text.len() < 120 { 6.5 } else { 4.0 }, text, "record"));
    }
    if concept_id(field) == "author"
        && (own.iter().any(|word| word == "author" || word == "byline" || word == "user")
            || dom.attr(id, "rel") == Some("author"))
    {
        return Some((6.0, strip_label(&text, field), "record"));
    }
    weigh_labelled(page, id, field)
}

/// "Location: Berlin" or a `dt`/`dd` pair inside the record.
pub fn weigh_labelled(page: &Page, id: Id, field: &Field) -> Option<(f64, String, &'static str)> {
    let dom = &page.dom;
    dom.element(id)?;
    let text = shown_up_to(dom, id, 200);
    if text.len() > 160 {
        return None;
    }
    let is_line = !dom.below(id).any(|inner| crate::text::is_block(dom.name(inner)));
    if let Some((label, rest)) = text.split_once([':', '：'])
        && is_line
        && heading_fit(label, field) >= 6.0
        && !rest.trim().is_empty()
    {
        return Some((6.0, rest.trim().to_owned(), "label"));
    }
    // The element after its label.
    let before = previous_element(dom, id)?;
    let label = shown_up_to(dom, before, 80);
    let labels = label.len() <= 40 && heading_fit(label.trim_end_matches([':', '：']), field) >= 6.0;
    let is_pair =
        dom.name(id) == "dd" || label.ends_with([':', '：']) || dom.child_elements(dom.parent(id)).take(3).count() == 2;
    (labels && is_pair).then_some((6.0, text, "label"))
}

pub fn previous_element(dom: &Dom, id: Id) -> Option<Id> {
    let parent = dom.parent(id);
    // Far into a long list of siblings there is no label pair.
    let before: Vec<Id> = dom.child_elements(parent).take(PAIR_SIBLINGS_MAX).take_while(|child| *child < id).collect();
    before.last().copied().filter(|last| dom.end(*last) + 8 >= id)
}

/// "123 points by someone": a number before the field's word, or after it.
pub fn weigh_unit_text(dom: &Dom, id: Id, field: &Field) -> Option<(f64, String, &'static str)> {
    let text = collapse(dom.text_node(id)?);
    if text.is_empty() || text.len() > 200 {
        return None;
    }
    let wanted = core_words(&field.name);
    if matches!(field.shape, Shape::Number | Shape::Integer) {
        let number = number_with_unit(&text, &wanted).or_else(|| number_before_unit(dom, id, &text, &wanted));
        return number.map(|number| (7.0, number, "record"));
    }
    if concept_id(field) == "author" {
        let rest =
            text.strip_prefix("by ").or_else(|| text.strip_prefix("By ")).or_else(|| text.strip_prefix("von "))?;
        return Some((5.0, rest.trim().to_owned(), "record"));
    }
    None
}
