//! Looks for what the goal wants to know, and finishes when a page shows it.

use super::context::{Context, Progress};
use super::find;
use super::follow;
use super::submit;
use crate::Decision;
use crate::controls;
use crate::goal;
use crate::observation::Element;
use crate::risk::lexicon::{self, Hint};
use crate::words;
use errand_domain::action::{Action, TypedText};
use serde_json::Value;

/// Words of reading goals that name no topic.
#[rustfmt::skip]
const GENERIC: &[&str] = &[
    "page", "site", "website", "front", "home", "list", "json", "get", "find", "tell", "return", "name", "title",
    "url", "link", "all", "top", "first", "information", "info", "detail", "product", "item", "price", "number",
    "text", "value", "data", "field", "result", "current", "every", "number",
];

/// What links are called that lead to a topic, beside the topic's own words.
const LEADS: &[(&[&str], &[&str])] = &[
    (
        &["cost", "price", "fee", "expensive", "charge"],
        &["price", "pricing", "fees", "fares", "rates", "tickets", "plans", "cost", "plans and pricing"],
    ),
    (
        &["phone", "email", "address", "contact", "reach", "call"],
        &["contact", "contact us", "get in touch", "imprint", "impressum", "about us", "find us", "locations"],
    ),
    (
        &["hour", "open", "close", "visit"],
        &["opening hours", "hours", "visit", "plan your visit", "opening times", "times"],
    ),
    (
        &["job", "position", "vacancy", "career", "opening", "hiring", "role"],
        &["careers", "jobs", "work with us", "join us", "open positions", "vacancies", "join our team"],
    ),
    (
        &["team", "founder", "staff", "people", "ceo", "founded", "history", "company"],
        &["about", "about us", "our story", "team", "our team", "company", "who we are"],
    ),
    (
        &["return", "refund", "shipping", "delivery", "warranty", "policy"],
        &[
            "shipping",
            "returns",
            "faq",
            "help",
            "delivery",
            "shipping and returns",
            "returns policy",
            "customer service",
        ],
    ),
    (&["news", "article", "post", "announcement"], &["news", "blog", "press", "articles"]),
    (
        &["document", "documentation", "api", "guide", "install"],
        &["docs", "documentation", "guide", "api", "developers"],
    ),
    (&["menu", "dish", "food", "eat"], &["menu", "our menu", "food", "eat"]),
    (
        &["balance", "order", "account", "invoice"],
        &["account", "my account", "orders", "my orders", "invoices", "billing"],
    ),
    (
        &["event", "schedule", "program", "programme", "when"],
        &["events", "schedule", "calendar", "programme", "what is on", "agenda"],
    ),
    (
        &["spec", "specification", "dimension", "weight", "size", "material"],
        &["specifications", "specs", "details", "technical details", "product details", "size guide"],
    ),
    (&["review", "rating"], &["reviews", "ratings", "customer reviews"]),
    (&["ingredient", "allergen", "nutrition", "calorie"], &["ingredients", "nutrition", "nutrition facts"]),
];

/// Words of links that say nothing about where they lead.
const LINK_FILLERS: &[&str] =
    &["show", "view", "see", "our", "all", "more", "go", "open", "us", "page", "full", "read"];

/// Scrolls in a row while nothing is found.
const SCROLLS_MAX: usize = 3;

/// How sure a link must be: when something is on the page already, and when nothing is.
const LINK_BESIDE_FINDINGS: u32 = 800;
const LINK_WITHOUT_FINDINGS: u32 = 500;

/// The last part of every goal: what is wanted stands on the page, or is looked for. `did_something` is true when the
/// goal asked for more than reading and that was done.
pub(super) fn progress(context: &Context<'_>, topic: &[String], did_something: bool) -> Progress {
    let (found, wanted) = context.situation.filled;
    if wanted > 0 && found >= wanted {
        return Progress::Decided(Decision::Finish);
    }
    if found == 0 && context.page.text.trim().is_empty() && context.page.elements.is_empty() {
        return Progress::Stuck("the page shows nothing".to_owned());
    }
    let whole_topic = topic;
    let topic = specific(topic);
    if wanted == 0 {
        return without_schema(context, &topic, did_something);
    }
    if found == 0
        && let Some(action) = settle(context, did_something)
    {
        return act(action);
    }
    // A goal about `the product` or `the page` means the one in view; only a topic of its own leads elsewhere.
    let least = if found > 0 || topic.is_empty() { LINK_BESIDE_FINDINGS } else { LINK_WITHOUT_FINDINGS };
    let topic = if found == 0 { whole_topic.to_vec() } else { topic };
    let way = if did_something && found > 0 { None } else { way_to_topic(context, &topic, least) };
    if let Some(action) = way {
        return act(action);
    }
    let scrolled = context.memory.acted.iter().rev().take_while(|past| matches!(past.action, Action::Scroll { .. }));
    let scrolls_max = if found > 0 { 1 } else { SCROLLS_MAX };
    if scrolled.count() < scrolls_max
        && let Some(action) = context.scroll_down()
    {
        return act(action);
    }
    if found > 0 || did_something {
        return Progress::Decided(Decision::Finish);
    }
    last_ways(context, &topic)
}

/// What was just pressed may still be on its way: an order is waited for longer than a page.
fn settle(context: &Context<'_>, did_something: bool) -> Option<Action> {
    let waits = context.memory.waits_at_end();
    let last = context.memory.acted.iter().rev().find(|past| !matches!(past.action, Action::Wait { .. }))?;
    let may_change = matches!(last.action, Action::Click { .. } | Action::Press { .. });
    let waits_max = match (did_something, submit::is_final_press(last)) {
        (true, true) => 2,
        (true, false) => 1,
        (false, _) => 0,
    };
    (may_change && waits < waits_max).then_some(Action::Wait { ms: SETTLE_MS })
}

/// Long enough for a slow answer of a server.
const SETTLE_MS: u32 = 1500;

fn act(action: Action) -> Progress {
    Progress::Decided(Decision::Act(action))
}

fn specific(topic: &[String]) -> Vec<String> {
    let generic: Vec<String> = GENERIC.iter().map(|word| words::stem(word)).collect();
    topic.iter().filter(|word| !generic.contains(word) && words::number(word).is_none()).cloned().collect()
}

/// Without a schema nobody says what is enough: a page that is about the topic is.
fn without_schema(context: &Context<'_>, topic: &[String], did_something: bool) -> Progress {
    if topic.is_empty() || did_something {
        return Progress::Decided(Decision::Finish);
    }
    if let Some(action) = way_to_topic(context, topic, LINK_BESIDE_FINDINGS) {
        return act(action);
    }
    let is_shown = words::coverage(topic, &context.text) >= 500;
    if !is_shown && let Some(action) = way_to_topic(context, topic, LINK_WITHOUT_FINDINGS) {
        return act(action);
    }
    if names_nothing_here(context, topic) {
        return Progress::Stuck("the page does not show what was asked for".to_owned());
    }
    Progress::Decided(Decision::Finish)
}

/// No word of the topic stands anywhere on the page. Goals about whatever is in view, or about so many of it, are none.
fn names_nothing_here(context: &Context<'_>, topic: &[String]) -> bool {
    let viewed: Vec<String> = IN_VIEW.iter().map(|word| words::stem(word)).collect();
    let mut named = topic.iter().filter(|word| !viewed.contains(word) && !words::is_stop_word(word)).peekable();
    let is_about_view = named.peek().is_none() || goal::wanted_count(context.situation.goal).is_some();
    let controls: Vec<String> = context
        .page
        .elements
        .iter()
        .flat_map(|element| [element.name.as_str(), element.section.as_str(), element.near_text.as_str()])
        .flat_map(words::stems)
        .collect();
    let is_here = |word: &String| context.text.contains(word) || controls.contains(word);
    !is_about_view && !named.any(is_here)
}

/// What people call what they see; pages do not call it so themselves.
#[rustfmt::skip]
const IN_VIEW: &[&str] = &[
    "article", "story", "post", "news", "content", "document", "paragraph", "heading", "headline", "summary", "main",
    "thing", "everything", "anything", "something", "word", "sentence", "image", "table", "section", "entry", "review",
    "comment", "option", "screen", "shop", "store", "message", "error", "say", "show", "mean", "see", "describe",
    "summarize", "overview", "author", "book", "people", "topic", "point", "fact", "important", "visible", "first",
    "displayed", "shown", "written", "about", "opened", "reached", "whole", "entire", "short", "brief", "source",
];

/// The link that leads to the topic, unless it was followed before.
fn way_to_topic(context: &Context<'_>, topic: &[String], least: u32) -> Option<Action> {
    let is_way = |element: &&Element| {
        let is_new =
            element.href.as_deref().is_none_or(|href| !context.memory.has_visited(href) && href != context.page.url);
        let opens = controls::is_link(element) || matches!(element.role.as_str(), "tab" | "menuitem");
        let is_quiet = !matches!(lexicon::hint(&element.name), Hint::Commits | Hint::Enters);
        opens && is_new && is_quiet && context.click(element).is_some()
    };
    let ways = || context.pressables().filter(is_way);
    let by_topic = |element: &Element| {
        let stems = link_stems(&element.name);
        if words::coverage(&stems, topic) < words::LIKENESS_MAX / 2 { 0 } else { words::likeness(topic, &stems) }
    };
    let wanted = with_schema_names(context, topic);
    let by_names = |element: &Element| {
        let stems = link_stems(&element.name);
        let all_wanted = words::coverage(&stems, &wanted) == words::LIKENESS_MAX;
        if all_wanted { words::likeness(topic, &stems).max(words::coverage(topic, &stems)) } else { 0 }
    };
    let by_lead = |element: &Element| lead_score(&element.name, &wanted);
    let may_guess = least <= LINK_WITHOUT_FINDINGS;
    let guess = || find::best(ways(), by_names, least).or_else(|| find::best(ways(), by_lead, 1));
    let element = find::best(ways(), by_topic, least).or_else(|| if may_guess { guess() } else { None })?;
    let action = context.click(element)?;
    submit::refusal(context, &action).is_none().then_some(action)
}

fn link_stems(name: &str) -> Vec<String> {
    let tokens = words::tokens(name);
    let is_filler = |token: &String| LINK_FILLERS.contains(&token.as_str()) || words::is_stop_word(token);
    let kept: Vec<String> = tokens.iter().filter(|token| !is_filler(token)).map(|token| words::stem(token)).collect();
    if kept.is_empty() { words::content_stems(name) } else { kept }
}

/// Whether the link is one that usually leads to such a topic; an exact name counts most.
fn lead_score(name: &str, wanted: &[String]) -> u32 {
    let stems = words::stems(name);
    let short = link_stems(name);
    let scores = LEADS.iter().filter(|(topics, _)| topics.iter().any(|topic| words::has_phrase(wanted, topic)));
    let score = scores.map(|(_, names)| {
        if words::is_any(&stems, names) || words::is_any(&short, names) {
            3
        } else {
            u32::from(stems.len() <= 4 && words::has_any(&stems, names))
        }
    });
    score.max().unwrap_or(0)
}

/// Top-level names of the schema steer as well (SPEC §2).
fn with_schema_names(context: &Context<'_>, topic: &[String]) -> Vec<String> {
    let properties = context.situation.schema.and_then(|schema| schema.get("properties")).and_then(Value::as_object);
    let names = properties
        .map(|properties| properties.keys().flat_map(|name| words::identifier_stems(name)).collect::<Vec<_>>());
    topic.iter().cloned().chain(names.unwrap_or_default()).collect()
}

/// Nothing found so far: search for the topic, page on; then say so.
fn last_ways(context: &Context<'_>, topic: &[String]) -> Progress {
    if let Some(action) = search_for_topic(context, topic) {
        return act(action);
    }
    if let Some(action) = find::next_page(context).or_else(|| find::open_menu(context)) {
        return act(action);
    }
    let is_first_page = context.memory.acted.is_empty();
    if !is_first_page && let Some(progress) = find::look_around(context) {
        return progress;
    }
    Progress::Stuck("the page does not show what was asked for".to_owned())
}

fn search_for_topic(context: &Context<'_>, topic: &[String]) -> Option<Action> {
    let field = context.search_box()?;
    if topic.is_empty() {
        return None;
    }
    let query = query_for(context, topic);
    if field.value.as_deref() == Some(query.as_str())
        || context.memory.typed_into(&field.fingerprint, &context.page.url).is_some()
    {
        return super::search::submission(context, field);
    }
    let was_searched = context
        .memory
        .position(0, |past| matches!(past.action, Action::Type { text: TypedText::Plain(text), .. } if *text == query))
        .is_some();
    if was_searched { None } else { context.type_text(field, TypedText::Plain(query)) }
}

/// The goal's own words for the topic, not their stems.
fn query_for(context: &Context<'_>, topic: &[String]) -> String {
    let tokens = words::tokens(context.situation.goal);
    let mut chosen: Vec<&String> = Vec::new();
    for token in tokens.iter().filter(|token| topic.contains(&words::stem(token))) {
        if !chosen.contains(&token) {
            chosen.push(token);
        }
    }
    chosen.iter().map(|token| token.as_str()).collect::<Vec<_>>().join(" ")
}

/// After a search, the one result that the goal is about: opened when the results alone do not show enough.
pub(super) fn open_result(context: &Context<'_>, query: &str) -> Option<Action> {
    let (found, wanted) = context.situation.filled;
    if wanted == 0 || found >= wanted {
        return None;
    }
    follow::list_links(context, Some(query)).into_iter().find_map(|link| {
        let stems = words::content_stems(&link.name);
        let is_result = words::coverage(&words::content_stems(query), &stems) >= 500;
        if is_result { context.click(link) } else { None }
    })
}
