//! Which published object a page is about, and where in it a field's values are.

use serde_json::Value;

use crate::convert::convert;
use crate::names::concept;
use crate::page::Page;
use crate::published::{At, Ids, Origin, Published, at, property, types};
use crate::schema::{Field, Shape};
use crate::text::fold;

/// Most objects weighed against each other.
const OBJECTS_MAX: usize = 300;

/// A published value for a field, with its path.
#[derive(Clone, Debug)]
pub struct Hit<'a> {
    /// The value.
    pub value: &'a Value,
    /// Dotted path in the object.
    pub path: String,
    /// The object that holds it.
    pub holder: &'a Value,
}

/// An object that the page may be about.
#[derive(Clone, Debug)]
pub struct Entity<'a> {
    /// The object.
    pub value: &'a Value,
    /// Where it was published.
    pub origin: Origin,
    /// How well it fits schema and page.
    pub score: f64,
    /// Its type, lower case, for `sources`.
    pub kind: String,
}

impl Entity<'_> {
    /// Where a value of this object is, for `sources`.
    #[must_use]
    pub fn source(&self, path: &str) -> String {
        match self.origin {
            Origin::JsonLd | Origin::Microdata => format!("{}:{}.{path}", self.origin.word(), self.kind),
            Origin::Document => format!("{}:{path}", self.origin.word()),
        }
    }
}

/// All objects of a page, the one it is about first.
#[must_use]
pub fn rank<'a>(page: &Page, published: &'a Published, ids: &Ids<'a>, root: &Field) -> Vec<Entity<'a>> {
    let Shape::Record(fields) = &root.shape else { return Vec::new() };
    let heading = fold(&page.heading_text());
    let mut entities = Vec::new();
    for (origin, value) in published.roots.iter().take(OBJECTS_MAX) {
        for (object, bonus) in with_main(ids, value) {
            let score = bonus
                + fit(page, ids, object, fields)
                + kind_score(object, &root.of_type, fields)
                + subject_score(page, object, &heading);
            let kind = types(object).first().cloned().unwrap_or_else(|| "thing".to_owned());
            entities.push(Entity { value: object, origin: *origin, score, kind });
        }
    }
    // A stable sort: of equals the first on the page wins.
    entities.sort_by(|left, right| right.score.total_cmp(&left.score));
    entities
}

/// An object and what it names as its main entity.
fn with_main<'a>(ids: &Ids<'a>, value: &'a Value) -> Vec<(&'a Value, f64)> {
    let mut out = vec![(value, 0.0)];
    for key in ["mainEntity", "mainEntityOfPage", "about", "itemReviewed"] {
        for inner in at(ids, value, key) {
            let is_rich = inner.value.as_object().is_some_and(|map| map.len() > 2);
            if is_rich && key != "about" {
                out.push((inner.value, if key == "mainEntity" { 2.0 } else { 0.0 }));
            }
        }
    }
    out
}

/// How many of the fields an object fills.
fn fit<'a>(page: &Page, ids: &Ids<'a>, object: &'a Value, fields: &[Field]) -> f64 {
    let filled = fields
        .iter()
        .filter(|field| field_values(ids, object, field).iter().any(|hit| convert(page, field, hit.value).is_some()));
    filled
        .map(|field| {
            if matches!(field.concept.map(|concept| concept.id), Some("url" | "name" | "description" | "image")) {
                0.6
            } else {
                1.0
            }
        })
        .sum()
}

/// Types that frame a page and are not what it is about.
pub const FRAMES: &[&str] = &[
    "website",
    "breadcrumblist",
    "breadcrumb",
    "data-vocabulary",
    "searchaction",
    "sitenavigationelement",
    "imageobject",
    "listitem",
    "wpheader",
    "wpfooter",
    "wpsidebar",
    "webpageelement",
    "entrypoint",
];

/// Whether an object can be what the page is about: frames are not, organisations only if their own fields are asked for.
#[must_use]
pub fn can_be_subject(ids: &Ids<'_>, entity: &Entity<'_>, root: &Field) -> bool {
    let Shape::Record(fields) = &root.shape else { return true };
    if entity.origin == Origin::Document {
        return true;
    }
    if !root.of_type.is_empty() && fold(&entity.kind) == fold(&root.of_type) {
        return true;
    }
    if FRAMES.contains(&entity.kind.as_str()) {
        return false;
    }
    let is_side = matches!(
        entity.kind.as_str(),
        "organization"
            | "onlinestore"
            | "corporation"
            | "person"
            | "aggregaterating"
            | "review"
            | "rating"
            | "offer"
            | "brand"
            | "thing"
            | "store"
    );
    let specific = fields.iter().filter(|field| {
        !matches!(
            field.concept.map(|concept| concept.id),
            Some(
                "url"
                    | "name"
                    | "description"
                    | "image"
                    | "images"
                    | "rating"
                    | "ratingCount"
                    | "reviewCount"
                    | "brand"
            )
        )
    });
    !is_side || specific.into_iter().any(|field| !field_values(ids, entity.value, field).is_empty())
}

/// Types that are what a page is about, against those that frame it.
fn kind_score(object: &Value, wanted: &str, fields: &[Field]) -> f64 {
    let kinds = types(object);
    let has = |names: &[&str]| kinds.iter().any(|kind| names.contains(&kind.as_str()));
    let mut score = 0.0;
    let wanted = fold(wanted);
    if !wanted.is_empty() && kinds.iter().any(|kind| fold(kind) == wanted) {
        score += 5.0;
    }
    let wants = |id: &str| fields.iter().any(|field| field.concept.is_some_and(|concept| concept.id == id));
    if has(&["product", "productgroup", "individualproduct", "productmodel", "vehicle", "car", "book"])
        && (wants("price") || wants("sku") || wants("brand"))
    {
        score += 2.0;
    }
    if has(&["recipe"]) && (wants("ingredients") || wants("instructions") || wants("yields")) {
        score += 2.0;
    }
    if has(&[
        "website",
        "breadcrumblist",
        "searchaction",
        "sitenavigationelement",
        "imageobject",
        "listitem",
        "wpheader",
        "wpfooter",
    ]) {
        score -= 3.0;
    }
    if has(&[
        "webpage",
        "organization",
        "onlinestore",
        "person",
        "review",
        "rating",
        "aggregaterating",
        "collectionpage",
        "faqpage",
        "question",
        "store",
        "corporation",
        "localbusiness",
        "brand",
        "postaladdress",
    ]) {
        score -= 1.0;
    }
    score
}

/// Whether the object is the one the page itself names: same address, or the heading's words.
fn subject_score(page: &Page, object: &Value, heading: &str) -> f64 {
    let mut score = 0.0;
    let own = [property(object, "url"), object.get("@id"), property(object, "mainEntityOfPage")];
    let own_urls = own.into_iter().flatten().filter_map(Value::as_str).filter_map(|url| page.absolute(url));
    let addresses = [
        page.address.as_ref().map(|url| url.as_str().to_owned()),
        page.meta("link:canonical").and_then(|url| page.absolute(url)),
        page.meta("og:url").and_then(|url| page.absolute(url)),
    ];
    let plain = |url: &str| url.split(['#', '?']).next().unwrap_or("").trim_end_matches('/').to_owned();
    let known: Vec<String> = addresses.iter().flatten().map(|url| plain(url)).collect();
    if own_urls.map(|url| plain(&url)).any(|url| known.contains(&url)) {
        score += 1.0;
    }
    let name = property(object, "name")
        .or_else(|| property(object, "headline"))
        .and_then(Value::as_str)
        .map(fold)
        .unwrap_or_default();
    if name.chars().count() > 3 {
        if !heading.is_empty() && (heading.contains(&name) || name.contains(heading)) {
            score += 1.5;
        } else if fold(&page.title).contains(&name) {
            score += 1.0;
        }
    }
    score
}

/// The values an object has for a field: by `x-paths`, by the paths of its concept, by its own name.
#[must_use]
pub fn field_values<'a>(ids: &Ids<'a>, object: &'a Value, field: &Field) -> Vec<Hit<'a>> {
    let mut hits = Vec::new();
    let name = field.name.as_str();
    let mut paths: Vec<&str> = field.paths.iter().map(String::as_str).collect();
    // Its own name first where the object has exactly that.
    let folded = fold(name);
    let own = object
        .as_object()
        .and_then(|map| map.keys().find(|key| !key.starts_with('@') && fold(crate::published::local(key)) == folded));
    if let Some(own) = own {
        paths.push(own);
    }
    paths.extend(field.concept.iter().flat_map(|concept| concept.paths));
    for path in paths {
        let values = at(ids, object, path);
        push_hits(&mut hits, values, path, field);
    }
    if hits.is_empty() {
        hits.extend(additional(ids, object, field));
    }
    hits
}

/// Adds a path's values: all as one for a list, the useful ones first for a single value.
fn push_hits<'a>(hits: &mut Vec<Hit<'a>>, values: Vec<At<'a>>, path: &str, field: &Field) {
    let is_list = matches!(field.shape, Shape::List(_));
    let is_price = field.concept.is_some_and(|concept| concept.kind == crate::names::Kind::Price);
    let is_nothing = |value: &Value| match value {
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.trim().is_empty() || text.trim().trim_matches(['0', '.', ',']).is_empty(),
        Value::Null => true,
        Value::Bool(_) | Value::Array(_) | Value::Object(_) => false,
    };
    let mut late = Vec::new();
    for At { value, holder } in values {
        let hit = Hit { value, path: path.to_owned(), holder };
        if is_price && !is_list && is_nothing(value) {
            late.push(hit);
        } else {
            hits.push(hit);
        }
    }
    hits.extend(late);
}

/// `additionalProperty`: pairs of name and value.
fn additional<'a>(ids: &Ids<'a>, object: &'a Value, field: &Field) -> Vec<Hit<'a>> {
    let wanted = fold(&field.name);
    let mut hits = Vec::new();
    for pair in at(ids, object, "additionalProperty") {
        let Some(name) = property(pair.value, "name").and_then(Value::as_str) else { continue };
        let same = fold(name) == wanted
            || field.concept.is_some_and(|own| concept(name).is_some_and(|other| other.id == own.id));
        if let Some(value) = property(pair.value, "value").filter(|_| same) {
            hits.push(Hit { value, path: "additionalProperty".to_owned(), holder: pair.value });
        }
    }
    hits
}
