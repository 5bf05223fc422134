//! Finds a postal address in a sentence: the comma-separated parts after its street line.

use regex::Regex;
use std::sync::LazyLock;

use super::states;

/// The parts of one address, as the goal wrote them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Address {
    /// The whole address on one line.
    pub whole: String,
    pub street: String,
    pub street2: Option<String>,
    pub city: Option<String>,
    pub state: Option<String>,
    pub zip: Option<String>,
    pub country: Option<String>,
}

/// Parts of an address that are looked at after the street line.
const PARTS_MAX: usize = 6;

const SUFFIX: &str = r"(?:St|Street|Ave|Avenue|Av|Rd|Road|Blvd|Boulevard|Ln|Lane|Dr|Drive|Ct|Court|Way|Pl|Place|Sq|Square|Ter|Terrace|Pkwy|Parkway|Hwy|Highway|Cir|Circle|Close|Crescent|Gardens|Row|Walk|Broadway|Quay|Mews|Hill|Park|Trail|Trl|Loop|Alley)";

fn pattern(text: &str) -> Option<Regex> {
    Regex::new(text).ok()
}

/// `12 Main St`, `221B Baker Street`, `500 W 5th Ave`.
static STREET_WITH_SUFFIX: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(&format!(
        r"\b\d+[A-Za-z]?(?:[-/]\d+)?\s+(?:[A-Z0-9][\w.'-]*\s+){{1,5}}{SUFFIX}\b\.?(?:\s+(?:[NSEW]|NE|NW|SE|SW)\b)?|\b\d+[A-Za-z]?\s+Broadway\b"
    ))
});

/// A whole part that is a number and a name: `12 Elm`, `10 Rue de Rivoli`, `Hauptstraße 5`.
static STREET_PART: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"^(?:.*\b(?:at|to|address(?:\s+is)?:?)\s+)?(?P<street>\d+[A-Za-z]?(?:[-/]\d+)?\s+\p{L}[\p{L}\d .'-]{1,60}|\p{Lu}[\p{L}.-]+(?:\s[\p{L}.-]+){0,3}\s\d+\s?[a-z]?)$",
    )
});

static STATE_ZIP: LazyLock<Option<Regex>> =
    LazyLock::new(|| pattern(r"^(?P<state>[A-Za-z][A-Za-z. ]+?)\s+(?P<zip>\d{5}(?:-\d{4})?|[A-Z]\d[A-Z] ?\d[A-Z]\d)$"));
static ZIP_CITY: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(r"^(?:[A-Z]{1,2}-)?(?P<zip>\d{4,6}|\d{3} \d{2}|\d{4} ?[A-Z]{2})\s+(?P<city>\p{Lu}[\p{L} .'-]+)$")
});
static CITY_ZIP: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(r"^(?P<city>\p{Lu}[\p{L} .'-]+?)\s+(?P<zip>[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}|\d{4,6}(?:-\d{3,4})?)$")
});
static CITY_STATE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(r"^(?P<city>\p{Lu}[\p{L} .'-]+?)\s+(?P<state>[A-Z]{2})(?:\s+(?P<zip>\d{5}(?:-\d{4})?))?$")
});
static ZIP_ONLY: LazyLock<Option<Regex>> =
    LazyLock::new(|| pattern(r"^(?:[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}|[A-Z]\d[A-Z] ?\d[A-Z]\d|\d{4,6}(?:-\d{3,4})?)$"));
static UNIT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?i)^(?:apt|apartment|suite|ste|unit|flat|floor|fl|room|rm|#)\.?\s*#?[\w-]+(?:\s+floor)?$|(?i)^\d+(?:st|nd|rd|th) floor$",
    )
});

/// The first address in the text; `text` has plain quotation marks.
#[must_use]
pub fn find(text: &str) -> Option<Address> {
    let (start, street) = street_in(text)?;
    let after = &text[start + street.len()..];
    let mut address = Address { street: street.trim().to_owned(), ..Address::default() };
    let mut end = start + street.len();
    if let Some(tail) = after.strip_prefix(' ').filter(|tail| !tail.starts_with(',')) {
        end += take_unseparated(tail, &mut address);
    }
    for part in parts_after(text, end) {
        let read = before_clause(part.trim_start());
        if !take_part(read, &mut address) {
            break;
        }
        end = offset_of(text, part) + (part.len() - part.trim_start().len()) + read.len();
        if read.len() < part.trim().len() {
            break;
        }
    }
    address.whole = text[start..end].trim().trim_end_matches(['.', ',']).replace(';', ",");
    Some(address)
}

fn offset_of(text: &str, part: &str) -> usize {
    part.as_ptr() as usize - text.as_ptr() as usize
}

fn street_in(text: &str) -> Option<(usize, String)> {
    if let Some(found) = STREET_WITH_SUFFIX.as_ref().and_then(|street| street.find(text)) {
        return Some((found.start(), found.as_str().to_owned()));
    }
    let pattern = STREET_PART.as_ref()?;
    let parts: Vec<&str> = text.split([',', '\n', ';', '(', ')']).collect();
    parts.iter().enumerate().find_map(|(index, part)| {
        let trimmed = part.trim();
        let has_label = trimmed.to_lowercase().contains("address");
        let is_followed = parts.get(index + 1).is_some_and(|next| next.trim().chars().any(char::is_alphabetic));
        let found = pattern.captures(trimmed)?.name("street")?;
        let is_whole_part = found.start() == 0 && index > 0;
        let is_announced = found.start() > 0;
        let is_street = (is_whole_part || is_announced) && (is_followed || has_label);
        is_street.then(|| (offset_of(text, trimmed) + found.start(), found.as_str().to_owned()))
    })
}

/// `12 Main St Springfield IL 62701`: the rest of the address follows without a comma.
fn take_unseparated(tail: &str, address: &mut Address) -> usize {
    let part = before_clause(tail.split([',', ';', '\n']).next().unwrap_or_default());
    let is_unit = UNIT.as_ref().is_some_and(|unit| unit.is_match(part.trim()));
    let matches = [&CITY_STATE, &CITY_ZIP]
        .iter()
        .any(|pattern| pattern.as_ref().is_some_and(|pattern| pattern.is_match(part.trim())));
    if (is_unit || matches) && take_part(part.trim(), address) { part.trim_end().len() + 1 } else { 0 }
}

fn parts_after(text: &str, end: usize) -> Vec<&str> {
    let rest = &text[end..];
    match rest.trim_start_matches(' ').strip_prefix([',', ';', '\n']) {
        Some(parts) => parts.split([',', ';', '\n']).take(PARTS_MAX).collect(),
        None => Vec::new(),
    }
}

/// Reads one part into the address; false when it is not part of one.
fn take_part(part: &str, address: &mut Address) -> bool {
    let matched =
        |pattern: &'static LazyLock<Option<Regex>>| pattern.as_ref().and_then(|pattern| pattern.captures(part));
    if part.is_empty() {
        return false;
    }
    if matched(&UNIT).is_some() {
        address.street2 = Some(part.to_owned());
        return true;
    }
    if let Some(found) = matched(&STATE_ZIP).filter(|found| states::is_state(found["state"].trim())) {
        address.state = Some(found["state"].trim().to_owned());
        address.zip = Some(found["zip"].to_owned());
        return true;
    }
    if matched(&ZIP_ONLY).is_some() && address.zip.is_none() {
        address.zip = Some(part.to_owned());
        return true;
    }
    if states::is_state(part) && address.city.is_some() && address.state.is_none() {
        address.state = Some(part.to_owned());
        return true;
    }
    if states::is_country(part) && address.country.is_none() {
        address.country = Some(part.to_owned());
        return true;
    }
    take_city(part, address)
}

fn take_city(part: &str, address: &mut Address) -> bool {
    if address.city.is_some()
        || !part.starts_with(char::is_uppercase) && !part.starts_with(|c: char| c.is_ascii_digit())
    {
        return false;
    }
    let patterns: [&'static LazyLock<Option<Regex>>; 3] = [&CITY_STATE, &ZIP_CITY, &CITY_ZIP];
    for pattern in patterns {
        let Some(found) = pattern.as_ref().and_then(|pattern| pattern.captures(part)) else { continue };
        let state = found.name("state").map(|state| state.as_str());
        if state.is_some_and(|state| !states::is_state(state)) {
            continue;
        }
        address.city = Some(found["city"].to_owned());
        address.state = state.map(str::to_owned).or(address.state.take());
        address.zip = found.name("zip").map(|zip| zip.as_str().to_owned()).or(address.zip.take());
        return true;
    }
    let is_name = part.split_whitespace().count() <= 4
        && part.chars().all(|c| c.is_alphabetic() || matches!(c, ' ' | '.' | '\'' | '-'));
    if is_name {
        address.city = Some(part.to_owned());
    }
    is_name
}

/// The part up to words that begin something else: `IL 62701 with express shipping`.
fn before_clause(part: &str) -> &str {
    let ends = [" with ", " using ", " by ", " and ", " then ", " via ", " (", ". ", " phone", " email", " e-mail"];
    let end = ends.iter().filter_map(|end| part.find(end)).min().unwrap_or(part.len());
    part[..end].trim().trim_end_matches(['.', ';', ')', '"'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_us_address_falls_into_its_parts() {
        let found =
            find("one Blue Mug (size large) for Ada Lovelace, 12 Main St, Springfield, IL 62701").expect("an address");
        assert_eq!(found.whole, "12 Main St, Springfield, IL 62701");
        assert_eq!((found.street.as_str(), found.city.as_deref()), ("12 Main St", Some("Springfield")));
        assert_eq!((found.state.as_deref(), found.zip.as_deref()), (Some("IL"), Some("62701")));
    }

    #[test]
    fn units_state_names_and_what_follows_are_told_apart() {
        let found =
            find("ship to Bob Ray at 500 West 5th Avenue, Apt 4B, New York, New York 10001-1234 with express shipping")
                .expect("an address");
        assert_eq!(found.street, "500 West 5th Avenue");
        assert_eq!(found.street2.as_deref(), Some("Apt 4B"));
        assert_eq!((found.state.as_deref(), found.zip.as_deref()), (Some("New York"), Some("10001-1234")));
    }

    #[test]
    fn addresses_of_other_countries_are_read() {
        let german = find("for Max Muster, Hauptstraße 5, 10115 Berlin, Germany").expect("an address");
        assert_eq!(
            (german.street.as_str(), german.zip.as_deref(), german.city.as_deref()),
            ("Hauptstraße 5", Some("10115"), Some("Berlin"))
        );
        assert_eq!(german.country.as_deref(), Some("Germany"));
        let british = find("for Jo Ray, 10 Downing Street, London SW1A 2AA").expect("an address");
        assert_eq!((british.city.as_deref(), british.zip.as_deref()), (Some("London"), Some("SW1A 2AA")));
    }

    #[test]
    fn an_address_without_commas_is_read() {
        let found = find("deliver it to 7 Oak Lane Portland OR 97201").expect("an address");
        assert_eq!(
            (found.street.as_str(), found.city.as_deref(), found.state.as_deref()),
            ("7 Oak Lane", Some("Portland"), Some("OR"))
        );
    }

    #[test]
    fn counts_of_things_are_no_address() {
        assert_eq!(find("2 Blue Mugs for Ada, please"), None);
        assert_eq!(find("the top 3 stories, with title and url"), None);
    }
}
