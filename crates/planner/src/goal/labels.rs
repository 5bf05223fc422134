//! Finds labels and their values in a goal's sentences: `subject "Hi"`, `size: large`, `"Berlin" in the destination field`.

use regex::{Captures, Match, Regex};
use std::sync::LazyLock;

use super::meaning;
use crate::words;

/// Longer values than this are prose that a label ran into.
const UNQUOTED_CHARS_MAX: usize = 80;

/// Labels that are understood without a colon or quotation marks.
const LABELS: &str = r"(?:order|account|customer|invoice|reference|ticket|booking|policy|member|membership|employee|tracking|serial|passport|licen[cs]e|registration|confirmation|room|flight)\s+(?:number|no\.?|id|code)|first name|last name|full name|middle name|user ?name|user|login|password|pass|passcode|pin|e-?mail address|e-?mail|phone number|telephone|phone|mobile|street address|billing address|shipping address|delivery address|address|city|town|state|province|zip code|zip|postcode|postal code|country|company|organi[sz]ation|subject|message|comments?|note|feedback|description|sizes?|colou?r|quantity|qty|date of birth|birth ?date|birthday|date|time|number of guests|party size|guests|coupon code|promo code|discount code|coupon|age|title|gender|reason|topic|category|department|priority|rating|coverage|plan|material|flavou?r|style|model|brand|type|shipping method|shipping|delivery|payment method|payment|check-?in|check-?out|arrival|departure|destination|nickname|name";

/// Labels whose values are whole sentences.
const PROSE_LABELS: &str =
    r"message|comments?|text|feedback|question|description|body|review|subject|note|saying|says|notes";

fn pattern(text: &str) -> Option<Regex> {
    Regex::new(text).ok()
}

/// A message after a colon goes on to the end of the goal, or to a sentence that starts with another verb.
static PROSE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(&format!(
        r#"(?i)\b(?P<label>{PROSE_LABELS})\s*:\s*(?P<value>[^"\n;]+)|\b(?P<said>saying|says)\s+(?:that\s+)?(?P<speech>[^"\n;:]+)|(?:,|\band|\bwith)\s+(?:the\s+|a\s+)?(?P<told>message|comment|feedback|note|subject)\s+(?P<words>(?-i:\p{{Lu}})[^"\n;]*)|\bask\s+[^,.?!"\n]{{0,40}}?\b(?P<asked>(?:whether|if|what|when|how|where)\s[^".!\n;]*)"#
    ))
});
static PROSE_END: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?i)[.!?]\s+(?:then|and then|tell|return|report|give|submit|send|after|finally|when|once)\b|,?\s+(?:and|then)\s+(?:then\s+)?(?:tell me|return|report back|submit|send it|give me)\b|,\s+(?:and\s+)?(?:the\s+)?(?:subject|message|e-?mail|phone|name|from|topic)\b|\s+and\s+(?:the\s+)?message\b",
    )
});
static PAREN: LazyLock<Option<Regex>> = LazyLock::new(|| pattern(r"\(([^()]*)\)"));
static COLON: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r#"(?:^|[,;\n({]|\band\b|\bwith\b|\busing\b|[.:]\s|-\s)\s*(?P<label>[A-Za-z][A-Za-z0-9 '/-]{0,40}?)\s*[:=]\s*(?P<value>"[^"]*"|[^,;\n)]+)"#,
    )
});
static QUOTED_AFTER: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r#"(?P<label>(?:[A-Za-z][\w'-]*\s+){1,3})(?:is\s+|as\s+|to\s+|of\s+|=\s*|:\s*|that\s+says\s+)?"(?P<value>[^"]*)""#,
    )
});
static QUOTED_BEFORE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r#""(?P<value>[^"]*)"\s+(?:in|into|as|for|from|under|to)\s+(?:the\s+|an?\s+|my\s+|your\s+)?(?P<label>(?:"[^"]+"|(?:[A-Za-z][\w'-]*\s*){1,4}))"#,
    )
});
static SPOKEN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(&format!(
        r#"(?i)\b(?P<label>{LABELS})\b(?:\s+(?:is|of|to|as|=))?\s+(?P<value>"[^"]*"|\[[^\]]*\]|[^\s,;()"][^,;()\n"]*)"#
    ))
});
static CHOSEN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r#"(?i)\b(?:select|choose|pick|set|enter|type|write|put)\s+"?(?P<value>[^",;.]+?)"?\s+(?:as|for|from|in|into|under)\s+(?:the\s+)?"?(?P<label>[A-Za-z][\w '/-]{0,40}?)"?(?:\s+(?:field|box|menu|list|dropdown|drop-down|select|input))?(?:$|[,;.]|\s+and\b)"#,
    )
});
static SET_TO: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r#"(?i)\b(?:set|change|update)\s+(?:the\s+|my\s+)?(?P<label>[A-Za-z][\w '/-]{0,40}?)\s+to\s+"?(?P<value>[^",;.]+?)"?(?:$|[,;.]|\s+and\b)"#,
    )
});
static COUNTED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let number = r"\d{1,3}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve";
    pattern(&format!(
        r"(?i)\b(?P<number>{number})\s+(?P<noun>adults?|children|child|kids|guests?|people|persons?|rooms?|nights?|tickets?|passengers?|seats?|days?)\b|\b(?:table|reservation|party)\s+(?:for|of)\s+(?P<party>{number})\b"
    ))
});
static NEXT_LABEL: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(&format!(r"(?i)\s+(?:and|with|,)?\s*(?:the\s+|my\s+|your\s+)?\b(?:{LABELS})\b(?:\s|:|=|$)"))
});

/// Where values of prose labels stand in the text: no verb is looked for in there.
#[must_use]
pub(super) fn prose_spans(text: &str) -> Vec<(usize, usize)> {
    proses(text).into_iter().map(|(_, start, end)| (start, end)).collect()
}

/// Prose labels with the place of their values; the search goes on behind each value.
fn proses(text: &str) -> Vec<(&str, usize, usize)> {
    let Some(pattern) = PROSE.as_ref() else { return Vec::new() };
    let mut found_ones = Vec::new();
    let mut from = 0;
    while let Some(found) = pattern.captures_at(text, from) {
        let label = found.name("label").or(found.name("told")).map_or("message", |label| label.as_str());
        let Some(value) = prose_value(&found) else { break };
        let end = value.start() + prose(value.as_str()).len();
        found_ones.push((label, value.start(), end));
        from = end.max(value.start() + value.as_str().chars().next().map_or(1, char::len_utf8));
        if from >= text.len() {
            break;
        }
    }
    found_ones
}

fn prose_value<'t>(found: &Captures<'t>) -> Option<Match<'t>> {
    ["value", "speech", "words", "asked"].iter().find_map(|name| found.name(name))
}

fn prose(value: &str) -> &str {
    let end = PROSE_END.as_ref().and_then(|pattern| pattern.find(value));
    // The punctuation of the last sentence belongs to it.
    let end = end.map_or(value.len(), |end| end.start() + usize::from(end.as_str().starts_with(['.', '!', '?'])));
    value[..end].trim_end()
}

/// Labels and values in the order of how sure they are.
pub(super) fn find(text: &str) -> Vec<(String, String)> {
    let mut found = prose_values(text);
    let spans = prose_spans(text);
    let outside = blanked(text, &spans);
    for (pattern, is_quoted) in [
        (&COLON, false),
        (&QUOTED_BEFORE, true),
        (&QUOTED_AFTER, true),
        (&SET_TO, false),
        (&CHOSEN, false),
        (&SPOKEN, false),
    ] {
        if let Some(pattern) = pattern.as_ref() {
            found.extend(pairs(pattern, &outside, is_quoted));
        }
    }
    // `at 7:30` is a time and no label with a value.
    let is_time = |label: &str, value: &str| {
        label.ends_with(|c: char| c.is_ascii_digit()) && value.starts_with(|c: char| c.is_ascii_digit())
    };
    found.retain(|(label, value)| !is_time(label.trim(), value.trim()));
    found.extend(counted(&outside));
    found.into_iter().map(|(label, value)| (cleaned_label(&label), value)).collect()
}

fn prose_values(text: &str) -> Vec<(String, String)> {
    proses(text).into_iter().map(|(label, start, end)| (label.to_owned(), text[start..end].to_owned())).collect()
}

fn blanked(text: &str, spans: &[(usize, usize)]) -> String {
    let mut result = String::with_capacity(text.len());
    let mut at = 0;
    for (start, end) in spans.iter().filter(|(start, end)| start < end) {
        result.push_str(&text[at..*start]);
        result.push_str(&".".repeat(end - start));
        at = *end;
    }
    result.push_str(&text[at..]);
    result
}

/// What a pattern finds; the search goes on right behind each value, not behind all the pattern saw.
fn pairs(pattern: &Regex, text: &str, is_quoted: bool) -> Vec<(String, String)> {
    let mut pairs = Vec::new();
    let mut from = 0;
    while let Some(found) = pattern.captures_at(text, from) {
        let (Some(label), Some(raw)) = (found.name("label"), found.name("value")) else { break };
        let value = if is_quoted { raw.as_str().to_owned() } else { unquoted_value(raw.as_str()) };
        let next = if is_quoted { raw.end() } else { raw.start() + value.len() };
        from = next.max(label.end()).max(from + 1);
        while !text.is_char_boundary(from) {
            from += 1;
        }
        pairs.push((label.as_str().to_owned(), value));
        if from >= text.len() {
            break;
        }
    }
    pairs
}

/// Numbers of people and things: `2 adults`, `a table for four`, `3 nights`.
pub(super) fn counted(text: &str) -> Vec<(String, String)> {
    let Some(pattern) = COUNTED.as_ref() else { return Vec::new() };
    let counts = pattern.captures_iter(text).filter_map(|found| {
        let number = found.name("number").or(found.name("party"))?;
        let count = words::number(number.as_str())?;
        let noun = found.name("noun").map_or("guests", |noun| noun.as_str());
        Some((noun.to_owned(), count.to_string()))
    });
    counts.collect()
}

/// Options in brackets, as label and value: `(size large, color blue)`; a bare `(large)` has no label.
pub(super) fn in_brackets(text: &str) -> Vec<(String, String)> {
    let groups = PAREN.as_ref().map(|pattern| pattern.captures_iter(text)).into_iter().flatten();
    let mut options = Vec::new();
    for group in groups {
        for part in group[1].split([',', ';']).flat_map(|part| part.split(" and ")) {
            let part = part.trim();
            if part.is_empty() || part.contains([':', '=']) {
                continue;
            }
            match part.split_once(' ') {
                Some((label, value)) if !value.contains(' ') || meaning::of_label(label).is_some() => {
                    options.push((label.to_owned(), value.to_owned()));
                }
                Some(_) | None => options.push((String::new(), part.to_owned())),
            }
        }
    }
    options
}

/// Words that lead to a label and are no part of it.
#[rustfmt::skip]
const FILLERS: &[&str] = &[
    "with", "and", "the", "a", "an", "is", "as", "my", "your", "his", "her", "their", "use", "using", "type", "enter",
    "write", "fill", "in", "into", "put", "set", "select", "choose", "field", "box", "input", "to", "of", "for",
    "from", "on", "by", "search", "click", "press", "open", "then", "buy", "send", "submit", "link", "button", "it",
    "that", "text", "value", "pick", "item", "form", "out", "about", "new", "called", "named",
];

/// A label without the words that lead to it: `with the subject` is `subject`; `saying` introduces a message.
fn cleaned_label(label: &str) -> String {
    let words: Vec<&str> =
        label.split(|c: char| !c.is_alphanumeric() && c != '\'' && c != '-').filter(|word| !word.is_empty()).collect();
    let last = words.last().map(|word| word.to_lowercase()).unwrap_or_default();
    if ["saying", "says", "say", "stating", "asking", "reads", "reading"].contains(&last.as_str()) {
        return "message".to_owned();
    }
    let is_filler = |word: &&str| FILLERS.contains(&word.to_lowercase().as_str());
    let start = words.iter().position(|word| !is_filler(word)).unwrap_or(words.len());
    let end = words.iter().rposition(|word| !is_filler(word)).map_or(start, |at| at + 1);
    let kept = &words[start..end.max(start)];
    // In `about shoes with subject "X"` the label is what follows the last joining word.
    let joint = kept.iter().rposition(|word| ["and", "with", "is", "as"].contains(&word.to_lowercase().as_str()));
    kept[joint.map_or(0, |at| at + 1)..].join(" ")
}

/// An unquoted value up to where something else begins.
fn unquoted_value(value: &str) -> String {
    let value = value.trim();
    if value.starts_with('"') || value.starts_with('[') {
        return value.trim_matches('"').to_owned();
    }
    let lower = value.to_ascii_lowercase();
    let ends = [
        " and ",
        " with ",
        " then ",
        " for ",
        " using ",
        ". ",
        ".\n",
        "? ",
        "! ",
        " from the ",
        " in the ",
        " on the ",
        " from this",
        " on this",
        ", and",
        " to: ",
    ];
    let mut end = ends.iter().filter_map(|end| lower.find(end)).min().unwrap_or(value.len());
    if let Some(next) = NEXT_LABEL.as_ref().and_then(|pattern| pattern.find(value)) {
        end = end.min(next.start());
    }
    let cut = value[..end].trim().trim_end_matches(['.', '!', '?']);
    if cut.chars().count() > UNQUOTED_CHARS_MAX { String::new() } else { cut.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str, label: &str) -> Option<String> {
        find(text).into_iter().find(|(found, _)| found == label).map(|(_, value)| value)
    }

    #[test]
    fn messages_are_whole_sentences() {
        let text = "a message: Are you open on Sunday, and on Monday? We are four. Then tell me the reference";
        assert_eq!(value(text, "message").as_deref(), Some("Are you open on Sunday, and on Monday? We are four."));
        let spoken = "send a note to Kim saying that the order is late, and tell me the reference";
        assert_eq!(value(spoken, "message").as_deref(), Some("the order is late"));
    }

    #[test]
    fn a_message_in_a_list_of_labels_is_a_whole_sentence() {
        let text = "the form: name Jo Ray, subject Hello, message I would like to visit on Monday. Submit it";
        assert_eq!(value(text, "message").as_deref(), Some("I would like to visit on Monday."));
        assert_eq!(value(text, "subject").as_deref(), Some("Hello"));
    }

    #[test]
    fn numbers_before_people_are_counts() {
        assert_eq!(value("Book a table for four at 7:30 pm", "guests").as_deref(), Some("4"));
        assert_eq!(value("a room for 2 adults", "adults").as_deref(), Some("2"));
    }

    #[test]
    fn verbs_of_speech_before_quotes_introduce_a_message() {
        assert_eq!(value("from Jo Ray saying \"Hello there\"", "message").as_deref(), Some("Hello there"));
    }
}
