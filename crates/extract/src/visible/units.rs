//! What one item of a list is, in whatever markup: its text with the amount first, and how it differs from a group of items.

use super::amounts;
use super::hints::own_words;
use super::records::signature;
use crate::convert_list::is_number_of_step;
use crate::dom::{Dom, Id};
use crate::schema::Field;
use crate::text::{collapse, is_block, is_hidden, is_silent, shown_up_to};

/// Longest ingredient, in bytes.
const INGREDIENT_BYTES_MAX: usize = 300;
/// Most blocks of one item: amount, unit, name, note.
const ITEM_BLOCKS_MAX: usize = 4;
/// Among how many of the next elements one of an item's kind is looked for.
const NEIGHBOURS: usize = 3;
/// Most nodes of one item.
const UNIT_NODES_MAX: Id = 400;
/// Most nodes of a step looked at for items of its own.
const NODES_OF_UNIT_MAX: usize = 100;
/// Most nodes of an element looked at to tell what it holds; what the walk charges for an element at most.
pub const LOOK_NODES_MAX: usize = 1000;
/// Longest item, in bytes.
pub const ITEM_BYTES_MAX: usize = 4000;
/// Longest heading compared with what it stands in, in bytes.
const HEADING_BYTES_MAX: usize = 200;

/// What a list is of, as far as its shape goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// Short things, many with an amount.
    Ingredients,
    /// Sentences.
    Steps,
    /// Anything else.
    Other,
}

/// The sort of a field's list.
#[must_use]
pub fn sort_of(field: &Field) -> Sort {
    match field.concept.map(|concept| concept.id) {
        Some("ingredients") => Sort::Ingredients,
        Some("instructions") => Sort::Steps,
        Some(_) | None => Sort::Other,
    }
}

/// 1 to 6 for headings.
#[must_use]
pub fn heading_level(name: &str) -> Option<u8> {
    match name.as_bytes() {
        [b'h', digit @ b'1'..=b'6'] => Some(digit - b'0'),
        _ => None,
    }
}

/// Whether an element holds one of these elements, among its first [`LOOK_NODES_MAX`].
pub fn holds(dom: &Dom, id: Id, names: &[&str]) -> bool {
    dom.below(id).take(LOOK_NODES_MAX).any(|inner| names.contains(&dom.name(inner)))
}

/// Whether an element holds others that stand on lines of their own, among its first [`LOOK_NODES_MAX`].
pub fn holds_block(dom: &Dom, id: Id) -> bool {
    dom.below(id)
        .take(LOOK_NODES_MAX)
        .any(|inner| is_block(dom.name(inner)) && !matches!(dom.name(inner), "br" | "button"))
}

/// Whether one of the next elements is an item of the same kind.
#[must_use]
pub fn is_followed_by_its_like(dom: &Dom, id: Id, sort: Sort) -> bool {
    let kind = signature(dom, id);
    let end = dom.end(dom.parent(id));
    let next = std::iter::successors(Some(dom.end(id)), |at| Some(dom.end(*at))).take_while(|at| *at < end);
    let mut near = next.filter(|at| dom.element(*at).is_some()).take(NEIGHBOURS);
    near.any(|other| signature(dom, other) == kind && is_unit(dom, other, sort))
}

/// Elements that lists are made of where no list markup is used, if they show anything.
fn can_repeat(dom: &Dom, id: Id) -> bool {
    let name = dom.name(id);
    (matches!(name, "div" | "label" | "article" | "section") || name.contains('-'))
        && !is_hidden(dom, id)
        && !shown_up_to(dom, id, 1).is_empty()
}

/// Whether an element that is no list markup is one item and not a group of items.
#[must_use]
pub fn is_unit(dom: &Dom, id: Id, sort: Sort) -> bool {
    if sort == Sort::Other
        || dom.end(id) - id > UNIT_NODES_MAX
        || !can_repeat(dom, id)
        || holds(dom, id, &["li", "tr", "dd"])
    {
        return false;
    }
    if sort == Sort::Steps {
        return !holds_repeated(dom, id) && !is_heading_alone(dom, id);
    }
    if dom.below(id).any(|inner| heading_level(dom.name(inner)).is_some()) {
        return false;
    }
    if shown_up_to(dom, id, INGREDIENT_BYTES_MAX).len() > INGREDIENT_BYTES_MAX {
        return false;
    }
    let leaves = dom.below(id).filter(|inner| is_block(dom.name(*inner)) && !holds_block(dom, *inner));
    let shown: Vec<Id> =
        leaves.filter(|block| !shown_up_to(dom, *block, 1).is_empty()).take(ITEM_BLOCKS_MAX + 1).collect();
    shown.len() < 2 || shown.len() <= ITEM_BLOCKS_MAX && shown.iter().any(|block| is_amount_part(dom, *block))
}

/// Whether an element shows a heading and no more.
fn is_heading_alone(dom: &Dom, id: Id) -> bool {
    let heading = dom.below(id).find(|inner| heading_level(dom.name(*inner)).is_some());
    heading.is_some_and(|heading| {
        let text = shown_up_to(dom, heading, HEADING_BYTES_MAX);
        shown_up_to(dom, id, HEADING_BYTES_MAX) == text
    })
}

/// Whether an element holds neighbours of one kind.
fn holds_repeated(dom: &Dom, id: Id) -> bool {
    std::iter::once(id).chain(dom.below(id)).take(NODES_OF_UNIT_MAX).any(|at| {
        let kinds: Vec<String> = dom
            .child_elements(at)
            .filter(|kid| can_repeat(dom, *kid))
            .take(NEIGHBOURS)
            .map(|kid| signature(dom, kid))
            .collect();
        kinds.windows(2).any(|pair| matches!(pair, [left, right] if left == right))
    })
}

/// Whether an element holds the amount of its item and nothing else.
fn is_amount_part(dom: &Dom, id: Id) -> bool {
    let says_amount = || {
        own_words(dom, id)
            .iter()
            .any(|word| matches!(word.as_str(), "amount" | "quantity" | "qty" | "unit" | "measure" | "menge"))
    };
    amounts::is_bare(&shown_up_to(dom, id, 80)) || says_amount()
}

/// An item's text: its parts with the amount first, without the marks that stand for bullets and boxes.
#[must_use]
pub fn unit_text(dom: &Dom, id: Id) -> String {
    let mut parts = parts_of(dom, id);
    let whole = shown_up_to(dom, id, ITEM_BYTES_MAX);
    let first_is_amount = parts.first().is_some_and(|part| is_amount_part(dom, *part));
    let last_is_amount = parts.len() > 1 && parts.last().is_some_and(|part| is_amount_part(dom, *part));
    let text = if first_is_amount || last_is_amount {
        let name_asks = |part: &Id| shown_up_to(dom, *part, 200).trim_end().ends_with([':', '：']);
        if !first_is_amount && !parts.first().is_some_and(name_asks) {
            parts.rotate_right(1);
        }
        let texts: Vec<String> = parts.iter().map(|part| shown_up_to(dom, *part, ITEM_BYTES_MAX)).collect();
        join_parts(&texts)
    } else {
        whole
    };
    without_bullet(&text)
}

/// A step's text without its number where that stands in an element of its own.
#[must_use]
pub fn step_text(dom: &Dom, id: Id) -> String {
    let whole = shown_up_to(dom, id, ITEM_BYTES_MAX);
    let first = parts_of(dom, id).first().map(|part| shown_up_to(dom, *part, HEADING_BYTES_MAX)).unwrap_or_default();
    let rest = if is_number_of_step(&first) { whole.strip_prefix(first.as_str()).unwrap_or(&whole) } else { &whole };
    without_bullet(rest)
}

fn join_parts(texts: &[String]) -> String {
    let mut out = String::new();
    for text in texts.iter().filter(|text| !text.is_empty()) {
        if !out.is_empty() && !text.starts_with([',', ')', '.', ';']) {
            out.push(' ');
        }
        out.push_str(text);
    }
    out
}

/// The elements that an item consists of, if it has no text beside them.
fn parts_of(dom: &Dom, id: Id) -> Vec<Id> {
    let mut at = id;
    loop {
        let has_text = dom.children(at).filter_map(|child| dom.text_node(child)).any(|text| !collapse(text).is_empty());
        let parts: Vec<Id> = dom
            .child_elements(at)
            .filter(|part| {
                !is_silent(dom.name(*part)) && !is_hidden(dom, *part) && !shown_up_to(dom, *part, 1).is_empty()
            })
            .collect();
        match parts.as_slice() {
            _ if has_text => return Vec::new(),
            [only] => at = *only,
            _ => return parts,
        }
    }
}

fn without_bullet(text: &str) -> String {
    text.trim_start_matches(['▢', '☐', '□', '•', '·', '–', '-', '*', '✓', '○', '●', '◦', '▪', ' ']).trim().to_owned()
}

/// The lines of a block that breaks them itself.
pub fn broken_lines(dom: &Dom, id: Id) -> Vec<String> {
    if !holds(dom, id, &["br"]) {
        return Vec::new();
    }
    let text = crate::text::content_lines(dom, id, ITEM_BYTES_MAX);
    text.split('\n').map(|line| without_bullet(&collapse(line))).filter(|line| !line.is_empty()).collect()
}
