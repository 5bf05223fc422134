//! Words of goals, labels and names. Texts are matched word by word with light stems, never by substring, so that
//! `state` does not find `statement` and `orders` still finds `order`.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Words that carry no meaning of their own when a label is compared with a goal.
#[rustfmt::skip]
const STOP_WORDS: &[&str] = &[
    "a", "about", "after", "all", "an", "and", "any", "are", "as", "at", "be", "before", "by", "can", "do", "does",
    "each", "for", "from", "has", "have", "here", "how", "i", "if", "in", "into", "is", "it", "its", "me", "my", "of",
    "on", "onto", "or", "our", "out", "please", "so", "some", "that", "the", "their", "them", "then", "there",
    "these", "this", "those", "to", "us", "want", "was", "we", "what", "when", "where", "which", "who", "will",
    "with", "would", "you", "your",
];

/// Pairs that are one word in other spellings.
const JOINED: &[(&str, &str, &str)] = &[
    ("e", "mail", "email"),
    ("log", "in", "login"),
    ("log", "into", "login"),
    ("sign", "into", "login"),
    ("logging", "in", "login"),
    ("logged", "in", "login"),
    ("sign", "in", "login"),
    ("signing", "in", "login"),
    ("log", "on", "login"),
    ("sign", "on", "login"),
    ("log", "out", "logout"),
    ("sign", "out", "logout"),
    ("log", "off", "logout"),
    ("sign", "up", "signup"),
    ("check", "out", "checkout"),
    ("zip", "code", "zipcode"),
    ("post", "code", "zipcode"),
    ("postal", "code", "zipcode"),
    ("user", "name", "username"),
    ("pass", "word", "password"),
    ("web", "site", "website"),
    ("t", "shirt", "tshirt"),
];

/// Other spellings of one word, after stemming.
const SPELLINGS: &[(&str, &str)] = &[
    ("colour", "color"),
    ("grey", "gray"),
    ("postcod", "zipcod"),
    ("zip", "zipcod"),
    ("signin", "login"),
    ("logon", "login"),
    ("signout", "logout"),
    ("logoff", "logout"),
    ("enquiry", "inquiry"),
    ("organisation", "organization"),
    ("qty", "quantity"),
    ("telephon", "phone"),
    ("phon", "phone"),
    ("catalog", "catalogue"),
    ("catalogu", "catalogue"),
];

/// A letter in lower case without accents, decomposed as in Unicode Standard Annex 15.
fn push_folded(word: &mut String, c: char) {
    for c in c.to_lowercase().flat_map(|c| std::iter::once(c).nfd()) {
        match c {
            'ß' => word.push_str("ss"),
            'ø' => word.push('o'),
            'æ' => word.push_str("ae"),
            'ł' => word.push('l'),
            'đ' => word.push('d'),
            'ı' => word.push('i'),
            mark if is_combining_mark(mark) => {}
            other => word.push(other),
        }
    }
}

fn raw_tokens(text: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    let mut word = String::new();
    for c in text.chars() {
        if c.is_alphanumeric() || (is_combining_mark(c) && !word.is_empty()) {
            push_folded(&mut word, c);
        } else if !matches!(c, '\'' | '’') && !word.is_empty() {
            tokens.push(std::mem::take(&mut word));
        }
    }
    if !word.is_empty() {
        tokens.push(word);
    }
    tokens
}

/// Lower-case words without accents, in order; pairs such as `sign in` are joined.
#[must_use]
pub fn tokens(text: &str) -> Vec<String> {
    let raw = raw_tokens(text);
    let mut joined = Vec::with_capacity(raw.len());
    let mut at = 0;
    while at < raw.len() {
        let pair = JOINED
            .iter()
            .find(|(first, second, _)| raw[at] == *first && raw.get(at + 1).is_some_and(|next| next == second));
        if let Some((_, _, whole)) = pair {
            joined.push((*whole).to_owned());
            at += 2;
        } else {
            joined.push(raw[at].clone());
            at += 1;
        }
    }
    joined
}

/// A word without its plural, participle and final `e`; both sides of a comparison go through it.
#[must_use]
pub fn stem(token: &str) -> String {
    let singular = without_plural(token);
    let base = without_participle(&singular);
    let mut short = base.strip_suffix('e').filter(|rest| rest.len() >= 3).unwrap_or(&base).to_owned();
    if ends_in_double(&short) && short.len() >= 4 {
        short.pop();
    }
    SPELLINGS.iter().find(|(other, _)| *other == short).map_or(short, |(_, word)| (*word).to_owned())
}

fn without_plural(token: &str) -> String {
    if token.len() < 4 || token.ends_with("ss") || token.ends_with("us") || token.ends_with("is") {
        return token.to_owned();
    }
    if let Some(start) = token.strip_suffix("ies").filter(|start| start.len() >= 2) {
        return format!("{start}y");
    }
    let hissing = ["sses", "xes", "zes", "ches", "shes"];
    if hissing.iter().any(|ending| token.ends_with(ending)) {
        return token[..token.len() - 2].to_owned();
    }
    token.strip_suffix('s').unwrap_or(token).to_owned()
}

fn without_participle(token: &str) -> String {
    for ending in ["ing", "ed"] {
        if let Some(start) = token.strip_suffix(ending).filter(|start| start.len() >= 4 && has_vowel(start)) {
            return start.to_owned();
        }
    }
    token.to_owned()
}

fn has_vowel(text: &str) -> bool {
    text.chars().any(|c| matches!(c, 'a' | 'e' | 'i' | 'o' | 'u' | 'y'))
}

fn ends_in_double(text: &str) -> bool {
    let mut back = text.chars().rev();
    match (back.next(), back.next()) {
        (Some(last), Some(before)) => last == before && last.is_ascii_alphabetic() && !has_vowel(&last.to_string()),
        _ => false,
    }
}

/// Stems of all words, in order.
#[must_use]
pub fn stems(text: &str) -> Vec<String> {
    tokens(text).iter().map(|token| stem(token)).collect()
}

/// Stems of the words that carry meaning; all stems when none does.
#[must_use]
pub fn content_stems(text: &str) -> Vec<String> {
    let all = tokens(text);
    let content: Vec<String> = all.iter().filter(|token| !is_stop_word(token)).map(|token| stem(token)).collect();
    if content.is_empty() { all.iter().map(|token| stem(token)).collect() } else { content }
}

/// Stems of the words of an identifier such as `shippingFirstName` or `addr_line_1`.
#[must_use]
pub fn identifier_stems(identifier: &str) -> Vec<String> {
    identifier_tokens(identifier).iter().map(|token| stem(token)).collect()
}

/// Words of an identifier, as written.
#[must_use]
pub fn identifier_tokens(identifier: &str) -> Vec<String> {
    let mut spaced = String::with_capacity(identifier.len() + 8);
    let mut before = ' ';
    for c in identifier.chars() {
        let starts_word = c.is_uppercase() && before.is_lowercase();
        let starts_number = c.is_numeric() && before.is_alphabetic();
        if starts_word || starts_number {
            spaced.push(' ');
        }
        spaced.push(c);
        before = c;
    }
    tokens(&spaced)
}

/// Whether the word carries no meaning of its own.
#[must_use]
pub fn is_stop_word(token: &str) -> bool {
    STOP_WORDS.binary_search(&token).is_ok()
}

thread_local! {
    /// Stems of the phrases in this crate's tables, made once: pages have hundreds of names to compare them with.
    static PHRASES: RefCell<HashMap<&'static str, Rc<[String]>>> = RefCell::new(HashMap::new());
}

/// Stems of a phrase from a table.
fn phrase_stems(phrase: &'static str) -> Rc<[String]> {
    PHRASES.with_borrow_mut(|known| Rc::clone(known.entry(phrase).or_insert_with(|| stems(phrase).into())))
}

/// Whether the wanted words stand next to each other, in order.
#[must_use]
pub fn has_sequence(words: &[String], wanted: &[String]) -> bool {
    !wanted.is_empty() && words.windows(wanted.len()).any(|window| window == wanted)
}

/// Whether the phrase's words stand next to each other, in order.
#[must_use]
pub fn has_phrase(words: &[String], phrase: &'static str) -> bool {
    has_sequence(words, &phrase_stems(phrase))
}

/// Whether any of the phrases stands in the words.
#[must_use]
pub fn has_any(words: &[String], phrases: &[&'static str]) -> bool {
    phrases.iter().any(|phrase| has_phrase(words, phrase))
}

/// Whether the words are exactly one of the phrases.
#[must_use]
pub fn is_any(words: &[String], phrases: &[&'static str]) -> bool {
    phrases.iter().any(|phrase| *phrase_stems(phrase) == *words)
}

thread_local! {
    /// Words of the phrases that are compared as written.
    static WRITTEN: RefCell<HashMap<&'static str, Rc<[String]>>> = RefCell::new(HashMap::new());
}

/// Whether any of the phrases stands in the tokens as written: `submitted` is not the `Submit` of a button.
#[must_use]
pub fn says_any(tokens_of_text: &[String], phrases: &[&'static str]) -> bool {
    phrases.iter().any(|phrase| {
        let wanted =
            WRITTEN.with_borrow_mut(|known| Rc::clone(known.entry(phrase).or_insert_with(|| tokens(phrase).into())));
        has_sequence(tokens_of_text, &wanted)
    })
}

/// Whether the words begin with the phrase.
#[must_use]
pub fn starts_with(words: &[String], phrase: &'static str) -> bool {
    words.starts_with(&phrase_stems(phrase))
}

/// Number of words in a phrase from a table.
#[must_use]
pub fn phrase_len(phrase: &'static str) -> usize {
    phrase_stems(phrase).len()
}

/// Highest likeness: both texts have the same words in the same order.
pub const LIKENESS_MAX: u32 = 1000;

/// How well a text names what is wanted, 0 to [`LIKENESS_MAX`]: mostly how much of it is covered, then how little else
/// the text says, then the order of the words.
#[must_use]
pub fn likeness(wanted: &[String], text: &[String]) -> u32 {
    if wanted.is_empty() || text.is_empty() {
        return 0;
    }
    let covered = count_in(wanted, text);
    if covered == 0 {
        return 0;
    }
    let used = count_in(text, wanted);
    let in_order = text.windows(wanted.len()).any(|window| window == wanted);
    let share = |part: usize, whole: usize, weight: usize| part * weight / whole.max(1);
    let score = share(covered, wanted.len(), 700) + share(used, text.len(), 200) + usize::from(in_order) * 100;
    u32::try_from(score).unwrap_or(LIKENESS_MAX)
}

fn count_in(some: &[String], all: &[String]) -> usize {
    some.iter().filter(|word| all.contains(word)).count()
}

/// Wanted words that stand in the text, of 1000.
#[must_use]
pub fn coverage(wanted: &[String], text: &[String]) -> u32 {
    if wanted.is_empty() {
        return 0;
    }
    u32::try_from(count_in(wanted, text) * 1000 / wanted.len()).unwrap_or(LIKENESS_MAX)
}

/// Whole numbers up to twenty as people write them.
#[rustfmt::skip]
const NUMBER_WORDS: &[&str] = &[
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty",
];

/// A count written with digits or as a word up to `twenty`.
#[must_use]
pub fn number(token: &str) -> Option<usize> {
    let lower = token.to_lowercase();
    if lower == "dozen" {
        return Some(12);
    }
    NUMBER_WORDS.iter().position(|word| *word == lower).or_else(|| lower.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stop_words_are_sorted_for_the_search() {
        assert!(STOP_WORDS.is_sorted());
    }

    #[test]
    fn different_forms_of_a_word_have_one_stem() {
        for (one, other) in [
            ("price", "pricing"),
            ("ship", "shipping"),
            ("boxes", "box"),
            ("stories", "story"),
            ("orders", "order"),
            ("addresses", "address"),
            ("colours", "color"),
        ] {
            assert_eq!(stem(one), stem(other), "{one} and {other}");
        }
    }

    #[test]
    fn words_are_not_found_inside_other_words() {
        assert!(!has_phrase(&stems("Bank statement"), "state"));
        assert!(has_phrase(&stems("State / Province"), "state"));
    }

    #[test]
    fn a_shorter_name_with_the_same_words_is_more_alike() {
        let wanted = content_stems("Blue Mug");
        let exact = likeness(&wanted, &content_stems("Blue Mug"));
        let longer = likeness(&wanted, &content_stems("Blue Mug Rack"));
        assert_eq!(exact, LIKENESS_MAX);
        assert!(longer < exact);
        assert_eq!(likeness(&wanted, &content_stems("Red hat")), 0);
    }

    #[test]
    fn identifiers_fall_into_words() {
        assert_eq!(identifier_stems("shippingFirstName"), stems("shipping first name"));
        assert_eq!(identifier_stems("addr_line1"), stems("addr line 1"));
    }
}
