//! Reads the wanted fields from stored pages: the extractor proposes, grounding keeps what the page shows.

use errand_domain::ground::{self, Attempt, Evidence, Hint, Hints, Settlement};
use errand_domain::limits::PAUSE_VALUE_CHARS_MAX;
use errand_domain::page::PageSnapshot;
use errand_domain::redact::Redactor;
use errand_domain::run::{Mode, Run, SentValue, Stakes};
use errand_domain::schema::{OutputContract, Violation};
use errand_extract::{Extracted, Options};
use errand_planner::{Observation, goal};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::task::JoinError;

/// Reads in a thread of its own. A runtime of one thread, such as the simulator's, reads in place: what happens there must
/// not depend on how threads are scheduled.
///
/// # Errors
/// When the reading died.
pub async fn apart<T: Send + 'static>(read: impl FnOnce() -> T + Send + 'static) -> Result<T, JoinError> {
    if Handle::current().runtime_flavor() == RuntimeFlavor::CurrentThread {
        return Ok(read());
    }
    tokio::task::spawn_blocking(read).await
}

/// What is wanted of the pages: the client's contract, or the shape that the goal itself asks for.
#[derive(Debug)]
pub struct Wanted {
    contract: OutputContract,
    /// Without a contract of the client's, data is not validated (SPEC §2).
    is_validated: bool,
    count: Option<usize>,
}

impl Wanted {
    /// `None` when the run wants no structure.
    #[must_use]
    pub fn of(run: &Run) -> Option<Self> {
        let spec = &run.spec;
        let count = goal::wanted_count(&spec.goal);
        let contract = OutputContract::from_request(spec.output_schema.as_ref(), spec.output_format.as_ref());
        if let Ok(Some(contract)) = contract {
            return Some(Self { contract, is_validated: true, count });
        }
        let shape = goal::shape_in_goal(&spec.goal)?;
        let contract = OutputContract::from_request(Some(&shape), None).ok().flatten()?;
        Some(Self { contract, is_validated: false, count })
    }

    /// JSON Schema of the wanted data.
    #[must_use]
    pub fn schema(&self) -> &Value {
        self.contract.schema()
    }

    /// Data and sources from the pages a run saw. `is_complete_run` says that the goal was reached; otherwise what was
    /// found may be partial.
    #[must_use]
    pub fn settle(&self, pages: &[PageSnapshot], mode: Mode, is_complete_run: bool) -> Settlement {
        let (raw, hints) = self.propose(pages);
        let evidence = Evidence { pages, answer: None, hints: &hints, reads_code: mode == Mode::Precise };
        if !self.is_validated {
            let grounded = ground::ground_unchecked(raw, &evidence);
            let is_found = !grounded.sources.is_empty();
            return Settlement { data: is_found.then_some(grounded.data), data_error: None, sources: grounded.sources };
        }
        if !is_complete_run {
            return ground::settle_partial(&self.contract, raw, &evidence);
        }
        let first = raw.clone();
        ground::settle(&self.contract, first, &evidence, |violations| Some((corrected(raw, violations), hints.clone())))
    }

    /// What one page shows of it, whether or not it keeps to the schema: that a price is higher than the schema allows does
    /// not mean that it is not shown.
    fn shown(&self, page: &PageSnapshot, mode: Mode) -> Value {
        let pages = std::slice::from_ref(page);
        let (raw, hints) = self.propose(pages);
        let evidence = Evidence { pages, answer: None, hints: &hints, reads_code: mode == Mode::Precise };
        if !self.is_validated {
            return ground::ground_unchecked(raw, &evidence).data;
        }
        match ground::attempt(&self.contract, raw, &evidence) {
            Attempt::Valid(settlement) => settlement.data.unwrap_or_default(),
            Attempt::Rejected(rejected) => rejected.into_shown(),
        }
    }

    /// Each top-level field from the page that shows most of them, gaps filled from the others, later pages first.
    fn propose(&self, pages: &[PageSnapshot]) -> (Value, Hints) {
        let mut readings: Vec<(usize, Extracted)> =
            pages.iter().enumerate().filter_map(|(index, page)| Some((index, self.read(page)?))).collect();
        readings.sort_by_key(|(index, extracted)| std::cmp::Reverse((extracted.found, *index)));
        let mut data = Map::new();
        let mut hints = Hints::new();
        for (page_index, extracted) in readings {
            let Value::Object(fields) = extracted.data else { continue };
            for (name, value) in fields {
                if is_empty(&value) || data.get(&name).is_some_and(|known| !is_empty(known)) {
                    continue;
                }
                let pointer = format!("/{}", escape_pointer(&name));
                hints.extend(hints_below(&extracted.pointer_sources, &extracted.passages, &pointer, page_index));
                data.insert(name, self.shortened(value));
            }
        }
        (Value::Object(data), hints)
    }

    /// Lists hold as many items as the goal asks for.
    fn shortened(&self, value: Value) -> Value {
        match (value, self.count) {
            (Value::Array(mut items), Some(count)) => {
                items.truncate(count);
                Value::Array(items)
            }
            (value, _) => value,
        }
    }

    /// What a page shows; an error page shows nothing that is wanted, whatever it is called.
    fn read(&self, page: &PageSnapshot) -> Option<Extracted> {
        if page.is_error() { None } else { self.extract(page) }
    }

    fn extract(&self, page: &PageSnapshot) -> Option<Extracted> {
        match errand_extract::extract(&page.html, &page.base_url, self.schema(), &Options::default()) {
            Ok(extracted) => Some(extracted),
            Err(error) => {
                tracing::debug!(%error, "schema cannot be filled from a page");
                None
            }
        }
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.values().all(is_empty),
        Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

fn escape_pointer(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

fn hints_below<'a>(
    places: &'a BTreeMap<String, String>,
    passages: &'a BTreeMap<String, String>,
    pointer: &'a str,
    page_index: usize,
) -> impl Iterator<Item = (String, Hint)> + 'a {
    let is_below =
        move |place: &str| place == pointer || place.strip_prefix(pointer).is_some_and(|rest| rest.starts_with('/'));
    places.iter().filter(move |(place, _)| is_below(place)).map(move |(place, source)| {
        let passage = passages.get(place).cloned();
        (place.clone(), Hint { page_index, place: source.clone(), passage })
    })
}

/// The built-in planner's one correction: what breaks the schema is left out.
fn corrected(mut data: Value, violations: &[Violation]) -> Value {
    for violation in violations {
        if let Some(value) = data.pointer_mut(&violation.pointer) {
            *value = Value::Null;
        }
    }
    data
}

/// One page's reading, for the planner: how much of what is wanted the page shows.
#[derive(Debug)]
pub struct Reading {
    wanted: Option<Wanted>,
    filled: (usize, usize),
}

impl Reading {
    #[must_use]
    pub fn of_page(run: &Run, page: &PageSnapshot) -> Self {
        let Some(wanted) = Wanted::of(run) else { return Self { wanted: None, filled: (0, 0) } };
        let of = wanted.contract.top_level().len();
        let found = match wanted.shown(page, run.spec.mode) {
            Value::Object(fields) => fields.values().filter(|value| !is_empty(value)).count(),
            value => usize::from(!is_empty(&value)),
        };
        Self { wanted: Some(wanted), filled: (found.min(of), of) }
    }

    #[must_use]
    pub fn schema(&self) -> Option<&Value> {
        self.wanted.as_ref().map(Wanted::schema)
    }

    #[must_use]
    pub fn filled(&self) -> (usize, usize) {
        self.filled
    }

    /// Something is wanted, and all of it is shown.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.filled.1 > 0 && self.filled.0 == self.filled.1
    }
}

/// What a person is shown of an action, without secrets, each text cut to the limit.
#[must_use]
pub fn redact_stakes(stakes: Stakes, redactor: &Redactor) -> Stakes {
    let plain = |text: &String| redactor.text(text).chars().take(PAUSE_VALUE_CHARS_MAX).collect::<String>();
    let value = |value: &SentValue| SentValue {
        name: plain(&value.name),
        label: plain(&value.label),
        value: plain(&value.value),
    };
    Stakes {
        total: stakes.total.as_ref().map(plain),
        items: stakes.items.iter().map(plain).collect(),
        target: stakes.target.as_ref().map(plain),
        values: stakes.values.iter().map(value).collect(),
    }
}

/// The observation without secrets, also where one is spread over neighbouring elements.
#[must_use]
pub fn redact_observation(observation: Observation, redactor: &Redactor) -> Observation {
    let mut observation = observation;
    for text in [&mut observation.url, &mut observation.title, &mut observation.text] {
        *text = redactor.text(text);
    }
    let elements = &mut observation.elements;
    redactor.texts(elements.iter_mut().map(|element| &mut element.name));
    redactor.texts(elements.iter_mut().map(|element| &mut element.near_text));
    redactor.texts(elements.iter_mut().map(|element| &mut element.section));
    redactor.texts(elements.iter_mut().filter_map(|element| element.value.as_mut()));
    redactor.texts(elements.iter_mut().filter_map(|element| element.href.as_mut()));
    redactor.texts(elements.iter_mut().filter_map(|element| element.placeholder.as_mut()));
    redactor.texts(elements.iter_mut().flat_map(|element| &mut element.options));
    redactor.texts(elements.iter_mut().filter_map(|element| element.sent_value.as_mut()));
    redactor.texts(elements.iter_mut().filter_map(|element| element.shown_text.as_mut()));
    redactor.texts(observation.regions.iter_mut());
    for form in &mut observation.forms {
        form.action = redactor.text(&form.action);
        redactor.texts(form.fields.iter_mut().map(|field| &mut field.label));
        redactor.texts(form.fields.iter_mut().map(|field| &mut field.value));
        redactor.texts(form.sent.iter_mut().map(|control| &mut control.name));
        redactor.texts(form.sent.iter_mut().map(|control| &mut control.label));
        redactor.texts(form.sent.iter_mut().map(|control| &mut control.value));
    }
    observation.notice = observation.notice.map(|notice| redactor.text(&notice));
    observation
}

#[cfg(test)]
mod tests {
    use super::*;
    use errand_domain::AccountId;
    use errand_domain::price::PriceTable;
    use errand_domain::run::{Commit, RunRequest, Writer, create, evolve};
    use errand_domain::{CommitId, RunId, Timestamp};
    use serde_json::json;

    fn run_that_wants(output_schema: &Value) -> Run {
        let body =
            json!({"goal": "Read it.", "start_url": "https://shop.example/", "output_schema": output_schema.clone()});
        let request = RunRequest::parse(&body, AccountId::parse("a").unwrap(), String::new()).unwrap();
        let commit = Commit {
            id: CommitId(1),
            run_id: RunId::new(Timestamp::from_millis(1), 1),
            seq: 1,
            prev: None,
            at: Timestamp::from_millis(1),
            writer: Writer::Gateway,
            events: create(request.into_spec(), &PriceTable::default()),
        };
        evolve(None, &commit).unwrap()
    }

    fn page(text: &str, html: &str, http_status: u16) -> PageSnapshot {
        PageSnapshot {
            url: "https://shop.example/lamp".to_owned(),
            base_url: "https://shop.example/lamp".to_owned(),
            title: "Lamp".to_owned(),
            text: text.to_owned(),
            links: Vec::new(),
            html: html.to_owned(),
            http_status: Some(http_status),
        }
    }

    fn filled(output_schema: &Value, http_status: u16) -> (usize, usize) {
        let html = "<title>Lamp</title><h1>Lamp</h1><p>Price: $12.50</p>";
        let page = page("Lamp\nPrice: $12.50", html, http_status);
        Reading::of_page(&run_that_wants(output_schema), &page).filled()
    }

    /// What a run that reached its goal gives.
    fn settled(output_schema: &Value, page: PageSnapshot) -> Settlement {
        let run = run_that_wants(output_schema);
        Wanted::of(&run).unwrap().settle(&[page], run.spec.mode, true)
    }

    #[test]
    fn a_boolean_is_what_the_words_of_the_page_say() {
        let schema =
            json!({"in_stock": "boolean", "sold_out": "boolean", "waterproof": "boolean", "foldable": "boolean"});
        let html = "<title>Lamp</title><h1>Lamp</h1><p>Out of stock</p><table><tr><th>Waterproof</th><td>Yes</td></tr>\
                    <tr><th>Foldable</th><td>No</td></tr></table>";
        let text = "Lamp\nOut of stock\nWaterproof Yes\nFoldable No";
        let settlement = settled(&schema, page(text, html, 200));
        let wanted = json!({"in_stock": false, "sold_out": true, "waterproof": true, "foldable": false});
        assert_eq!(settlement.data, Some(wanted), "{settlement:?}");
        assert_eq!(settlement.sources.len(), 4);
        // The words that the extractor read must stand on the page that people saw.
        let unseen = settled(&schema, page("Lamp", html, 200));
        let nothing = json!({"in_stock": null, "sold_out": null, "waterproof": null, "foldable": null});
        assert_eq!(unseen.data, Some(nothing));
    }

    #[test]
    fn a_boolean_of_each_record_is_what_its_row_says() {
        let schema = json!({"plans": [{"name": "string", "backup": "boolean"}]});
        let html = "<h1>Plans</h1><table><tr><th>Name</th><th>Backup</th></tr><tr><td>Small</td><td>No</td></tr>\
                    <tr><td>Middle</td><td>Yes</td></tr><tr><td>Large</td><td>Yes</td></tr></table>";
        let text = "Plans\nName Backup\nSmall No\nMiddle Yes\nLarge Yes";
        let plan = |name: &str, backup: bool| json!({"name": name, "backup": backup});
        let wanted = json!({"plans": [plan("Small", false), plan("Middle", true), plan("Large", true)]});
        assert_eq!(settled(&schema, page(text, html, 200)).data, Some(wanted));
    }

    #[test]
    fn availability_is_the_term_for_what_the_page_shows() {
        let html = "<title>Lamp</title><script type='application/ld+json'>{\"@type\": \"Product\", \"name\": \"Lamp\", \
            \"offers\": {\"availability\": \"https://schema.org/InStock\", \"price\": 5}}</script><h1>Lamp</h1>\
            <p>In stock, ships today</p>";
        let shown = "Lamp\nIn stock, ships today";
        for schema in [
            json!({"availability": "string"}),
            json!({"type": "object", "properties": {"availability": {"enum": ["InStock", "OutOfStock"]}}}),
        ] {
            assert_eq!(
                settled(&schema, page(shown, html, 200)).data,
                Some(json!({"availability": "InStock"})),
                "{schema}"
            );
        }
        let unshown = settled(&json!({"availability": "string"}), page("Lamp", html, 200));
        assert_eq!(unshown.data, Some(json!({"availability": null})));
    }

    #[test]
    fn what_is_shown_counts_as_shown_though_it_breaks_the_schema() {
        for property in [
            json!({"type": "number", "maximum": 5}),
            json!({"type": "string", "maxLength": 2}),
            json!({"type": "string", "format": "email"}),
        ] {
            let schema = json!({"type": "object", "properties": {"price": property}, "required": ["price"]});
            assert_eq!(filled(&schema, 200), (1, 1), "{schema}");
            let html = "<title>Lamp</title><h1>Lamp</h1><p>Price: $12.50</p>";
            let settlement = settled(&schema, page("Lamp\nPrice: $12.50", html, 200));
            assert_eq!(settlement.data, None, "{schema}");
            let error = settlement.data_error.unwrap();
            let start = "extracted data does not match the schema: ";
            assert!(error.starts_with(start) && error.contains("price") && error.contains("12.5"), "{error}");
        }
    }

    #[test]
    fn an_error_page_shows_nothing_that_is_wanted() {
        let name = json!({"name": "string"});
        let both = json!({"name": "string", "price": "number"});
        assert_eq!([filled(&name, 200), filled(&both, 200)], [(1, 1), (2, 2)]);
        assert_eq!([filled(&name, 404), filled(&both, 404)], [(0, 1), (0, 2)]);
    }
}
