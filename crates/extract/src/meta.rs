//! Values of meta tags (Open Graph, article, product, Twitter, plain names) for a field.

use serde_json::Value;

use crate::names::concept;
use crate::page::Page;
use crate::schema::{Field, Shape};
use crate::text::fold;

/// Meta values for a field, best first, each with the tag's name; all of a list's values as one.
#[must_use]
pub fn values(page: &Page, field: &Field) -> Vec<(String, Value)> {
    let mut out = Vec::new();
    let known = field.concept.map(|concept| concept.metas).unwrap_or_default();
    for name in known {
        push(page, name, field, &mut out);
    }
    // A tag named like the field, with or without a prefix: `product:color`, `color`.
    let wanted = fold(&field.name);
    let own = page
        .metas
        .iter()
        .map(|(name, _)| name)
        .filter(|name| !known.contains(&name.as_str()) && !name.starts_with("link:"));
    let mut tried: Vec<&String> = Vec::new();
    for name in own {
        let last = name.rsplit([':', '.']).next().unwrap_or(name);
        if (fold(last) == wanted || fold(name) == wanted) && !tried.contains(&name) {
            tried.push(name);
            push(page, name, field, &mut out);
        }
    }
    out
}

fn push(page: &Page, name: &str, field: &Field, out: &mut Vec<(String, Value)>) {
    let all: Vec<&String> = page.metas.iter().filter(|(key, _)| key == name).map(|(_, content)| content).collect();
    let Some(first) = all.first() else { return };
    if let Some(number) = name.strip_prefix("twitter:data")
        && !labelled(page, number, field)
    {
        return;
    }
    let value = if matches!(field.shape, Shape::List(_)) {
        Value::Array(all.iter().map(|content| Value::String((*content).clone())).collect())
    } else {
        Value::String((*first).clone())
    };
    out.push((format!("meta:{name}"), value));
}

/// Whether `twitter:labelN` says that `twitter:dataN` is this field.
fn labelled(page: &Page, number: &str, field: &Field) -> bool {
    let Some(label) = page.meta(&format!("twitter:label{number}")) else { return false };
    match (concept(label), field.concept) {
        (Some(label), Some(own)) => label.id == own.id,
        _ => fold(label) == fold(&field.name),
    }
}

/// The value a `meta:` path of `x-paths` names.
#[must_use]
pub fn by_path(page: &Page, name: &str, field: &Field) -> Option<Value> {
    let mut out = Vec::new();
    push(page, &name.to_lowercase(), field, &mut out);
    out.pop().map(|(_, value)| value)
}
