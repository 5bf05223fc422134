//! Who wrote what the page shows: elements that their class or link relation calls the author.

use serde_json::Value;

use super::hints::{is_framing, own_words};
use super::units::heading_level;
use crate::convert::convert;
use crate::dom::{Dom, Id};
use crate::fill::Candidate;
use crate::page::Page;
use crate::schema::Field;
use crate::text::{is_hidden, is_silent, shown_up_to, words};

/// Score of a link or a name inside an element that is called the author.
const NAMED: f64 = 56.0;
/// Score of such an element's own text.
const PLAIN: f64 = 50.0;
/// Longest name, in bytes.
const NAME_BYTES_MAX: usize = 60;
/// Most words of a name.
const NAME_WORDS_MAX: usize = 6;
/// Most elements looked at.
const ELEMENTS_MAX: usize = 200;

/// Words of classes and link relations for whoever wrote it.
const AUTHOR_WORDS: &[&str] = &["author", "authors", "byline", "autor", "auteur", "autore", "verfasser"];
/// Words for parts of the page that are about an author or by others.
const ELSEWHERE_WORDS: &[&str] =
    &["comment", "comments", "reply", "review", "reviews", "related", "bio", "avatar", "sidebar", "widget"];
/// Words before a name.
const BEFORE: &[&str] = &[
    "by",
    "written",
    "posted",
    "recipe",
    "author",
    "created",
    "published",
    "von",
    "par",
    "por",
    "di",
    "door",
    "av",
    "af",
    "od",
    "autor",
    "auteur",
    "autore",
    "rezept",
    "recette",
    "receta",
    "ricetta",
    "recept",
    "from",
    "автор",
];

/// The first byline of the page.
#[must_use]
pub fn find(page: &Page, field: &Field) -> Option<Candidate> {
    let dom = &page.dom;
    let called = dom.below(page.body).filter(|id| {
        dom.element(*id).is_some_and(|element| !element.attrs.is_empty())
            && own_words(dom, *id).iter().any(|word| AUTHOR_WORDS.contains(&word.as_str()))
    });
    called.take(ELEMENTS_MAX).filter(|id| is_here(page, *id)).find_map(|id| {
        let (text, score) = name_in(dom, id)?;
        let value = convert(page, field, &Value::String(text))?;
        Some(Candidate::new(value, "text", score, "the page calls it the author"))
    })
}

/// Whether an element speaks of the page's own author; what holds the main heading is the page, whatever it is called.
fn is_here(page: &Page, id: Id) -> bool {
    let dom = &page.dom;
    let holds_heading = |at: Id| page.heading.is_some_and(|heading| dom.contains(at, heading));
    let is_elsewhere = |at: Id| {
        is_silent(dom.name(at))
            || is_hidden(dom, at)
            || !holds_heading(at) && own_words(dom, at).iter().any(|word| ELSEWHERE_WORDS.contains(&word.as_str()))
    };
    let in_heading = std::iter::once(id).chain(dom.ancestors(id)).any(|at| heading_level(dom.name(at)).is_some());
    !in_heading && !is_framing(dom, id) && !std::iter::once(id).chain(dom.ancestors(id)).any(is_elsewhere)
}

/// The name in an element: its only link, or its text without the words before.
fn name_in(dom: &Dom, id: Id) -> Option<(String, f64)> {
    let links: Vec<String> = std::iter::once(id)
        .chain(dom.below(id))
        .filter(|at| dom.name(*at) == "a")
        .map(|link| shown_up_to(dom, link, NAME_BYTES_MAX))
        .filter(|text| !text.is_empty())
        .take(2)
        .collect();
    if let [link] = links.as_slice() {
        return plain_name(link).map(|name| (name, NAMED));
    }
    plain_name(&shown_up_to(dom, id, NAME_BYTES_MAX)).map(|name| (name, PLAIN))
}

fn plain_name(text: &str) -> Option<String> {
    let mut rest = text.trim();
    while let Some((first, after)) = rest.split_once([' ', ':']) {
        let is_before = first.is_empty() || BEFORE.contains(&first.to_lowercase().as_str());
        if !is_before || after.trim().is_empty() {
            break;
        }
        rest = after.trim_start_matches([':', ' ']);
    }
    let count = words(rest).len();
    let is_name = rest.len() <= NAME_BYTES_MAX
        && (1..=NAME_WORDS_MAX).contains(&count)
        && rest.chars().any(char::is_alphabetic)
        && !rest.contains(['@', '|', '/'])
        && !words(rest).iter().any(|word| word.chars().all(char::is_numeric))
        && !BEFORE.contains(&rest.to_lowercase().as_str());
    is_name.then(|| rest.to_owned())
}
