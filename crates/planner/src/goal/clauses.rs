//! Cuts a goal into clauses, each starting with what is to be done: order, search, open, fill, read.

use super::labels;
use crate::words;

/// What one clause asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ClauseKind {
    /// Follow a named link or press a named button.
    Open,
    Search,
    SignIn,
    SignOut,
    AddToCart,
    Order,
    /// Fill in and submit a form.
    Fill,
    Read,
}

/// A part of the goal with one verb.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clause {
    pub kind: ClauseKind,
    /// Lower-case verb, such as `order` or `log in`.
    pub verb: String,
    /// What follows the verb, as written, without closing punctuation.
    pub rest: String,
}

/// A verb that starts a clause wherever one may start.
const VERBS: &[(&str, ClauseKind)] = &[
    ("buy", ClauseKind::Order),
    ("purchase", ClauseKind::Order),
    ("checkout", ClauseKind::Order),
    ("search", ClauseKind::Search),
    ("google", ClauseKind::Search),
    ("login", ClauseKind::SignIn),
    ("logout", ClauseKind::SignOut),
    ("click", ClauseKind::Open),
    ("press", ClauseKind::Open),
    ("tap", ClauseKind::Open),
    ("follow", ClauseKind::Open),
    ("visit", ClauseKind::Open),
    ("go", ClauseKind::Open),
    ("navigate", ClauseKind::Open),
    ("browse", ClauseKind::Open),
    ("accept", ClauseKind::Open),
    ("decline", ClauseKind::Open),
    ("dismiss", ClauseKind::Open),
    ("close", ClauseKind::Open),
    ("expand", ClauseKind::Open),
    ("delete", ClauseKind::Open),
    ("remove", ClauseKind::Open),
    ("archive", ClauseKind::Open),
    ("publish", ClauseKind::Open),
    ("download", ClauseKind::Open),
    ("cancel", ClauseKind::Open),
    ("fill", ClauseKind::Fill),
    ("complete", ClauseKind::Fill),
    ("submit", ClauseKind::Fill),
    ("send", ClauseKind::Fill),
    ("apply", ClauseKind::Fill),
    ("signup", ClauseKind::Fill),
    ("reserve", ClauseKind::Fill),
    ("subscribe", ClauseKind::Fill),
    ("unsubscribe", ClauseKind::Fill),
    ("type", ClauseKind::Fill),
    ("enter", ClauseKind::Fill),
    ("write", ClauseKind::Fill),
    ("select", ClauseKind::Fill),
    ("choose", ClauseKind::Fill),
    ("pick", ClauseKind::Fill),
    ("tick", ClauseKind::Fill),
    ("create", ClauseKind::Fill),
    ("enroll", ClauseKind::Fill),
    ("update", ClauseKind::Fill),
    ("change", ClauseKind::Fill),
    ("donate", ClauseKind::Fill),
    ("get", ClauseKind::Read),
    ("read", ClauseKind::Read),
    ("find", ClauseKind::Read),
    ("tell", ClauseKind::Read),
    ("return", ClauseKind::Read),
    ("extract", ClauseKind::Read),
    ("collect", ClauseKind::Read),
    ("give", ClauseKind::Read),
    ("fetch", ClauseKind::Read),
    ("summarize", ClauseKind::Read),
    ("summarise", ClauseKind::Read),
    ("retrieve", ClauseKind::Read),
    ("scrape", ClauseKind::Read),
    ("determine", ClauseKind::Read),
    ("identify", ClauseKind::Read),
    ("compare", ClauseKind::Read),
    ("view", ClauseKind::Read),
    ("see", ClauseKind::Read),
];

/// Verbs that are nouns as often: in the middle of a goal they count only before a word such as `the` or `for`.
const WEAK_VERBS: &[(&str, ClauseKind)] = &[
    ("order", ClauseKind::Order),
    ("look", ClauseKind::Search),
    ("open", ClauseKind::Open),
    ("contact", ClauseKind::Fill),
    ("ask", ClauseKind::Fill),
    ("message", ClauseKind::Fill),
    ("register", ClauseKind::Fill),
    ("book", ClauseKind::Fill),
    ("request", ClauseKind::Fill),
    ("schedule", ClauseKind::Fill),
    ("post", ClauseKind::Fill),
    ("join", ClauseKind::Fill),
    ("leave", ClauseKind::Fill),
    ("set", ClauseKind::Fill),
    ("make", ClauseKind::Fill),
    ("add", ClauseKind::Fill),
    ("put", ClauseKind::Fill),
    ("place", ClauseKind::Fill),
    ("report", ClauseKind::Read),
    ("list", ClauseKind::Read),
    ("show", ClauseKind::Read),
    ("check", ClauseKind::Read),
    ("count", ClauseKind::Read),
    ("note", ClauseKind::Read),
    ("copy", ClauseKind::Read),
    ("what", ClauseKind::Read),
    ("which", ClauseKind::Read),
    ("who", ClauseKind::Read),
    ("how", ClauseKind::Read),
    ("when", ClauseKind::Read),
    ("where", ClauseKind::Read),
];

/// Words after a weak verb that show it is one.
#[rustfmt::skip]
const AFTER_VERB: &[&str] = &[
    "a", "all", "an", "any", "each", "every", "first", "for", "her", "him", "in", "is", "it", "its", "many", "me",
    "much", "my", "on", "out", "that", "the", "their", "them", "these", "this", "to", "up", "us", "with", "your",
];

/// Words before a verb that let a clause start.
const BEFORE_VERB: &[&str] = &[
    "and",
    "then",
    "to",
    "please",
    "next",
    "finally",
    "also",
    "afterwards",
    "lastly",
    "now",
    "must",
    "should",
    "can",
    "only",
    "just",
];

/// A word of the goal and where it stands.
struct Word<'a> {
    text: &'a str,
    start: usize,
    end: usize,
}

/// The goal with plain quotation marks: `"` around quotes, `'` inside words.
#[must_use]
pub fn with_plain_quotes(goal: &str) -> String {
    let straight: String = goal
        .chars()
        .map(|c| match c {
            '“' | '”' | '„' | '«' | '»' => '"',
            '‘' | '’' => '\'',
            other => other,
        })
        .collect();
    single_quotes_as_double(&straight)
}

fn single_quotes_as_double(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let is_letter_at = |at: Option<usize>| at.and_then(|at| chars.get(at)).is_some_and(|c| c.is_alphanumeric());
    let opens = |at: usize| chars[at] == '\'' && !is_letter_at(at.checked_sub(1)) && at + 1 < chars.len();
    let closes = |at: usize| chars[at] == '\'' && !is_letter_at(Some(at + 1));
    let mut result = chars.clone();
    let mut at = 0;
    while at < chars.len() {
        let end = if opens(at) { (at + 1..chars.len()).find(|end| closes(*end)) } else { None };
        if let Some(end) = end {
            result[at] = '"';
            result[end] = '"';
            at = end;
        }
        at += 1;
    }
    result.into_iter().collect()
}

/// The text with everything inside quotes and brackets replaced by `x`, byte for byte, so that no verb is found there.
#[must_use]
pub fn masked(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut depth = 0_usize;
    let mut in_quotes = false;
    for c in text.chars() {
        let closes_bracket = matches!(c, ')' | ']' | '}') && depth > 0;
        if c == '"' {
            in_quotes = !in_quotes;
        } else if closes_bracket && !in_quotes {
            depth -= 1;
        }
        let is_hidden = (in_quotes && c != '"') || depth > 0;
        if is_hidden {
            result.extend(std::iter::repeat_n('x', c.len_utf8()));
        } else {
            result.push(c);
        }
        if matches!(c, '(' | '[' | '{') && !in_quotes {
            depth += 1;
        }
    }
    result
}

/// The clauses of a goal in order, and the text before the first of them. `goal` has plain quotation marks.
#[must_use]
pub fn split(goal: &str) -> (String, Vec<Clause>) {
    let mask = mask_of(goal);
    let words = words_of(&mask);
    let starts: Vec<(usize, usize, ClauseKind)> = (0..words.len())
        .filter_map(|at| clause_start(&mask, &words, at).map(|(length, kind)| (at, length, kind)))
        .collect();
    let Some((first, _, _)) = starts.first() else {
        return (
            String::new(),
            vec![Clause { kind: ClauseKind::Read, verb: String::new(), rest: trimmed(goal).to_owned() }],
        );
    };
    let lead = trimmed(&goal[..words[*first].start]).to_owned();
    let ends = starts.iter().skip(1).map(|(at, _, _)| words[*at].start).chain([goal.len()]);
    let clauses = starts.iter().zip(ends).map(|((at, length, kind), end)| {
        let verb_end = words[at + length - 1].end;
        let verb = goal[words[*at].start..verb_end].to_lowercase();
        let rest = trimmed(&goal[verb_end..end]).to_owned();
        Clause { kind: refined(*kind, &verb, &rest), verb, rest }
    });
    (lead, clauses.collect())
}

/// The goal with quotes, brackets and messages hidden.
pub(super) fn mask_of(goal: &str) -> String {
    without_prose(&masked(goal), goal)
}

/// The mask with messages hidden as well: `message: Please order more` orders nothing.
fn without_prose(mask: &str, goal: &str) -> String {
    let spans = labels::prose_spans(goal);
    let is_hidden = |at: usize| spans.iter().any(|(start, end)| (*start..*end).contains(&at));
    mask.char_indices().map(|(at, c)| if is_hidden(at) && c.is_ascii() { 'x' } else { c }).collect()
}

fn words_of(mask: &str) -> Vec<Word<'_>> {
    let mut words = Vec::new();
    let mut start = None;
    for (at, c) in mask.char_indices().chain([(mask.len(), ' ')]) {
        let is_part = c.is_alphanumeric() || (c == '\'' && start.is_some());
        match (is_part, start) {
            (true, None) => start = Some(at),
            (false, Some(from)) => {
                words.push(Word { text: &mask[from..at], start: from, end: at });
                start = None;
            }
            (true, Some(_)) | (false, None) => {}
        }
    }
    words
}

/// Number of words of the verb and its kind, when a clause starts at this word.
fn clause_start(mask: &str, words: &[Word<'_>], at: usize) -> Option<(usize, ClauseKind)> {
    let gap = if at == 0 { "" } else { &mask[words[at - 1].end..words[at].start] };
    let before = if at == 0 { String::new() } else { words[at - 1].text.to_lowercase() };
    let starts_sentence =
        at == 0 || gap.contains(['.', ';', '!', '?', '\n', ':']) && gap.ends_with(char::is_whitespace);
    let follows_connector =
        BEFORE_VERB.contains(&before.as_str()) && gap.chars().all(|c| c.is_whitespace() || c == ',');
    if !starts_sentence && !follows_connector && !gap.contains(',') {
        return None;
    }
    let is_sure = starts_sentence || matches!(before.as_str(), "then" | "please");
    verb_at(mask, words, at, is_sure)
}

fn verb_at(mask: &str, words: &[Word<'_>], at: usize, is_sure: bool) -> Option<(usize, ClauseKind)> {
    let word = words[at].text.to_lowercase();
    let next = words.get(at + 1).map(|next| next.text.to_lowercase()).unwrap_or_default();
    let is_adjacent =
        words.get(at + 1).is_some_and(|next| mask[words[at].end..next.start].trim_matches([' ', '-']).is_empty());
    let pair = if is_adjacent { words::tokens(&format!("{word} {next}")) } else { Vec::new() };
    if let [joined] = pair.as_slice()
        && let Some((_, kind)) = VERBS.iter().find(|(verb, _)| verb == joined)
    {
        return Some((2, *kind));
    }
    if let Some((_, kind)) = VERBS.iter().find(|(verb, _)| *verb == word) {
        return Some((1, *kind));
    }
    let (verb, kind) = WEAK_VERBS.iter().find(|(verb, _)| *verb == word)?;
    let is_label = ["message", "note", "post", "report", "book", "contact", "request"].contains(verb);
    let is_quoted_next = !is_label && mask[words[at].end..].trim_start().starts_with('"');
    let has_object = AFTER_VERB.contains(&next.as_str()) || words::number(&next).is_some() || is_quoted_next;
    (is_sure || has_object).then_some((1, *kind))
}

/// The kind once the object is known: `add … to the cart` is not a form, `open an account` is one.
fn refined(kind: ClauseKind, verb: &str, rest: &str) -> ClauseKind {
    let object = words::stems(rest);
    let says = |phrases: &[&'static str]| words::has_any(&object, phrases);
    match verb {
        "add" | "put" if says(&["cart", "basket", "bag", "trolley"]) => ClauseKind::AddToCart,
        "place" | "make" | "submit" if says(&["an order", "a order", "order for", "the order", "my order"]) => {
            ClauseKind::Order
        }
        "open" if says(&["an account"]) => ClauseKind::Fill,
        "get" | "find" if asks_for_offer(rest) => ClauseKind::Fill,
        "check" if says(&["box", "checkbox", "option"]) => ClauseKind::Fill,
        "report" if says(&["a problem", "an issue", "a bug", "the problem"]) => ClauseKind::Fill,
        "look" if !says(&["up", "for"]) => ClauseKind::Read,
        "apply" if says(&["filter", "coupon"]) => ClauseKind::Open,
        "go" if says(&["back"]) && object.len() <= 2 => ClauseKind::Read,
        "press" | "click" | "tap" if object.is_empty() => ClauseKind::Read,
        _ => kind,
    }
}

/// `Get an insurance quote for John Smith`: what is got comes from a form.
fn asks_for_offer(rest: &str) -> bool {
    let first: Vec<String> = words::stems(rest).into_iter().take(5).collect();
    let is_offered = words::has_any(&first, &["quote", "estimate", "appointment", "reservation"]);
    is_offered && !words::has_any(&first, &["the", "this", "that", "all"])
}

/// Text without connectors and punctuation at its ends.
fn trimmed(text: &str) -> &str {
    let mut rest = text.trim_matches(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | '.' | '!' | '?' | ':'));
    loop {
        let last = rest.rsplit(|c: char| c.is_whitespace() || c == ',').next().unwrap_or_default();
        let is_connector =
            ["and", "then", "please", "to", "next", "finally", "also", "you", "should", "must", "now", "can"]
                .iter()
                .any(|word| last.eq_ignore_ascii_case(word));
        if !is_connector || last.is_empty() {
            return rest;
        }
        rest = rest[..rest.len() - last.len()]
            .trim_end_matches(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | '.'));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(goal: &str) -> Vec<(ClauseKind, String)> {
        split(&with_plain_quotes(goal)).1.into_iter().map(|clause| (clause.kind, clause.rest)).collect()
    }

    #[test]
    fn an_order_goal_has_an_order_and_a_read_clause() {
        let goal = "Order one Blue Mug (size large) for Ada Lovelace, 12 Main St, Springfield, IL 62701, and tell me the order number and total.";
        assert_eq!(
            kinds(goal),
            [
                (
                    ClauseKind::Order,
                    "one Blue Mug (size large) for Ada Lovelace, 12 Main St, Springfield, IL 62701".to_owned()
                ),
                (ClauseKind::Read, "me the order number and total".to_owned()),
            ]
        );
    }

    #[test]
    fn nouns_that_could_be_verbs_start_no_clause() {
        let found = kinds(
            "Send a message with subject \"Open hours\" and message \"Please order more\" and return the name and order number",
        );
        assert_eq!(found.iter().map(|(kind, _)| *kind).collect::<Vec<_>>(), [ClauseKind::Fill, ClauseKind::Read]);
    }

    #[test]
    fn a_chain_of_clauses_keeps_its_order() {
        let found = kinds(
            "Log in with username alice, then search for \"red shoes\", open the first result and list the sizes",
        );
        let only_kinds: Vec<ClauseKind> = found.iter().map(|(kind, _)| *kind).collect();
        assert_eq!(only_kinds, [ClauseKind::SignIn, ClauseKind::Search, ClauseKind::Open, ClauseKind::Read]);
        assert_eq!(found[2].1, "the first result");
    }

    #[test]
    fn single_quotes_around_words_are_quotes_and_apostrophes_are_not() {
        assert_eq!(with_plain_quotes("click 'Accept all' in Ada's list"), "click \"Accept all\" in Ada's list");
    }

    #[test]
    fn a_goal_without_a_verb_is_read() {
        assert_eq!(
            kinds("Opening hours of the museum"),
            [(ClauseKind::Read, "Opening hours of the museum".to_owned())]
        );
    }
}
