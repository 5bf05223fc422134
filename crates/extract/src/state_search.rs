//! Which object of the page's own JSON fits a schema: by its keys and by where it lies.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::convert::convert;
use crate::page::Page;
use crate::schema::{Field, Shape};
use crate::text::{fold, words};

/// Most objects weighed.
const OBJECTS_MAX: usize = 60_000;
/// Most keys of one object looked at.
const KEYS_MAX: usize = 500;
/// Deepest object weighed.
const DEPTH_MAX: usize = 24;

/// Words in a path that lead to what the page is about.
const SUBJECT_WORDS: &[&str] = &[
    "product", "item", "detail", "details", "recipe", "article", "post", "job", "event", "offer", "main", "current",
    "selected", "pdp", "data", "listing", "ad",
];
/// Words in a path that lead elsewhere.
const OTHER_WORDS: &[&str] = &[
    "related",
    "recommend",
    "recommended",
    "recommendations",
    "similar",
    "cart",
    "basket",
    "config",
    "configuration",
    "settings",
    "filter",
    "filters",
    "menu",
    "nav",
    "navigation",
    "footer",
    "header",
    "translations",
    "i18n",
    "messages",
    "locale",
    "locales",
    "currencies",
    "shipping",
    "delivery",
    "upsell",
    "crosssell",
    "suggestions",
    "ads",
    "banner",
    "banners",
    "history",
    "recently",
    "viewed",
    "popular",
    "trending",
    "bundle",
    "accessories",
    "user",
    "session",
    "features",
    "experiments",
    "routes",
    "seo",
    "reviews",
    "review",
    "labels",
    "breadcrumbs",
    "facets",
    "sort",
    "theme",
    "style",
    "styles",
    "tracking",
    "promo",
    "promotions",
    "sponsored",
    "store",
    "stores",
    "payment",
    "insurance",
    "warranty",
    "services",
];

/// A field's value in the page's own JSON.
#[derive(Clone, Debug)]
pub struct StateHit {
    /// The value, as found.
    pub value: Value,
    /// `state:` and the dotted path.
    pub source: String,
}

/// A key on the way from a root to a value.
#[derive(Clone, Copy, Debug)]
enum Step<'a> {
    Name(&'a str),
    Index(usize),
}

/// The way to each container: its parent in the list, and the key there.
type Way<'a> = Vec<(usize, Step<'a>)>;

fn path_of(way: &Way<'_>, mut at: usize) -> String {
    let mut parts = Vec::new();
    while let Some((parent, step)) = way.get(at) {
        parts.push(match step {
            Step::Name(name) => (*name).to_owned(),
            Step::Index(index) => index.to_string(),
        });
        if *parent == at {
            break;
        }
        at = *parent;
    }
    parts.reverse();
    parts.join(".")
}

/// The folded keys that mean any of the fields.
fn wanted_keys(fields: &[Field]) -> BTreeSet<String> {
    let aliases = fields.iter().flat_map(|field| field.concept.map(|concept| concept.aliases).unwrap_or_default());
    aliases.map(|alias| (*alias).to_owned()).chain(fields.iter().map(|field| fold(&field.name))).collect()
}

/// For each field, the value of the object that fits the schema best; fields it lacks stay empty.
#[must_use]
pub fn find(page: &Page, states: &[(String, Value)], fields: &[Field]) -> Vec<Option<StateHit>> {
    let heading = fold(&page.heading_text());
    let keys = wanted_keys(fields);
    let mut best: Option<(f64, String, &Value)> = None;
    let mut seen = 0;
    for (name, root) in states {
        let mut way: Way<'_> = vec![(0, Step::Name(name))];
        let mut stack: Vec<(usize, &Value, usize)> = vec![(0, root, 0)];
        while let Some((at, value, depth)) = stack.pop() {
            seen += 1;
            if seen > OBJECTS_MAX {
                break;
            }
            if let Value::Object(map) = value {
                if matches!(way.get(at), Some((_, Step::Name(name))) if is_wording(name)) {
                    continue;
                }
                if map.keys().any(|key| key.len() < 40 && keys.contains(&fold(key))) {
                    let path = path_of(&way, at);
                    let score = score(page, &path, value, fields, &heading, depth);
                    if score > 0.0 && best.as_ref().is_none_or(|(highest, _, _)| score > *highest) {
                        best = Some((score, path, value));
                    }
                }
            }
            if depth < DEPTH_MAX {
                push_inner(value, at, depth, &mut way, &mut stack);
            }
        }
    }
    let Some((_, path, object)) = best else { return fields.iter().map(|_| None).collect() };
    fields.iter().map(|field| hit(page, &path, object, field).or_else(|| below(page, &path, object, field))).collect()
}

/// Puts the containers inside a value on the stack, the first on top.
fn push_inner<'a>(
    value: &'a Value,
    at: usize,
    depth: usize,
    way: &mut Way<'a>,
    stack: &mut Vec<(usize, &'a Value, usize)>,
) {
    let is_container = |inner: &Value| inner.is_object() || inner.is_array();
    let first = stack.len();
    let mut push = |step: Step<'a>, inner: &'a Value| {
        if is_container(inner) {
            way.push((at, step));
            stack.push((way.len() - 1, inner, depth + 1));
        }
    };
    match value {
        Value::Object(map) => map.iter().for_each(|(key, inner)| push(Step::Name(key), inner)),
        Value::Array(items) => items.iter().enumerate().for_each(|(index, inner)| push(Step::Index(index), inner)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
    if let Some(pushed) = stack.get_mut(first..) {
        pushed.reverse();
    }
}

/// Translations and labels of a user interface are no data.
fn is_wording(name: &str) -> bool {
    words(name).iter().any(|word| {
        matches!(
            word.as_str(),
            "translations" | "translation" | "i18n" | "messages" | "locales" | "labels" | "strings" | "texts"
        )
    })
}

/// A value one or two levels below the object, when all places there agree: the SKU of its only variant.
fn below(page: &Page, path: &str, object: &Value, field: &Field) -> Option<StateHit> {
    let mut found: Option<StateHit> = None;
    let mut level = vec![(path.to_owned(), object)];
    for _ in 0..2 {
        let mut next: Vec<(String, &Value)> = Vec::new();
        for (path, value) in &level {
            match value {
                Value::Object(map) => {
                    next.extend(map.iter().take(200).map(|(key, inner)| (format!("{path}.{key}"), inner)))
                }
                Value::Array(items) => {
                    next.extend(items.iter().take(50).enumerate().map(|(at, inner)| (format!("{path}.{at}"), inner)))
                }
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
            }
        }
        next.retain(|(path, _)| {
            !path.rsplit('.').take(2).any(|key| words(key).iter().any(|word| OTHER_WORDS.contains(&word.as_str())))
        });
        for (path, value) in &next {
            let spread: Vec<&Value> =
                if let Value::Array(items) = value { items.iter().take(50).collect() } else { vec![value] };
            for object in spread {
                let Some(hit) = hit(page, path, object, field) else { continue };
                if found.as_ref().is_some_and(|known| known.value != hit.value) {
                    return None;
                }
                found = Some(hit);
            }
        }
        if found.is_some() {
            return found;
        }
        level = next;
    }
    found
}

fn score(page: &Page, path: &str, object: &Value, fields: &[Field], heading: &str, depth: usize) -> f64 {
    let filled: f64 = fields.iter().filter(|field| hit(page, path, object, field).is_some()).map(weight).sum();
    if filled == 0.0 {
        return 0.0;
    }
    let mut score = filled;
    for word in words(path) {
        if SUBJECT_WORDS.contains(&word.as_str()) {
            score += 0.15;
        }
        if OTHER_WORDS.contains(&word.as_str()) {
            score -= 0.8;
        }
    }
    let name = object.get("name").or_else(|| object.get("title")).and_then(Value::as_str).map(fold).unwrap_or_default();
    if name.chars().count() > 3 && !heading.is_empty() && (heading.contains(&name) || name.contains(heading)) {
        score += 1.5;
    }
    #[expect(clippy::cast_precision_loss, reason = "depth is small")]
    let deep = depth as f64;
    score - deep * 0.02
}

fn weight(field: &Field) -> f64 {
    match field.concept.map(|concept| concept.id) {
        Some("url" | "name" | "description" | "image" | "category" | "language" | "location") => 0.5,
        Some(_) | None => 1.0,
    }
}

/// The value of one key that means the field.
fn hit(page: &Page, path: &str, object: &Value, field: &Field) -> Option<StateHit> {
    let map = object.as_object()?;
    let wanted = fold(&field.name);
    let aliases = field.concept.map(|concept| concept.aliases).unwrap_or_default();
    let folded: Vec<(String, (&String, &Value))> =
        map.iter().take(KEYS_MAX).map(|(key, value)| (fold(key), (key, value))).collect();
    let by_name = |name: &str| folded.iter().find(|(key, _)| key == name).map(|(_, entry)| *entry);
    let own = by_name(&wanted);
    let mut synonyms = aliases.iter().filter_map(|alias| by_name(alias));
    own.into_iter().chain(&mut synonyms).find_map(|(key, value)| {
        let usable = !matches!(value, Value::Null) && !(matches!(value, Value::Object(map) if map.is_empty()));
        let scalar_ok = matches!(field.shape, Shape::List(_) | Shape::Record(_) | Shape::Any)
            || !matches!(value, Value::Array(items) if items.is_empty());
        (usable && scalar_ok && convert(page, field, value).is_some())
            .then(|| StateHit { value: value.clone(), source: format!("state:{path}.{key}") })
    })
}
