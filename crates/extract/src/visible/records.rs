//! Repeated records (cards, list items, rows): finds the repeated structure that fits a schema best and reads each record on
//! its own, so that a missing field is null and never shifts the next.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::hints::{is_framing, own_words};
use super::slots::{self, Slotted};
use super::tables;
use crate::convert::put;
use crate::dom::{Dom, Id};
use crate::fill::Candidate;
use crate::page::Page;
use crate::schema::Field;
use crate::text::{fold, is_hidden, is_silent, words};

/// Most groups weighed.
const GROUPS_MAX: usize = 400;
/// Most records of one group.
const RECORDS_MAX: usize = 5000;
/// Nodes of a record in which the label of an advertisement is looked for: it stands at the top.
const ADVERTISEMENT_NODES_MAX: usize = 60;
/// Records read to judge a group.
const SAMPLE: usize = 12;

/// One record: the sibling elements that make it up.
#[derive(Clone, Debug)]
pub struct Record {
    /// First node.
    pub start: Id,
    /// One past the last node.
    pub end: Id,
    /// For a table row: its cells by column.
    pub cells: Vec<Option<Id>>,
}

/// Records of one kind.
#[derive(Clone, Debug)]
pub struct Group {
    /// The element that holds them.
    pub parent: Id,
    /// The records, in page order.
    pub records: Vec<Record>,
    /// Column headings, for a table.
    pub headings: Vec<String>,
}

/// Fills a list of objects from the group of records that fits it best.
#[must_use]
pub fn find(page: &Page, field: &Field, fields: &[Field]) -> Option<Candidate> {
    let mut best: Option<(f64, Group)> = None;
    for group in groups(page) {
        let score = weigh(page, &group, field, fields);
        if score > 0.0 && best.as_ref().is_none_or(|(highest, _)| score > *highest) {
            best = Some((score, group));
        }
    }
    let (score, group) = best?;
    let group = without_advertisements(page, group);
    let rows = slots::read(page, &group, fields, RECORDS_MAX);
    let (mut inner, mut passages) = (BTreeMap::new(), BTreeMap::new());
    let mut items = Vec::new();
    for row in rows {
        if !is_record(&row, fields) {
            continue;
        }
        let mut map = Map::new();
        for (part, slotted) in fields.iter().zip(row) {
            if let Some(Slotted { source, value, text, .. }) = &slotted {
                let pointer = format!("/{}/{}", items.len(), part.name);
                if value.as_str() != Some(text) {
                    passages.insert(pointer.clone(), text.clone());
                }
                inner.insert(pointer, (*source).to_owned());
            }
            put(&mut map, part, slotted.map(|slotted| slotted.value));
        }
        items.push(Value::Object(map));
    }
    if items.is_empty() {
        return None;
    }
    let source = if group.headings.is_empty() { "record" } else { "table" };
    let why = format!("{} records of one structure", items.len());
    Some(Candidate { inner, passages, ..Candidate::new(Value::Array(items), source, score, why) })
}

/// Labels by which a page says that what stands there was paid for.
const ADVERTISEMENT_LABELS: [&str; 14] = [
    "ad",
    "ads",
    "advert",
    "advertisement",
    "sponsored",
    "promoted",
    "promotion",
    "anzeige",
    "gesponsert",
    "publicité",
    "sponsorisé",
    "publicidad",
    "patrocinado",
    "広告",
];

/// The group without the records that carry such a label, unless all do: then it is what the page is about.
fn without_advertisements(page: &Page, group: Group) -> Group {
    let (paid, own): (Vec<Record>, Vec<Record>) =
        group.records.iter().cloned().partition(|record| is_advertisement(&page.dom, record));
    if own.is_empty() || paid.is_empty() { group } else { Group { records: own, ..group } }
}

fn is_advertisement(dom: &Dom, record: &Record) -> bool {
    (record.start..record.end)
        .take(ADVERTISEMENT_NODES_MAX)
        .filter_map(|id| dom.text_node(id))
        .any(|text| ADVERTISEMENT_LABELS.contains(&text.trim().to_lowercase().as_str()))
}

/// A record must have its first field or half of all; others are advertisements and rulers.
fn is_record(row: &[Option<Slotted>], fields: &[Field]) -> bool {
    let filled = row.iter().flatten().count();
    let has_first = row.first().is_some_and(Option::is_some);
    filled > 0 && (has_first || filled * 2 >= fields.len())
}

/// How well a group fits: fields filled in its records, their number, and where it stands.
fn weigh(page: &Page, group: &Group, field: &Field, fields: &[Field]) -> f64 {
    let rows = slots::read(page, group, fields, SAMPLE);
    let count = rows.len();
    if count < 2 {
        return 0.0;
    }
    let filled: f64 = rows.iter().map(|row| row.iter().flatten().map(|slotted| slotted.sureness).sum::<f64>()).sum();
    #[expect(clippy::cast_precision_loss, reason = "at most the sample")]
    let mean = filled / count as f64;
    #[expect(clippy::cast_precision_loss, reason = "few fields")]
    let share = mean / fields.len() as f64;
    if share < 0.2 {
        return 0.0;
    }
    #[expect(clippy::cast_precision_loss, reason = "bounded by RECORDS_MAX")]
    let size = (group.records.len().min(60) as f64).ln();
    let mut score = share * 10.0 + size * 0.5;
    if is_framing(&page.dom, group.parent) {
        score -= 3.0;
    }
    if named(page, group, field) {
        score += 3.0;
    }
    score
}

/// Whether the group's container, or the heading before it, has the list's name.
fn named(page: &Page, group: &Group, field: &Field) -> bool {
    let dom = &page.dom;
    let wanted: Vec<String> = words(&field.name).iter().map(|word| singular(word)).collect();
    let holds = |text: &[String]| {
        !wanted.is_empty() && wanted.iter().all(|word| text.iter().any(|other| singular(other) == *word))
    };
    let around = std::iter::once(group.parent).chain(dom.ancestors(group.parent)).take(3);
    if around.map(|id| own_words(dom, id)).any(|own| holds(&own)) {
        return true;
    }
    if group.records.iter().take(2).all(|record| holds(&own_words(dom, record.start))) {
        return true;
    }
    let from = group.parent.saturating_sub(40);
    (from..group.parent)
        .rev()
        .find(|id| is_heading(dom.name(*id)))
        .is_some_and(|id| holds(&words(&crate::text::shown_up_to(dom, id, 200))))
}

fn is_heading(name: &str) -> bool {
    matches!(name, "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "caption" | "legend" | "summary")
}

/// A word without its plural ending.
#[must_use]
pub fn singular(word: &str) -> String {
    if let Some(stem) = word.strip_suffix("ies") {
        return format!("{stem}y");
    }
    word.strip_suffix('s').filter(|stem| stem.len() > 2 && !stem.ends_with('s')).unwrap_or(word).to_owned()
}

/// All groups of a page, in page order.
#[must_use]
pub fn groups(page: &Page) -> Vec<Group> {
    let dom = &page.dom;
    let mut groups = Vec::new();
    let mut at = page.body;
    while at < dom.end(page.body) && groups.len() < GROUPS_MAX {
        let name = dom.name(at);
        if dom.element(at).is_none() {
            at += 1;
            continue;
        }
        if at != page.body && (is_silent(name) || is_hidden(dom, at)) {
            at = dom.end(at);
            continue;
        }
        if name == "table" {
            groups.extend(table_group(dom, at));
        }
        groups.extend(sibling_groups(dom, at));
        at += 1;
    }
    groups
}

fn table_group(dom: &Dom, table: Id) -> Option<Group> {
    let grid = tables::grid(dom, table);
    let named = grid.headings.iter().filter(|text| !text.is_empty()).count();
    if named < 2 || grid.rows.is_empty() {
        return None;
    }
    let records = grid.rows.into_iter().map(|(row, cells)| Record { start: row, end: dom.end(row), cells }).collect();
    Some(Group { parent: table, records, headings: grid.headings })
}

/// Groups among an element's children: children alike, each with the siblings that follow it up to the next.
fn sibling_groups(dom: &Dom, parent: Id) -> Vec<Group> {
    let children: Vec<Id> = dom
        .child_elements(parent)
        .filter(|id| !is_silent(dom.name(*id)) && dom.name(*id) != "br" && !is_hidden(dom, *id))
        .take(RECORDS_MAX)
        .collect();
    if children.len() < 2 {
        return Vec::new();
    }
    let signatures: Vec<String> = children.iter().map(|id| signature(dom, *id)).collect();
    let mut kinds: Vec<(&str, Vec<usize>)> = Vec::new();
    for (at, own) in signatures.iter().enumerate() {
        match kinds.iter().position(|(kind, _)| kind == own) {
            Some(known) => kinds[known].1.push(at),
            None if kinds.len() < 40 => kinds.push((own, vec![at])),
            None => {}
        }
    }
    let mut groups: Vec<Group> = kinds
        .iter()
        .filter(|(_, places)| places.len() >= 2)
        .map(|(_, places)| group_of(dom, parent, &children, &signatures, places))
        .collect();
    // Alike but for their classes: all children of the commonest element name.
    let names: Vec<&str> = children.iter().map(|id| dom.name(*id)).collect();
    if let Some(name) = names.first().filter(|name| names.iter().all(|other| other == *name) && kinds.len() > 1) {
        let _ = name;
        let records = children.iter().map(|id| Record { start: *id, end: dom.end(*id), cells: Vec::new() }).collect();
        groups.push(Group { parent, records, headings: Vec::new() });
    }
    groups
}

/// Element name and the stable words of its class.
pub fn signature(dom: &Dom, id: Id) -> String {
    let mut classes: Vec<String> = dom
        .attr(id, "class")
        .unwrap_or("")
        .split_ascii_whitespace()
        .filter(|class| !is_state_class(class))
        .map(|class| class.chars().filter(|c| !c.is_ascii_digit()).collect())
        .collect();
    classes.sort_unstable();
    format!("{}.{}", dom.name(id), classes.join("."))
}

fn is_state_class(class: &str) -> bool {
    words(class).iter().any(|word| {
        matches!(
            word.as_str(),
            "odd"
                | "even"
                | "first"
                | "last"
                | "active"
                | "selected"
                | "alt"
                | "alternate"
                | "current"
                | "featured"
                | "highlighted"
                | "new"
                | "sticky"
                | "visible"
                | "hover"
        )
    })
}

/// The leaders' records, each extended by the siblings that regularly follow a leader.
fn group_of(dom: &Dom, parent: Id, children: &[Id], signatures: &[String], places: &[usize]) -> Group {
    let followers = regular_followers(signatures, places);
    let records = places.iter().enumerate().filter_map(|(number, place)| {
        let limit = places.get(number + 1).copied().unwrap_or(children.len());
        let mut last = *place;
        for (step, wanted) in followers.iter().enumerate() {
            let at = place + step + 1;
            if at >= limit || signatures.get(at) != Some(wanted) {
                break;
            }
            last = at;
        }
        Some(Record { start: *children.get(*place)?, end: dom.end(*children.get(last)?), cells: Vec::new() })
    });
    Group { parent, records: records.collect(), headings: Vec::new() }
}

/// The signatures that follow a leader before the next one, if most leaders are followed by the same.
fn regular_followers(signatures: &[String], places: &[usize]) -> Vec<String> {
    let mut counts: BTreeMap<&[String], usize> = BTreeMap::new();
    for pair in places.windows(2) {
        if let [from, to] = pair
            && let Some(between) = signatures.get(from + 1..*to)
            && between.len() <= 6
        {
            *counts.entry(between).or_default() += 1;
        }
    }
    let gaps = places.len() - 1;
    counts
        .into_iter()
        .max_by_key(|(_, count)| *count)
        .filter(|(_, count)| count * 5 >= gaps * 3)
        .map(|(between, _)| between.to_vec())
        .unwrap_or_default()
}

/// Whether two names are the same but for case and plural.
#[must_use]
pub fn same_name(left: &str, right: &str) -> bool {
    singular(&fold(left)) == singular(&fold(right))
}
