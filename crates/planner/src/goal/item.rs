//! The thing that an order is about: its name and how many.

use crate::words;
use regex::Regex;
use std::sync::LazyLock;

/// What is to be ordered or put into a cart.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Item {
    /// As the goal wrote it, without article, count and options.
    pub name: String,
    pub stems: Vec<String>,
    /// `None` when the goal names no count: one, as shops preset it.
    pub quantity: Option<usize>,
    /// A count that orders nothing: zero, below zero, or no whole number.
    pub unusable_count: Option<String>,
    /// `the cheapest mug`: which of several is meant.
    pub choice: Option<Choice>,
    /// Sizes and colours beside the name: `a large mug`, `a mug in blue`.
    pub options: Vec<String>,
}

/// A superlative that chooses among several items.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    Cheapest,
    MostExpensive,
}

impl Item {
    /// Reads `one Blue Mug (size large) for Ada Lovelace, …`.
    #[must_use]
    pub fn read(rest: &str) -> Self {
        let (unusable_count, rest) = without_unusable_count(without_pronoun(rest));
        let (quantity, named) = without_count(rest);
        let choice = choice_in(named);
        let name = match named.split('"').nth(1) {
            Some(quoted) if !quoted.trim().is_empty() => quoted.trim().to_owned(),
            Some(_) | None => without_superlative(name_end(named)),
        };
        let (size, name) = without_size(&name);
        let options = size.into_iter().chain(option_after_in(named)).collect();
        let is_pronoun = PRONOUNS.contains(&name.to_lowercase().as_str());
        let name = if is_pronoun { String::new() } else { name };
        let stems = if name.is_empty() { Vec::new() } else { words::content_stems(&name) };
        Self { name, stems, quantity, unusable_count, choice, options }
    }
}

/// Names that name nothing: the item is the one in view, or named by an earlier clause.
#[rustfmt::skip]
const PRONOUNS: &[&str] = &[
    "it", "them", "order", "the order", "an order", "my order", "this", "that", "one", "product", "item",
    "this product", "this item", "the product", "the item",
];

fn without_pronoun(rest: &str) -> &str {
    let leads = ["me ", "us ", "an order for ", "a order for ", "the order for ", "order for ", "up "];
    leads.iter().find_map(|lead| rest.strip_prefix(lead)).unwrap_or(rest)
}

/// A number before the name, whatever it is worth.
static LEADING: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)^(?:(?:a|an|the|some|my|exactly|only|just)\s+)?(?P<count>(?:minus|negative)\s+\w+|zero|no|half|[-−–+]?\s?\d[\d.,/]*x?)\s+(?P<name>\S.*)$").ok()
});

/// A labelled number: `quantity: -3`.
static LABELLED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:quantity|qty)\s*(?:of|is|to|:|=)?\s*(?P<count>(?:minus|negative)\s+\w+|zero|[-−–]\s?\d[\d.,/]*|\d[\d.,/]*)").ok()
});

/// A labelled count in the text that orders nothing.
#[must_use]
pub(super) fn unusable_labelled_count(text: &str) -> Option<String> {
    let found = LABELLED.as_ref()?.captures(text)?;
    let count = found["count"].trim_end_matches(['.', ',']);
    (!is_usable(count)).then(|| count.to_owned())
}

/// Splits off a count that orders nothing; years and other large whole numbers belong to names.
fn without_unusable_count(rest: &str) -> (Option<String>, &str) {
    let Some(found) = LEADING.as_ref().and_then(|pattern| pattern.captures(rest)) else { return (None, rest) };
    let (Some(count), Some(name)) = (found.name("count"), found.name("name")) else { return (None, rest) };
    if is_usable(count.as_str().trim_end_matches(['x', 'X'])) {
        return (None, rest);
    }
    (Some(count.as_str().to_owned()), without_unit(name.as_str()))
}

fn is_usable(count: &str) -> bool {
    words::number(count).is_some_and(|count| count > 0)
}

/// The count before the name and what follows it.
fn without_count(rest: &str) -> (Option<usize>, &str) {
    let rest = rest.trim_start();
    let (first, after) = rest.split_once(' ').unwrap_or((rest, ""));
    let lower = first.to_ascii_lowercase();
    if ["a", "an", "the", "some", "my", "this"].contains(&lower.as_str()) {
        let (count, named) = without_count(after);
        let is_article_one = matches!(lower.as_str(), "a" | "an");
        return (count.or(is_article_one.then_some(1)), named);
    }
    let digits = lower.strip_suffix('x').unwrap_or(&lower);
    match words::number(digits).filter(|count| (1..1000).contains(count)) {
        Some(count) => (Some(count), without_unit(after)),
        None => (None, rest),
    }
}

/// `2 packs of batteries`, `3 x mug`, `two of the mugs`.
fn without_unit(after: &str) -> &str {
    let after = after.trim_start();
    let units =
        ["x ", "pieces of ", "piece of ", "units of ", "unit of ", "copies of ", "copy of ", "of the ", "of ", "× "];
    units.iter().find_map(|unit| after.strip_prefix(unit)).unwrap_or(after)
}

/// The name up to its options, its receiver or its address.
fn name_end(text: &str) -> String {
    let mut end = text.find(['(', ',', ';', ':', '[', '\n']).unwrap_or(text.len());
    let lower = text.to_ascii_lowercase();
    let ends = [
        " with ",
        " in size",
        " size ",
        " in colour",
        " in color",
        " to the cart",
        " to the basket",
        " to the bag",
        " to my ",
        " to cart",
        " to the shopping",
        " into the ",
        " from the ",
        " from this",
        " using ",
        " shipped ",
        " to be ",
        " sent ",
        " delivered ",
        " and ship",
        " and deliver",
        " and send",
        " and have ",
        " on this ",
        " on the site",
        " at the ",
        " quantity ",
        ". ",
        " please",
        " and check",
        " and add",
        " as a guest",
        " via ",
    ];
    for stop in ends {
        end = end.min(lower.find(stop).unwrap_or(end));
    }
    for receiver in [" for ", " to "] {
        end = end.min(receiver_start(text, receiver).unwrap_or(end));
    }
    end = end.min(in_option_start(&lower).unwrap_or(end));
    text[..end].trim().trim_end_matches(['.', '!']).to_owned()
}

/// Where `for Ada Lovelace` or `to 12 Main St` begins: a name or number follows, or a pronoun.
fn receiver_start(text: &str, preposition: &str) -> Option<usize> {
    let lower = text.to_ascii_lowercase();
    lower.match_indices(preposition).map(|(at, _)| at).find(|at| {
        let after = text[at + preposition.len()..].trim_start();
        let first = after.split_whitespace().next().unwrap_or_default();
        let is_pronoun = ["me", "us", "my", "our", "the", "a"].contains(&first.to_lowercase().as_str());
        is_pronoun || first.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit())
    })
}

const SIZES: &[&str] = &["small", "medium", "large", "xl", "xs", "xxl", "extra-large", "extra-small"];

#[rustfmt::skip]
const COLORS: &[&str] = &[
    "red", "blue", "green", "black", "white", "yellow", "pink", "purple", "orange", "brown", "gray", "grey", "beige",
    "navy", "gold", "silver",
];

/// Where ` in blue` begins; `in` before anything but a colour or size stays in the name.
fn in_option_start(lower: &str) -> Option<usize> {
    lower.find(" in ").filter(|at| option_at(&lower[at + 4..]).is_some())
}

fn option_after_in(text: &str) -> Option<String> {
    let lower = text.to_ascii_lowercase();
    in_option_start(&lower).and_then(|at| option_at(&text[at + 4..])).map(str::to_owned)
}

fn option_at(text: &str) -> Option<&str> {
    let word = text.split(|c: char| !c.is_alphanumeric() && c != '-').next().unwrap_or_default();
    let lower = word.to_ascii_lowercase();
    (SIZES.contains(&lower.as_str()) || COLORS.contains(&lower.as_str())).then_some(word)
}

/// `large Blue Mug`: the size is an option, not a part of the name shops use.
fn without_size(name: &str) -> (Option<String>, String) {
    match name.split_once(' ') {
        Some((first, rest))
            if SIZES.contains(&first.to_ascii_lowercase().as_str()) && first.starts_with(char::is_lowercase) =>
        {
            (Some(first.to_owned()), rest.trim().to_owned())
        }
        Some(_) | None => (None, name.to_owned()),
    }
}

const SUPERLATIVES: &[(&str, Choice)] = &[
    ("cheapest", Choice::Cheapest),
    ("lowest-priced", Choice::Cheapest),
    ("lowest priced", Choice::Cheapest),
    ("least expensive", Choice::Cheapest),
    ("most expensive", Choice::MostExpensive),
    ("priciest", Choice::MostExpensive),
];

fn choice_in(text: &str) -> Option<Choice> {
    let lower = text.to_ascii_lowercase();
    SUPERLATIVES.iter().find(|(word, _)| lower.contains(word)).map(|(_, choice)| *choice)
}

fn without_superlative(name: String) -> String {
    let lower = name.to_ascii_lowercase();
    match SUPERLATIVES.iter().find(|(word, _)| lower.starts_with(word)) {
        Some((word, _)) => name[word.len()..].trim().to_owned(),
        None => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_end_before_options_and_receivers() {
        for (text, name, quantity) in [
            ("one Blue Mug (size large) for Ada Lovelace, 12 Main St", "Blue Mug", Some(1)),
            ("2 packs of AA batteries to Bob Ray", "packs of AA batteries", Some(2)),
            ("a Case for iPhone 15 with gift wrap", "Case for iPhone 15", Some(1)),
            ("a phone case for laptops", "phone case for laptops", Some(1)),
            ("the Salt and Pepper Set in blue for me", "Salt and Pepper Set", None),
            ("\"Case for iPhone\", quantity 3", "Case for iPhone", None),
            ("3 x Garden Gnome, please", "Garden Gnome", Some(3)),
            ("two large mugs in size L", "mugs", Some(2)),
            ("one Blue Mug to be sent to Ada Lovelace", "Blue Mug", Some(1)),
        ] {
            let item = Item::read(text);
            assert_eq!((item.name.as_str(), item.quantity), (name, quantity), "{text}");
        }
    }

    #[test]
    fn a_count_that_orders_nothing_is_kept_apart_from_the_name() {
        for (text, count) in [
            ("0 Blue Mugs for Ada", Some("0")),
            ("-3 Blue Mugs for Ada", Some("-3")),
            ("−3 Blue Mugs", Some("−3")),
            ("zero Blue Mugs", Some("zero")),
            ("minus three Blue Mugs", Some("minus three")),
            ("2.5 Blue Mugs", Some("2.5")),
            ("1,000 Blue Mugs", Some("1,000")),
            ("0x Blue Mugs", Some("0x")),
            ("no Blue Mugs", Some("no")),
            ("3 Blue Mugs", None),
            ("3x Blue Mugs", None),
            ("Blue Mugs", None),
        ] {
            let item = Item::read(text);
            assert_eq!((item.name.as_str(), item.unusable_count.as_deref()), ("Blue Mugs", count), "{text}");
        }
        assert_eq!(Item::read("2001 A Space Odyssey").unusable_count, None);
        assert_eq!(unusable_labelled_count("a Blue Mug, quantity: -3").as_deref(), Some("-3"));
        assert_eq!(unusable_labelled_count("a Blue Mug, quantity 3."), None);
    }

    #[test]
    fn sizes_and_colours_beside_the_name_are_options() {
        assert_eq!(Item::read("a medium Red Mug for Kim Lee").options, ["medium"]);
        assert_eq!(Item::read("a Linen Towel in blue, please").options, ["blue"]);
        assert_eq!(Item::read("the Large Print Bible").name, "Large Print Bible");
    }

    #[test]
    fn a_superlative_chooses_among_items() {
        let item = Item::read("the cheapest mug for Ada Lovelace");
        assert_eq!((item.name.as_str(), item.choice), ("mug", Some(Choice::Cheapest)));
    }
}
