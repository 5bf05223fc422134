//! Fills in and submits the form that the goal is about, over as many pages as it takes.

use super::context::{Context, Progress};
use super::fill::{self, Filling};
use super::find;
use super::follow;
use super::submit::{self, Submit};
use crate::Decision;
use crate::controls;
use crate::goal::Wanted;
use crate::goal::meaning::Meaning;
use crate::observation::Element;
use crate::risk::{self, lexicon, lexicon::Hint};
use crate::words;

/// Words of goals and of the links that lead to their forms.
const WAYS: &[(&[&str], &[&str])] = &[
    (
        &["contact", "message", "send", "inquiry", "ask", "write"],
        &[
            "contact",
            "contact us",
            "get in touch",
            "message us",
            "write to us",
            "support",
            "inquiry",
            "feedback",
            "help",
        ],
    ),
    (
        &["register", "signup", "account", "join", "create"],
        &["register", "signup", "create account", "create an account", "join", "get started", "new account"],
    ),
    (&["apply", "application", "job"], &["apply", "apply now", "application"]),
    (&["quote"], &["quote", "get a quote", "get quote", "request a quote", "free quote"]),
    (
        &["book", "reserve", "reservation", "appointment", "schedule", "table", "room"],
        &["book", "book now", "reserve", "reservation", "reservations", "booking", "appointment", "schedule"],
    ),
    (&["subscribe", "newsletter"], &["subscribe", "newsletter"]),
    (
        &["feedback", "review", "comment", "report", "complain"],
        &["feedback", "write a review", "leave a comment", "comment", "report", "report a problem"],
    ),
    (&["donate", "donation"], &["donate", "donation", "give"]),
    (&["unsubscribe"], &["unsubscribe", "email preferences"]),
    (&["ticket", "support", "issue", "bug"], &["new ticket", "support", "open a ticket", "report an issue", "contact"]),
    (&["rsvp", "enroll", "event"], &["rsvp", "enroll", "register", "signup"]),
];

/// Carries out a fill intent that began at step `from`. `then_press` is the button that the goal names to send the form.
pub(super) fn progress(context: &Context<'_>, topic: &[String], then_press: Option<&Wanted>, from: usize) -> Progress {
    if let Some(wanted) = then_press {
        return fill_only(context, topic, wanted, from);
    }
    if let Some(done) = finished_at(context, topic, from) {
        return Progress::Done(done);
    }
    if let Some(group) = best_group(context, topic) {
        return work_on(context, group, topic, from);
    }
    if let Some(decision) = go_on(context, topic, from) {
        return decision;
    }
    find_form(context, topic)
}

/// The goal names the button itself, so the form is only filled.
fn fill_only(context: &Context<'_>, topic: &[String], wanted: &Wanted, from: usize) -> Progress {
    if follow::opened_at(context, wanted, None, from).is_some() {
        return Progress::Done(from);
    }
    let Some(group) = best_group(context, topic) else { return find_form(context, topic) };
    match fill::next(context, &context.fields(group)) {
        Filling::Act(action) => Progress::Decided(Decision::Act(action)),
        Filling::Ask(decision) => Progress::Decided(decision),
        Filling::Complete => Progress::Done(context.memory.acted.len()),
    }
}

/// The step after the one that sent the form, when the page does not ask for more.
fn finished_at(context: &Context<'_>, topic: &[String], from: usize) -> Option<usize> {
    let at = context.memory.last_position(from, |past| submit::is_final_press(past) || is_enter_after_fill(past))?;
    let was_filled = context.memory.acted[from..at].iter().any(|past| past.is_fill())
        || submit::is_commit(&context.memory.acted[at]);
    let is_corrected = context.memory.filled_since(at + 1);
    let page_changed = context.memory.acted[at].digest != context.page.digest;
    let is_done = context.is_confirmed() || !context.is_rejected();
    (was_filled && page_changed && !is_corrected && is_done && !goes_on(context, topic, at)).then_some(at + 1)
}

fn is_enter_after_fill(past: &super::memory::Acted<'_>) -> bool {
    matches!(past.action, errand_domain::action::Action::Press { .. }) && past.is_press()
}

/// The page after an unclear button asks for more: required fields, a button that commits, or the next step by name.
fn goes_on(context: &Context<'_>, topic: &[String], at: usize) -> bool {
    let pressed = &context.memory.acted[at];
    let committed = lexicon::hint(pressed.name()) == Hint::Commits;
    if context.is_confirmed() || committed && pressed.url == context.page.url {
        return false;
    }
    let is_open =
        |field: &&Element| controls::is_required(field) && controls::is_empty(field) && controls::is_text(field);
    let asks_more = context.elements().filter(|element| controls::is_field(element)).any(|field| is_open(&field));
    let is_next = |element: &Element| {
        let hint = lexicon::hint(&element.name);
        let is_submit = hint == Hint::Commits && controls::is_button(element) && element.submits;
        let is_named = matches!(hint, Hint::Commits | Hint::Enters)
            && words::likeness(topic, &words::content_stems(&element.name)) >= NAMED_NEXT;
        element.name != pressed.name() && (is_submit || is_named && !committed && context.click(element).is_some())
    };
    asks_more || has_new_fields(context, topic) || context.pressables().any(is_next)
}

/// Empty fields that the goal can fill and that were not seen before.
fn has_new_fields(context: &Context<'_>, topic: &[String]) -> bool {
    context.groups().into_iter().any(|group| {
        let fields = context.fields(group);
        let is_new = |field: &&Element| {
            let is_open = controls::is_text(field) && field.value.is_some() && controls::is_empty(field);
            is_open && !context.memory.was_filled(&field.fingerprint) && fill::has_value(context, field, &fields)
        };
        !submit::is_side_form(context, group, &fields, topic) && fields.iter().any(is_new)
    })
}

/// A short name that the goal's words cover, such as `Book` for `Book a single room`.
const NAMED_NEXT: u32 = 200;

/// The form with the most fields that the goal can fill.
fn best_group(context: &Context<'_>, topic: &[String]) -> Option<Option<usize>> {
    let mut best: Option<(u32, Option<usize>)> = None;
    for group in context.groups() {
        let fields = context.fields(group);
        if submit::is_side_form(context, group, &fields, topic) {
            continue;
        }
        let score = group_score(context, group, &fields, topic);
        if score > 0 && best.is_none_or(|(most, _)| score > most) {
            best = Some((score, group));
        }
    }
    best.map(|(_, group)| group)
}

fn group_score(context: &Context<'_>, group: Option<usize>, fields: &[&Element], topic: &[String]) -> u32 {
    let known = fields.iter().filter(|field| fill::has_value(context, field, fields)).count();
    let personal =
        fields.iter().filter_map(|field| controls::meaning(field)).filter(|meaning| meaning.is_personal()).count();
    let buttons = context.pressables().filter(|element| element.form == group && controls::is_button(element));
    let by_button =
        buttons.map(|button| words::likeness(topic, &words::content_stems(&button.name))).max().unwrap_or(0);
    let is_asked = group.is_some() && by_button >= 300 || personal >= 2;
    let known = u32::try_from(known).unwrap_or(u32::MAX / 1000);
    if known == 0 && !is_asked { 0 } else { known * 1000 + by_button + u32::from(is_asked) }
}

fn work_on(context: &Context<'_>, group: Option<usize>, topic: &[String], from: usize) -> Progress {
    let fields = context.fields(group);
    match fill::next(context, &fields) {
        Filling::Act(action) => return Progress::Decided(Decision::Act(action)),
        Filling::Ask(decision) if !context.memory.was_handed_back() || matches!(decision, Decision::Ask { .. }) => {
            return Progress::Decided(decision);
        }
        Filling::Ask(_) | Filling::Complete => {}
    }
    match submit::press(context, group, &fields, topic) {
        Submit::Press(action) => Progress::Decided(Decision::Act(action)),
        Submit::Refused(reason) => Progress::Stuck(reason),
        Submit::AlreadyDone => after_press(context, from),
        Submit::None => go_on(context, topic, from)
            .unwrap_or_else(|| Progress::Stuck("the form has no button to send it".to_owned())),
    }
}

/// The form was sent and still stands there.
fn after_press(context: &Context<'_>, from: usize) -> Progress {
    if context.is_rejected() && !context.is_confirmed() {
        return Progress::Stuck("the page did not accept the form".to_owned());
    }
    Progress::Done(context.memory.acted.len().max(from))
}

/// Within a flow: a page without fields but with a button that goes on or commits.
fn go_on(context: &Context<'_>, topic: &[String], from: usize) -> Option<Progress> {
    let is_under_way = context.memory.filled_since(from) || context.memory.acted.len() > from;
    let mut buttons: Vec<(u32, &Element)> = context
        .pressables()
        .filter(|element| {
            controls::is_button(element) || !matches!(lexicon::hint(&element.name), Hint::Harmless | Hint::Unknown)
        })
        .filter(|element| {
            element
                .form
                .is_none_or(|form| !submit::is_side_form(context, Some(form), &context.fields(Some(form)), topic))
        })
        .filter(|element| is_under_way || starts_flow(element))
        .filter_map(|element| {
            forward_rank(context, element, topic).map(|rank| (rank + nearness(context, element), element))
        })
        .collect();
    buttons.sort_by_key(|(rank, _)| std::cmp::Reverse(*rank));
    match submit::press_first(context, buttons.into_iter().map(|(_, button)| button)) {
        Submit::Press(action) => Some(Progress::Decided(Decision::Act(action))),
        Submit::Refused(reason) => Some(Progress::Stuck(reason)),
        Submit::AlreadyDone => Some(after_press(context, from)),
        Submit::None => None,
    }
}

/// Among many alike, the one whose row or card has the goal's words: `Book` beside `Single room`.
fn nearness(context: &Context<'_>, element: &Element) -> u32 {
    let around = words::content_stems(&format!("{} {}", element.near_text, element.section));
    if around.is_empty() { 0 } else { words::coverage(&context.goal.words, &around) / 10 }
}

/// The button of a first page that asks nothing yet: `Start`.
fn starts_flow(element: &Element) -> bool {
    let stems = words::stems(&element.name);
    let starts = ["start", "start now", "begin", "get started", "next", "continue", "start application", "let's go"];
    lexicon::hint(&element.name) == Hint::Advances && (element.submits || words::is_any(&stems, &starts))
}

fn forward_rank(context: &Context<'_>, element: &Element, topic: &[String]) -> Option<u32> {
    let stems = words::content_stems(&element.name);
    let likeness = words::likeness(topic, &stems);
    match lexicon::hint(&element.name) {
        Hint::Commits => Some(2000 + likeness),
        Hint::Enters if element.submits => Some(1500 + likeness),
        Hint::Advances => Some(1000 + likeness),
        Hint::Unknown if element.submits => Some(500 + likeness),
        Hint::Enters if likeness >= NAMED_NEXT => Some(700 + likeness),
        Hint::Unknown if likeness >= 400 || risk::is_last_step(element, context.page) => Some(likeness),
        Hint::Enters | Hint::Unknown | Hint::Harmless => None,
    }
}

/// No form here yet: follow the link that leads to it.
fn find_form(context: &Context<'_>, topic: &[String]) -> Progress {
    let mut best: Option<(u32, &Element)> = None;
    for element in context.pressables() {
        let score = way_score(topic, element);
        let is_better = best.is_none_or(|(most, _)| score > most);
        if score >= 350 && is_better && context.click(element).is_some() {
            best = Some((score, element));
        }
    }
    if let Some(action) = best.and_then(|(_, element)| context.click(element)) {
        return Progress::Decided(Decision::Act(action));
    }
    find::look_around(context).unwrap_or_else(|| Progress::Stuck("no form for this was found on the page".to_owned()))
}

fn way_score(topic: &[String], element: &Element) -> u32 {
    let stems = words::content_stems(&element.name);
    let direct = words::likeness(topic, &stems);
    let leads = WAYS.iter().any(|(goal, names)| {
        goal.iter().any(|word| topic.contains(&words::stem(word)))
            && (words::is_any(&stems, names) || words::has_any(&stems, names))
    });
    if lexicon::hint(&element.name) == Hint::Harmless && !leads {
        return 0;
    }
    direct + if leads { 600 } else { 0 }
}

/// Whether the group asks for what only a buyer or a sender has: name, address.
pub(super) fn asks_for_person(fields: &[&Element]) -> bool {
    let is_place = |meaning: Meaning| {
        matches!(
            meaning,
            Meaning::FullName
                | Meaning::FirstName
                | Meaning::LastName
                | Meaning::Address
                | Meaning::Street
                | Meaning::City
                | Meaning::Zip
                | Meaning::Email
        )
    };
    fields.iter().filter_map(|field| controls::meaning(field)).any(is_place)
}
