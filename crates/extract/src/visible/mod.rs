//! Reads what the page shows: label–value pairs, the price by what surrounds it, and repeated records.

pub mod amounts;
mod availability;
mod bylines;
mod hints;
mod items;
mod labels;
mod lists;
mod naming;
mod price_words;
mod prices;
mod recipe_names;
mod records;
mod segments;
mod slots;
mod spelling;
mod tables;
mod timed;
mod titles;
mod units;
mod weigh;

use std::collections::BTreeMap;

use serde_json::Value;

use crate::convert::{convert, kind_of};
use crate::fill::Candidate;
use crate::names::Kind;
use crate::page::Page;
use crate::schema::{Field, Shape};
use crate::text::fold;

pub use prices::PriceMention;
pub use segments::Segment;

/// How many of the shown prices are candidates.
const PRICES_EXPLAINED: usize = 8;

/// The shown text of a page, cut into segments once for all fields.
#[derive(Debug)]
pub struct Visible<'a> {
    page: &'a Page,
    segments: Vec<Segment>,
    prices: Vec<PriceMention>,
}

impl<'a> Visible<'a> {
    /// Cuts the page's shown text.
    #[must_use]
    pub fn new(page: &'a Page) -> Self {
        let segments = segments::cut(page);
        let prices = prices::mentions(page, &segments);
        Self { page, segments, prices }
    }

    /// The visible values for a field, best first.
    #[must_use]
    pub fn candidates(&self, field: &Field, root: &Field) -> Vec<Candidate> {
        match &field.shape {
            Shape::List(item) => self.list(field, item).into_iter().collect(),
            Shape::Record(fields) => {
                let above: Vec<&Field> = match &root.shape {
                    Shape::Record(fields) => fields.iter().collect(),
                    Shape::Text | Shape::Number | Shape::Integer | Shape::Boolean | Shape::Any | Shape::List(_) => {
                        Vec::new()
                    }
                };
                self.object(field, fields, &above).into_iter().collect()
            }
            Shape::Text | Shape::Number | Shape::Integer | Shape::Boolean | Shape::Any => {
                let mut out = self.scalar(field);
                out.extend(recipe_names::find(self.page, field, root));
                out
            }
        }
    }

    fn scalar(&self, field: &Field) -> Vec<Candidate> {
        let mut out: Vec<Candidate> = labels::find(self.page, &self.segments, field).into_iter().collect();
        match kind_of(field) {
            Kind::Price if field.concept.is_some_and(|concept| matches!(concept.id, "price" | "lowPrice")) => {
                out.extend(self.main_prices(field));
            }
            Kind::Currency => out.extend(self.main_currency(field)),
            Kind::Availability => out.extend(self.availability(field)),
            Kind::Named if field.concept.is_some_and(|concept| concept.id == "author") => {
                out.extend(bylines::find(self.page, field));
            }
            Kind::Duration => out.extend(timed::find(self.page, field)),
            _ => out.extend(self.heading(field)),
        }
        out
    }

    fn main_prices(&self, field: &Field) -> Vec<Candidate> {
        let ranked = prices::ranked(&self.prices);
        let candidates = ranked.into_iter().take(PRICES_EXPLAINED).filter_map(|mention| {
            let value = convert(self.page, field, &Value::String(mention.text.clone()))?;
            Some(Candidate::new(
                value,
                "text",
                mention.score,
                format!("shown as \"{}\": {}", mention.text, mention.reasons()),
            ))
        });
        candidates.collect()
    }

    fn main_currency(&self, field: &Field) -> Option<Candidate> {
        let text = match prices::ranked(&self.prices).first() {
            Some(best) => best.text.clone(),
            None => self.segments.iter().map(|segment| &segment.text).find(|text| prices::is_price_text(text))?.clone(),
        };
        let value = convert(self.page, field, &Value::String(text))?;
        Some(Candidate::new(value, "text", 40.0, "the sign beside the price"))
    }

    fn availability(&self, field: &Field) -> Option<Candidate> {
        let shown = availability::find(self.page, &self.segments)?;
        let word = if shown.available { "InStock" } else { "OutOfStock" };
        let value = convert(self.page, field, &Value::String(word.to_owned()))?;
        let score = if shown.available { 48.0 } else { 60.0 };
        let why = format!("the page shows \"{}\"", shown.line);
        Some(Candidate::new(value, "text", score, why).citing(&shown.line))
    }

    /// Whether a number stands anywhere in the shown text.
    #[must_use]
    pub fn shows_number(&self, number: f64) -> bool {
        self.segments.iter().any(|segment| crate::numbers::holds(&segment.text, number))
    }

    /// How surely a number is shown as a price: the best score of the places that show it.
    #[must_use]
    pub fn price_score(&self, number: f64) -> Option<f64> {
        let same = self.prices.iter().filter(|mention| (mention.amount - number).abs() < 1e-9);
        same.map(|mention| mention.score).max_by(f64::total_cmp)
    }

    /// Whether the page shows that its subject cannot be had.
    #[must_use]
    pub fn is_out_of_stock(&self) -> bool {
        availability::find(self.page, &self.segments).is_some_and(|shown| !shown.available)
    }

    fn heading(&self, field: &Field) -> Option<Candidate> {
        if field.concept?.id != "name" {
            return None;
        }
        let heading = self.without_namespace(self.page.heading_text());
        let (text, score, why) = if heading.is_empty() {
            (self.page.title.clone(), 40.0, "the page's title")
        } else if self.titles_hold(&heading) {
            (heading, 75.0, "the page's main heading, which its title repeats")
        } else if self.heading_is_of_content() && heading.contains(' ') {
            (heading, 72.0, "the main heading of the page's content")
        } else {
            (heading, 45.0, "the page's main heading")
        };
        let value = convert(self.page, field, &Value::String(text))?;
        Some(Candidate::new(value, "text", score, why))
    }

    /// "Space:Name" without its name space where the page shows the name alone too, as wikis do.
    fn without_namespace(&self, heading: String) -> String {
        let name = heading.split_once(':').map(|(_, name)| name).filter(|name| !name.starts_with(char::is_whitespace));
        match name.filter(|name| self.segments.iter().any(|segment| segment.text == **name)) {
            Some(name) => name.to_owned(),
            None => heading,
        }
    }

    /// The shown spelling of a published list of texts.
    #[must_use]
    pub fn list_as_shown(&self, published: &Value, field: &Field) -> Option<Candidate> {
        let Shape::List(item) = &field.shape else { return None };
        let texts: Vec<String> = published.as_array()?.iter().filter_map(Value::as_str).map(str::to_owned).collect();
        spelling::as_shown(self.page, &texts, field, item)
    }

    /// Whether the heading stands in the page's content, not in its frame.
    fn heading_is_of_content(&self) -> bool {
        let Some(heading) = self.page.heading else { return false };
        let dom = &self.page.dom;
        dom.ancestors(heading).any(|id| matches!(dom.name(id), "article" | "main")) && !hints::is_framing(dom, heading)
    }

    /// Whether the page's title or `og:title` repeats its heading.
    fn titles_hold(&self, heading: &str) -> bool {
        let folded = fold(heading);
        let titles = [self.page.title.as_str(), self.page.meta("og:title").unwrap_or("")];
        let site = self.page.meta("og:site_name").map(fold).unwrap_or_default();
        folded.chars().count() > 2 && folded != site && titles.iter().any(|title| fold(title).contains(&folded))
    }

    fn list(&self, field: &Field, item: &Field) -> Option<Candidate> {
        if let Shape::Record(fields) = &item.shape {
            return records::find(self.page, field, fields);
        }
        lists::find(self.page, &self.segments, field, item)
    }

    /// An object from the places of its parts. What an object above asks for too is that one's: an object without a place of its
    /// own stays empty.
    fn object(&self, field: &Field, fields: &[Field], above: &[&Field]) -> Option<Candidate> {
        let mut map = serde_json::Map::new();
        let (mut inner, mut passages) = (BTreeMap::new(), BTreeMap::new());
        let all: Vec<&Field> = above.iter().copied().chain(fields).collect();
        for part in fields {
            let found = match &part.shape {
                Shape::Record(parts) => self.object(part, parts, &all),
                Shape::List(item) if !is_taken(part, above) => self.list(part, item),
                Shape::List(_) => None,
                Shape::Text | Shape::Number | Shape::Integer | Shape::Boolean | Shape::Any => {
                    self.part(field, part, above)
                }
            };
            if let Some(candidate) = &found {
                let pointer = format!("/{}", part.name);
                for (path, source) in &candidate.inner {
                    inner.insert(format!("{pointer}{path}"), source.clone());
                }
                for (path, passage) in &candidate.passages {
                    passages.insert(format!("{pointer}{path}"), passage.clone());
                }
                inner.insert(pointer, candidate.source.clone());
            }
            crate::convert::put(&mut map, part, found.map(|candidate| candidate.value));
        }
        let source = inner.values().next()?.clone();
        let why = format!("parts of {} are on the page", field.name);
        Some(Candidate { inner, passages, ..Candidate::new(Value::Object(map), source, 40.0, why) })
    }

    /// A scalar part of an object. The name of an object is what the page labels with the object's own name.
    fn part(&self, owner: &Field, part: &Field, above: &[&Field]) -> Option<Candidate> {
        if !is_taken(part, above) {
            return self.scalar(part).into_iter().next();
        }
        if part.concept.is_none_or(|concept| concept.id != "name") {
            return None;
        }
        let labelled = Field { name: owner.name.clone(), concept: owner.concept, ..part.clone() };
        labels::find(self.page, &self.segments, &labelled)
    }
}

/// Whether an object above asks for the same.
fn is_taken(part: &Field, above: &[&Field]) -> bool {
    let same_concept = |other: &Field| match (part.concept, other.concept) {
        (Some(own), Some(other)) => own.id == other.id,
        (Some(_) | None, Some(_) | None) => false,
    };
    above
        .iter()
        .any(|other| !matches!(other.shape, Shape::Record(_)) && (other.name == part.name || same_concept(other)))
}
