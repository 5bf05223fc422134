//! JSON-LD blocks of a page as a list of objects, `@graph`s and arrays taken apart; a bad block never loses the others.

use serde_json::Value;

use crate::json;
use crate::page::{Page, ScriptKind};
use crate::published::is_numbered;

/// Most objects kept.
const OBJECTS_MAX: usize = 5000;
/// Longest block read, in bytes.
const BLOCK_BYTES_MAX: usize = 8 << 20;

/// The page's JSON-LD objects, and which blocks were faulty.
#[derive(Debug, Default)]
pub struct JsonLd {
    /// Top-level objects, in page order.
    pub objects: Vec<Value>,
    /// One line per block that was not valid JSON.
    pub problems: Vec<String>,
}

/// Reads all JSON-LD blocks.
#[must_use]
pub fn collect(page: &Page) -> JsonLd {
    let mut out = JsonLd::default();
    let blocks = page.scripts.iter().filter(|(kind, _)| *kind == ScriptKind::JsonLd);
    for (number, (_, id)) in blocks.enumerate() {
        let text = page.dom.raw_text(*id, BLOCK_BYTES_MAX);
        let parsed = json::parse(&text);
        if parsed.values.is_empty() && !text.trim().is_empty() {
            out.problems.push(format!("json-ld block {} could not be read", number + 1));
        } else if parsed.repaired {
            out.problems.push(format!("json-ld block {} was repaired", number + 1));
        }
        for value in parsed.values {
            flatten(value, &mut out.objects);
        }
    }
    out
}

/// Takes arrays and `@graph`s apart, without recursion; an object whose keys are all numbers is an array with holes.
fn flatten(value: Value, objects: &mut Vec<Value>) {
    let mut stack = vec![value];
    while let Some(value) = stack.pop() {
        match value {
            Value::Array(items) => stack.extend(items.into_iter().rev()),
            Value::Object(map) if is_numbered(&map) => {
                let items: Vec<Value> = map.into_iter().map(|(_, item)| item).collect();
                stack.extend(items.into_iter().rev());
            }
            Value::Object(mut map) => {
                let graph = map.shift_remove("@graph");
                if map.keys().any(|key| key != "@context") && objects.len() < OBJECTS_MAX {
                    objects.push(Value::Object(map));
                }
                stack.extend(graph);
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_graph_numbered_by_its_keys_is_a_list() {
        let html = r#"<script type="application/ld+json">{"@context": "https://schema.org", "@graph":
            {"0": {"@type": "WebPage", "name": "Page"}, "3": {"@type": "Recipe", "name": "Soup"}}}</script>"#;
        let page = Page::new(crate::parse::parse(html), "https://example.com/");
        let found = collect(&page);
        let names: Vec<&str> = found.objects.iter().filter_map(|object| object["name"].as_str()).collect();
        assert_eq!(names, ["Page", "Soup"]);
    }
}
