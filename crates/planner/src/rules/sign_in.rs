//! Signs in with the goal's or the secrets' credentials, and out again.

use super::context::{Context, Progress};
use super::fill::{self, Filling};
use super::find;
use crate::Decision;
use crate::controls;
use crate::goal::meaning::Meaning;
use crate::observation::Element;
use crate::words;
use errand_domain::action::{Action, TypedText};

/// Carries out a sign-in intent that began at step `from`.
pub(super) fn progress(context: &Context<'_>, from: usize) -> Progress {
    let Some((group, fields)) = login_group(context) else { return without_fields(context, from) };
    if let Filling::Act(action) = fill::next(context, &fields) {
        return Progress::Decided(Decision::Act(action));
    }
    if let Filling::Ask(decision) = fill::next(context, &fields)
        && !context.memory.was_handed_back()
    {
        return Progress::Decided(decision);
    }
    if let Some(decision) = missing_user(context, &fields) {
        return Progress::Decided(decision);
    }
    if !has_credentials(context, &fields) && !context.memory.was_handed_back() {
        return Progress::Decided(Decision::HandOff {
            prompt: "The page asks to sign in, and no credentials were given. Please sign in in the browser."
                .to_owned(),
        });
    }
    if context.memory.position(from, is_sign_in_press).is_some() && context.is_rejected() {
        return Progress::Stuck("the sign-in was not accepted".to_owned());
    }
    if was_sent(context, from) {
        return wait_for_answer(context);
    }
    press(context, group, &fields)
}

/// The same credentials are sent once: they were filled in, a button was pressed, and nothing new is known since.
fn was_sent(context: &Context<'_>, from: usize) -> bool {
    let Some(at) = context.memory.last_position(from, is_sign_in_press) else { return false };
    let was_filled = context.memory.acted[from..at].iter().any(super::memory::Acted::is_fill);
    was_filled && !context.memory.has_news_since(at + 1)
}

/// A script may take a while to sign in; then it did not.
fn wait_for_answer(context: &Context<'_>) -> Progress {
    if context.memory.waits_at_end() < ANSWER_WAITS_MAX {
        return Progress::Decided(Decision::Act(Action::Wait { ms: ANSWER_WAIT_MS }));
    }
    Progress::Stuck("the sign-in was not accepted".to_owned())
}

const ANSWER_WAITS_MAX: usize = 2;
const ANSWER_WAIT_MS: u32 = 1_000;

/// A password alone signs nobody in.
fn missing_user(context: &Context<'_>, fields: &[&Element]) -> Option<Decision> {
    let is_user = |field: &&&Element| matches!(controls::meaning(field), Some(Meaning::Username | Meaning::Email));
    let field = fields.iter().find(is_user)?;
    let is_missing = controls::is_empty(field) && !fill::has_value(context, field, fields) && field.value.is_some();
    let prompt = format!("What should be entered for \"{}\"?", controls::label(field).trim());
    (is_missing && has_credentials(context, fields)).then_some(Decision::Ask { prompt, options: Vec::new() })
}

/// Signs in when a page asks for nothing else, though the goal did not say so.
pub(super) fn at_a_wall(context: &Context<'_>) -> Option<Progress> {
    let (_, fields) = login_group(context)?;
    let others = context
        .elements()
        .filter(|element| controls::is_field(element) && !fields.iter().any(|field| std::ptr::eq(*field, *element)))
        .count();
    let is_wall = others == 0
        && has_credentials(context, &fields)
        && fields.iter().any(|field| controls::meaning(field) == Some(Meaning::Password));
    is_wall.then(|| progress(context, 0)).filter(|progress| matches!(progress, Progress::Decided(_)))
}

fn press(context: &Context<'_>, group: Option<usize>, fields: &[&Element]) -> Progress {
    let is_login = |element: &&Element| {
        let stems = words::stems(&element.name);
        element.form == group
            && controls::is_button(element)
            && (words::has_any(&stems, &["login", "anmelden", "connexion", "entrar", "accedi", "inloggen"])
                || element.submits)
    };
    let click = context.pressables().filter(is_login).find_map(|element| context.click(element));
    let next = || {
        context
            .pressables()
            .filter(|element| {
                controls::is_button(element)
                    && element.form == group
                    && words::is_any(&words::stems(&element.name), &["next", "continue", "submit", "go"])
            })
            .find_map(|element| context.click(element))
    };
    let enter = || fields.last().and_then(|field| context.press_enter(field));
    match click.or_else(next).or_else(enter) {
        Some(action) => Progress::Decided(Decision::Act(action)),
        None => Progress::Stuck("the sign-in was not accepted".to_owned()),
    }
}

/// Fields that ask for credentials: a password, or a user name beside a sign-in button.
fn login_group<'a>(context: &Context<'a>) -> Option<(Option<usize>, Vec<&'a Element>)> {
    context.groups().into_iter().find_map(|group| {
        let fields: Vec<&Element> = context.fields(group);
        let has = |wanted: Meaning| fields.iter().any(|field| controls::meaning(field) == Some(wanted));
        let registers = has(Meaning::NewPassword) || has(Meaning::FirstName) || has(Meaning::FullName);
        let says_login = context.pressables().any(|element| {
            element.form == group
                && controls::is_button(element)
                && words::has_any(&words::stems(&element.name), &["login"])
        });
        let asks_user = has(Meaning::Username) || (has(Meaning::Email) && says_login);
        ((has(Meaning::Password) || asks_user || has(Meaning::OneTimeCode)) && !registers).then_some((group, fields))
    })
}

fn has_credentials(context: &Context<'_>, fields: &[&Element]) -> bool {
    fields.iter().filter(|field| controls::is_text(field)).any(|field| fill::has_value(context, field, fields))
}

fn is_sign_in_press(past: &super::memory::Acted<'_>) -> bool {
    past.is_press()
}

/// No sign-in fields: done already, or a link leads to them.
fn without_fields(context: &Context<'_>, from: usize) -> Progress {
    let typed = context
        .memory
        .position(from, |past| matches!(past.action, Action::Type { text, .. } if is_credential(context, text)));
    let pressed = typed.and_then(|typed| context.memory.position(typed + 1, is_sign_in_press));
    if let Some(at) = pressed {
        return Progress::Done(at + 1);
    }
    let named = |phrases: &'static [&'static str]| {
        context.pressables().filter(move |element| words::has_any(&words::stems(&element.name), phrases))
    };
    if let Some(action) =
        named(&["login", "my account", "account", "anmelden", "connexion", "iniciar sesion", "accedi", "inloggen"])
            .find_map(|element| context.click(element))
    {
        return Progress::Decided(Decision::Act(action));
    }
    if named(&["logout"]).next().is_some() || context.memory.was_handed_back() {
        return Progress::Done(from);
    }
    find::look_around(context).unwrap_or_else(|| Progress::Stuck("the page has no way to sign in".to_owned()))
}

fn is_credential(context: &Context<'_>, text: &TypedText) -> bool {
    match text {
        TypedText::Secret(_) => true,
        TypedText::Plain(plain) => [Meaning::Username, Meaning::Password, Meaning::Email]
            .iter()
            .any(|meaning| context.goal.facts.known.get(meaning) == Some(plain)),
    }
}

/// Signs out.
pub(super) fn out(context: &Context<'_>, from: usize) -> Progress {
    let is_logout = |name: &str| words::has_any(&words::stems(name), &["logout", "abmelden", "deconnexion"]);
    if let Some(at) = context.memory.clicked(from, is_logout) {
        return Progress::Done(at + 1);
    }
    match context.pressables().filter(|element| is_logout(&element.name)).find_map(|element| context.click(element)) {
        Some(action) => Progress::Decided(Decision::Act(action)),
        None => {
            find::look_around(context).unwrap_or_else(|| Progress::Stuck("the page has no way to sign out".to_owned()))
        }
    }
}
