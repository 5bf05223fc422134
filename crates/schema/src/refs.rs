//! References within one schema document: what `$ref` leads to, and schemas whose references never end.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};
use url::Url;

use crate::pointer::{child, shown};

/// A schema document with the names its parts can be referred to by.
#[derive(Debug, Clone)]
pub struct Document<'s> {
    root: &'s Value,
    base: Option<Url>,
    /// `$id` (as written, and joined with the root's) and `#anchor`.
    named: BTreeMap<String, &'s Value>,
    /// Up to draft-07 the keywords beside a `$ref` mean nothing.
    ref_stands_alone: bool,
}

/// Keywords whose values are data, not schemas.
const DATA_KEYWORDS: [&str; 4] = ["enum", "const", "default", "examples"];
const REFERENCE_KEYWORDS: [&str; 3] = ["$ref", "$dynamicRef", "$recursiveRef"];
const IN_PLACE_LISTS: [&str; 3] = ["allOf", "anyOf", "oneOf"];
const IN_PLACE_SCHEMAS: [&str; 4] = ["not", "if", "then", "else"];
const IN_PLACE_MAPS: [&str; 2] = ["dependentSchemas", "dependencies"];

impl<'s> Document<'s> {
    pub fn new(root: &'s Value) -> Self {
        let declared = root.get("$schema").and_then(Value::as_str).unwrap_or_default();
        let ref_stands_alone = ["draft-04", "draft-06", "draft-07"].iter().any(|draft| declared.contains(draft));
        let base = id_of(root).and_then(|id| Url::parse(id).ok());
        let mut schema = Self { root, base, named: BTreeMap::new(), ref_stands_alone };
        schema.name_parts(root);
        schema
    }

    pub fn root(&self) -> &'s Value {
        self.root
    }

    fn name_parts(&mut self, node: &'s Value) {
        if let Some(id) = id_of(node) {
            self.named.entry(id.to_owned()).or_insert(node);
            if let Some(joined) = self.base.as_ref().and_then(|base| base.join(id).ok()) {
                self.named.entry(joined.to_string()).or_insert(node);
            }
        }
        for keyword in ["$anchor", "$dynamicAnchor"] {
            if let Some(anchor) = node.get(keyword).and_then(Value::as_str) {
                self.named.entry(format!("#{anchor}")).or_insert(node);
            }
        }
        for (_, _, part) in parts(node) {
            self.name_parts(part);
        }
    }

    /// What a reference leads to within this document.
    pub fn resolve(&self, reference: &str) -> Option<&'s Value> {
        if let Some(part) = self.named.get(reference) {
            return Some(part);
        }
        let (document, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let start = if document.is_empty() { self.root } else { self.document(document)? };
        if fragment.is_empty() {
            return Some(start);
        }
        let pointer = percent_decoded(fragment)?;
        if pointer.starts_with('/') { start.pointer(&pointer) } else { self.named.get(&format!("#{pointer}")).copied() }
    }

    fn document(&self, document: &str) -> Option<&'s Value> {
        let joined = || self.base.as_ref().and_then(|base| base.join(document).ok()).map(|url| url.to_string());
        self.named.get(document).or_else(|| self.named.get(&joined()?)).copied()
    }

    /// The reference of a schema object, when the keyword counts there.
    pub fn reference(fields: &'s Map<String, Value>) -> Option<&'s str> {
        REFERENCE_KEYWORDS.iter().find_map(|keyword| fields.get(*keyword)?.as_str())
    }

    /// Whether the keywords beside the object's reference are to be read as well.
    pub fn reads_siblings(&self, fields: &Map<String, Value>) -> bool {
        !(self.ref_stands_alone && fields.get("$ref").is_some_and(Value::is_string))
    }

    /// Place and text of the first reference that leads nowhere.
    pub(crate) fn first_unresolved(&self) -> Option<(String, String)> {
        self.unresolved_below(self.root, "")
    }

    fn unresolved_below(&self, node: &'s Value, place: &str) -> Option<(String, String)> {
        for keyword in REFERENCE_KEYWORDS {
            let reference = node.get(keyword).and_then(Value::as_str);
            if let Some(reference) = reference.filter(|reference| self.resolve(reference).is_none()) {
                return Some((child(place, keyword), reference.to_owned()));
            }
        }
        parts(node).into_iter().find_map(|(key, index, part)| {
            let below = child(place, key);
            let below = index.map_or(below.clone(), |index| child(&below, &index.to_string()));
            self.unresolved_below(part, &below)
        })
    }

    /// # Errors
    /// When a part of the schema leads back to itself at the same place of the data: validating would never end.
    pub(crate) fn refuse_endless(&self) -> Result<(), String> {
        let mut finished = BTreeSet::new();
        self.endless_below(self.root, "", &mut finished)
    }

    fn endless_below(&self, node: &'s Value, place: &str, finished: &mut BTreeSet<usize>) -> Result<(), String> {
        if self.returns_to_itself(node, &mut BTreeSet::new(), finished) {
            return Err(format!("{}: its references lead back to itself without end", shown(place)));
        }
        parts(node).into_iter().try_for_each(|(key, index, part)| {
            let below = child(place, key);
            let below = index.map_or(below.clone(), |index| child(&below, &index.to_string()));
            self.endless_below(part, &below, finished)
        })
    }

    fn returns_to_itself(
        &self,
        node: &'s Value,
        on_path: &mut BTreeSet<usize>,
        finished: &mut BTreeSet<usize>,
    ) -> bool {
        let identity = std::ptr::from_ref(node) as usize;
        if finished.contains(&identity) {
            return false;
        }
        if !on_path.insert(identity) {
            return true;
        }
        let is_endless = self.in_place(node).into_iter().any(|part| self.returns_to_itself(part, on_path, finished));
        on_path.remove(&identity);
        finished.insert(identity);
        is_endless
    }

    /// The schemas that judge the same place of the data as `node` does.
    pub fn in_place(&self, node: &'s Value) -> Vec<&'s Value> {
        let Some(fields) = node.as_object() else { return Vec::new() };
        let mut found: Vec<&'s Value> = Vec::new();
        found.extend(Self::reference(fields).and_then(|reference| self.resolve(reference)));
        if !self.reads_siblings(fields) {
            return found;
        }
        for keyword in IN_PLACE_LISTS {
            found.extend(fields.get(keyword).and_then(Value::as_array).into_iter().flatten());
        }
        found.extend(IN_PLACE_SCHEMAS.iter().filter_map(|keyword| fields.get(*keyword)));
        for keyword in IN_PLACE_MAPS {
            let schemas = fields.get(keyword).and_then(Value::as_object).into_iter().flatten();
            found.extend(schemas.map(|(_, schema)| schema).filter(|schema| !schema.is_array()));
        }
        found
    }
}

fn id_of(node: &Value) -> Option<&str> {
    node.get("$id").or_else(|| node.get("id")).and_then(Value::as_str)
}

/// The objects and lists directly inside a schema object that may hold schemas: keyword, index in a list, part.
fn parts(node: &Value) -> Vec<(&str, Option<usize>, &Value)> {
    let Some(fields) = node.as_object() else { return Vec::new() };
    let mut found = Vec::new();
    for (key, inner) in fields.iter().filter(|(key, _)| !DATA_KEYWORDS.contains(&key.as_str())) {
        match inner {
            Value::Object(_) => found.push((key.as_str(), None, inner)),
            Value::Array(items) => {
                found.extend(items.iter().enumerate().map(|(index, item)| (key.as_str(), Some(index), item)));
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    found
}

/// A URI fragment with its percent escapes undone (RFC 6901 §6).
fn percent_decoded(fragment: &str) -> Option<String> {
    if !fragment.contains('%') {
        return Some(fragment.to_owned());
    }
    let mut bytes = Vec::with_capacity(fragment.len());
    let mut rest = fragment.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let high = char::from(rest.next()?).to_digit(16)?;
            let low = char::from(rest.next()?).to_digit(16)?;
            bytes.push(u8::try_from(high * 16 + low).ok()?);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}
