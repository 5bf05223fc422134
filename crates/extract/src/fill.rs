//! Fills a schema from a page: asks every source for candidates, takes the best that fits, and says where it came from.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::choose::{self, Entity};
use crate::convert::{convert, put};
use crate::page::Page;
use crate::published::{Ids, Origin, Published};
use crate::schema::{Field, Shape};
use crate::state_search::StateHit;
use crate::visible::Visible;
use crate::{jsonld, meta, microdata, state, state_search};

/// One value that was considered for a field.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// The value, converted to the field's shape; as found when it did not fit.
    pub value: Value,
    /// Where it was found.
    pub source: String,
    /// How much speaks for it; the highest wins.
    pub score: f64,
    /// Why it won or lost.
    pub why: String,
}

/// What was filled.
#[derive(Debug, Default)]
pub struct Filled {
    /// The object.
    pub data: Map<String, Value>,
    /// Source of each top-level field.
    pub sources: BTreeMap<String, String>,
    /// Source of each value, by JSON pointer.
    pub pointers: BTreeMap<String, String>,
    /// Top-level fields with a value.
    pub found: usize,
}

/// Everything known about a page while a schema is filled from it.
pub struct Filler<'a> {
    page: &'a Page,
    entities: Vec<Entity<'a>>,
    ids: Ids<'a>,
    root: &'a Field,
    state: Option<Vec<Option<StateHit>>>,
    visible: Option<Visible<'a>>,
    reads_visible: bool,
}

/// What a page publishes, kept apart from the filler, which borrows from it.
#[must_use]
pub fn publish(page: &Page) -> (Published, Vec<String>) {
    let ld = jsonld::collect(page);
    let mut roots: Vec<(Origin, Value)> = ld.objects.into_iter().map(|value| (Origin::JsonLd, value)).collect();
    roots.extend(microdata::collect(page).into_iter().map(|value| (Origin::Microdata, value)));
    (Published { roots }, ld.problems)
}

impl<'a> Filler<'a> {
    /// Prepares filling `root` from a page.
    #[must_use]
    pub fn new(page: &'a Page, published: &'a Published, root: &'a Field, reads_visible: bool) -> Self {
        let ids = published.ids();
        let entities = choose::rank(page, published, &ids, root);
        Self { page, entities, ids, root, state: None, visible: None, reads_visible }
    }

    fn fields(&self) -> &'a [Field] {
        match &self.root.shape {
            Shape::Record(fields) => fields,
            Shape::Text | Shape::Number | Shape::Integer | Shape::Boolean | Shape::Any | Shape::List(_) => &[],
        }
    }

    /// Fills every field.
    #[must_use]
    pub fn fill(mut self) -> Filled {
        let mut filled = Filled::default();
        for (index, field) in self.fields().iter().enumerate() {
            let best = self.best(index, field);
            if let Some((candidate, inner)) = &best {
                filled.found += 1;
                filled.sources.insert(field.name.clone(), candidate.source.clone());
                let pointer = format!("/{}", escape(&field.name));
                note_pointers(&mut filled.pointers, &pointer, &candidate.value, &candidate.source);
                for (path, source) in inner {
                    filled.pointers.insert(format!("{pointer}{path}"), source.clone());
                }
            }
            put(&mut filled.data, field, best.map(|(candidate, _)| candidate.value));
        }
        filled
    }

    /// The first candidate that fits, with the sources of its inner values where they differ.
    fn best(&mut self, index: usize, field: &'a Field) -> Option<(Candidate, BTreeMap<String, String>)> {
        if let Some(candidate) = self.candidates_published(field).into_iter().next() {
            return Some((candidate, BTreeMap::new()));
        }
        if let Some(candidate) = self.state_candidate(index, field) {
            return Some((candidate, BTreeMap::new()));
        }
        self.visible_candidate(field)
    }

    /// Candidates of what the page publishes, best first.
    fn candidates_published(&self, field: &Field) -> Vec<Candidate> {
        let mut out = Vec::new();
        self.by_own_paths(field, &mut out);
        for (place, entity) in self.entities.iter().enumerate() {
            // Only the object the page is about speaks for it; others only for what they alone describe.
            if place > 0 && !self.may_lend(entity, field) {
                continue;
            }
            for hit in choose::field_values(&self.ids, entity.value, field) {
                let source = format!("{}:{}.{}", entity.origin.word(), entity.kind, hit.path);
                if matches!(field.shape, Shape::List(_)) {
                    continue;
                }
                if let Some(value) = convert(self.page, field, hit.value) {
                    out.push(Candidate {
                        value,
                        source,
                        score: 90.0,
                        why: "published by the object the page is about".to_owned(),
                    });
                }
            }
            if matches!(field.shape, Shape::List(_)) {
                self.list_values(entity, field, &mut out);
            }
        }
        for (source, value) in meta::values(self.page, field) {
            if let Some(value) = convert(self.page, field, &value) {
                out.push(Candidate { value, source, score: 70.0, why: "published in a meta tag".to_owned() });
            }
        }
        out
    }

    fn by_own_paths(&self, field: &Field, out: &mut Vec<Candidate>) {
        for path in &field.paths {
            if let Some(name) = path.strip_prefix("meta:") {
                let value = meta::by_path(self.page, name, field).and_then(|value| convert(self.page, field, &value));
                out.extend(value.map(|value| Candidate {
                    value,
                    source: path.clone(),
                    score: 100.0,
                    why: "named in x-paths".to_owned(),
                }));
                continue;
            }
            for entity in &self.entities {
                for at in crate::published::at(&self.ids, entity.value, path) {
                    if let Some(value) = convert(self.page, field, at.value) {
                        let source = format!("{}:{}.{}", entity.origin.word(), entity.kind, path);
                        out.push(Candidate { value, source, score: 100.0, why: "named in x-paths".to_owned() });
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
                let source = format!("{}:{}.{path}", entity.origin.word(), entity.kind);
                out.push(Candidate {
                    value,
                    source,
                    score: 90.0,
                    why: "published by the object the page is about".to_owned(),
                });
            }
        }
    }

    /// Whether an object beside the main one may give a field: the same thing published twice, or the page itself for what pages have.
    fn may_lend(&self, entity: &Entity<'a>, field: &Field) -> bool {
        let Some(main) = self.entities.first() else { return false };
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

    fn state_candidate(&mut self, index: usize, field: &Field) -> Option<Candidate> {
        if self.state.is_none() {
            let states = state::collect(self.page);
            self.state = Some(state_search::find(self.page, &states, self.fields()));
        }
        let hit = self.state.as_ref()?.get(index)?.as_ref()?;
        let value = convert(self.page, field, &hit.value)?;
        Some(Candidate {
            value,
            source: hit.source.clone(),
            score: 55.0,
            why: "held by the page's own data".to_owned(),
        })
    }

    fn visible_candidate(&mut self, field: &'a Field) -> Option<(Candidate, BTreeMap<String, String>)> {
        if !self.reads_visible {
            return None;
        }
        if self.visible.is_none() {
            self.visible = Some(Visible::new(self.page));
        }
        self.visible.as_ref()?.find(field, self.root)
    }
}

fn names_agree(left: &Value, right: &Value) -> bool {
    let name = |value: &Value| crate::published::property(value, "name").and_then(Value::as_str).map(crate::text::fold);
    match (name(left), name(right)) {
        (Some(left), Some(right)) => left == right || left.contains(&right) || right.contains(&left),
        _ => false,
    }
}

fn escape(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// Gives every leaf of a value its source.
fn note_pointers(pointers: &mut BTreeMap<String, String>, pointer: &str, value: &Value, source: &str) {
    match value {
        Value::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                note_pointers(pointers, &format!("{pointer}/{at}"), item, source);
            }
        }
        Value::Object(map) => {
            for (key, item) in map {
                note_pointers(pointers, &format!("{pointer}/{}", escape(key)), item, source);
            }
        }
        Value::Null => {}
        Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            pointers.insert(pointer.to_owned(), source.to_owned());
        }
    }
}
