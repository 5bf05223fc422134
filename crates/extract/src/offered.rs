//! Candidates that a page publishes for a field: `x-paths`, the object the page is about, and meta tags.

use serde_json::Value;

use crate::choose::{self, Entity, Hit};
use crate::convert::convert;
use crate::fill::Candidate;
use crate::meta;
use crate::page::Page;
use crate::published::{Ids, Origin, types};
use crate::schema::{Field, Shape};
use crate::text::fold;

/// Score of what the schema's own paths name.
const OWN_PATH: f64 = 100.0;
/// Score of what the object the page is about has.
const MAIN_OBJECT: f64 = 90.0;
/// Score of a meta tag.
const META: f64 = 70.0;

/// Score of a published list that is not whole or not a list: less than the page's own data.
const FAULTY_LIST: f64 = 45.0;
/// Longest single ingredient, in bytes.
const INGREDIENT_BYTES_MAX: usize = 100;
/// Score of an author that is published as an organisation: less than a byline that names someone.
const ORGANISATION: f64 = 54.0;

/// Score of a publisher in an author's place: less than a byline that the page shows.
const STAND_IN: f64 = 12.0;
const STAND_IN_WHY: &str = "no author is named; this is who publishes the page";

/// Whether a source names who publishes where an author is wanted.
fn is_stand_in(field: &Field, place: &str) -> bool {
    field.concept.is_some_and(|concept| concept.id == "author")
        && (place == "publisher" || place.ends_with("og:site_name"))
}

fn standing(field: &Field, hit: &Hit<'_>) -> (f64, &'static str) {
    let is_author = field.concept.is_some_and(|concept| concept.id == "author");
    if is_stand_in(field, &hit.path) {
        (STAND_IN, STAND_IN_WHY)
    } else if is_author && types(hit.value).iter().any(|kind| kind == "organization") {
        (ORGANISATION, "an organisation in the author's place")
    } else {
        (MAIN_OBJECT, "published by the object the page is about")
    }
}

/// What a page publishes, ready to be asked for fields.
#[derive(Debug)]
pub struct Offered<'a> {
    /// The page.
    pub page: &'a Page,
    /// Its objects, the one it is about first.
    pub entities: Vec<Entity<'a>>,
    /// References between them.
    pub ids: Ids<'a>,
    /// Whether the first object is one that a page can be about.
    pub has_subject: bool,
}

impl<'a> Offered<'a> {
    /// Candidates of what the page publishes, best first.
    /// Whether the page publishes a price above zero for its subject.
    #[must_use]
    pub fn has_price(&self) -> bool {
        let Some(main) = self.entities.first() else { return false };
        let paths =
            ["offers.price", "offers.lowPrice", "offers.priceSpecification.price", "offers.offers.price", "price"];
        let values = paths.iter().flat_map(|path| crate::published::at(&self.ids, main.value, path));
        values.into_iter().any(|at| match at.value {
            Value::Number(number) => number.as_f64().is_some_and(|number| number > 0.0),
            Value::String(text) => text.bytes().any(|byte| matches!(byte, b'1'..=b'9')),
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => false,
        })
    }

    /// Whether the page publishes that its subject cannot be had.
    #[must_use]
    pub fn says_out_of_stock(&self) -> bool {
        let Some(main) = self.entities.first() else { return false };
        let paths = ["offers.availability", "availability"];
        let mut values = paths.iter().flat_map(|path| crate::published::at(&self.ids, main.value, path));
        values.next().and_then(|at| at.value.as_str()).and_then(crate::booleans::truth) == Some(false)
    }

    #[must_use]
    pub fn candidates(&self, field: &Field) -> Vec<Candidate> {
        let mut out = Vec::new();
        self.by_own_paths(field, &mut out);
        for (place, entity) in self.entities.iter().enumerate() {
            // Only the object the page is about speaks for it; others only for what they alone describe.
            let speaks = if place == 0 { self.has_subject } else { self.may_lend(entity, field) };
            if !speaks {
                continue;
            }
            for hit in choose::field_values(&self.ids, entity.value, field) {
                let source = entity.source(&hit.path);
                if matches!(field.shape, Shape::List(_)) {
                    continue;
                }
                if let Some(value) = convert(self.page, field, hit.value) {
                    let (score, why) = standing(field, &hit);
                    let candidate = Candidate::new(value, source, score, why);
                    out.push(match hit.value.as_str() {
                        Some(published) => candidate.citing(published),
                        None => candidate,
                    });
                }
            }
            if matches!(field.shape, Shape::List(_)) {
                self.list_values(entity, field, &mut out);
            }
            if field.is_records() && entity.origin == Origin::Document && entity.value.is_array() {
                let value = convert(self.page, field, entity.value);
                out.extend(value.map(|value| Candidate::new(value, "json", MAIN_OBJECT, "the document is this list")));
            }
        }
        out.extend(self.publisher(field));
        let meta_score = if out.iter().any(|best| best.score == ORGANISATION) { ORGANISATION - 1.0 } else { META };
        for (source, value) in meta::values(self.page, field) {
            let value = self.without_site(field, value);
            if let Some(value) = convert(self.page, field, &value) {
                let (score, why) = if is_stand_in(field, &source) {
                    (STAND_IN, STAND_IN_WHY)
                } else {
                    (meta_score, "published in a meta tag")
                };
                out.push(Candidate::new(value, source, score, why));
            }
        }
        out
    }

    /// A title without the site's name at its end.
    fn without_site(&self, field: &Field, value: Value) -> Value {
        let site = self.page.meta("og:site_name").map(fold).filter(|site| !site.is_empty());
        let is_name = field.concept.is_some_and(|concept| concept.id == "name");
        let (Some(site), Some(text), true) = (site, value.as_str(), is_name) else { return value };
        let cut = [" - ", " | ", " – ", " — ", " · "].iter().filter_map(|mark| text.rsplit_once(mark));
        let name = cut.filter(|(name, end)| !name.trim().is_empty() && fold(end) == site).map(|(name, _)| name).next();
        name.map_or_else(|| value.clone(), |name| Value::String(name.trim().to_owned()))
    }

    /// Who publishes the site, for want of an author.
    fn publisher(&self, field: &Field) -> Option<Candidate> {
        if field.concept.is_none_or(|concept| concept.id != "author") {
            return None;
        }
        let sites = self.entities.iter().filter(|entity| matches!(entity.kind.as_str(), "website" | "webpage"));
        sites.into_iter().find_map(|site| {
            let published = crate::published::at(&self.ids, site.value, "publisher").into_iter().next()?;
            let value = convert(self.page, field, published.value)?;
            let source = site.source("publisher");
            Some(Candidate::new(value, source, STAND_IN + 0.5, STAND_IN_WHY))
        })
    }

    fn by_own_paths(&self, field: &Field, out: &mut Vec<Candidate>) {
        for path in &field.paths {
            if let Some(name) = path.strip_prefix("meta:") {
                let value = meta::by_path(self.page, name, field).and_then(|value| convert(self.page, field, &value));
                out.extend(value.map(|value| Candidate::new(value, path.clone(), OWN_PATH, "named in x-paths")));
                continue;
            }
            for entity in &self.entities {
                for at in crate::published::at(&self.ids, entity.value, path) {
                    if let Some(value) = convert(self.page, field, at.value) {
                        let source = entity.source(path);
                        out.push(Candidate::new(value, source, OWN_PATH, "named in x-paths"));
                    }
                }
            }
        }
    }

    /// All values of a path together make the list.
    fn list_values(&self, entity: &Entity<'a>, field: &Field, out: &mut Vec<Candidate>) {
        let mut by_path: Vec<(String, Vec<Value>)> = Vec::new();
        for hit in choose::field_values(&self.ids, entity.value, field) {
            match by_path.iter_mut().find(|(path, _)| *path == hit.path) {
                Some((_, values)) => values.push(hit.value.clone()),
                None => by_path.push((hit.path, vec![hit.value.clone()])),
            }
        }
        for (path, values) in by_path {
            if let Some(value) = convert(self.page, field, &Value::Array(values)) {
                let source = entity.source(&path);
                let (score, why) = standing_of_list(field, &value);
                out.push(Candidate::new(value, source, score, why));
            }
        }
    }

    /// Whether an object beside the main one may give a field: the same thing published twice, or the page itself for what pages have.
    fn may_lend(&self, entity: &Entity<'a>, field: &Field) -> bool {
        let Some(main) = self.entities.first() else { return false };
        if choose::FRAMES.contains(&entity.kind.as_str()) {
            return false;
        }
        if entity.kind == main.kind && names_agree(main.value, entity.value) {
            return true;
        }
        let is_page = matches!(
            entity.kind.as_str(),
            "webpage" | "itempage" | "article" | "newsarticle" | "blogposting" | "aboutpage"
        );
        let of_page = matches!(
            field.concept.map(|concept| concept.id),
            Some("published" | "modified" | "language" | "author" | "publisher" | "description" | "image" | "url")
        );
        is_page && of_page
    }
}

/// A list that was cut short, or ingredients run together in one text, give way to what the page shows.
fn standing_of_list(field: &Field, value: &Value) -> (f64, &'static str) {
    let texts: Vec<&str> = value.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let are_cut = !texts.is_empty() && texts.iter().all(|text| text.ends_with("...") || text.ends_with('…'));
    let is_run_together = field.concept.is_some_and(|concept| concept.id == "ingredients")
        && matches!(texts.as_slice(), [only] if only.len() > INGREDIENT_BYTES_MAX);
    if are_cut || is_run_together {
        (FAULTY_LIST, "published, but cut short or run together")
    } else {
        (MAIN_OBJECT, "published by the object the page is about")
    }
}

fn names_agree(left: &Value, right: &Value) -> bool {
    let name = |value: &Value| crate::published::property(value, "name").and_then(Value::as_str).map(crate::text::fold);
    match (name(left), name(right)) {
        (Some(left), Some(right)) => left == right || left.contains(&right) || right.contains(&left),
        _ => false,
    }
}
