//! What kind of control an element is and what it is about, read from its role, label and attributes.

use crate::goal::meaning::{self, Meaning};
use crate::observation::{Element, Observation};
use crate::words;

/// How a control takes a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Text,
    /// Several lines: Enter makes a new line.
    MultiLine,
    Choice,
    Radio,
    Checkbox,
    /// Clicked: button, link, tab, menu item.
    Press,
    /// Files, sliders and all else that rules do not fill.
    Other,
}

/// The kind of a control.
#[must_use]
pub fn kind(element: &Element) -> Kind {
    let input_type = element.input_type.as_deref().unwrap_or_default();
    match element.role.as_str() {
        "radio" | "menuitemradio" => Kind::Radio,
        "checkbox" | "switch" | "menuitemcheckbox" => Kind::Checkbox,
        "combobox" | "listbox" if element.tag == "select" || !element.options.is_empty() => Kind::Choice,
        "textbox" | "searchbox" | "spinbutton" | "combobox" => text_kind(element),
        "slider" => Kind::Other,
        _ if element.tag == "select" => Kind::Choice,
        _ if element.tag == "textarea" => Kind::MultiLine,
        _ if element.tag == "input" && matches!(input_type, "radio" | "checkbox") => {
            if input_type == "radio" {
                Kind::Radio
            } else {
                Kind::Checkbox
            }
        }
        _ if element.tag == "input" && matches!(input_type, "file" | "range" | "color") => Kind::Other,
        _ if element.tag == "input" && !matches!(input_type, "submit" | "button" | "image" | "reset") => Kind::Text,
        _ => Kind::Press,
    }
}

fn text_kind(element: &Element) -> Kind {
    let is_file = matches!(element.input_type.as_deref(), Some("file" | "range" | "color"));
    if is_file {
        Kind::Other
    } else if element.tag == "textarea" {
        Kind::MultiLine
    } else {
        Kind::Text
    }
}

/// Whether a value can be given to the control.
#[must_use]
pub fn is_field(element: &Element) -> bool {
    !matches!(kind(element), Kind::Press | Kind::Other)
}

/// Whether the control takes typed text.
#[must_use]
pub fn is_text(element: &Element) -> bool {
    matches!(kind(element), Kind::Text | Kind::MultiLine)
}

/// Whether clicking it is following a link.
#[must_use]
pub fn is_link(element: &Element) -> bool {
    element.role == "link" || (element.tag == "a" && element.href.is_some())
}

/// Whether it is pressed to make something happen.
#[must_use]
pub fn is_button(element: &Element) -> bool {
    element.submits
        || element.role == "button"
        || element.tag == "button"
        || matches!(element.input_type.as_deref(), Some("submit" | "button" | "image"))
}

/// The label a person would read, or the nearest thing to one.
#[must_use]
pub fn label(element: &Element) -> &str {
    [
        Some(element.name.as_str()),
        element.placeholder.as_deref(),
        Some(element.near_text.as_str()),
        element.control_name.as_deref(),
    ]
    .into_iter()
    .flatten()
    .find(|text| !text.trim().is_empty())
    .unwrap_or_default()
}

/// No name of its own, or only its placeholder, which may be a mere example such as `MM/DD/YYYY`.
fn is_nameless(element: &Element) -> bool {
    let name = element.name.trim();
    let is_placeholder = element.placeholder.as_deref().is_some_and(|placeholder| placeholder.trim() == name);
    let is_short = element.near_text.chars().count() <= NEAR_LABEL_CHARS_MAX;
    name.is_empty() || (is_placeholder && is_short && !element.near_text.trim().is_empty())
}

/// Longer text near a field is no label.
const NEAR_LABEL_CHARS_MAX: usize = 60;

/// What the field is about: `autocomplete` and type first, then its label, then its identifiers.
#[must_use]
pub fn meaning(element: &Element) -> Option<Meaning> {
    if let Some(known) = element.autocomplete.as_deref().and_then(meaning::of_autocomplete) {
        return Some(known);
    }
    let named = meaning::of_label(&element.name);
    match element.input_type.as_deref() {
        Some("password") => {
            return Some(
                named
                    .filter(|named| matches!(named, Meaning::NewPassword | Meaning::CardCode))
                    .unwrap_or(Meaning::Password),
            );
        }
        Some("email") => return Some(Meaning::Email),
        Some("tel") if named.is_none() => return Some(Meaning::Phone),
        Some("search") => return Some(Meaning::Search),
        Some(_) | None => {}
    }
    if element.role == "searchbox" {
        return Some(Meaning::Search);
    }
    let by_placeholder = || element.placeholder.as_deref().and_then(meaning::of_label);
    let by_identifier =
        || element.control_name.as_deref().and_then(|name| meaning::of_stems(&words::identifier_stems(name)));
    let by_near_text = || if is_nameless(element) { meaning::of_label(&element.near_text) } else { None };
    named.or_else(by_placeholder).or_else(by_near_text).or_else(by_identifier).or_else(|| query_parameter(element))
}

/// `q` is what search forms call their field.
fn query_parameter(element: &Element) -> Option<Meaning> {
    let names = ["q", "s", "query", "search"];
    element.control_name.as_deref().filter(|name| names.contains(name)).map(|_| Meaning::Search)
}

/// Whether the form wants a value here: marked by the page, or by a star at the label.
#[must_use]
pub fn is_required(element: &Element) -> bool {
    let says_required = |text: &str| text.contains('*') || words::has_phrase(&words::stems(text), "required");
    element.required || says_required(&element.name)
}

/// Whether the field holds nothing, or only the prompt of a select.
#[must_use]
pub fn is_empty(element: &Element) -> bool {
    let value = element.value.as_deref().unwrap_or_default().trim();
    value.is_empty() || (kind(element) == Kind::Choice && is_prompt(value))
}

/// Whether an option only asks to choose: `Select…`, `-- please choose --`.
#[must_use]
pub fn is_prompt(option: &str) -> bool {
    let stems = words::stems(option);
    let first = stems.first().map(String::as_str);
    let starts = ["select", "choos", "pick", "pleas", "selection", "wahlen", "bitt"];
    stems.is_empty()
        || first.is_some_and(|first| starts.contains(&first)) && !option.trim_start().starts_with(char::is_numeric)
}

/// Whether the group is no real form: controls outside any form element, which only scripts send. Browsers report them
/// as a group without a method.
#[must_use]
pub fn is_loose(observation: &Observation, group: Option<usize>) -> bool {
    group.and_then(|form| observation.forms.get(form)).is_none_or(|form| form.method.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(role: &str, name: &str) -> Element {
        Element { role: role.to_owned(), name: name.to_owned(), tag: "input".to_owned(), ..Element::default() }
    }

    #[test]
    fn the_label_counts_more_than_the_identifier() {
        let mut element = field("textbox", "Postcode");
        element.control_name = Some("city_field".to_owned());
        assert_eq!(meaning(&element), Some(Meaning::Zip));
        element.name = String::new();
        assert_eq!(meaning(&element), Some(Meaning::City));
        element.autocomplete = Some("shipping given-name".to_owned());
        assert_eq!(meaning(&element), Some(Meaning::FirstName));
    }

    #[test]
    fn the_prompt_of_a_select_is_no_value() {
        let mut element = field("combobox", "Size");
        element.tag = "select".to_owned();
        element.value = Some("-- Please choose --".to_owned());
        assert!(is_empty(&element));
        element.value = Some("Large".to_owned());
        assert!(!is_empty(&element));
    }
}
