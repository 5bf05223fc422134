//! Chooses among the options of a select or a group of radio buttons.

use crate::controls;
use crate::goal::states;
use crate::words;

/// Names and abbreviations of clothing and product sizes.
const SIZES: &[&[&str]] = &[
    &["xxs", "extra extra small", "2xs"],
    &["xs", "extra small", "x small"],
    &["s", "small", "sm"],
    &["m", "medium", "med"],
    &["l", "large", "lg"],
    &["xl", "extra large", "x large"],
    &["xxl", "extra extra large", "2xl", "2x large", "xx large"],
    &["xxxl", "3xl", "3x large"],
];

/// The option that a value names, by the strictest rule that any option meets.
pub(super) fn matching<'a>(options: &[&'a str], value: &str) -> Option<&'a str> {
    let wanted = words::stems(value);
    let is_usable = |option: &&&str| !controls::is_prompt(option);
    let exact = options.iter().filter(is_usable).find(|option| option.trim().eq_ignore_ascii_case(value.trim()));
    let equal = || options.iter().filter(is_usable).find(|option| words::stems(without_price(option)) == wanted);
    let alias = || options.iter().filter(is_usable).find(|option| is_alias(without_price(option), value));
    exact.or_else(equal).or_else(alias).copied().or_else(|| covering(options, &wanted))
}

/// The option with all the wanted words and the fewest others; none when two fit equally well.
fn covering<'a>(options: &[&'a str], wanted: &[String]) -> Option<&'a str> {
    if wanted.is_empty() {
        return None;
    }
    let mut fitting: Vec<(usize, &'a str)> = options
        .iter()
        .filter(|option| !controls::is_prompt(option))
        .map(|option| (words::stems(without_price(option)), *option))
        .filter(|(stems, _)| words::coverage(wanted, stems) == words::LIKENESS_MAX)
        .map(|(stems, option)| (stems.len(), option))
        .collect();
    fitting.sort_by_key(|(length, _)| *length);
    match fitting.as_slice() {
        [(_, only)] => Some(only),
        [(shortest, first), (second, _), ..] if shortest < second => Some(first),
        _ => None,
    }
}

/// `IL` and `Illinois`, `US` and `United States`, `L` and `Large`, `one` and `1`.
fn is_alias(option: &str, value: &str) -> bool {
    let (option, value) = (option.trim(), value.trim());
    let is_state = states::other_form(value).is_some_and(|other| other.eq_ignore_ascii_case(option));
    let names = states::names_of_country(value);
    let is_country = names.iter().any(|name| name.eq_ignore_ascii_case(option));
    let is_number = words::number(option).is_some() && words::number(option) == words::number(value);
    is_state || is_country || is_number || is_same_size(option, value)
}

pub(super) fn is_same_size(one: &str, other: &str) -> bool {
    size_of(one).is_some_and(|size| size_of(other) == Some(size))
}

fn size_of(text: &str) -> Option<usize> {
    let tokens = words::tokens(text);
    let tokens: Vec<&String> = tokens.iter().filter(|token| *token != "size").collect();
    let joined = tokens.iter().map(|token| token.as_str()).collect::<Vec<_>>().join(" ");
    SIZES.iter().position(|names| names.contains(&joined.as_str()))
}

/// The size that a stem of the goal names; its words were stemmed.
fn size_of_stem(word: &str) -> Option<usize> {
    SIZES.iter().position(|names| names.iter().any(|name| words::stem(name) == word))
}

/// The one option whose words all stand in the goal; none when two do equally well.
pub(super) fn named_in_goal<'a>(options: &[&'a str], goal_words: &[String]) -> Option<&'a str> {
    let mut best: Vec<(usize, &'a str)> = Vec::new();
    for option in options.iter().filter(|option| !controls::is_prompt(option)) {
        let stems = words::content_stems(without_price(option));
        let says_something = stems.iter().any(|stem| stem.chars().any(char::is_alphabetic) && stem.len() > 1);
        let is_named = says_something && words::coverage(&stems, goal_words) == words::LIKENESS_MAX;
        let size = size_of(without_price(option));
        let is_size = size.is_some() && goal_words.iter().any(|word| word.len() > 1 && size_of_stem(word) == size);
        if is_named || is_size {
            best.push((stems.len(), option));
        }
    }
    let longest = best.iter().map(|(length, _)| *length).max()?;
    let mut longest_ones = best.iter().filter(|(length, _)| *length == longest);
    match (longest_ones.next(), longest_ones.next()) {
        (Some((_, only)), None) => Some(only),
        _ => None,
    }
}

/// An option without its price or remark: `Large (+$2.00)` is `Large`, `Blue Mug — $12.00` is `Blue Mug`.
pub(super) fn without_price(option: &str) -> &str {
    let price = option.find(['$', '€', '£', '¥', '₹']).filter(|at| *at > 0);
    let bracket = option.find(['(', '[']).filter(|at| *at > 0);
    let end = [price, bracket].into_iter().flatten().min().unwrap_or(option.len());
    option[..end].trim().trim_end_matches(['-', '–', '—', '+', ':', ',', '|', ' '])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_find_their_options_in_other_words() {
        assert_eq!(matching(&["Select…", "Illinois", "Indiana"], "IL"), Some("Illinois"));
        assert_eq!(matching(&["S", "M", "L"], "large"), Some("L"));
        assert_eq!(matching(&["Small", "Large (+$2.00)"], "large"), Some("Large (+$2.00)"));
        assert_eq!(matching(&["1", "2", "3"], "two"), Some("2"));
        assert_eq!(
            matching(&["Canada", "United States of America"], "United States"),
            Some("United States of America")
        );
        assert_eq!(matching(&["Extra large", "Large"], "large"), Some("Large"));
        assert_eq!(matching(&["Red", "Green"], "blue"), None);
    }

    #[test]
    fn the_goal_names_an_option_only_when_it_is_the_only_one() {
        let goal = words::content_stems("Order one Blue Mug in blue, size large");
        assert_eq!(named_in_goal(&["Red", "Blue"], &goal), Some("Blue"));
        assert_eq!(named_in_goal(&["Blue Mug — $12.00", "Red Mug — $12.00"], &goal), Some("Blue Mug — $12.00"));
        assert_eq!(named_in_goal(&["klein", "L"], &goal), Some("L"));
        assert_eq!(named_in_goal(&["Mug", "Blue"], &goal), None);
    }
}
