//! Which actions commit something and wait for a person's approval (SPEC §3): judged by what the form or request does,
//! with the words as a hint.

mod address;
mod form;
pub mod lexicon;
mod money;
mod prompt;
mod script;
mod stakes;

use errand_domain::action::{Action, Target};
use errand_domain::run::Stakes;

use crate::controls;
use crate::goal::meaning::Meaning;
use crate::observation::{Element, Observation};
use crate::words;
use address::Address;
use form::submit;
use lexicon::Hint;
pub use stakes::changes;

/// The judgement of one action on one page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Risk {
    /// It submits, buys, pays, sends, deletes, publishes, signs or changes an account.
    pub committing: bool,
    /// Why, for the log.
    pub reason: String,
    /// The question for a person: `Approve: click button "Get my quote" on Review your details?`.
    pub prompt: String,
    /// What the form holds, as `Full name: "John Smith"`; empty when it shows no fields.
    pub fields: Vec<String>,
    /// What is pressed: `Get my quote`.
    pub label: String,
    /// What it would send where, and at what price.
    pub stakes: Stakes,
}

/// A page's heading stands among its first lines.
const FIRST_LINES: usize = 8;

/// A verdict and its reason.
type Verdict = (bool, String);

/// Judges an action on the page it was chosen for.
#[must_use]
pub fn judge(action: &Action, observation: &Observation) -> Risk {
    let element = action.target().and_then(|target| find(observation, target));
    let pressed = pressed_element(action, element, observation);
    let (committing, reason) = verdict(action, element, pressed, observation);
    Risk {
        committing,
        reason,
        prompt: format!(
            "Approve: {}{} on {}?",
            prompt::describe(action, element),
            shows(pressed),
            page_name(observation)
        ),
        fields: fields(pressed.or(element), observation),
        stakes: stakes::stakes(pressed.or(element), observation),
        label: pressed
            .map(|pressed| pressed.name.clone())
            .or_else(|| action.target().map(|target| target.name.clone()))
            .unwrap_or_else(|| action.describe()),
    }
}

/// What an approval of this action holds for, besides the page's address and the element: the same list, the same deed.
/// `None` when the page does not tell all of it.
#[must_use]
pub fn held(action: &Action, observation: &Observation) -> Option<Vec<String>> {
    let element = action.target().and_then(|target| find(observation, target));
    let Some(pressed) = pressed_element(action, element, observation).or(element) else { return Some(Vec::new()) };
    let is_cut = pressed.form.and_then(|form| observation.forms.get(form)).is_some_and(|form| form.is_cut);
    (!is_cut).then(|| stakes::held(pressed, observation))
}

/// The element of the target: by reference when it is still the same, else by fingerprint.
fn find<'a>(observation: &'a Observation, target: &Target) -> Option<&'a Element> {
    let by_reference = observation.elements.iter().find(|element| element.reference == target.element);
    let is_same = |element: &&Element| element.fingerprint == target.fingerprint;
    by_reference.filter(is_same).or_else(|| observation.elements.iter().find(is_same)).or(by_reference)
}

/// What the action presses in the end: Enter in a field presses its form's submit button.
fn pressed_element<'a>(
    action: &Action,
    element: Option<&'a Element>,
    observation: &'a Observation,
) -> Option<&'a Element> {
    match action {
        Action::Click { .. } => element,
        Action::Press { key, .. } if is_enter(key) => match element {
            Some(field) if controls::is_field(field) => submit_of(observation, field.form?),
            Some(_) | None => element,
        },
        Action::Press { .. }
        | Action::Navigate { .. }
        | Action::Type { .. }
        | Action::Select { .. }
        | Action::Check { .. }
        | Action::Scroll { .. }
        | Action::Back
        | Action::Wait { .. } => None,
    }
}

fn is_enter(key: &str) -> bool {
    key == "Enter" || key == "NumpadEnter"
}

/// The form's first submit button: the one that Enter presses (HTML Living Standard, implicit submission).
fn submit_of(observation: &Observation, form: usize) -> Option<&Element> {
    let is_of_form = |of: usize| of == form || observation.forms.get(of).and_then(|of| of.variant_of) == Some(form);
    observation.elements.iter().find(|element| element.submits && element.form.is_some_and(is_of_form))
}

fn verdict(
    action: &Action,
    element: Option<&Element>,
    pressed: Option<&Element>,
    observation: &Observation,
) -> Verdict {
    match action {
        Action::Navigate { url } => navigation(url),
        Action::Click { target } => match element {
            Some(element) => click(element, observation),
            None => by_words_alone(&target.name),
        },
        Action::Press { key, target } if is_enter(key) || key == " " || key == "Space" => {
            press(key, target.is_some(), element, pressed, observation)
        }
        Action::Press { .. } => safe("the key submits nothing"),
        Action::Type { .. } | Action::Select { .. } | Action::Check { .. } => safe("it only fills a field"),
        Action::Scroll { .. } | Action::Back | Action::Wait { .. } => safe("it only looks"),
    }
}

fn safe(reason: &str) -> Verdict {
    (false, reason.to_owned())
}

fn risky(reason: impl Into<String>) -> Verdict {
    (true, reason.into())
}

fn navigation(url: &str) -> Verdict {
    if changes_by_get(url) {
        risky("the address itself says that it changes something")
    } else {
        safe("it opens a page")
    }
}

fn press(
    key: &str,
    has_target: bool,
    element: Option<&Element>,
    pressed: Option<&Element>,
    observation: &Observation,
) -> Verdict {
    match element {
        Some(field) if controls::is_field(field) => {
            let is_new_line = controls::kind(field) == controls::Kind::MultiLine;
            if is_new_line || !is_enter(key) {
                return safe("the key only edits the field");
            }
            let sends = pressed.unwrap_or(field);
            match sends.form.and_then(|form| observation.forms.get(form)) {
                Some(form) => submit(sends, form, observation),
                None => loose_enter(field, observation),
            }
        }
        Some(element) => click(element, observation),
        None if has_target => risky("the key presses something unknown"),
        None => focus_unknown(observation),
    }
}

/// Enter in a field without a form: scripts may do anything, search boxes search.
fn loose_enter(field: &Element, observation: &Observation) -> Verdict {
    let meaning = controls::meaning(field);
    if meaning == Some(Meaning::Search) || !script::has_personal_entries(observation, field.form) {
        safe("the field belongs to no form")
    } else {
        risky("a script may send what was entered")
    }
}

/// Enter without a target goes to the focused element, which is not known here.
fn focus_unknown(observation: &Observation) -> Verdict {
    let submits = |element: &&Element| element.submits && !element.disabled;
    let worst = observation
        .elements
        .iter()
        .filter(submits)
        .map(|button| click(button, observation))
        .find(|(committing, _)| *committing);
    worst.unwrap_or_else(|| safe("nothing on the page could be submitted by it"))
}

fn click(element: &Element, observation: &Observation) -> Verdict {
    if answers_consent_banner(element, observation) {
        return safe("it answers a consent banner");
    }
    if !element.submits && controls::is_link(element) && is_navigation(element, observation) {
        return link(element);
    }
    if controls::is_field(element) {
        return safe("it only sets a field");
    }
    match element.form.and_then(|form| observation.forms.get(form)) {
        Some(form) if element.submits => submit(element, form, observation),
        Some(_) | None => script::press(element, observation),
    }
}

/// A banner's buttons: few words, about cookies, that agree to nothing else. In a form it is the form that counts.
fn answers_consent_banner(element: &Element, observation: &Observation) -> bool {
    let own = format!("{} {}", element.name, element.shown_text.as_deref().unwrap_or_default());
    let around = words::stems(&format!("{own} {} {}", element.near_text, element.section));
    let buys = !money::amounts(&own).is_empty() || lexicon::buys_beside_consent(&words::stems(&own));
    let is_loose = controls::is_loose(observation, element.form);
    is_loose && !buys && lexicon::answers_consent(&words::stems(&element.name)) && lexicon::is_about_consent(&around)
}

/// Whether a link leads to another address, rather than running a script on this page.
fn is_navigation(element: &Element, observation: &Observation) -> bool {
    let Some(href) = element.href.as_deref() else { return false };
    let lower = href.trim().to_ascii_lowercase();
    if lower.is_empty() || lower.starts_with("javascript:") {
        return false;
    }
    let stays =
        lower.ends_with('#') && without_fragment(&lower) == without_fragment(&observation.url.to_ascii_lowercase());
    !stays
}

fn without_fragment(url: &str) -> &str {
    url.split('#').next().unwrap_or_default()
}

fn link(element: &Element) -> Verdict {
    let by_name = lexicon::is_destructive_link(&words::stems(&element.name));
    if by_name || element.href.as_deref().is_some_and(changes_by_get) {
        risky("following the link already changes something")
    } else {
        safe("it follows a link")
    }
}

/// Whether opening an address does something by itself.
fn changes_by_get(url: &str) -> bool {
    let Some(address) = Address::parse(url) else { return false };
    address.commits_by_get() || address.says(lexicon::is_destructive_link)
}

/// The button of a review page; parts of its navigation are not.
#[must_use]
pub fn is_last_step(element: &Element, observation: &Observation) -> bool {
    script::is_last_step(element, observation)
}

/// A name alone, when the page no longer shows the element.
fn by_words_alone(name: &str) -> Verdict {
    match lexicon::hint(name) {
        Hint::Commits | Hint::Enters | Hint::Unknown => risky("the page does not show what this would do"),
        Hint::Advances | Hint::Harmless => safe("its name says that it only moves on"),
    }
}

/// A button that shows other words than its name for screen readers.
fn shows(pressed: Option<&Element>) -> String {
    let text = pressed.and_then(|pressed| pressed.shown_text.as_deref()).unwrap_or_default();
    if text.trim().is_empty() { String::new() } else { format!(", which shows {text:?},") }
}

/// How a person would call the page: its title, else its first line, else its address.
fn page_name(observation: &Observation) -> String {
    let first_line = || observation.text.lines().map(str::trim).find(|line| !line.is_empty()).map(str::to_owned);
    let title = Some(observation.title.trim()).filter(|title| !title.is_empty()).map(str::to_owned);
    title.or_else(first_line).unwrap_or_else(|| observation.url.clone())
}

/// What the pressed element's form holds; fields outside forms count as one form.
fn fields(pressed: Option<&Element>, observation: &Observation) -> Vec<String> {
    let Some(pressed) = pressed else { return Vec::new() };
    let line =
        |label: &str, value: &str| format!("{}: \"{}\"", label.trim().trim_end_matches([':', '*', ' ']), value.trim());
    match pressed.form.and_then(|form| observation.forms.get(form)) {
        Some(form) => {
            let filled = form.fields.iter().filter(|field| !field.value.trim().is_empty());
            filled.map(|field| line(&field.label, &field.value)).collect()
        }
        None => {
            let loose =
                observation.elements.iter().filter(|element| element.form.is_none() && controls::is_field(element));
            loose
                .filter_map(|element| shown_value(element).map(|value| line(controls::label(element), &value)))
                .collect()
        }
    }
}

/// What a field outside a form shows; search boxes are no part of what is sent.
fn shown_value(element: &Element) -> Option<String> {
    if controls::meaning(element) == Some(Meaning::Search) {
        return None;
    }
    match controls::kind(element) {
        controls::Kind::Radio | controls::Kind::Checkbox => {
            element.checked.filter(|checked| *checked).map(|_| "yes".to_owned())
        }
        controls::Kind::Text | controls::Kind::MultiLine | controls::Kind::Choice => {
            element.value.clone().filter(|value| !value.trim().is_empty())
        }
        controls::Kind::Press | controls::Kind::Other => None,
    }
}
