//! What an action would send where, and at what price: shown to the person who is asked, and what an approval holds for.

use errand_domain::limits::{PAUSE_ITEMS_MAX, PAUSE_VALUE_CHARS_MAX, PAUSE_VALUES_MAX};
use errand_domain::run::{SentValue, Stakes};
use url::Url;

use super::money;
use crate::controls;
use crate::observation::{Element, Form, Observation, SentControl};

/// Stands for the page's own random values: they say nothing to a person, and change with every load.
const TOKEN: &str = "[token]";
/// Shorter values are words, numbers and codes that mean something.
const TOKEN_CHARS_MIN: usize = 16;

/// What pressing this element would do.
pub(super) fn stakes(pressed: Option<&Element>, observation: &Observation) -> Stakes {
    let Some(pressed) = pressed else { return Stakes::default() };
    let text = region(pressed, observation);
    let items = money::items(text).into_iter().take(PAUSE_ITEMS_MAX).map(|item| short(&item)).collect();
    let target = destination(pressed, observation).and_then(|url| host_of(&url));
    let values = sent(pressed, observation).into_iter().take(PAUSE_VALUES_MAX);
    let shown = |control: SentControl| SentValue {
        value: short(&shown_value(&control)),
        name: short(&control.name),
        label: short(control.label.trim().trim_end_matches([':', '*', ' '])),
    };
    let total = money::total(&pressed.name, text).map(|total| short(&total));
    Stakes { total, items, target, values: values.map(shown).collect() }
}

/// Everything an approval of pressing this element holds for: where the request goes and how, what it sends, and what the
/// part of the page round it says. Tokens and clocks are left out, since they change by themselves.
pub(super) fn held(pressed: &Element, observation: &Observation) -> Vec<String> {
    let form = form_of(pressed, observation);
    let mut parts = vec![
        form.map(|form| format!("{}\n{}\n{}", form.method, form.action, form.encoding)).unwrap_or_default(),
        pressed.href.clone().unwrap_or_default(),
        without_clocks(region(pressed, observation)),
    ];
    for field in form.map(|form| form.fields.as_slice()).unwrap_or_default() {
        parts.extend([field.label.clone(), field.value.clone()]);
    }
    for control in sent(pressed, observation) {
        parts.extend([control.name.clone(), shown_value(&control)]);
    }
    parts
}

/// What differs between two askings, for the person who is asked again.
#[must_use]
pub fn changes(before: &Stakes, now: &Stakes) -> Vec<String> {
    let mut changes = Vec::new();
    let mut compare = |name: &str, before: Option<&str>, now: Option<&str>| {
        if before != now {
            let word = |value: Option<&str>| value.map_or_else(|| "not there".to_owned(), |value| format!("{value:?}"));
            changes.push(format!("{name} was {}, is {}", word(before), word(now)));
        }
    };
    compare("total", before.total.as_deref(), now.total.as_deref());
    compare("target", before.target.as_deref(), now.target.as_deref());
    let names = before.values.iter().chain(&now.values).map(|value| value.name.as_str());
    let mut seen = std::collections::BTreeSet::new();
    for name in names.filter(|name| seen.insert(*name)) {
        let value = |stakes: &Stakes| {
            let values: Vec<&str> =
                stakes.values.iter().filter(|value| value.name == name).map(|value| value.value.as_str()).collect();
            (!values.is_empty()).then(|| values.join(", "))
        };
        compare(name, value(before).as_deref(), value(now).as_deref());
    }
    changes
}

fn form_of<'a>(pressed: &Element, observation: &'a Observation) -> Option<&'a Form> {
    pressed.form.and_then(|form| observation.forms.get(form))
}

/// The text of the part of the page that the element stands in.
fn region<'a>(element: &Element, observation: &'a Observation) -> &'a str {
    element.region.and_then(|region| observation.regions.get(region)).map(String::as_str).unwrap_or_default()
}

/// Where the request would go; a script's is not known.
fn destination(pressed: &Element, observation: &Observation) -> Option<Url> {
    let form = form_of(pressed, observation).filter(|form| matches!(form.method.as_str(), "get" | "post"));
    let by_form = form.filter(|_| pressed.submits || controls::is_field(pressed)).map(|form| form.action.as_str());
    Url::parse(by_form.or(pressed.href.as_deref())?).ok()
}

/// `host`, with its port unless it is the scheme's own.
fn host_of(url: &Url) -> Option<String> {
    let host = url.host_str()?;
    Some(url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}")))
}

/// What the form sends when this button is pressed; a link sends its query.
fn sent(pressed: &Element, observation: &Observation) -> Vec<SentControl> {
    let Some(form) = form_of(pressed, observation) else { return query(pressed) };
    let name = pressed.control_name.clone().filter(|name| !name.is_empty());
    let own = pressed.sent_value.clone().zip(name).map(|(value, name)| SentControl {
        name,
        label: pressed.name.clone(),
        value,
        is_hidden: false,
    });
    form.sent.iter().cloned().chain(own).collect()
}

fn query(link: &Element) -> Vec<SentControl> {
    let Some(url) = link.href.as_deref().and_then(|href| Url::parse(href).ok()) else { return Vec::new() };
    let control = |(name, value): (std::borrow::Cow<'_, str>, std::borrow::Cow<'_, str>)| SentControl {
        name: name.into_owned(),
        label: String::new(),
        value: value.into_owned(),
        is_hidden: true,
    };
    url.query_pairs().map(control).collect()
}

fn shown_value(control: &SentControl) -> String {
    if is_token(control) { TOKEN.to_owned() } else { control.value.clone() }
}

/// A token's value is random: long, of one run of letters and digits, a digit in every few characters, under a hidden
/// control. Numbers, words, addresses and dates are not.
fn is_token(control: &SentControl) -> bool {
    let value = control.value.as_str();
    let is_one_run = value.chars().all(|c| c.is_ascii_alphanumeric() || "-_+/=.:~".contains(c));
    let letters = value.chars().filter(char::is_ascii_alphabetic).count();
    let digits = value.chars().filter(char::is_ascii_digit).count();
    let is_mixed = letters >= 3 && digits >= 2 && longest_word(value) < TOKEN_CHARS_MIN;
    let is_address = Url::parse(value).is_ok_and(|url| url.has_host());
    control.is_hidden && value.len() >= TOKEN_CHARS_MIN && is_one_run && is_mixed && !is_address
}

/// Length of the longest run of lower-case letters: random text has digits and capitals between.
fn longest_word(text: &str) -> usize {
    text.split(|c: char| !c.is_ascii_lowercase()).map(str::len).max().unwrap_or_default()
}

/// `12:04`, `9:59:01`: a clock on the page is no part of what is approved.
fn without_clocks(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for word in text.split_inclusive(char::is_whitespace) {
        let bare = word.trim_matches(|c: char| c.is_whitespace() || c.is_ascii_punctuation());
        let is_clock = bare.contains(':')
            && bare.split(':').all(|part| (1..=2).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit()));
        plain.push_str(&if is_clock { word.replace(|c: char| c.is_ascii_digit(), "#") } else { word.to_owned() });
    }
    plain
}

fn short(text: &str) -> String {
    if text.chars().count() <= PAUSE_VALUE_CHARS_MAX {
        return text.to_owned();
    }
    let mut cut: String = text.chars().take(PAUSE_VALUE_CHARS_MAX - 1).collect();
    cut.push('…');
    cut
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hidden(value: &str) -> SentControl {
        SentControl { name: "x".to_owned(), label: String::new(), value: value.to_owned(), is_hidden: true }
    }

    #[test]
    fn only_long_random_hidden_values_are_tokens() {
        for token in [
            "9f8a7c6b5d4e3f2a1b0c",
            "IjM4ZjQ1ZTg0NzE2ZGY1NGE4Zjg0ZTAxMmQ2ZTQ4Nzg3ZmI0ZjUi.Zx8w2A.k3",
            "5b1e4a50-0f6f-4a0e-9d7b-2f6f0f5f8a11",
            "form-Qz8sXk2mP0v7tR4yLw1e",
        ] {
            assert!(is_token(&hidden(token)), "{token}");
        }
        for value in ["1", "9999", "4111222233334444", "expensive-and-large-mug", "ada@example.com", "2026-12-01"] {
            assert!(!is_token(&hidden(value)), "{value}");
        }
        assert!(!is_token(&hidden("https://shop.example/order/12345678")));
        assert!(!is_token(&SentControl { is_hidden: false, ..hidden("9f8a7c6b5d4e3f2a1b0c") }));
    }

    #[test]
    fn a_clock_is_no_part_of_what_is_approved_and_a_sum_is() {
        assert_eq!(without_clocks("It is 12:04:59.\nTotal $12.00"), "It is ##:##:##.\nTotal $12.00");
        assert_ne!(without_clocks("2 mugs"), without_clocks("3 mugs"));
    }

    #[test]
    fn what_changed_is_named() {
        let value = |value: &str| SentValue { name: "qty".to_owned(), label: String::new(), value: value.to_owned() };
        let before = Stakes { total: Some("$12.00".to_owned()), values: vec![value("1")], ..Stakes::default() };
        let now = Stakes { total: Some("$9,999.00".to_owned()), values: vec![value("500")], ..Stakes::default() };
        assert_eq!(changes(&before, &now), ["total was \"$12.00\", is \"$9,999.00\"", "qty was \"1\", is \"500\""]);
        assert!(changes(&now, &now).is_empty());
    }
}
