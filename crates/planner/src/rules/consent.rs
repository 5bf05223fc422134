//! Gets consent banners out of the way: refused where that is offered, else closed, else accepted.

use super::context::Context;
use crate::Decision;
use crate::controls;
use crate::observation::Element;
use crate::risk::{self, lexicon};
use crate::words;

/// Answers in order of preference.
const ANSWERS: &[&[&str]] = &[
    &[
        "reject all",
        "reject",
        "decline all",
        "decline",
        "deny",
        "deny all",
        "refuse",
        "refuse all",
        "only necessary",
        "necessary only",
        "essential only",
        "only essential",
        "use necessary cookies only",
        "ablehnen",
        "refuser",
        "rechazar",
        "rifiuta",
        "weigeren",
        "continue without accepting",
        "necessary",
    ],
    &["close", "dismiss", "no thanks", "not now", "x"],
    &[
        "accept all",
        "accept",
        "allow all",
        "allow",
        "agree",
        "i agree",
        "ok",
        "okay",
        "got it",
        "understood",
        "i understand",
        "akzeptieren",
        "zustimmen",
        "accepter",
        "aceptar",
        "accetta",
        "accepteren",
        "save preferences",
        "confirm my choices",
    ],
];

/// The click that answers a consent banner, when one is in view.
pub(super) fn answer(context: &Context<'_>) -> Option<Decision> {
    let banner: Vec<&Element> = context.pressables().filter(|element| is_in_banner(element)).collect();
    if banner.is_empty() {
        return None;
    }
    let wants_accept = context.goal.words.contains(&words::stem("accept"))
        && words::has_any(&context.goal.words, &["cookie", "consent"]);
    let order: Vec<&&[&str]> = if wants_accept { ANSWERS.iter().rev().collect() } else { ANSWERS.iter().collect() };
    let was_answered = banner.iter().any(|element| context.memory.clicked(0, |name| name == element.name).is_some());
    if was_answered {
        return None;
    }
    let answers = |names: &'static [&'static str]| {
        banner.iter().filter(move |element| {
            let stems = words::stems(&element.name);
            words::is_any(&stems, names)
                || names.iter().any(|name| name.contains(' ') && words::has_phrase(&stems, name))
                || (stems.len() <= 4 && words::has_any(&stems, names))
        })
    };
    // A banner's button that does more than answer is nobody's consent to cookies.
    let click =
        |element: &&Element| context.click(element).filter(|action| !risk::judge(action, context.page).committing);
    order.iter().find_map(|names| answers(names).find_map(click)).map(Decision::Act)
}

/// A button whose surroundings speak of cookies. Links such as `Cookie policy` are no part of a banner.
fn is_in_banner(element: &Element) -> bool {
    let around = words::stems(&format!("{} {}", element.near_text, element.section));
    let names_itself =
        words::has_any(&words::stems(&element.name), &["cookie", "cookies"]) && controls::is_button(element);
    let is_real_link = controls::is_link(element)
        && element.href.as_deref().is_some_and(|href| !href.contains('#') && !href.starts_with("javascript:"));
    let answers = lexicon::answers_consent(&words::stems(&element.name));
    answers && !is_real_link && (lexicon::is_about_consent(&around) || names_itself)
}
