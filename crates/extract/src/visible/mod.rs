//! Reads what the page shows: label–value pairs, the price by what surrounds it, and repeated records.

mod hints;
mod labels;
mod prices;
mod records;
mod segments;
mod slots;
mod tables;

use std::collections::BTreeMap;

use serde_json::Value;

use crate::convert::{convert, kind_of};
use crate::fill::Candidate;
use crate::names::Kind;
use crate::page::Page;
use crate::schema::{Field, Shape};

pub use prices::PriceMention;
pub use segments::Segment;

/// The shown text of a page, cut into segments once for all fields.
#[derive(Debug)]
pub struct Visible<'a> {
    page: &'a Page,
    segments: Vec<Segment>,
    prices: Vec<PriceMention>,
}

type Found = (Candidate, BTreeMap<String, String>);

impl<'a> Visible<'a> {
    /// Cuts the page's shown text.
    #[must_use]
    pub fn new(page: &'a Page) -> Self {
        let segments = segments::cut(page);
        let prices = prices::mentions(page, &segments);
        Self { page, segments, prices }
    }

    /// The best visible value for a field.
    #[must_use]
    pub fn find(&self, field: &Field, root: &Field) -> Option<Found> {
        if let Shape::List(item) = &field.shape {
            return self.list(field, item);
        }
        if let Shape::Record(fields) = &field.shape {
            return self.object(field, fields, root);
        }
        self.scalar(field).map(|candidate| (candidate, BTreeMap::new()))
    }

    fn scalar(&self, field: &Field) -> Option<Candidate> {
        let labelled = labels::find(self.page, &self.segments, field);
        if let Some(candidate) = labelled {
            return Some(candidate);
        }
        match kind_of(field) {
            Kind::Price if field.concept.is_some_and(|concept| matches!(concept.id, "price" | "lowPrice")) => {
                self.main_price(field)
            }
            Kind::Currency => self.main_currency(field),
            _ => self.heading(field),
        }
    }

    fn main_price(&self, field: &Field) -> Option<Candidate> {
        let best = prices::best(&self.prices)?;
        let value = convert(self.page, field, &Value::String(best.text.clone()))?;
        Some(Candidate {
            value,
            source: "text".to_owned(),
            score: best.score,
            why: "the price nearest to the heading".to_owned(),
        })
    }

    fn main_currency(&self, field: &Field) -> Option<Candidate> {
        let text = match prices::best(&self.prices) {
            Some(best) => best.text.clone(),
            None => self.segments.iter().map(|segment| &segment.text).find(|text| prices::is_price_text(text))?.clone(),
        };
        let value = convert(self.page, field, &Value::String(text))?;
        Some(Candidate { value, source: "text".to_owned(), score: 40.0, why: "the sign beside the price".to_owned() })
    }

    fn heading(&self, field: &Field) -> Option<Candidate> {
        if field.concept?.id != "name" {
            return None;
        }
        let heading = self.page.heading_text();
        let text = if heading.is_empty() { self.page.title.clone() } else { heading };
        let value = convert(self.page, field, &Value::String(text))?;
        Some(Candidate { value, source: "text".to_owned(), score: 45.0, why: "the page's main heading".to_owned() })
    }

    fn list(&self, field: &Field, item: &Field) -> Option<Found> {
        if let Shape::Record(fields) = &item.shape {
            return records::find(self.page, field, fields);
        }
        labels::list(self.page, &self.segments, field, item).map(|candidate| (candidate, BTreeMap::new()))
    }

    fn object(&self, field: &Field, fields: &[Field], root: &Field) -> Option<Found> {
        let mut map = serde_json::Map::new();
        let mut inner = BTreeMap::new();
        for part in fields {
            let found = self.find(part, root);
            if let Some((candidate, deeper)) = &found {
                let pointer = format!("/{}", part.name);
                for (path, source) in deeper {
                    inner.insert(format!("{pointer}{path}"), source.clone());
                }
                inner.insert(pointer, candidate.source.clone());
            }
            crate::convert::put(&mut map, part, found.map(|(candidate, _)| candidate.value));
        }
        let source = inner.values().next()?.clone();
        let why = format!("parts of {} are on the page", field.name);
        Some((Candidate { value: Value::Object(map), source, score: 40.0, why }, inner))
    }
}
