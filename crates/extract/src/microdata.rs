//! Microdata as the HTML standard defines it, in the shape of JSON-LD objects (`@type` and properties).

use serde_json::{Map, Value};

use crate::dom::{Dom, Id};
use crate::page::Page;
use crate::text;

/// Deepest nesting of items.
const DEPTH_MAX: usize = 12;
/// Most items read.
const ITEMS_MAX: usize = 3000;
/// Longest property text, in bytes.
const TEXT_BYTES_MAX: usize = 1 << 20;

/// The page's top-level items, in order.
#[must_use]
pub fn collect(page: &Page) -> Vec<Value> {
    let mut budget = ITEMS_MAX;
    let mut items = Vec::new();
    for id in &page.items {
        items.push(item(page, *id, 0, &mut budget));
    }
    items
}

fn item(page: &Page, id: Id, depth: usize, budget: &mut usize) -> Value {
    let dom = &page.dom;
    let mut map = Map::new();
    if let Some(kind) = dom.attr(id, "itemtype") {
        let types: Vec<Value> = kind.split_ascii_whitespace().map(|kind| Value::String(kind.to_owned())).collect();
        map.insert("@type".to_owned(), Value::Array(types));
    }
    if let Some(own) = dom.attr(id, "itemid").and_then(|own| page.absolute(own)) {
        map.insert("@id".to_owned(), Value::String(own));
    }
    if depth >= DEPTH_MAX || *budget == 0 {
        return Value::Object(map);
    }
    *budget -= 1;
    for property in properties(dom, id) {
        let value = if dom.attr(property, "itemscope").is_some() {
            item(page, property, depth + 1, budget)
        } else {
            value(page, property)
        };
        let names = dom.attr(property, "itemprop").unwrap_or("");
        for name in names.split_ascii_whitespace() {
            add(&mut map, name, value.clone());
        }
    }
    Value::Object(map)
}

fn add(map: &mut Map<String, Value>, name: &str, value: Value) {
    match map.get_mut(name) {
        Some(Value::Array(values)) => values.push(value),
        Some(existing) => {
            let first = existing.take();
            *existing = Value::Array(vec![first, value]);
        }
        None => {
            map.insert(name.to_owned(), value);
        }
    }
}

/// The property elements of an item in tree order: below it and below what `itemref` names, not inside other items.
fn properties(dom: &Dom, root: Id) -> Vec<Id> {
    let mut found = Vec::new();
    let mut roots = vec![(root, false)];
    if let Some(references) = dom.attr(root, "itemref") {
        let wanted: Vec<&str> = references.split_ascii_whitespace().take(50).collect();
        let named = (0..dom.len()).filter(|id| dom.attr(*id, "id").is_some_and(|own| wanted.contains(&own)));
        roots.extend(named.filter(|id| !dom.contains(*id, root)).map(|id| (id, true)));
    }
    for (start, itself) in roots {
        let mut at = if itself { start } else { start + 1 };
        while at < dom.end(start) {
            let Some(element) = dom.element(at) else {
                at += 1;
                continue;
            };
            let has = |name: &str| element.attrs.iter().any(|attr| &*attr.name.local == name);
            if has("itemprop") {
                found.push(at);
            }
            at = if has("itemscope") { dom.end(at) } else { at + 1 };
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// A property's value; `content` counts on any element, as publishers use it so.
fn value(page: &Page, id: Id) -> Value {
    let dom = &page.dom;
    let url = |name: &str| dom.attr(id, name).map(|href| page.absolute(href).unwrap_or_else(|| href.trim().to_owned()));
    let plain = |name: &str| dom.attr(id, name).map(str::to_owned);
    let special = match dom.name(id) {
        "audio" | "embed" | "iframe" | "source" | "track" | "video" => url("src"),
        "img" => url("src").filter(|src| !src.starts_with("data:")).or_else(|| url("data-src")),
        "a" | "area" | "link" if dom.attr(id, "content").is_none() => url("href"),
        "object" => url("data"),
        "data" | "meter" => plain("value"),
        "time" => plain("datetime"),
        _ => None,
    };
    // A link's value is its address; its text is kept beside it for properties that are names.
    if dom.name(id) == "a"
        && let Some(href) = &special
    {
        let shown = crate::text::collapse(&text::content(dom, id, TEXT_BYTES_MAX));
        if !shown.is_empty() {
            return serde_json::json!({"url": href, "name": shown});
        }
    }
    let text = plain("content").or(special).unwrap_or_else(|| text::content(dom, id, TEXT_BYTES_MAX));
    Value::String(text)
}
