//! Reads a goal: what is to be done, in which order, and the facts that forms will ask for. Only the goal is read here,
//! never a page.

mod address;
mod beyond;
mod clauses;
mod commitment;
mod counts;
mod facts;
mod item;
mod labels;
pub mod meaning;
mod shape;
pub mod states;

pub use address::Address;
pub use beyond::Beyond;
pub use clauses::{Clause, ClauseKind};
pub use commitment::Commitment;
pub use counts::wanted_count;
pub use facts::{Facts, Labelled};
pub use item::{Choice, Item};
pub use shape::shape_in_goal;

use crate::words;
use commitment::Permitted;
use regex::Regex;
use std::sync::LazyLock;

/// One thing the goal asks for; they are carried out in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Intent {
    /// Follow a link or press a button.
    Open(Wanted),
    Visit {
        url: String,
    },
    Search {
        query: String,
    },
    SignIn,
    SignOut,
    AddToCart(Item),
    Order(Item),
    /// Fill in and submit a form; the stems say which.
    Fill {
        topic: Vec<String>,
    },
    /// Read something off a page; the stems say what.
    Read {
        topic: Vec<String>,
    },
}

/// A link, button or other control that a goal names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    /// The name as the goal wrote it.
    pub name: String,
    pub stems: Vec<String>,
    /// The goal quoted it: only that name will do.
    pub is_quoted: bool,
    /// `button`, `link`, `tab`, … when the goal says so.
    pub role: Option<&'static str>,
    /// `the second result`: 2.
    pub ordinal: Option<usize>,
    /// The goal's verb is `click` or `press`.
    pub is_pressed: bool,
}

/// A goal that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Goal {
    pub intents: Vec<Intent>,
    pub facts: Facts,
    /// Stems of the whole goal that carry meaning, without what it forbids.
    pub words: Vec<String>,
    pub commitment: Commitment,
    pub beyond: Option<Beyond>,
}

static URL: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r#"https?://[^\s"'<>)]+"#).ok());

impl Goal {
    /// Reads a goal; anything can be read, at worst as something to find.
    #[must_use]
    pub fn read(goal: &str) -> Self {
        let permitted = Permitted::read(&clauses::with_plain_quotes(goal));
        let plain = &permitted.text;
        let (lead, clauses) = clauses::split(plain);
        let beyond = beyond::reason(plain, &lead, &clauses);
        let commitment = if permitted.is_forbidden {
            Commitment::Forbidden
        } else {
            commitment::of(&clauses, &clauses::mask_of(plain))
        };
        let intents: Vec<Intent> = with_named_items(clauses.iter().map(intent_of).collect(), &clauses);
        let acting = clauses.iter().filter(|clause| clause.kind != ClauseKind::Read);
        let acting_text: Vec<String> = std::iter::once(lead)
            .chain(acting.map(|clause| format!("{} {}", clause.verb, clause.rest)))
            .filter(|text| !text.is_empty())
            .collect();
        let mut facts = Facts::read(&acting_text.join(".\n"));
        let mut intents = without_subsumed(intents);
        let labelled_count = item::unusable_labelled_count(&clauses::mask_of(plain));
        for intent in &mut intents {
            if let Intent::Order(item) | Intent::AddToCart(item) = intent {
                facts.add_options(&item.options);
                item.unusable_count = item.unusable_count.take().or_else(|| labelled_count.clone());
            }
        }
        if permitted.ends_at_cart {
            intents.iter_mut().for_each(end_at_cart);
        }
        Self { intents, facts, words: words::content_stems(plain), commitment, beyond }
    }

    /// A person said how many of the item are meant.
    pub fn set_quantity(&mut self, count: usize) {
        for intent in &mut self.intents {
            if let Intent::Order(item) | Intent::AddToCart(item) = intent {
                item.quantity = Some(count);
                item.unusable_count = None;
            }
        }
    }

    /// Whether carrying it out changes something, beyond opening pages.
    #[must_use]
    pub fn is_only_reading(&self) -> bool {
        self.intents.iter().all(|intent| matches!(intent, Intent::Read { .. }))
    }
}

/// `Order …, but do not check out`.
fn end_at_cart(intent: &mut Intent) {
    if let Intent::Order(item) = intent {
        *intent = Intent::AddToCart(std::mem::take(item));
    }
}

/// `Find the Blue Mug and order it`: the item is named by an earlier clause.
fn with_named_items(mut intents: Vec<Intent>, clauses: &[Clause]) -> Vec<Intent> {
    for at in 1..intents.len() {
        let names_thing = |clause: &&Clause| {
            matches!(clause.kind, ClauseKind::Read | ClauseKind::Search | ClauseKind::Open | ClauseKind::AddToCart)
        };
        let mut earlier =
            clauses[..at].iter().rev().filter(names_thing).map(|clause| Item::read(item_text(&clause.rest)));
        if let Intent::Order(item) | Intent::AddToCart(item) = &mut intents[at]
            && item.stems.is_empty()
            && let Some(named) = earlier.find(|named| !named.stems.is_empty())
        {
            *item = Item {
                quantity: item.quantity.or(named.quantity),
                unusable_count: item.unusable_count.take().or(named.unusable_count.clone()),
                ..named
            };
        }
    }
    intents
}

/// `for Blue Mug` after `search`, `me the Blue Mug` after `find`.
fn item_text(rest: &str) -> &str {
    ["for ", "me ", "up ", "us "].iter().find_map(|lead| rest.strip_prefix(lead)).unwrap_or(rest)
}

/// `Order X … and submit the order`: a form clause after an order is part of it; a second fill clause is part of the first.
fn without_subsumed(intents: Vec<Intent>) -> Vec<Intent> {
    let mut kept: Vec<Intent> = Vec::with_capacity(intents.len());
    for intent in intents {
        let follows_order = kept.iter().any(|earlier| matches!(earlier, Intent::Order(_)));
        match intent {
            Intent::Fill { .. } | Intent::Order(_) | Intent::AddToCart(_) if follows_order => {}
            Intent::Fill { topic } => match kept.last_mut() {
                Some(Intent::Fill { topic: earlier }) => earlier.extend(topic),
                Some(_) | None => kept.push(Intent::Fill { topic }),
            },
            Intent::Order(order) => match kept.last_mut() {
                Some(Intent::AddToCart(item)) => {
                    let item = if order.stems.is_empty() { item.clone() } else { order };
                    kept.pop();
                    kept.push(Intent::Order(item));
                }
                Some(_) | None => kept.push(Intent::Order(order)),
            },
            Intent::Open(_)
            | Intent::Visit { .. }
            | Intent::Search { .. }
            | Intent::SignIn
            | Intent::SignOut
            | Intent::AddToCart(_)
            | Intent::Read { .. } => {
                kept.push(intent);
            }
        }
    }
    kept
}

fn intent_of(clause: &Clause) -> Intent {
    let topic = || words::content_stems(&format!("{} {}", clause.verb, clause.rest));
    match clause.kind {
        ClauseKind::Open => open_intent(clause),
        ClauseKind::Search => Intent::Search { query: query_of(&clause.rest) },
        ClauseKind::SignIn => Intent::SignIn,
        ClauseKind::SignOut => Intent::SignOut,
        ClauseKind::AddToCart => Intent::AddToCart(Item::read(&clause.rest)),
        // `check out as guest with name "…"`: what is ordered was said before.
        ClauseKind::Order if clause.verb.starts_with("check") => Intent::Order(Item::default()),
        ClauseKind::Order => Intent::Order(Item::read(&clause.rest)),
        ClauseKind::Fill => Intent::Fill { topic: topic() },
        ClauseKind::Read => Intent::Read { topic: words::content_stems(&clause.rest) },
    }
}

fn open_intent(clause: &Clause) -> Intent {
    if let Some(url) = URL.as_ref().and_then(|pattern| pattern.find(&clause.rest)) {
        return Intent::Visit { url: url.as_str().trim_end_matches(['.', ',']).to_owned() };
    }
    let navigates =
        ["open", "click", "press", "tap", "follow", "visit", "go", "navigate", "browse", "download", "expand"];
    let keeps_verb = !navigates.contains(&clause.verb.as_str());
    let named = if keeps_verb { format!("{} {}", clause.verb, clause.rest) } else { clause.rest.clone() };
    let is_pressed = ["click", "press", "tap"].contains(&clause.verb.as_str());
    Intent::Open(Wanted { is_pressed, ..Wanted::read(&named) })
}

/// Words that say what kind of thing is meant, not its name.
const ROLE_WORDS: &[(&str, Option<&str>)] = &[
    ("button", Some("button")),
    ("link", Some("link")),
    ("tab", Some("tab")),
    ("checkbox", Some("checkbox")),
    ("menu", None),
    ("page", None),
    ("section", None),
    ("screen", None),
    ("icon", None),
    ("item", None),
    ("option", None),
    ("article", None),
    ("story", None),
    ("post", None),
];

const ORDINALS: &[&str] =
    &["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"];

impl Wanted {
    /// Reads `the "Pricing" link in the footer` or `the second result`.
    #[must_use]
    pub fn read(text: &str) -> Self {
        let role = role_in(text);
        if let Some(quoted) = text.split('"').nth(1).filter(|quoted| !quoted.trim().is_empty()) {
            let name = quoted.trim().to_owned();
            return Self { stems: words::stems(&name), name, is_quoted: true, role, ordinal: None, is_pressed: false };
        }
        let named = place_cut(text);
        let tokens: Vec<String> =
            words::tokens(named).into_iter().filter(|token| !words::is_stop_word(token)).collect();
        // `open it`: the first of what was just found.
        let is_pronoun = tokens.is_empty();
        let ordinal = tokens.iter().find_map(|token| ordinal_of(token)).or(is_pronoun.then_some(1));
        let is_role = |token: &String| ROLE_WORDS.iter().any(|(word, _)| word == token);
        let mut names: Vec<&String> = tokens.iter().filter(|token| !is_role(token)).collect();
        if names.is_empty() {
            names = tokens.iter().collect();
        }
        let stems = names.iter().filter(|token| ordinal_of(token).is_none()).map(|token| words::stem(token)).collect();
        let name = names.iter().map(|token| token.as_str()).collect::<Vec<_>>().join(" ");
        Self { name, stems, is_quoted: false, role, ordinal, is_pressed: false }
    }
}

/// The name without where it stands or what follows: `Docs link in the footer` is `Docs link`.
fn place_cut(text: &str) -> &str {
    let ends =
        [" in the ", " on the ", " at the ", " from the ", " of the ", " for more", " so that", " using ", " with "];
    let text = text.strip_prefix("to ").or_else(|| text.strip_prefix("on ")).unwrap_or(text);
    let lower = text.to_ascii_lowercase();
    let end = ends.iter().filter_map(|end| lower.find(end)).filter(|at| *at > 0).min().unwrap_or(text.len());
    &text[..end]
}

fn role_in(text: &str) -> Option<&'static str> {
    let outside: String = text.split('"').step_by(2).collect();
    let tokens = words::tokens(&outside);
    ROLE_WORDS.iter().find_map(|(word, role)| role.filter(|_| tokens.iter().any(|token| token == word)))
}

fn ordinal_of(token: &str) -> Option<usize> {
    if let Some(at) = ORDINALS.iter().position(|word| *word == token) {
        return Some(at + 1);
    }
    if token == "top" || token == "latest" {
        return Some(1);
    }
    let digits = token.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let suffix = &token[digits.len()..];
    ["st", "nd", "rd", "th"].contains(&suffix).then(|| digits.parse().ok()).flatten()
}

/// What to type into a search box.
fn query_of(rest: &str) -> String {
    if let Some(quoted) = rest.split('"').nth(1).filter(|quoted| !quoted.trim().is_empty()) {
        return quoted.trim().to_owned();
    }
    let lower = rest.to_ascii_lowercase();
    let start = ["for ", "up "]
        .iter()
        .filter_map(|word| {
            lower.find(word).filter(|at| *at == 0 || lower[..*at].ends_with(' ')).map(|at| at + word.len())
        })
        .min();
    let query = &rest[start.unwrap_or(0)..];
    let lower = query.to_ascii_lowercase();
    let ends = [" on the ", " in the ", " on this ", " using ", " with the ", " at the "];
    let end = ends.iter().filter_map(|end| lower.find(end)).min().unwrap_or(query.len());
    let cut = query[..end].trim();
    ["the ", "a ", "an "].iter().find_map(|article| cut.strip_prefix(article)).unwrap_or(cut).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn search_then_read_has_the_query() {
        let goal = Goal::read("Search for wireless headphones and tell me the price of the first result");
        assert_eq!(goal.intents[0], Intent::Search { query: "wireless headphones".to_owned() });
        assert!(matches!(goal.intents[1], Intent::Read { .. }));
    }

    #[test]
    fn an_order_with_a_closing_submit_is_one_order() {
        let goal = Goal::read("Add a Blue Mug to the cart, then check out and submit the order for Ada Lovelace");
        assert_eq!(goal.intents.len(), 1);
        let Intent::Order(item) = &goal.intents[0] else { panic!("an order: {:?}", goal.intents) };
        assert_eq!(item.name, "Blue Mug");
    }

    #[test]
    fn a_pronoun_stands_for_what_was_found_before() {
        for goal in [
            "Find the Blue Mug and order it for Ada Lovelace",
            "Search for \"Blue Mug\", open it and add it to the cart",
        ] {
            let goal = Goal::read(goal);
            let item = goal.intents.iter().find_map(|intent| match intent {
                Intent::Order(item) | Intent::AddToCart(item) => Some(item.name.clone()),
                _ => None,
            });
            assert_eq!(item.as_deref(), Some("Blue Mug"), "{:?}", goal.intents);
        }
    }

    #[test]
    fn named_controls_keep_their_role_and_quotes() {
        let wanted = Wanted::read("the \"Accept all\" button");
        assert_eq!((wanted.name.as_str(), wanted.is_quoted, wanted.role), ("Accept all", true, Some("button")));
        let page = Wanted::read("the pricing page");
        assert_eq!((page.name.as_str(), page.is_quoted), ("pricing", false));
        assert_eq!(Wanted::read("the second result").ordinal, Some(2));
    }

    #[test]
    fn a_url_in_a_goal_is_visited() {
        let goal = Goal::read("Go to https://example.org/docs, and read the title");
        assert_eq!(goal.intents[0], Intent::Visit { url: "https://example.org/docs".to_owned() });
    }
}
