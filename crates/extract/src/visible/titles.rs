//! The title, the main link and the picture of a record.

use super::hints::own_words;
use super::naming::concept_id;
use super::prices;
use super::records::Record;
use super::slots::VALUE_BYTES_MAX;
use crate::dom::{Dom, Id};
use crate::page::Page;
use crate::schema::{Field, Shape};
use crate::text::{fold, shown_up_to};

pub fn is_title(field: &Field) -> bool {
    concept_id(field) == "name" && matches!(field.shape, Shape::Text | Shape::Any)
}

pub fn weigh_title(page: &Page, record: &Record, id: Id) -> Option<(f64, String, &'static str)> {
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

pub fn inside_heading(dom: &Dom, record: &Record, id: Id) -> bool {
    dom.ancestors(id)
        .take_while(|above| *above >= record.start)
        .any(|above| matches!(dom.name(above), "h1" | "h2" | "h3" | "h4" | "h5" | "h6"))
}

/// Whether an element up to three levels above is called a title.
pub fn inside_title(dom: &Dom, record: &Record, id: Id) -> bool {
    dom.ancestors(id).take_while(|above| *above >= record.start).take(3).any(|above| {
        own_words(dom, above)
            .iter()
            .any(|word| matches!(word.as_str(), "title" | "name" | "headline" | "titleline" | "heading"))
    })
}

/// "123 comments", "3 hours ago": a count, not a title.
pub fn starts_with_number_of(text: &str) -> bool {
    let all: Vec<&str> = text.split_whitespace().collect();
    all.len() <= 3
        && all
            .first()
            .is_some_and(|first| first.chars().all(|c| c.is_ascii_digit() || matches!(c, ',' | '.' | 'k' | 'K')))
}

pub fn is_button_text(text: &str) -> bool {
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
pub fn weigh_link(page: &Page, record: &Record, id: Id) -> Option<(f64, String, &'static str)> {
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

pub fn holds_heading(dom: &Dom, id: Id) -> bool {
    dom.below(id).take(60).any(|inner| matches!(dom.name(inner), "h1" | "h2" | "h3" | "h4" | "h5" | "h6"))
}

pub fn href(page: &Page, id: Id) -> Option<String> {
    let own = std::iter::once(id).chain(page.dom.below(id).take(40)).find(|at| page.dom.name(*at) == "a")?;
    page.absolute(page.dom.attr(own, "href")?)
}

pub fn link_in(page: &Page, id: Id) -> Option<String> {
    page.dom.below(id).find(|at| page.dom.name(*at) == "a").and_then(|at| page.absolute(page.dom.attr(at, "href")?))
}

pub fn image_in(dom: &Dom, id: Id) -> Option<String> {
    std::iter::once(id).chain(dom.below(id)).find(|at| dom.name(*at) == "img").and_then(|at| image_source(dom, at))
}

pub fn image_source(dom: &Dom, id: Id) -> Option<String> {
    let plain = ["data-src", "data-original", "data-lazy-src", "src"]
        .iter()
        .filter_map(|name| dom.attr(id, name))
        .find(|src| !src.is_empty() && !src.starts_with("data:"));
    let from_set =
        || dom.attr(id, "srcset").or_else(|| dom.attr(id, "data-srcset")).and_then(|set| set.split_whitespace().next());
    plain.or_else(from_set).map(str::to_owned)
}

pub fn weigh_image(dom: &Dom, id: Id) -> Option<(f64, String, &'static str)> {
    if dom.name(id) != "img" {
        return None;
    }
    let icon = own_words(dom, id)
        .iter()
        .any(|word| matches!(word.as_str(), "icon" | "logo" | "avatar" | "badge" | "sprite" | "pixel"));
    let tiny = dom.attr(id, "width").and_then(|width| width.parse::<u32>().ok()).is_some_and(|width| width < 24);
    Some((if icon || tiny { 3.0 } else { 6.0 }, image_source(dom, id)?, "record"))
}
