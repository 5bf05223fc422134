//! How many items a goal wants.

use regex::Regex;
use std::sync::LazyLock;

use super::clauses::{ClauseKind, masked, split, with_plain_quotes};
use crate::words;

const NUMBER: &str = r"(\d{1,3}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|dozen)";
const RANK: &str = r"(?:top|first|last|latest|newest|most recent|best|cheapest|lowest[- ]priced|most expensive|highest[- ]rated|highest|lowest|biggest|largest|smallest|most popular|recent|oldest|next)";
const ITEM: &str = r"(?:stor(?:y|ies)|articles?|results?|items?|posts?|products?|headlines?|links?|rows?|entr(?:y|ies)|jobs?|books?|news|comments?|reviews?|questions?|titles?|positions?|listings?|offers?|events?|movies?|songs?|repositories|papers?|names?|prices?)";

/// `top 3`, `first five`, `3 cheapest`, `the 10 latest`.
static RANKED: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    [
        format!(r"(?i)\b{RANK}\s+{NUMBER}\b(?:\s+[a-z])?"),
        format!(r"(?i)\b{NUMBER}\s+(?:\w+\s+)?{RANK}\b"),
        format!(r"(?i)\b(?:the|me|of|only|just|exactly|up to|get|list|show|find|return|read|extract|collect|give me)\s+(?:the\s+)?{NUMBER}\s+(?:\w+\s+){{0,2}}{ITEM}\b"),
    ]
    .iter()
    .filter_map(|pattern| Regex::new(pattern).ok())
    .collect()
});

static SINGLE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)\bthe\s+(?:very\s+)?(?:top|first|latest|newest|most recent|cheapest|best|most expensive|highest[- ]rated)\s+(?:\w+\s+)?(?:story|article|result|item|post|product|headline|entry|job|book|comment|review|question|listing|offer|event|movie|song|paper)\b").ok()
});

/// How many items the reading part of the goal asks for: `Get the top 3 stories` wants 3. `None` when it names no count.
#[must_use]
pub fn wanted_count(goal: &str) -> Option<usize> {
    let plain = with_plain_quotes(goal);
    let (_, clauses) = split(&plain);
    let reading = clauses.iter().filter(|clause| clause.kind == ClauseKind::Read);
    let texts: Vec<String> = reading.map(|clause| masked(&format!("{} {}", clause.verb, clause.rest))).collect();
    texts.iter().find_map(|text| ranked_count(text)).or_else(|| {
        let is_single = |text: &String| SINGLE.as_ref().is_some_and(|pattern| pattern.is_match(text));
        texts.iter().any(is_single).then_some(1)
    })
}

fn ranked_count(text: &str) -> Option<usize> {
    let found = RANKED.iter().find_map(|pattern| pattern.captures(text))?;
    words::number(found.get(1)?.as_str()).filter(|count| *count > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_read_from_digits_and_words() {
        for (goal, count) in [
            ("Get the top 3 stories on the front page.", Some(3)),
            ("List the first five articles", Some(5)),
            ("Find the 3 cheapest laptops", Some(3)),
            ("Search for lamps and return the ten most recent products", Some(10)),
            ("Get 5 headlines", Some(5)),
            ("Give me the first story", Some(1)),
            ("Open the shop and get the name and the price of the product.", None),
            ("Order 2 mugs for Ada, 12 Main St, and tell me the total", None),
            ("Get the first name of the author", None),
            ("What is the weather in 3 days?", None),
        ] {
            assert_eq!(wanted_count(goal), count, "{goal}");
        }
    }
}
