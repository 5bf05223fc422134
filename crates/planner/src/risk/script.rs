//! Buttons that only a script reacts to. What they send is not known here, so the page's structure must show one harmless,
//! or its words must; all others count as committing. What they do send is watched while they are pressed.

use super::lexicon::{self, Hint};
use super::{FIRST_LINES, Verdict, money, risky, safe};
use crate::controls;
use crate::goal::meaning::Meaning;
use crate::observation::{Element, Observation};
use crate::words;

/// Roles of parts that only change which part of the page is shown.
const PARTS: &[&str] =
    &["tab", "menuitem", "menuitemradio", "menuitemcheckbox", "option", "treeitem", "gridcell", "switch"];
/// Roles of what such parts stand in, and of what is only decoration round a text.
const WIDGETS: &[&str] = &["tablist", "menu", "menubar", "listbox", "grid", "tree", "toolbar", "radiogroup"];

/// What its words suggest, those of its accessible name and those that it shows: the worse of the two.
pub(super) fn hint(element: &Element) -> Hint {
    // A sign such as `›` or `+` says nothing beside a name.
    let says = |text: &&str| text.chars().any(char::is_alphabetic);
    let shown = element.shown_text.as_deref().filter(says).map(lexicon::hint);
    let named = lexicon::hint(&element.name);
    match (named, shown) {
        (named, None) => named,
        (Hint::Commits, Some(_)) | (_, Some(Hint::Commits)) => Hint::Commits,
        (Hint::Enters, Some(_)) | (_, Some(Hint::Enters)) => Hint::Enters,
        (Hint::Unknown, Some(_)) | (_, Some(Hint::Unknown)) => Hint::Unknown,
        (Hint::Advances, Some(_)) | (_, Some(Hint::Advances)) => Hint::Advances,
        (Hint::Harmless, Some(Hint::Harmless)) => Hint::Harmless,
    }
}

/// Pressing what only a script reacts to.
pub(super) fn press(element: &Element, observation: &Observation) -> Verdict {
    match hint(element) {
        Hint::Commits => risky(format!("its name {:?} says that it commits something", element.name)),
        Hint::Advances if has_payment(observation, element.form) => risky("it goes on from payment details"),
        Hint::Advances | Hint::Harmless => safe("its name says that it only moves on"),
        Hint::Enters | Hint::Unknown if names_sum(element) => risky("it names a sum"),
        Hint::Enters | Hint::Unknown => match harmless_by_structure(element, observation) {
            Some(reason) => safe(reason),
            None => unknown(element, observation),
        },
    }
}

fn unknown(element: &Element, observation: &Observation) -> Verdict {
    if is_last_step(element, observation) {
        return risky("the page looks over what was entered before, and the button may send it");
    }
    if controls::is_button(element) && has_personal_entries(observation, element.form) {
        return risky("a script may send what was entered");
    }
    if is_real_button(element) {
        risky("neither its words nor the page's structure show what it does")
    } else {
        safe("it is a part of the page that is no button")
    }
}

/// Why an element whose words say nothing only changes what is shown.
fn harmless_by_structure(element: &Element, observation: &Observation) -> Option<&'static str> {
    let is_in = |widget: &str| element.widget.as_deref() == Some(widget);
    let form = element.form.and_then(|form| observation.forms.get(form));
    if element.opens || element.tag == "summary" {
        Some("it opens a part of the page")
    } else if PARTS.contains(&element.role.as_str()) || WIDGETS.iter().any(|widget| is_in(widget)) {
        Some("it is a part of a menu, a list or a calendar")
    } else if element.checked.is_some() {
        Some("it switches something on the page")
    } else if element.input_type.as_deref() == Some("reset") || form.is_some_and(|form| form.method == "dialog") {
        Some("it takes back or closes")
    } else if !element.name.chars().any(char::is_alphabetic) {
        Some("its name is a sign or a number")
    } else if words::starts_with(&words::stems(&element.section), "navigation") {
        Some("it is a part of the site's navigation")
    } else if is_choice_of_product(element, observation) {
        Some("it chooses a variant of what the button after it puts into the cart")
    } else if is_in_search(element, observation) {
        Some("it is a part of a search or a filter")
    } else {
        None
    }
}

/// Sizes and colours stand before the button that they are for.
fn is_choice_of_product(element: &Element, observation: &Observation) -> bool {
    let mut later = observation.elements.iter().skip_while(|other| other.reference != element.reference).skip(1);
    let adds = |other: &Element| controls::is_button(other) && lexicon::adds_to_cart(&other.name);
    later.any(adds) && lexicon::hint(&element.name) == Hint::Unknown && words::stems(&element.name).len() <= 2
}

/// Beside fields that only search and choose, in a form that asks for a page.
fn is_in_search(element: &Element, observation: &Observation) -> bool {
    let Some(form) = element.form.and_then(|form| observation.forms.get(form)) else { return false };
    let fields: Vec<&Element> =
        observation.elements.iter().filter(|other| other.form == element.form && controls::is_field(other)).collect();
    let is_plain = |field: &&Element| !controls::is_text(field) || controls::meaning(field) == Some(Meaning::Search);
    form.method == "get" && !fields.is_empty() && fields.iter().all(is_plain)
}

/// A button or link of HTML, or one that is marked by its role; others are boxes with a listener.
fn is_real_button(element: &Element) -> bool {
    element.has_role || matches!(element.tag.as_str(), "button" | "input" | "a" | "area")
}

/// `Get it for $5`: an amount on what is pressed is what pressing costs.
fn names_sum(element: &Element) -> bool {
    let shown = element.shown_text.as_deref().unwrap_or_default();
    !money::amounts(&element.name).is_empty() || !money::amounts(shown).is_empty()
}

/// The button of a review page; parts of its navigation are not.
pub(super) fn is_last_step(element: &Element, observation: &Observation) -> bool {
    let first_lines: Vec<&str> = observation.text.lines().take(FIRST_LINES).collect();
    let about = words::stems(&format!("{}\n{}", observation.title, first_lines.join("\n")));
    let region = words::stems(&element.section);
    let is_aside = words::has_any(&region, &["navigation", "header", "footer"]);
    controls::is_button(element) && !controls::is_link(element) && !is_aside && lexicon::is_review(&about)
}

/// Whether something of a person's is entered in this group or in fields that stand outside any form.
pub(super) fn has_personal_entries(observation: &Observation, group: Option<usize>) -> bool {
    observation.elements.iter().any(|element| {
        let is_entered = element.value.as_deref().is_some_and(|value| !value.trim().is_empty());
        let belongs = element.form == group || controls::is_loose(observation, element.form);
        let is_personal = controls::meaning(element).is_some_and(Meaning::is_personal);
        belongs && is_entered && controls::is_text(element) && is_personal
    })
}

fn has_payment(observation: &Observation, form: Option<usize>) -> bool {
    let fields = observation.elements.iter().filter(|element| element.form == form && controls::is_field(element));
    fields.filter_map(controls::meaning).any(Meaning::is_payment)
}
