//! Fills a schema from a page: asks every source for candidates, takes the best that fits, and says where it came from.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::choose;
use crate::convert::{convert, kind_of, put};
use crate::names::Kind;
use crate::offered::Offered;
use crate::page::Page;
use crate::published::{Origin, Published};
use crate::schema::{Field, Shape};
use crate::state_search::StateHit;
use crate::visible::Visible;
use crate::{jsonld, microdata, settle, state, state_search};

/// Score of the page's own data.
const STATE: f64 = 55.0;

/// Score of preparation and cooking time together: more than a label with other words around it.
const SUM: f64 = 40.0;

/// One value that was considered for a field.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// The value, converted to the field's shape.
    pub value: Value,
    /// Where it was found.
    pub source: String,
    /// How much speaks for it; the highest wins.
    pub score: f64,
    /// What speaks for it, or why it lost.
    pub why: String,
    /// Sources of inner values that differ, by JSON pointer below the value.
    pub inner: BTreeMap<String, String>,
    /// Words that made a value which is not those words (a boolean, a choice), by JSON pointer below the value.
    pub passages: BTreeMap<String, String>,
}

impl Candidate {
    /// A candidate whose inner values share its source.
    #[must_use]
    pub fn new(value: Value, source: impl Into<String>, score: f64, why: impl Into<String>) -> Self {
        let (inner, passages) = (BTreeMap::new(), BTreeMap::new());
        Self { value, source: source.into(), score, why: why.into(), inner, passages }
    }

    /// With the words that made the value, unless they are the value.
    #[must_use]
    pub fn citing(mut self, words: &str) -> Self {
        if self.value.as_str() != Some(words) {
            self.passages.insert(String::new(), words.to_owned());
        }
        self
    }
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
    /// Words that made a value which is not those words, by JSON pointer.
    pub passages: BTreeMap<String, String>,
    /// Top-level fields with a value.
    pub found: usize,
}

/// Everything known about a page while a schema is filled from it.
pub struct Filler<'a> {
    page: &'a Page,
    document: Option<&'a Value>,
    offered: Offered<'a>,
    root: &'a Field,
    state: Option<Vec<Option<StateHit>>>,
    visible: Option<Visible<'a>>,
    reads_visible: bool,
}

/// What a page publishes, kept apart from the filler, which borrows from it.
#[must_use]
pub fn publish(page: &Page, document: Option<Value>) -> (Published, Vec<String>) {
    if let Some(value) = document {
        return (Published { roots: vec![(Origin::Document, value)] }, Vec::new());
    }
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
        let has_subject = entities.first().is_some_and(|first| choose::can_be_subject(&ids, first, root));
        let offered = Offered { page, entities, ids, has_subject };
        let document = published.document();
        // The text of a JSON document is the value once more.
        let reads_visible = reads_visible && document.is_none();
        Self { page, document, offered, root, state: None, visible: None, reads_visible }
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
            let mut best = self.candidates(index, field, false).into_iter().next();
            if let Some(candidate) = &mut best {
                self.cite(field, candidate);
                filled.note(field, candidate);
            }
            put(&mut filled.data, field, best.map(|candidate| candidate.value));
        }
        filled
    }

    /// Gives a boolean or a choice that is published the words with which the page shows it too.
    fn cite(&mut self, field: &Field, best: &mut Candidate) {
        let is_published = !best.source.starts_with("text");
        let is_single = !best.value.is_array() && !best.value.is_object();
        if !(self.reads_visible && is_published && is_single && needs_words(field)) {
            return;
        }
        let root = self.root;
        let shown = self.visible().candidates(field, root).into_iter().filter(|shown| shown.value == best.value);
        if let Some(shown) = shown.into_iter().find(|shown| !shown.passages.is_empty()) {
            best.passages = shown.passages;
        }
    }

    /// Every candidate of every field, the winner first.
    #[must_use]
    pub fn explain(mut self) -> Vec<(String, Vec<Candidate>)> {
        let fields = self.fields().iter().enumerate();
        fields.map(|(index, field)| (field.name.clone(), self.candidates(index, field, true))).collect()
    }

    /// Candidates of a field, best first. Weaker sources are asked only if `all` are wanted, stronger ones have nothing, or
    /// what the page shows has a say.
    fn candidates(&mut self, index: usize, field: &'a Field, all: bool) -> Vec<Candidate> {
        let mut out = self.offered.candidates(field);
        let is_weak = out.iter().all(|candidate| candidate.score < STATE);
        if is_weak || all {
            out.extend(self.state_candidate(index, field));
        }
        let is_weak = out.iter().all(|candidate| candidate.score < STATE + settle::shown_advantage(field));
        if self.reads_visible && (is_weak || all || settle::is_contested(field, &out)) {
            let root = self.root;
            let says_out = self.offered.says_out_of_stock();
            let page = self.page;
            let visible = self.visible();
            let mut shown = visible.candidates(field, root);
            if all && matches!(field.shape, Shape::List(_)) {
                shown.extend(out.first().and_then(|published| visible.list_as_shown(&published.value, field)));
            }
            let is_out = settle::minds_stock(field) && (says_out || visible.is_out_of_stock());
            let shown_score = |number: f64| {
                visible.price_score(number).or_else(|| visible.shows_number(number).then_some(f64::INFINITY))
            };
            settle::settle(page, field, &mut out, shown, is_out, &shown_score);
        }
        let is_unsure = out.iter().all(|candidate| candidate.score < SUM);
        if is_unsure && field.concept.is_some_and(|concept| concept.id == "totalTime") {
            out.extend(self.total_time(field, all));
        }
        if field.concept.is_some_and(|concept| concept.id == "currency")
            && self.offered.says_out_of_stock()
            && !self.offered.has_price()
        {
            out.clear();
        }
        // A stable sort: of equals the first found wins.
        out.sort_by(|left, right| right.score.total_cmp(&left.score));
        out
    }

    /// The sum of preparation and cooking time, where a page gives no total. One of them alone is no total: nothing is guessed.
    fn total_time(&mut self, field: &Field, all: bool) -> Option<Candidate> {
        if !matches!(field.shape, Shape::Number | Shape::Integer) {
            return None;
        }
        let has_unit = crate::names::duration_unit(&field.name).is_some();
        let suffix = field.name.rsplit(['_', '-', ' ']).next().filter(|_| has_unit).unwrap_or("minutes");
        let mut sum = 0.0;
        let mut sources = Vec::new();
        for name in ["prepTime", "cookTime"] {
            let concept = crate::names::concept(name);
            let part = Field { name: format!("{name}_{suffix}"), concept, ..field.clone() };
            let found = self.parts(&part, all).into_iter().next()?;
            sum += found.value.as_f64()?;
            sources.push(found.source);
        }
        // A source is judged by how it begins: the weaker one stands first.
        sources.sort_by_key(|source| !source.starts_with("text"));
        let value = convert(self.page, field, &Value::Number(crate::convert::json_number(sum)?))?;
        Some(Candidate::new(value, sources.join(" + "), SUM, "preparation and cooking time together"))
    }

    /// Candidates of a field that the schema does not name.
    fn parts(&mut self, field: &Field, all: bool) -> Vec<Candidate> {
        let mut out = self.offered.candidates(field);
        if self.reads_visible && (out.is_empty() || all) {
            let root = self.root;
            out.extend(self.visible().candidates(field, root));
        }
        out
    }

    fn visible(&mut self) -> &Visible<'a> {
        let page = self.page;
        self.visible.get_or_insert_with(|| Visible::new(page))
    }

    fn state_candidate(&mut self, index: usize, field: &Field) -> Option<Candidate> {
        if self.state.is_none() {
            let states = match self.document {
                Some(value) => vec![("json".to_owned(), value.clone())],
                None => state::collect(self.page),
            };
            self.state = Some(state_search::find(self.page, &states, self.fields()));
        }
        let hit = self.state.as_ref()?.get(index)?.as_ref()?;
        let value = convert(self.page, field, &hit.value)?;
        Some(Candidate::new(value, hit.source.clone(), STATE, "held by the page's own data"))
    }
}

impl Filled {
    fn note(&mut self, field: &Field, candidate: &Candidate) {
        self.found += 1;
        self.sources.insert(field.name.clone(), candidate.source.clone());
        let pointer = format!("/{}", escape(&field.name));
        note_pointers(&mut self.pointers, &pointer, &candidate.value, &candidate.source);
        for (path, source) in &candidate.inner {
            self.pointers.insert(format!("{pointer}{path}"), source.clone());
        }
        for (path, passage) in &candidate.passages {
            self.passages.insert(format!("{pointer}{path}"), passage.clone());
        }
    }
}

/// Whether what the field holds does not stand on pages in its own words.
fn needs_words(field: &Field) -> bool {
    matches!(field.shape, Shape::Boolean) || !field.allowed.is_empty() || kind_of(field) == Kind::Availability
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
