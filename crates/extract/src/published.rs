//! Objects that a page publishes (JSON-LD, microdata): their types, `@id` references, and values at paths.

use std::collections::BTreeMap;

use serde_json::Value;

/// Most values followed for one path.
const VALUES_MAX: usize = 400;
/// Most objects indexed by `@id`.
const IDS_MAX: usize = 20_000;

/// Where an object was published.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// A JSON-LD block.
    JsonLd,
    /// Microdata attributes.
    Microdata,
    /// The document itself, which is a JSON value.
    Document,
}

impl Origin {
    /// The word that `sources` uses.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::JsonLd => "jsonld",
            Self::Microdata => "microdata",
            Self::Document => "json",
        }
    }
}

/// All published objects of a page.
#[derive(Debug)]
pub struct Published {
    /// Top-level objects with where they came from.
    pub roots: Vec<(Origin, Value)>,
}

/// Looks objects up by `@id`.
#[derive(Debug)]
pub struct Ids<'a>(BTreeMap<&'a str, &'a Value>);

/// A value at a path.
#[derive(Clone, Debug)]
pub struct At<'a> {
    /// The value.
    pub value: &'a Value,
    /// The object that directly holds it.
    pub holder: &'a Value,
}

impl Published {
    /// The value that the whole document is, if it is JSON.
    #[must_use]
    pub fn document(&self) -> Option<&Value> {
        self.roots.iter().find(|(origin, _)| *origin == Origin::Document).map(|(_, value)| value)
    }

    /// Indexes the objects that have an `@id`; of several with the same one, the fullest.
    #[must_use]
    pub fn ids(&self) -> Ids<'_> {
        let mut index: BTreeMap<&str, &Value> = BTreeMap::new();
        let mut stack: Vec<&Value> = self.roots.iter().rev().map(|(_, value)| value).collect();
        let mut seen = 0;
        while let Some(value) = stack.pop() {
            seen += 1;
            if seen > IDS_MAX {
                break;
            }
            match value {
                Value::Array(items) => {
                    stack.extend(items.iter().rev().filter(|item| item.is_object() || item.is_array()))
                }
                Value::Object(map) => {
                    if let Some(id) = map.get("@id").and_then(Value::as_str).filter(|_| map.len() > 1) {
                        let known = index.get(id).and_then(|known| known.as_object()).map_or(0, serde_json::Map::len);
                        if map.len() > known {
                            index.insert(id, value);
                        }
                    }
                    stack.extend(map.values().filter(|item| item.is_object() || item.is_array()));
                }
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
            }
        }
        Ids(index)
    }
}

impl<'a> Ids<'a> {
    /// The full object behind a reference, or the value itself.
    #[must_use]
    pub fn resolve(&self, value: &'a Value) -> &'a Value {
        let Some(map) = value.as_object() else { return value };
        let Some(id) = map.get("@id").and_then(Value::as_str) else { return value };
        match self.0.get(id) {
            Some(full) if full.as_object().is_some_and(|full| full.len() > map.len()) => full,
            Some(_) | None => value,
        }
    }
}

/// The object's schema.org types, lower case, without prefix.
#[must_use]
pub fn types(value: &Value) -> Vec<String> {
    let kinds = value.get("@type").or_else(|| value.get("type").filter(|_| value.get("@context").is_some()));
    let one = |kind: &Value| kind.as_str().map(|kind| local(kind).to_lowercase());
    match kinds {
        Some(Value::Array(kinds)) => kinds.iter().filter_map(one).collect(),
        Some(kind) => one(kind).into_iter().collect(),
        None => Vec::new(),
    }
}

/// A term without its vocabulary: after the last `/`, `#` or a `prefix:`.
#[must_use]
pub fn local(term: &str) -> &str {
    let term = term.trim().trim_end_matches('/');
    let after = term.rsplit(['/', '#']).next().unwrap_or(term);
    match after.split_once(':') {
        Some((prefix, rest)) if !prefix.is_empty() && !rest.is_empty() => rest,
        Some(_) | None => after,
    }
}

/// Whether a term is this name in any case, with any vocabulary before it.
fn is_term(term: &str, name: &str) -> bool {
    let term = term.trim().trim_end_matches('/');
    // Most keys end otherwise, and some are long.
    let end = term.len().checked_sub(name.len()).and_then(|start| term.as_bytes().get(start..));
    end.is_some_and(|end| end.eq_ignore_ascii_case(name.as_bytes())) && local(term).eq_ignore_ascii_case(name)
}

/// A property of an object, by name in any case and with any vocabulary prefix.
#[must_use]
pub fn property<'a>(value: &'a Value, name: &str) -> Option<&'a Value> {
    let map = value.as_object()?;
    if let Some(found) = map.get(name) {
        return Some(found);
    }
    if name.starts_with('@') {
        return None;
    }
    map.iter().find(|(key, _)| is_term(key, name)).map(|(_, found)| found)
}

/// All values at a dotted path, arrays spread, references followed.
#[must_use]
pub fn at<'a>(ids: &Ids<'a>, object: &'a Value, path: &str) -> Vec<At<'a>> {
    let mut current = vec![At { value: object, holder: object }];
    for step in path.split('.') {
        let mut next: Vec<At<'a>> = Vec::new();
        for place in &current {
            let holder = ids.resolve(place.value);
            let found = match holder {
                Value::Array(items) => step.parse::<usize>().ok().and_then(|number| items.get(number)),
                other => property(other, step),
            };
            if let Some(value) = found {
                spread(ids, value, holder, &mut next);
            }
        }
        if next.is_empty() {
            return next;
        }
        current = next;
    }
    current
}

/// Whether an object is an array that lost its shape: software writes an array with holes as `{"0": …, "2": …}`.
#[must_use]
pub fn is_numbered(map: &serde_json::Map<String, Value>) -> bool {
    !map.is_empty() && map.keys().all(|key| !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_digit()))
}

fn spread<'a>(ids: &Ids<'a>, value: &'a Value, holder: &'a Value, out: &mut Vec<At<'a>>) {
    match value {
        Value::Array(items) => {
            for item in items {
                if out.len() < VALUES_MAX {
                    // Lists in lists are rare; one level is enough to be useful and bounded.
                    match item {
                        Value::Array(inner) => out.extend(
                            inner
                                .iter()
                                .take(VALUES_MAX - out.len())
                                .map(|value| At { value: ids.resolve(value), holder }),
                        ),
                        other => out.push(At { value: ids.resolve(other), holder }),
                    }
                }
            }
        }
        Value::Object(map) if is_numbered(map) => {
            let items = map.values().take(VALUES_MAX.saturating_sub(out.len()));
            out.extend(items.map(|value| At { value: ids.resolve(value), holder }));
        }
        other => out.push(At { value: ids.resolve(other), holder }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn paths_follow_arrays_references_and_prefixes() {
        let published = Published {
            roots: vec![
                (
                    Origin::JsonLd,
                    json!({"@type": "http://schema.org/Product", "schema:offers": [{"@id": "#o"}, {"price": 2}]}),
                ),
                (Origin::JsonLd, json!({"@id": "#o", "price": 1})),
            ],
        };
        let ids = published.ids();
        let prices: Vec<&Value> =
            at(&ids, &published.roots[0].1, "offers.price").into_iter().map(|at| at.value).collect();
        assert_eq!(prices, [&json!(1), &json!(2)]);
        assert_eq!(types(&published.roots[0].1), ["product"]);
        assert_eq!(local("schema:Product"), "Product");
    }

    #[test]
    fn a_list_with_holes_spreads_like_a_list() {
        let published =
            Published { roots: vec![(Origin::JsonLd, json!({"recipeIngredient": {"0": "1 egg", "2": "salt"}}))] };
        let ids = published.ids();
        let found: Vec<&Value> =
            at(&ids, &published.roots[0].1, "recipeIngredient").into_iter().map(|at| at.value).collect();
        assert_eq!(found, [&json!("1 egg"), &json!("salt")]);
    }
}
