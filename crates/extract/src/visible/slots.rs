//! Fields inside repeated records: each element of a record is weighed for each field, the place that serves most records wins,
//! and every record is read at that place.

use std::collections::BTreeMap;

use serde_json::Value;

use super::naming::{concept_id, heading_fit};
use super::records::{Group, Record};
use super::titles::{image_in, link_in};
use super::weigh::weigh;
use crate::convert::{convert, kind_of};
use crate::dom::{Dom, Id};
use crate::names::Kind;
use crate::page::Page;
use crate::schema::Field;
use crate::text::{collapse, is_hidden, is_silent, shown_up_to};

/// Most nodes looked at in one record.
const NODES_MAX: usize = 1500;
/// Longest text of one value, in bytes.
pub const VALUE_BYTES_MAX: usize = 600;
/// Least score for a place to be believed.
const SCORE_MIN: f64 = 3.0;

/// How much of its sureness a value keeps when its place occurs again in the same record.
const AGAIN: f64 = 0.5;

/// A value read from a record.
#[derive(Clone, Debug)]
pub struct Slotted {
    /// The converted value.
    pub value: Value,
    /// The words it was converted from.
    pub text: String,
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
    text: String,
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
                    Slotted {
                        value: reading.value.clone(),
                        text: reading.text.clone(),
                        sureness,
                        source: reading.source,
                    }
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
            && let Some(value) = convert(page, field, &Value::String(text.clone()))
        {
            out.push(Reading { slot: slot(dom, record, at), score, value, text, source });
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
        let converted = text.and_then(|text| Some((convert(page, field, &Value::String(text.clone()))?, text)));
        if let Some((value, text)) = converted {
            out.push(Reading { slot: format!("column {column:03}"), score, value, text, source: "table" });
        }
    }
    out
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
