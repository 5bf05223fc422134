//! Fills a group of fields from the goal's facts, one field per step, in document order.

use errand_domain::action::{Action, TypedText};

use super::context::Context;
use super::options;
use super::values;
use crate::Decision;
use crate::controls::{self, Kind};
use crate::goal::meaning::Meaning;
use crate::observation::Element;
use crate::words;

/// Where filling stands.
pub(super) enum Filling {
    Act(Action),
    /// A required fact is missing, or only a person can give it.
    Ask(Decision),
    Complete,
}

/// What one field needs.
enum Need {
    Nothing,
    Act(Action),
    Missing,
}

/// Options a question lists at most; longer lists are for the page, not for a person's chat.
const ASKED_OPTIONS_MAX: usize = 40;

/// The next step to fill these fields, which belong to one form.
pub(super) fn next(context: &Context<'_>, fields: &[&Element]) -> Filling {
    let mut missing: Option<&Element> = None;
    for (at, field) in fields.iter().enumerate() {
        let need = match controls::kind(field) {
            Kind::Text | Kind::MultiLine => text_need(context, field, fields),
            Kind::Choice => choice_need(context, field, fields),
            Kind::Radio if is_first_of_group(fields, at) => radio_need(context, field, fields),
            Kind::Checkbox => checkbox_need(context, field),
            Kind::Radio | Kind::Press | Kind::Other => Need::Nothing,
        };
        match need {
            Need::Act(action) => return Filling::Act(action),
            Need::Missing => missing = missing.or(Some(field)),
            Need::Nothing => {}
        }
    }
    missing.map_or(Filling::Complete, |field| Filling::Ask(question(field, fields)))
}

/// Whether the goal has a value for the field; forms are chosen by how many they have.
pub(super) fn has_value(context: &Context<'_>, field: &Element, fields: &[&Element]) -> bool {
    match controls::kind(field) {
        Kind::Text | Kind::MultiLine => values::text_for(context, field, fields).is_some(),
        Kind::Choice => {
            let choices: Vec<&str> = field.options.iter().map(String::as_str).collect();
            wanted_option(context, field, fields, &choices).is_some()
        }
        Kind::Radio => radio_choice(context, field, fields).is_some(),
        Kind::Checkbox => is_wanted_checkbox(context, field),
        Kind::Press | Kind::Other => false,
    }
}

fn text_need(context: &Context<'_>, field: &Element, fields: &[&Element]) -> Need {
    let Some(text) = values::text_for(context, field, fields) else {
        let has_entry =
            !controls::is_empty(field) || context.memory.typed_into(&field.fingerprint, &context.page.url).is_some();
        return if wants_entry(context, field) && !has_entry { Need::Missing } else { Need::Nothing };
    };
    let is_entered = match &text {
        TypedText::Plain(plain) => {
            values::shows(field, plain) || (field.value.is_none() && was_typed(context, field, &text))
        }
        TypedText::Secret(_) => was_typed(context, field, &text),
    };
    if is_entered {
        return Need::Nothing;
    }
    context.type_text(field, text).map_or(Need::Nothing, Need::Act)
}

fn was_typed(context: &Context<'_>, field: &Element, text: &TypedText) -> bool {
    context.memory.typed_into(&field.fingerprint, &context.page.url) == Some(text)
}

/// Required by the page, or named by an error on it.
fn wants_entry(context: &Context<'_>, field: &Element) -> bool {
    let label = words::content_stems(controls::label(field));
    let has_error =
        !label.is_empty() && context.error_lines().any(|line| words::coverage(&label, &line) == words::LIKENESS_MAX);
    (controls::is_required(field) || has_error) && controls::meaning(field) != Some(Meaning::Search)
}

fn choice_need(context: &Context<'_>, field: &Element, fields: &[&Element]) -> Need {
    let choices: Vec<&str> = field.options.iter().map(String::as_str).collect();
    let current = field.value.as_deref().unwrap_or_default();
    if let Some(option) = wanted_option(context, field, fields, &choices) {
        if option.trim() == current.trim() || context.memory.times_filled(&field.fingerprint, &context.page.url) >= 2 {
            return Need::Nothing;
        }
        return context.select(field, option).map_or(Need::Nothing, Need::Act);
    }
    if !controls::is_empty(field) || !wants_entry(context, field) {
        return Need::Nothing;
    }
    match fallback_option(controls::label(field), &choices) {
        Some(option) => context.select(field, option).map_or(Need::Nothing, Need::Act),
        None => Need::Missing,
    }
}

/// The option that the goal means: by the field's meaning or label, then by the item, then by the goal's words alone.
fn wanted_option<'a>(
    context: &Context<'_>,
    field: &Element,
    fields: &[&Element],
    choices: &[&'a str],
) -> Option<&'a str> {
    let by_value = match values::text_for(context, field, fields) {
        Some(TypedText::Plain(value)) => options::matching(choices, &value),
        Some(TypedText::Secret(_)) | None => None,
    };
    let by_date = || {
        let forms = values::date_part(context, field)?;
        forms.iter().find_map(|form| choices.iter().find(|option| option.trim().eq_ignore_ascii_case(form))).copied()
    };
    let by_value = by_value.or_else(by_date);
    let is_known = controls::meaning(field).is_some_and(|meaning| meaning != Meaning::Product);
    by_value.or_else(|| item_option(context, choices)).or_else(|| {
        let has_own_value =
            controls::meaning(field) == Some(Meaning::State) || controls::meaning(field) == Some(Meaning::Country);
        if is_known && has_own_value { None } else { options::named_in_goal(choices, &context.goal.facts.words) }
    })
}

/// An option that names the ordered item: `Blue Mug — $12.00`.
fn item_option<'a>(context: &Context<'_>, choices: &[&'a str]) -> Option<&'a str> {
    let item = super::item_of(&context.goal)?;
    let named = choices
        .iter()
        .map(|option| (words::likeness(&item.stems, &words::content_stems(options::without_price(option))), *option));
    let mut best: Option<(u32, &str)> = None;
    for (score, option) in named {
        if score >= 700 && best.is_none_or(|(most, _)| score > most) {
            best = Some((score, option));
        }
    }
    best.map(|(_, option)| option)
}

/// What a buyer who said nothing would take: the only option, standard delivery, payment without a card.
fn fallback_option<'a>(label: &str, choices: &[&'a str]) -> Option<&'a str> {
    let real: Vec<&'a str> = choices.iter().filter(|option| !controls::is_prompt(option)).copied().collect();
    if let [only] = real.as_slice() {
        return Some(only);
    }
    let stems = words::stems(label);
    let all = words::stems(&real.join(" "));
    let wanted: &[&str] =
        if words::has_any(&stems, &["payment", "pay"]) || words::has_any(&all, &["invoice", "cash on delivery"]) {
            &["invoice", "pay later", "cash on delivery", "on delivery", "pay on delivery", "bank transfer", "cash"]
        } else if words::has_any(&stems, &["shipping", "delivery", "shipment"])
            || words::has_any(&all, &["standard", "express"])
        {
            &["standard", "free", "regular", "ground", "normal", "economy"]
        } else {
            return None;
        };
    wanted
        .iter()
        .find_map(|phrase| real.iter().find(|option| words::has_phrase(&words::stems(option), phrase)).copied())
}

/// Radio buttons of one question share the control's name, else the heading they stand under.
fn is_same_group(one: &Element, other: &Element) -> bool {
    controls::kind(other) == Kind::Radio
        && one.form == other.form
        && match (&one.control_name, &other.control_name) {
            (Some(one), Some(other)) => one == other,
            _ => one.section == other.section,
        }
}

fn is_first_of_group(fields: &[&Element], at: usize) -> bool {
    !fields[..at].iter().any(|earlier| is_same_group(fields[at], earlier))
}

fn radio_need(context: &Context<'_>, field: &Element, fields: &[&Element]) -> Need {
    let members: Vec<&Element> = fields.iter().filter(|other| is_same_group(field, other)).copied().collect();
    let is_chosen = |member: &Element| member.checked == Some(true);
    let was_checked = |member: &Element| context.memory.times_filled(&member.fingerprint, &context.page.url) > 0;
    if let Some(chosen) = radio_choice(context, field, fields) {
        if is_chosen(chosen) {
            return Need::Nothing;
        }
        return context.check(chosen, true).map_or(Need::Nothing, Need::Act);
    }
    if members.iter().any(|member| is_chosen(member) || was_checked(member))
        || !members.iter().any(|member| wants_entry(context, member))
    {
        return Need::Nothing;
    }
    let names: Vec<&str> = members.iter().map(|member| member.name.as_str()).collect();
    let fallback =
        fallback_option(&group_label(field), &names).and_then(|name| members.iter().find(|member| member.name == name));
    match fallback {
        Some(member) => context.check(member, true).map_or(Need::Nothing, Need::Act),
        None => Need::Missing,
    }
}

/// The question that radio buttons answer: the legend, before any heading further up.
fn question_of(field: &Element) -> &str {
    field.section.split(": ").next().unwrap_or_default().trim()
}

fn group_label(field: &Element) -> String {
    let identifier = field.control_name.as_deref().map(words::identifier_stems).unwrap_or_default().join(" ");
    format!("{} {} {}", field.section, field.near_text, identifier)
}

/// The radio button of the field's group that the goal means.
fn radio_choice<'a>(context: &Context<'_>, field: &Element, fields: &[&'a Element]) -> Option<&'a Element> {
    let members: Vec<&'a Element> = fields.iter().filter(|other| is_same_group(field, other)).copied().collect();
    let names: Vec<&str> = members.iter().map(|member| member.name.as_str()).collect();
    let question = Element {
        name: question_of(field).to_owned(),
        control_name: field.control_name.clone(),
        tag: "select".to_owned(),
        role: "combobox".to_owned(),
        ..Element::default()
    };
    let chosen = wanted_option(context, &question, fields, &names).or_else(|| bare_option(context, &names))?;
    members.into_iter().find(|member| member.name == chosen)
}

/// `(large)` in the goal names an option without its question.
fn bare_option<'a>(context: &Context<'_>, names: &[&'a str]) -> Option<&'a str> {
    let bare = context.goal.facts.labelled.iter().filter(|fact| fact.label.is_empty());
    bare.filter_map(|fact| options::matching(names, &fact.value)).next()
}

fn checkbox_need(context: &Context<'_>, field: &Element) -> Need {
    if field.checked == Some(true) || context.memory.times_filled(&field.fingerprint, &context.page.url) > 0 {
        return Need::Nothing;
    }
    if is_wanted_checkbox(context, field) || is_agreement(field) || controls::is_required(field) {
        return context.check(field, true).map_or(Need::Nothing, Need::Act);
    }
    Need::Nothing
}

/// The goal names what the box says: `Gift wrap`.
fn is_wanted_checkbox(context: &Context<'_>, field: &Element) -> bool {
    let stems = words::content_stems(&field.name);
    let is_named = !stems.is_empty() && words::coverage(&stems, &context.goal.facts.words) == words::LIKENESS_MAX;
    let is_confirmed = values::by_label(context, field, None)
        .is_some_and(|value| matches!(value.to_lowercase().as_str(), "yes" | "true" | "on" | "checked"));
    is_named || is_confirmed
}

/// Terms that must be agreed to; offers by mail are not.
fn is_agreement(field: &Element) -> bool {
    let stems = words::stems(&field.name);
    let is_terms =
        words::has_any(&stems, &["terms", "conditions", "privacy policy", "i agree", "agb", "i accept", "i have read"]);
    is_terms && !words::has_any(&stems, &["newsletter", "marketing", "offers", "promotions", "updates"])
}

/// A question for the person about a field; payment and second factors are handed over instead.
fn question(field: &Element, fields: &[&Element]) -> Decision {
    let label = controls::label(field).trim().trim_end_matches(['*', ':', ' ']).to_owned();
    match controls::meaning(field) {
        Some(Meaning::CardNumber | Meaning::CardExpiry | Meaning::CardCode | Meaning::CardName) => {
            return Decision::HandOff {
                prompt: "The page asks for payment details. Please enter them in the browser.".to_owned(),
            };
        }
        Some(Meaning::OneTimeCode) => {
            return Decision::HandOff {
                prompt: format!("The page asks for \"{label}\". Please enter it in the browser."),
            };
        }
        Some(Meaning::Password | Meaning::NewPassword) => {
            return Decision::HandOff {
                prompt: format!(
                    "The page asks for \"{label}\", and no stored secret fits. Please enter it in the browser."
                ),
            };
        }
        Some(_) | None => {}
    }
    if controls::kind(field) == Kind::Radio {
        let members = fields.iter().filter(|other| is_same_group(field, other));
        let options: Vec<String> = members.map(|member| member.name.clone()).collect();
        let about = if question_of(field).is_empty() { label } else { question_of(field).to_owned() };
        return Decision::Ask { prompt: format!("Which option should be chosen for \"{about}\"?"), options };
    }
    let real: Vec<String> = field.options.iter().filter(|option| !controls::is_prompt(option)).cloned().collect();
    if real.is_empty() || real.len() > ASKED_OPTIONS_MAX {
        return Decision::Ask { prompt: format!("What should be entered for \"{label}\"?"), options: Vec::new() };
    }
    Decision::Ask { prompt: format!("Which option should be chosen for \"{label}\"?"), options: real }
}
