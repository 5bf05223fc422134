//! Microdata as the HTML standard defines it, in the shape of JSON-LD objects (`@type` and properties).

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::dom::{Dom, Id};
use crate::page::Page;
use crate::text;

/// Deepest nesting of items.
const DEPTH_MAX: usize = 12;
/// Most items read.
const ITEMS_MAX: usize = 3000;
/// Most ids that an item may refer to.
const REFERENCES_MAX: usize = 50;
/// Most nodes looked at; without references each is looked at once for every item and property that it is in.
const NODES_MAX: usize = 8_000_000;
/// Longest name of a property or type, in bytes.
const NAME_BYTES_MAX: usize = 500;
/// Longest property text, in bytes.
const TEXT_BYTES_MAX: usize = 1 << 20;

/// The page's top-level items, in order.
#[must_use]
pub fn collect(page: &Page) -> Vec<Value> {
    let mut reading = Reading { page, items_left: ITEMS_MAX, open: Vec::new(), ids: None, nodes_left: NODES_MAX };
    page.items.iter().map(|id| reading.item(*id)).collect()
}

/// Items that are read, with what may still be read.
struct Reading<'a> {
    page: &'a Page,
    items_left: usize,
    /// The item and those that it is in.
    open: Vec<Id>,
    /// The elements with an id; indexed when the first item refers to some.
    ids: Option<BTreeMap<&'a str, Id>>,
    nodes_left: usize,
}

impl<'a> Reading<'a> {
    fn item(&mut self, id: Id) -> Value {
        let dom = &self.page.dom;
        let copies = &self.page.copies;
        let mut map = Map::new();
        if let Some(kinds) = dom.attr(id, "itemtype") {
            let kinds = names(kinds).map_while(|kind| copies.copy_key(kind).map(Value::String));
            map.insert("@type".to_owned(), kinds.collect());
        }
        let own = dom.attr(id, "itemid").and_then(|own| self.page.absolute(&copies.copy_key(own)?));
        if let Some(own) = own {
            map.insert("@id".to_owned(), Value::String(own));
        }
        if self.open.len() >= DEPTH_MAX || self.items_left == 0 {
            return Value::Object(map);
        }
        self.items_left -= 1;
        self.open.push(id);
        for property in self.properties(id) {
            let names: Vec<&str> = names(dom.attr(property, "itemprop").unwrap_or("")).collect();
            let Some(value) = Some(&names).filter(|names| !names.is_empty()).and_then(|_| self.value(property)) else {
                continue;
            };
            let copied = names.iter().map_while(|name| copies.copy_key(name).zip(copies.copy(&value)));
            copied.for_each(|(name, value)| add(&mut map, name, value));
        }
        self.open.pop();
        Value::Object(map)
    }

    /// The property elements of an item in tree order: below it and below what `itemref` names, not inside other items.
    fn properties(&mut self, root: Id) -> Vec<Id> {
        let dom = &self.page.dom;
        let mut roots = vec![(root, root + 1)];
        if let Some(references) = dom.attr(root, "itemref") {
            let ids = self.ids.get_or_insert_with(|| elements_by_id(dom));
            let wanted = references.split_ascii_whitespace().take(REFERENCES_MAX);
            let named = wanted.filter_map(|wanted| ids.get(wanted));
            roots.extend(named.filter(|id| !dom.contains(**id, root)).map(|id| (*id, *id)));
        }
        let mut found = Vec::new();
        for (start, mut at) in roots {
            while at < dom.end(start) && self.nodes_left > 0 {
                self.nodes_left -= 1;
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

    /// A property's value; nothing for an item that would be in itself, and once too much was looked at or copied.
    fn value(&mut self, property: Id) -> Option<Value> {
        let dom = &self.page.dom;
        if dom.attr(property, "itemscope").is_none() {
            self.nodes_left = self.nodes_left.saturating_sub((dom.end(property) - property) as usize);
            let may_look = self.nodes_left > 0 && !self.page.copies.is_spent();
            return may_look.then(|| plain_value(self.page, property));
        }
        (!self.open.contains(&property)).then(|| self.item(property))
    }
}

fn names(list: &str) -> impl Iterator<Item = &str> {
    list.split_ascii_whitespace().filter(|name| name.len() <= NAME_BYTES_MAX)
}

/// The first element of each id.
fn elements_by_id(dom: &Dom) -> BTreeMap<&str, Id> {
    let mut ids = BTreeMap::new();
    for id in 0..dom.len() {
        if let Some(name) = dom.attr(id, "id") {
            ids.entry(name).or_insert(id);
        }
    }
    ids
}

fn add(map: &mut Map<String, Value>, name: String, value: Value) {
    match map.get_mut(&name) {
        Some(Value::Array(values)) => values.push(value),
        Some(existing) => {
            let first = existing.take();
            *existing = Value::Array(vec![first, value]);
        }
        None => {
            map.insert(name, value);
        }
    }
}

/// A property's value; `content` counts on any element, as publishers use it so.
fn plain_value(page: &Page, id: Id) -> Value {
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
