//! Facts a goal states: names, addresses, numbers, quoted texts, and labels with values.

use regex::Regex;
use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::address;
use super::labels;
use super::meaning::{self, Meaning};
use super::states;
use crate::words;

/// A value with the label the goal gave it; the label is empty for a bare option such as `(large)`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Labelled {
    pub label: Vec<String>,
    pub value: String,
}

/// What the goal says about the world, ready to be typed into forms.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Facts {
    pub known: BTreeMap<Meaning, String>,
    /// In the order of the goal.
    pub labelled: Vec<Labelled>,
    /// Stems of all words of the acting clauses: options are chosen by them.
    pub words: Vec<String>,
    /// Dates and times without regard to labels, in the order of the goal.
    pub dates: Vec<String>,
    pub times: Vec<String>,
    /// Quoted texts, in the order of the goal.
    pub quoted: Vec<String>,
}

static EMAIL: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\.[A-Za-z]{2,}").ok());
static PHONE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?:\+\d{1,3}[ .-]?)?(?:\(\d{2,4}\)[ .-]?)?\d{2,4}(?:[ .-]\d{2,4}){1,4}\b|\+\d{8,15}\b|\b\d{10}\b").ok()
});
static PERSON: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r#"\b(?P<before>(?i:for|to|name(?:d| is)?|called|recipient|customer|behalf of|i am|i'm|as|attention|attn|from|is))\s*:?\s+"?(?P<name>(?:(?:Mr|Mrs|Ms|Dr|Prof)\.?\s+)?\p{Lu}[\p{L}'-]+(?:\s+(?:\p{Lu}\.|de|da|van|von|der|den|la|le|bin|al|\p{Lu}[\p{L}'-]+)){1,3})"#).ok()
});
static ONE_NAME: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"\b(?i:for|name is|named)\s+(?P<name>\p{Lu}[\p{L}'-]+)\s*(?:,|$|\.|\bat\b|\band\b|\bwith\b)").ok()
});
/// A comma inside a date would end a value: `March 5, 2027`.
static DATE_COMMA: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?i)\b((?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s+\d{1,2}(?:st|nd|rd|th)?),\s+(\d{4})\b",
    )
    .ok()
});
static DATE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s+\d{1,2}(?:st|nd|rd|th)?\s+\d{4}|\d{1,2}(?:st|nd|rd|th)?\s+(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s+\d{4}|\d{4}-\d{2}-\d{2}|\d{1,2}/\d{1,2}/\d{4}|\d{1,2}\.\d{1,2}\.\d{4})\b").ok()
});
static USER: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r#"(?i)\b(?:log|sign)[ -]?(?:in|on)\s+(?:to\s+[^,.;]{1,30}?\s+)?as\s+(?:user\s+|the\s+user\s+)?"?([^\s"(]+)"#,
    )
    .ok()
});
static USER_AND_PASSWORD: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r#"(?i)\b(?:login|log[ -]?in(?:to)?|sign[ -]?in(?:to)?)\b.{0,40}?\b(?:using|with|as)\s+"?([^\s/,"]+)"?\s*/\s*"?([^\s,;"]+)"#).ok()
});
static TIME: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?i)\b(?:\d{1,2}:\d{2}(?:\s*[ap]\.?m\b)?|\d{1,2}\s*[ap]m\b)").ok());

impl Facts {
    /// Reads the acting parts of a goal (plain quotation marks, no reading clauses).
    #[must_use]
    pub fn read(text: &str) -> Self {
        let text = DATE_COMMA.as_ref().map_or(text.into(), |pattern| pattern.replace_all(text, "$1 $2"));
        let text = text.as_ref();
        let all = |pattern: &LazyLock<Option<Regex>>| -> Vec<String> {
            let found = pattern.as_ref().map(|pattern| pattern.find_iter(text)).into_iter().flatten();
            found.map(|found| found.as_str().to_owned()).collect()
        };
        let mut facts =
            Self { words: words::content_stems(text), dates: all(&DATE), times: all(&TIME), ..Self::default() };
        facts.quoted = text.split('"').skip(1).step_by(2).map(str::to_owned).collect();
        facts.read_labels(text);
        facts.read_patterns(text);
        facts.read_address(text);
        facts.read_user(text);
        facts.read_birth(text);
        facts.read_person(text);
        facts.complete_names();
        facts.complete_address();
        facts
    }

    /// A person's answer to a question about the field with this label.
    pub fn add_answer(&mut self, label: &str, answer: &str) {
        self.labelled.insert(0, Labelled { label: words::content_stems(label), value: answer.trim().to_owned() });
        if let Some(meaning) = meaning::of_label(label) {
            self.known.insert(meaning, answer.trim().to_owned());
        }
        self.words.extend(words::content_stems(answer));
        self.complete_names();
    }

    /// Options that the goal named without a label.
    pub fn add_options(&mut self, options: &[String]) {
        let bare = options.iter().map(|value| Labelled { label: Vec::new(), value: value.clone() });
        self.labelled.extend(bare);
    }

    /// The only quoted text that belongs to nothing else is what is to be said.
    pub fn read_quoted_message(&mut self) {
        let [only] = self.quoted.as_slice() else { return };
        let has_place = self.known.values().any(|value| value == only);
        if !has_place && !only.contains('@') {
            self.known.entry(Meaning::Message).or_insert_with(|| only.clone());
        }
    }

    fn read_labels(&mut self, text: &str) {
        for (label, value) in labels::find(text) {
            self.add(&label, &value);
        }
        for (label, value) in labels::in_brackets(text) {
            if label.is_empty() {
                self.labelled.push(Labelled { label: Vec::new(), value });
            } else {
                self.add(&label, &value);
            }
        }
    }

    /// Adds a labelled value unless the label already has one; known meanings keep their first plausible value.
    fn add(&mut self, label: &str, value: &str) {
        let value = value.trim().trim_matches('"').trim();
        let stems = words::content_stems(label);
        if value.is_empty()
            || stems.is_empty()
            || label.is_empty()
            || self.labelled.iter().any(|known| known.label == stems)
        {
            return;
        }
        if let Some(meaning) = meaning::of_label(label) {
            if !is_plausible(meaning, value) {
                return;
            }
            self.known.entry(meaning).or_insert_with(|| value.to_owned());
        }
        self.labelled.push(Labelled { label: stems, value: value.to_owned() });
    }

    fn read_patterns(&mut self, text: &str) {
        let unquoted = super::clauses::masked(text);
        if let Some(email) = EMAIL.as_ref().and_then(|pattern| pattern.find(text)) {
            self.known.entry(Meaning::Email).or_insert_with(|| email.as_str().trim_end_matches('.').to_owned());
        }
        if !self.known.contains_key(&Meaning::Phone)
            && let Some(phone) = phone_in(&unquoted)
        {
            self.known.insert(Meaning::Phone, phone);
        }
    }

    fn read_address(&mut self, text: &str) {
        let Some(found) = address::find(text) else { return };
        let country =
            found.country.clone().or_else(|| found.state.as_deref().and_then(states::country_of).map(str::to_owned));
        let parts = [
            (Meaning::Street, Some(found.street)),
            (Meaning::Street2, found.street2),
            (Meaning::City, found.city),
            (Meaning::State, found.state),
            (Meaning::Zip, found.zip),
            (Meaning::Country, country),
        ];
        self.known.insert(Meaning::Address, found.whole);
        for (meaning, value) in parts {
            if let Some(value) = value {
                self.known.entry(meaning).or_insert(value);
            }
        }
    }

    /// `born 3 February 1990`, `born on 02/03/1990`.
    fn read_birth(&mut self, text: &str) {
        let born = text.to_lowercase().find("born ");
        let date =
            born.and_then(|at| text.get(at..)).and_then(|rest| DATE.as_ref().and_then(|pattern| pattern.find(rest)));
        if let Some(date) = date {
            self.known.entry(Meaning::BirthDate).or_insert_with(|| date.as_str().to_owned());
        }
    }

    /// `Log in as ada`: what follows is a user name.
    fn read_user(&mut self, text: &str) {
        let found = USER.as_ref().and_then(|pattern| pattern.captures(text));
        if let Some(pair) = USER_AND_PASSWORD.as_ref().and_then(|pattern| pattern.captures(text)) {
            self.known.entry(Meaning::Username).or_insert_with(|| pair[1].to_owned());
            self.known.entry(Meaning::Password).or_insert_with(|| pair[2].trim_end_matches('.').to_owned());
        }
        if let Some(name) = found.and_then(|found| found.get(1)).filter(|name| !name.as_str().contains('@')) {
            self.known
                .entry(Meaning::Username)
                .or_insert_with(|| name.as_str().trim_end_matches(['.', ',']).to_owned());
        }
    }

    fn read_person(&mut self, text: &str) {
        let has_name =
            [Meaning::FullName, Meaning::FirstName, Meaning::LastName].iter().any(|part| self.known.contains_key(part));
        if has_name {
            return;
        }
        let people = PERSON.as_ref().map(|pattern| pattern.captures_iter(text)).into_iter().flatten();
        let mut names = people.map(|found| found["name"].trim().to_owned()).filter(|name| is_person(name));
        let one = || ONE_NAME.as_ref().and_then(|pattern| pattern.captures(text)).map(|found| found["name"].to_owned());
        if let Some(name) = names.next().or_else(one) {
            self.known.insert(Meaning::FullName, name);
        }
    }

    /// The whole address from its labelled parts, and the country of a state.
    fn complete_address(&mut self) {
        let part = |meaning: Meaning| self.known.get(&meaning).cloned();
        let Some(street) = part(Meaning::Street).or_else(|| part(Meaning::Address)) else { return };
        let whole = part(Meaning::Address).unwrap_or_default();
        let is_whole = [Meaning::City, Meaning::Zip]
            .iter()
            .filter_map(|meaning| self.known.get(meaning))
            .all(|part| whole.contains(part.as_str()));
        if !is_whole {
            let region: Vec<String> = [Meaning::State, Meaning::Zip].into_iter().filter_map(part).collect();
            let lines = [Some(street.clone()), part(Meaning::Street2), part(Meaning::City), Some(region.join(" "))];
            let lines: Vec<String> = lines.into_iter().flatten().filter(|line| !line.is_empty()).collect();
            self.known.insert(Meaning::Street, street);
            self.known.insert(Meaning::Address, lines.join(", "));
        }
        if let Some(country) = self.known.get(&Meaning::State).and_then(|state| states::country_of(state)) {
            self.known.entry(Meaning::Country).or_insert_with(|| country.to_owned());
        }
    }

    /// First and last name from the whole name, and the reverse.
    fn complete_names(&mut self) {
        if let Some(full) = self.known.get(&Meaning::FullName).cloned() {
            let (first, last) = split_name(&full);
            self.known.entry(Meaning::FirstName).or_insert(first);
            if let Some(last) = last {
                self.known.entry(Meaning::LastName).or_insert(last);
            }
        } else if let (Some(first), Some(last)) =
            (self.known.get(&Meaning::FirstName), self.known.get(&Meaning::LastName))
        {
            let full = format!("{first} {last}");
            self.known.insert(Meaning::FullName, full);
        }
    }
}

/// Particles that belong to the last name.
const PARTICLES: &[&str] = &["de", "da", "van", "von", "der", "den", "la", "le", "bin", "al"];

fn split_name(full: &str) -> (String, Option<String>) {
    let titles = ["Mr", "Mr.", "Mrs", "Mrs.", "Ms", "Ms.", "Dr", "Dr.", "Prof", "Prof."];
    let parts: Vec<&str> = full.split_whitespace().filter(|part| !titles.contains(part)).collect();
    let Some((_, before)) = parts.split_last().filter(|(_, before)| !before.is_empty()) else {
        return (parts.join(" "), None);
    };
    let particle = before.iter().skip(1).position(|part| PARTICLES.contains(part)).map(|at| at + 1);
    let last_start = particle.unwrap_or(before.len());
    (parts[..last_start].join(" "), Some(parts[last_start..].join(" ")))
}

fn is_person(name: &str) -> bool {
    let not_names = [
        "Monday",
        "Tuesday",
        "Wednesday",
        "Thursday",
        "Friday",
        "Saturday",
        "Sunday",
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
        "New",
        "San",
        "Los",
        "United",
        "The",
        "Page",
        "Home",
        "Contact",
        "About",
        "Sign",
        "Log",
    ];
    let first = name.split_whitespace().next().unwrap_or_default();
    !not_names.contains(&first) && !states::is_state(name) && !states::is_country(name)
}

fn phone_in(text: &str) -> Option<String> {
    let pattern = PHONE.as_ref()?;
    pattern.find_iter(text).find_map(|found| {
        let digits = found.as_str().chars().filter(char::is_ascii_digit).count();
        let is_date = found.as_str().split('-').count() == 3
            && found.as_str().len() == 10
            && found.as_str().split('-').next().is_some_and(|year| year.len() == 4);
        let is_card = digits >= 13 && !found.as_str().starts_with('+');
        ((7..=15).contains(&digits) && !is_date && !is_card).then(|| found.as_str().trim().to_owned())
    })
}

/// Words that begin a phrase and no value: `name and price`, `message from Jo`.
#[rustfmt::skip]
const NO_VALUES: &[&str] = &[
    "and", "or", "of", "the", "is", "in", "field", "box", "from", "to", "about", "with", "saying", "that", "via",
    "through", "on", "at", "by", "form", "below", "above", "page",
];

/// Whether a value can be what its label says; `name and price` gives no name.
fn is_plausible(meaning: Meaning, value: &str) -> bool {
    let first = value.split_whitespace().next().unwrap_or_default().to_lowercase();
    if NO_VALUES.contains(&first.as_str()) {
        return false;
    }
    let is_secret = value.starts_with('[') || value.starts_with("secret");
    let digits = value.chars().filter(char::is_ascii_digit).count();
    match meaning {
        Meaning::Email => is_secret || value.contains('@'),
        Meaning::Phone => is_secret || digits >= 5,
        Meaning::Zip => digits >= 2,
        Meaning::Quantity => words::number(value.split_whitespace().next().unwrap_or_default()).is_some(),
        Meaning::FullName | Meaning::FirstName | Meaning::LastName | Meaning::City => !value.contains(['@', '/']),
        Meaning::Address | Meaning::Street => value.split_whitespace().count() >= 2 && !value.contains('@'),
        Meaning::Country | Meaning::State => value.split_whitespace().count() <= 4,
        Meaning::MiddleName
        | Meaning::Street2
        | Meaning::Company
        | Meaning::Username
        | Meaning::Password
        | Meaning::NewPassword
        | Meaning::OneTimeCode
        | Meaning::Subject
        | Meaning::Message
        | Meaning::Product
        | Meaning::Coupon
        | Meaning::BirthDate
        | Meaning::CardNumber
        | Meaning::CardExpiry
        | Meaning::CardCode
        | Meaning::CardName
        | Meaning::Search => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(text: &str, meaning: Meaning) -> Option<String> {
        Facts::read(&super::super::clauses::with_plain_quotes(text)).known.get(&meaning).cloned()
    }

    fn labelled(text: &str, label: &str) -> Option<String> {
        let facts = Facts::read(&super::super::clauses::with_plain_quotes(text));
        let wanted = words::content_stems(label);
        facts.labelled.into_iter().find(|fact| fact.label == wanted).map(|fact| fact.value)
    }

    #[test]
    fn the_order_goal_names_a_person_and_an_option() {
        let text = "one Blue Mug (size large) for Ada Lovelace, 12 Main St, Springfield, IL 62701";
        assert_eq!(known(text, Meaning::FullName).as_deref(), Some("Ada Lovelace"));
        assert_eq!(known(text, Meaning::LastName).as_deref(), Some("Lovelace"));
        assert_eq!(known(text, Meaning::Country).as_deref(), Some("United States"));
        assert_eq!(labelled(text, "size").as_deref(), Some("large"));
        assert_eq!(known(text, Meaning::Phone), None);
    }

    #[test]
    fn a_message_goal_names_subject_and_message() {
        let text = "a message with subject \"Opening hours\" and message \"Are you open on Sunday?\" from Jo Ray, jo@example.org";
        assert_eq!(known(text, Meaning::Subject).as_deref(), Some("Opening hours"));
        assert_eq!(known(text, Meaning::Message).as_deref(), Some("Are you open on Sunday?"));
        assert_eq!(known(text, Meaning::Email).as_deref(), Some("jo@example.org"));
        assert_eq!(known(text, Meaning::FullName).as_deref(), Some("Jo Ray"));
    }

    #[test]
    fn spoken_labels_end_where_the_next_begins() {
        let text =
            "with username alice and password [secret shop_password], phone +1 555 010 2000, date of birth 1990-02-03";
        assert_eq!(known(text, Meaning::Username).as_deref(), Some("alice"));
        assert_eq!(known(text, Meaning::Password).as_deref(), Some("[secret shop_password]"));
        assert_eq!(known(text, Meaning::Phone).as_deref(), Some("+1 555 010 2000"));
        assert_eq!(known(text, Meaning::BirthDate).as_deref(), Some("1990-02-03"));
    }

    #[test]
    fn lists_with_colons_are_facts() {
        let text = "the quote form: Full name: John Smith; Coverage: Standard; Vehicle year = 2019";
        assert_eq!(known(text, Meaning::FullName).as_deref(), Some("John Smith"));
        assert_eq!(labelled(text, "coverage").as_deref(), Some("Standard"));
        assert_eq!(labelled(text, "vehicle year").as_deref(), Some("2019"));
    }

    #[test]
    fn values_come_before_their_labels_too() {
        assert_eq!(labelled("\"Berlin\" in the destination field", "destination").as_deref(), Some("Berlin"));
        assert_eq!(labelled("select Blue for the color", "color").as_deref(), Some("Blue"));
        assert_eq!(labelled("set the party size to 4", "party size").as_deref(), Some("4"));
    }

    #[test]
    fn names_with_particles_are_split_before_the_particle() {
        assert_eq!(split_name("Ludwig van Beethoven"), ("Ludwig".to_owned(), Some("van Beethoven".to_owned())));
        assert_eq!(split_name("Dr. Mary Ann Smith"), ("Mary Ann".to_owned(), Some("Smith".to_owned())));
        assert_eq!(split_name("Plato"), ("Plato".to_owned(), None));
    }
}
