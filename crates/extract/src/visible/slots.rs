//! Fields inside repeated records: each element of a record is weighed for each field, the place that serves most records wins,
//! and every record is read at that place.

use std::collections::BTreeMap;

use serde_json::Value;

use super::hints::own_words;
use super::prices;
use super::records::{Group, Record, same_name, singular};
use crate::convert::{convert, kind_of};
use crate::dates;
use crate::dom::{Dom, Id};
use crate::names::{Kind, concept};
use crate::page::Page;
use crate::schema::{Field, Shape};
use crate::text::{collapse, fold, is_hidden, is_silent, shown_up_to, words};

/// Most nodes looked at in one record.
const NODES_MAX: usize = 1500;
/// Longest text of one value, in bytes.
const VALUE_BYTES_MAX: usize = 600;
/// Least score for a place to be believed.
const SCORE_MIN: f64 = 3.0;

/// How much of its sureness a value keeps when its place occurs again in the same record.
const AGAIN: f64 = 0.5;

/// Most siblings among which a label and its value are looked for.
const PAIR_SIBLINGS_MAX: usize = 60;

/// A value read from a record.
#[derive(Clone, Debug)]
pub struct Slotted {
    /// The converted value.
    pub value: Value,
    /// How sure it is, 0 to 1.
    pub sureness: f64,
    /// The place's kind for `sources`.
    pub source: &'static str,
}

/// One reading of one element for one field.
#[derive(Debug)]
struct Reading {
    slot: String,
    score: f64,
    value: Value,
    source: &'static str,
}

/// Reads the first `limit` records of a group.
#[must_use]
pub fn read(page: &Page, group: &Group, fields: &[Field], limit: usize) -> Vec<Vec<Option<Slotted>>> {
    let records: Vec<&Record> = group.records.iter().take(limit).collect();
    let mut columns: Vec<Vec<Option<Slotted>>> = Vec::new();
    for field in fields {
        let readings: Vec<Vec<Reading>> = records.iter().map(|record| readings(page, group, record, field)).collect();
        columns.push(settle(readings));
    }
    (0..records.len()).map(|row| columns.iter().map(|column| column.get(row).cloned().flatten()).collect()).collect()
}

/// Ranks places by how much speaks for them over all records, then reads each record at the best place it has.
fn settle(readings: Vec<Vec<Reading>>) -> Vec<Option<Slotted>> {
    let mut totals: BTreeMap<&str, (f64, f64)> = BTreeMap::new();
    for row in &readings {
        let mut seen: Vec<&str> = Vec::new();
        for reading in row {
            if !seen.contains(&reading.slot.as_str()) {
                seen.push(&reading.slot);
                let total = totals.entry(&reading.slot).or_default();
                total.0 += reading.score;
                total.1 = total.1.max(reading.score);
            }
        }
    }
    let mut order: Vec<(&str, f64)> =
        totals.iter().filter(|(_, (_, highest))| *highest >= SCORE_MIN).map(|(slot, (sum, _))| (*slot, *sum)).collect();
    order.sort_by(|left, right| right.1.total_cmp(&left.1).then_with(|| left.0.cmp(right.0)));
    let strongest = order.first().map_or(0.0, |(_, sum)| *sum);
    let useful: Vec<&str> = order.iter().filter(|(_, sum)| *sum >= strongest * 0.02).map(|(slot, _)| *slot).collect();
    readings
        .iter()
        .map(|row| {
            useful.iter().find_map(|slot| row.iter().find(|reading| reading.slot == *slot && reading.score > 0.0)).map(
                |reading| {
                    // A place that occurs again with another value in the same record: the record holds several things.
                    let again = row.iter().any(|other| other.slot == reading.slot && other.value != reading.value);
                    let sureness = (reading.score / 8.0).min(1.0) * if again { AGAIN } else { 1.0 };
                    Slotted { value: reading.value.clone(), sureness, source: reading.source }
                },
            )
        })
        .collect()
}

fn readings(page: &Page, group: &Group, record: &Record, field: &Field) -> Vec<Reading> {
    if !record.cells.is_empty() {
        return cell_readings(page, group, record, field);
    }
    let dom = &page.dom;
    let mut out = Vec::new();
    let mut at = record.start;
    let mut budget = NODES_MAX;
    while at < record.end && budget > 0 {
        budget -= 1;
        if dom.element(at).is_some() && (is_silent(dom.name(at)) || is_hidden(dom, at)) && at != record.start {
            at = dom.end(at);
            continue;
        }
        if let Some((score, text, source)) = weigh(page, record, at, field)
            && let Some(value) = convert(page, field, &Value::String(text))
        {
            out.push(Reading { slot: slot(dom, record, at), score, value, source });
        }
        at += 1;
    }
    out
}

/// In a table with headings, the column whose heading names the field.
fn cell_readings(page: &Page, group: &Group, record: &Record, field: &Field) -> Vec<Reading> {
    let dom = &page.dom;
    let mut out = Vec::new();
    for (column, cell) in record.cells.iter().enumerate() {
        let Some(cell) = *cell else { continue };
        let heading = group.headings.get(column).map_or("", String::as_str);
        let mut score = heading_fit(heading, field);
        let is_link = matches!(kind_of(field), Kind::Url) && link_in(page, cell).is_some();
        if score == 0.0 && is_link && concept_id(field) == "url" {
            score = 4.0;
        }
        if score == 0.0 && field.concept.is_some_and(|concept| concept.id == "name") && column == 0 {
            score = 3.5;
        }
        if score < SCORE_MIN {
            continue;
        }
        let text = match kind_of(field) {
            Kind::Url => link_in(page, cell),
            Kind::Image => image_in(dom, cell),
            _ => Some(shown_up_to(dom, cell, VALUE_BYTES_MAX)),
        };
        if let Some(value) = text.and_then(|text| convert(page, field, &Value::String(text))) {
            out.push(Reading { slot: format!("column {column:03}"), score, value, source: "table" });
        }
    }
    out
}

fn heading_fit(heading: &str, field: &Field) -> f64 {
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
fn core_words(name: &str) -> Vec<String> {
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

fn concept_id(field: &Field) -> &'static str {
    field.concept.map_or("", |concept| concept.id)
}

/// The path of element names and classes from the record's root to a node.
fn slot(dom: &Dom, record: &Record, id: Id) -> String {
    let mut parts: Vec<String> = Vec::new();
    let mut at = id;
    while at >= record.start && at != 0 {
        if dom.element(at).is_some() {
            let classes: String = dom.attr(at, "class").unwrap_or("").chars().filter(|c| !c.is_ascii_digit()).collect();
            parts.push(format!("{}.{}", dom.name(at), collapse(&classes)));
        } else {
            parts.push("text".to_owned());
        }
        at = dom.parent(at);
    }
    parts.reverse();
    parts.join("/")
}

/// How likely a node of a record holds a field, with its text.
fn weigh(page: &Page, record: &Record, id: Id, field: &Field) -> Option<(f64, String, &'static str)> {
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
fn field_is_other_link(field: &Field) -> bool {
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

fn is_title(field: &Field) -> bool {
    concept_id(field) == "name" && matches!(field.shape, Shape::Text | Shape::Any)
}

fn weigh_title(page: &Page, record: &Record, id: Id) -> Option<(f64, String, &'static str)> {
    let dom = &page.dom;
    dom.element(id)?;
    let name = dom.name(id);
    let own = own_words(dom, id);
    let has = |list: &[&str]| own.iter().any(|word| list.contains(&word.as_str()));
    let text = shown_up_to(dom, id, VALUE_BYTES_MAX);
    if text.chars().count() < 2
        || text.len() > 400
        || is_button_text(&text)
        || prices::is_price_text(&text) && text.len() < 30
        || text.chars().all(|c| !c.is_alphabetic())
    {
        return None;
    }
    let mut score = 0.0;
    if matches!(name, "h1" | "h2" | "h3" | "h4" | "h5" | "h6") {
        score += 6.0;
    }
    if has(&["title", "name", "headline", "heading", "subject"]) {
        score += 4.0;
    }
    if name == "a" && dom.attr(id, "href").is_some() {
        score += 3.0;
        if inside_heading(dom, record, id) || inside_title(dom, record, id) {
            score += 3.5;
        }
    }
    if matches!(name, "strong" | "b" | "dt" | "th" | "summary") {
        score += 2.0;
    }
    if score == 0.0 {
        return None;
    }
    if has(&[
        "subtitle", "author", "user", "comment", "comments", "category", "tag", "price", "button", "btn", "meta",
        "date",
    ]) {
        score -= 3.0;
    }
    if text.chars().count() >= 12 {
        score += 1.0;
    }
    if text.chars().count() > 150 {
        score -= 2.0;
    }
    if starts_with_number_of(&text) {
        score -= 4.0;
    }
    Some((score, text, "record"))
}

fn inside_heading(dom: &Dom, record: &Record, id: Id) -> bool {
    dom.ancestors(id)
        .take_while(|above| *above >= record.start)
        .any(|above| matches!(dom.name(above), "h1" | "h2" | "h3" | "h4" | "h5" | "h6"))
}

/// Whether an element up to three levels above is called a title.
fn inside_title(dom: &Dom, record: &Record, id: Id) -> bool {
    dom.ancestors(id).take_while(|above| *above >= record.start).take(3).any(|above| {
        own_words(dom, above)
            .iter()
            .any(|word| matches!(word.as_str(), "title" | "name" | "headline" | "titleline" | "heading"))
    })
}

/// "123 comments", "3 hours ago": a count, not a title.
fn starts_with_number_of(text: &str) -> bool {
    let all: Vec<&str> = text.split_whitespace().collect();
    all.len() <= 3
        && all
            .first()
            .is_some_and(|first| first.chars().all(|c| c.is_ascii_digit() || matches!(c, ',' | '.' | 'k' | 'K')))
}

fn is_button_text(text: &str) -> bool {
    const BUTTONS: &[&str] = &[
        "buy",
        "buynow",
        "addtocart",
        "addtobasket",
        "addtobag",
        "more",
        "readmore",
        "learnmore",
        "details",
        "viewdetails",
        "view",
        "reply",
        "share",
        "hide",
        "save",
        "comments",
        "discuss",
        "next",
        "previous",
        "apply",
        "applynow",
        "edit",
        "delete",
        "flag",
        "login",
        "signin",
        "seemore",
        "showmore",
        "viewall",
        "moreinfo",
        "quickview",
        "compare",
        "follow",
        "subscribe",
        "download",
        "open",
        "select",
        "remove",
        "mehr",
        "weiterlesen",
        "kaufen",
        "indenwarenkorb",
        "もっと見る",
        "続きを読む",
    ];
    BUTTONS.contains(&fold(text).as_str())
}

/// The record's main link: the one on its title, else the first that is not a button.
fn weigh_link(page: &Page, record: &Record, id: Id) -> Option<(f64, String, &'static str)> {
    let dom = &page.dom;
    if dom.name(id) != "a" {
        return None;
    }
    let address = href(page, id)?;
    let score = match weigh_title(page, record, id) {
        Some((score, _, _)) => score.max(3.0),
        None if holds_heading(dom, id) => 8.0,
        None => 3.0,
    };
    let score = if holds_heading(dom, id) { score + 4.0 } else { score };
    Some((score, address, "link"))
}

fn holds_heading(dom: &Dom, id: Id) -> bool {
    dom.below(id).take(60).any(|inner| matches!(dom.name(inner), "h1" | "h2" | "h3" | "h4" | "h5" | "h6"))
}

fn href(page: &Page, id: Id) -> Option<String> {
    let own = std::iter::once(id).chain(page.dom.below(id).take(40)).find(|at| page.dom.name(*at) == "a")?;
    page.absolute(page.dom.attr(own, "href")?)
}

fn link_in(page: &Page, id: Id) -> Option<String> {
    page.dom.below(id).find(|at| page.dom.name(*at) == "a").and_then(|at| page.absolute(page.dom.attr(at, "href")?))
}

fn image_in(dom: &Dom, id: Id) -> Option<String> {
    std::iter::once(id).chain(dom.below(id)).find(|at| dom.name(*at) == "img").and_then(|at| image_source(dom, at))
}

fn image_source(dom: &Dom, id: Id) -> Option<String> {
    let plain = ["data-src", "data-original", "data-lazy-src", "src"]
        .iter()
        .filter_map(|name| dom.attr(id, name))
        .find(|src| !src.is_empty() && !src.starts_with("data:"));
    let from_set =
        || dom.attr(id, "srcset").or_else(|| dom.attr(id, "data-srcset")).and_then(|set| set.split_whitespace().next());
    plain.or_else(from_set).map(str::to_owned)
}

fn weigh_image(dom: &Dom, id: Id) -> Option<(f64, String, &'static str)> {
    if dom.name(id) != "img" {
        return None;
    }
    let icon = own_words(dom, id)
        .iter()
        .any(|word| matches!(word.as_str(), "icon" | "logo" | "avatar" | "badge" | "sprite" | "pixel"));
    let tiny = dom.attr(id, "width").and_then(|width| width.parse::<u32>().ok()).is_some_and(|width| width < 24);
    Some((if icon || tiny { 3.0 } else { 6.0 }, image_source(dom, id)?, "record"))
}

fn weigh_price(page: &Page, id: Id, field: &Field) -> Option<(f64, String, &'static str)> {
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

fn weigh_currency(page: &Page, id: Id) -> Option<(f64, String, &'static str)> {
    page.dom.element(id)?;
    let text = shown_up_to(&page.dom, id, 60);
    (text.len() <= 50 && prices::is_price_text(&text)).then_some((5.0, text, "record"))
}

fn weigh_date(page: &Page, id: Id, field: &Field) -> Option<(f64, String, &'static str)> {
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

fn weigh_rating(page: &Page, id: Id, field: &Field) -> Option<(f64, String, &'static str)> {
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
fn weigh_worded(page: &Page, id: Id, field: &Field) -> Option<(f64, String, &'static str)> {
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
fn weigh_labelled(page: &Page, id: Id, field: &Field) -> Option<(f64, String, &'static str)> {
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

fn previous_element(dom: &Dom, id: Id) -> Option<Id> {
    let parent = dom.parent(id);
    // Far into a long list of siblings there is no label pair.
    let before: Vec<Id> = dom.child_elements(parent).take(PAIR_SIBLINGS_MAX).take_while(|child| *child < id).collect();
    before.last().copied().filter(|last| dom.end(*last) + 8 >= id)
}

/// "123 points by someone": a number before the field's word, or after it.
fn weigh_unit_text(dom: &Dom, id: Id, field: &Field) -> Option<(f64, String, &'static str)> {
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

/// "<b>123</b> points": a number in an element of its own, directly before the word.
fn number_before_unit(dom: &Dom, id: Id, number: &str, wanted: &[String]) -> Option<String> {
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
fn number_with_unit(text: &str, wanted: &[String]) -> Option<String> {
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
fn matches_name(own: &[String], field: &Field) -> bool {
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
fn strip_label(text: &str, field: &Field) -> String {
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
