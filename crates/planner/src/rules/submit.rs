//! Which button moves a form or a flow on, and the guard that nothing is committed twice.

use errand_domain::action::{Action, TypedText};

use super::context::Context;
use super::memory::Acted;
use crate::controls;
use crate::goal::meaning::Meaning;
use crate::observation::Element;
use crate::risk::{self, lexicon, lexicon::Hint};
use crate::words;

/// Buttons that take back, repeat or look elsewhere; they never send a form.
#[rustfmt::skip]
const NEVER_SUBMIT: &[&str] = &[
    "back", "cancel", "reset", "clear", "edit", "remove", "delete", "apply", "apply coupon", "apply code",
    "update cart", "update", "save for later", "continue shopping", "keep shopping", "show password", "hide password",
    "forgot", "search", "add to wishlist", "add to cart", "add to basket", "add to bag", "login", "logout", "signup",
    "close", "previous", "change", "menu", "upload", "browse", "choose file", "help", "view", "details", "print",
    "share", "paypal", "apple pay", "google pay", "klarna", "continue with google", "continue with facebook",
    "zuruck", "abbrechen", "save draft", "preview", "plus", "minus", "increase", "decrease", "return to", "back to",
    "go back", "log in", "toggle", "subscribe to newsletter", "empty",
];

/// What pressing the best button would be.
pub(super) enum Submit {
    Press(Action),
    /// Every way was refused by a person; what, and the note.
    Refused(String),
    /// It was pressed before, and nothing was changed since.
    AlreadyDone,
    None,
}

/// Presses the button that submits this group; `topic` are the goal's words for what is wanted.
pub(super) fn press(context: &Context<'_>, group: Option<usize>, fields: &[&Element], topic: &[String]) -> Submit {
    let buttons = ranked(context, group, fields, topic);
    if let Some(field) = emptied(context, fields) {
        return Submit::Refused(format!(
            "the page has emptied {:?}, which was filled in",
            controls::label(field).trim()
        ));
    }
    let result = press_first(context, buttons.iter().copied());
    match (result, fields.iter().rev().find(|field| controls::kind(field) == controls::Kind::Text)) {
        (Submit::None, Some(last)) if buttons.is_empty() => {
            context.press_enter(last).map_or(Submit::None, Submit::Press)
        }
        (result, _) => result,
    }
}

/// A field that was filled on this page and holds nothing now: the form is not sent without it. Secrets are not shown.
fn emptied<'a>(context: &Context<'_>, fields: &[&'a Element]) -> Option<&'a Element> {
    let was_given = |field: &&&Element| {
        let typed = context.memory.typed_into(&field.fingerprint, &context.page.url);
        typed.is_some_and(|text| matches!(text, TypedText::Plain(text) if !text.trim().is_empty()))
    };
    let is_bare = |field: &&&Element| controls::is_text(field) && field.value.is_some() && controls::is_empty(field);
    fields.iter().filter(is_bare).find(was_given).copied()
}

/// The first of the buttons that may be pressed now. Behind one that has sent the form, others are no way to send it.
pub(super) fn press_first<'a>(context: &Context<'_>, buttons: impl Iterator<Item = &'a Element>) -> Submit {
    for button in buttons {
        let action = Action::Click { target: button.target() };
        if let Some(refusal) = refusal(context, &action) {
            return Submit::Refused(refusal);
        }
        if was_committed_already(context, &action) {
            return Submit::AlreadyDone;
        }
        if let Some(action) = context.permit(action) {
            return Submit::Press(action);
        }
    }
    Submit::None
}

/// Why the action may not be tried: a person refused it, or what it would commit.
pub(super) fn refusal(context: &Context<'_>, action: &Action) -> Option<String> {
    if context.memory.refused.is_empty() {
        return None;
    }
    let proposed = risk::judge(action, context.page);
    let refused = context.memory.refused.iter().find(|(refused, _)| {
        let is_same_name = refused.target().map(|target| &target.name) == action.target().map(|target| &target.name);
        let is_on_this_page = refused.target().is_some_and(|target| {
            context.page.elements.iter().any(|element| element.fingerprint == target.fingerprint)
        });
        is_same_name || (proposed.committing && is_on_this_page)
    });
    refused.map(|(refused, note)| {
        let note =
            note.filter(|note| !note.trim().is_empty()).map(|note| format!(" ({})", note.trim())).unwrap_or_default();
        format!("{} was refused{note}", refused.describe())
    })
}

/// A committing button that was pressed before is pressed again only when something new is known.
fn was_committed_already(context: &Context<'_>, action: &Action) -> bool {
    let Some(target) = action.target() else { return false };
    // The same button of the same form, wherever it is shown; another page may have its own of that name.
    let is_same = |past: &Acted<'_>| {
        let same_element = past.action.target().is_some_and(|pressed| pressed.fingerprint == target.fingerprint);
        past.is_press() && past.name() == target.name && (same_element || past.url == context.page.url)
    };
    let pressed = context.memory.last_position(0, is_same);
    let Some(at) = pressed else { return false };
    risk::judge(action, context.page).committing && !context.memory.has_news_since(at + 1)
}

/// Buttons that could submit the group, best first; equals in document order.
fn ranked<'a>(context: &Context<'a>, group: Option<usize>, fields: &[&Element], topic: &[String]) -> Vec<&'a Element> {
    let position =
        |wanted: &Element| context.page.elements.iter().position(|element| element.reference == wanted.reference);
    let first_field = fields.iter().filter_map(|field| position(field)).min().unwrap_or(0);
    let is_after_fields = |element: &Element| position(element).is_some_and(|at| at >= first_field);
    let candidates = |group: Option<usize>| -> Vec<&'a Element> {
        context
            .pressables()
            .filter(|element| {
                element.form == group
                    && controls::is_button(element)
                    && (!controls::is_loose(context.page, group) || is_after_fields(element))
            })
            .filter(|element| !is_never_submit(element))
            .collect()
    };
    let mut buttons = candidates(group);
    if buttons.is_empty() && group.is_some() {
        buttons = candidates(None)
            .into_iter()
            .filter(|button| lexicon::hint(&button.name) != Hint::Harmless && is_after_fields(button))
            .collect();
    }
    if buttons.is_empty() {
        let sends = |element: &&Element| element.submits && element.form == group && !takes_back(element);
        buttons = context.pressables().filter(sends).collect();
    }
    let mut scored: Vec<(u32, &Element)> =
        buttons.into_iter().map(|button| (submit_rank(button, topic), button)).collect();
    scored.sort_by_key(|(rank, _)| std::cmp::Reverse(*rank));
    scored.into_iter().map(|(_, button)| button).collect()
}

fn is_never_submit(element: &Element) -> bool {
    let stems = words::stems(&element.name);
    let never = NEVER_SUBMIT.iter().any(|phrase| {
        let is_word = words::phrase_len(phrase) == 1;
        if is_word { stems.len() <= 2 && words::starts_with(&stems, phrase) } else { words::has_phrase(&stems, phrase) }
    });
    let commits = matches!(lexicon::hint(&element.name), Hint::Commits | Hint::Enters)
        && !words::has_any(&stems, &["delete", "cancel", "paypal", "apple pay", "google pay"]);
    let is_reset = element.input_type.as_deref() == Some("reset");
    is_reset || (never && !commits)
}

fn takes_back(button: &Element) -> bool {
    let stems = words::stems(&button.name);
    let is_reset = button.input_type.as_deref() == Some("reset");
    is_reset
        || words::has_any(
            &stems,
            &["cancel", "back", "reset", "clear", "delete", "remove", "logout", "apply coupon", "apply code"],
        )
}

fn submit_rank(button: &Element, topic: &[String]) -> u32 {
    let by_words = match lexicon::hint(&button.name) {
        Hint::Commits => 400,
        Hint::Advances => 300,
        Hint::Enters => 350,
        Hint::Unknown => 100,
        Hint::Harmless => 0,
    };
    let by_form = if button.submits { 250 } else { 0 };
    by_words + by_form + words::likeness(topic, &words::content_stems(&button.name)) / 5
}

/// Whether a past step pressed something that commits, in name.
pub(super) fn is_commit(past: &Acted<'_>) -> bool {
    past.is_press() && lexicon::hint(past.name()) == Hint::Commits
}

/// Whether a past step sent a form: a press that neither only moved on nor looked around.
pub(super) fn is_final_press(past: &Acted<'_>) -> bool {
    past.is_press()
        && matches!(lexicon::hint(past.name()), Hint::Commits | Hint::Enters | Hint::Unknown)
        && !past.name().is_empty()
}

/// Forms that belong to the site and not to what is being done: search, newsletter, sign-in.
pub(super) fn is_side_form(context: &Context<'_>, group: Option<usize>, fields: &[&Element], topic: &[String]) -> bool {
    let texts: Vec<&&Element> = fields.iter().filter(|field| controls::is_text(field)).collect();
    let meanings: Vec<Option<Meaning>> = texts.iter().map(|field| controls::meaning(field)).collect();
    let is_search = !texts.is_empty() && meanings.iter().all(|meaning| *meaning == Some(Meaning::Search));
    let buttons: Vec<String> = context
        .pressables()
        .filter(|element| element.form == group && group.is_some())
        .flat_map(|button| words::stems(&button.name))
        .collect();
    let is_mail_only = texts.len() == 1 && meanings == [Some(Meaning::Email)];
    let wants_mail = words::has_any(
        topic,
        &[
            "subscribe",
            "newsletter",
            "mailing list",
            "updates",
            "waitlist",
            "signup",
            "notify",
            "password",
            "enter",
            "type",
            "fill",
        ],
    );
    let is_newsletter = is_mail_only
        && !wants_mail
        && words::has_any(&buttons, &["subscribe", "signup", "join", "go", "ok", "newsletter", "notify"]);
    let is_sign_in = meanings.contains(&Some(Meaning::Password))
        && !words::has_any(
            topic,
            &["login", "register", "signup", "account", "password", "enter", "type", "fill", "create"],
        )
        && words::has_any(&buttons, &["login"]);
    let is_coupon = !meanings.is_empty() && meanings.iter().all(|meaning| *meaning == Some(Meaning::Coupon));
    is_search || is_newsletter || is_sign_in || is_coupon
}
