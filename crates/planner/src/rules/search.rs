//! Types a query into the search box and submits it.

use errand_domain::action::{Action, TypedText};

use super::context::{Context, Progress};
use super::find;
use super::memory::Acted;
use super::submit;
use crate::Decision;
use crate::controls;
use crate::observation::Element;
use crate::words;

/// Carries out a search intent that began at step `from`.
pub(super) fn progress(context: &Context<'_>, query: &str, from: usize) -> Progress {
    let typed = context.memory.last_position(from, |past| is_typing_of(past, query));
    let submitted = typed.and_then(|typed| context.memory.position(typed + 1, is_submission));
    if let Some(at) = submitted {
        return Progress::Done(at + 1);
    }
    let Some(field) = box_of(context) else { return open_box(context) };
    if typed.is_none() && field.value.as_deref() != Some(query) {
        return match context.type_text(field, TypedText::Plain(query.to_owned())) {
            Some(action) => Progress::Decided(Decision::Act(action)),
            None => Progress::Stuck("the search box takes no text".to_owned()),
        };
    }
    match submission(context, field) {
        Some(action) => Progress::Decided(Decision::Act(action)),
        None => Progress::Stuck("the search could not be submitted".to_owned()),
    }
}

fn is_typing_of(past: &Acted<'_>, query: &str) -> bool {
    matches!(past.action, Action::Type { text: TypedText::Plain(text), .. } if text == query)
}

fn is_submission(past: &Acted<'_>) -> bool {
    matches!(past.action, Action::Click { .. } | Action::Press { .. } | Action::Navigate { .. })
}

/// The search box; else the only text field beside a button that searches.
fn box_of<'a>(context: &Context<'a>) -> Option<&'a Element> {
    context.search_box().or_else(|| {
        let is_beside_search = |field: &&Element| button_of(context, field).is_some();
        context.elements().filter(|field| controls::is_text(field)).find(is_beside_search)
    })
}

fn button_of<'a>(context: &Context<'a>, field: &Element) -> Option<&'a Element> {
    let searches = |element: &&Element| {
        let stems = words::stems(&element.name);
        controls::is_button(element)
            && element.form == field.form
            && (words::has_any(&stems, &["search", "suchen", "buscar", "rechercher", "cerca", "zoeken"])
                || words::is_any(&stems, &["go", "find"]))
    };
    context.pressables().find(searches)
}

/// The button beside the box, else Enter in it; whichever was not tried here.
pub(super) fn submission(context: &Context<'_>, field: &Element) -> Option<Action> {
    let by_button = button_of(context, field).or_else(|| {
        context.pressables().find(|element| element.submits && element.form == field.form && field.form.is_some())
    });
    let click = by_button.and_then(|button| context.click(button));
    click.or_else(|| context.press_enter(field)).filter(|action| submit::refusal(context, action).is_none())
}

/// A magnifier that shows the search box first.
fn open_box(context: &Context<'_>) -> Progress {
    let opens = |element: &&Element| {
        words::is_any(
            &words::stems(&element.name),
            &["search", "open search", "show search", "toggle search", "search site"],
        )
    };
    if let Some(action) = context.pressables().filter(opens).find_map(|element| context.click(element)) {
        return Progress::Decided(Decision::Act(action));
    }
    find::look_around(context).unwrap_or_else(|| Progress::Stuck("the page has no search box".to_owned()))
}
