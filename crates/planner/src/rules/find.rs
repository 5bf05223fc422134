//! Finds links and buttons by name, and what to do when none fits: open a menu, scroll, page on, go back.

use super::context::{Context, Progress};
use crate::Decision;
use crate::controls;
use crate::goal::Wanted;
use crate::observation::Element;
use crate::words;
use errand_domain::action::Action;

/// A name covers the wanted one from here on.
const GOOD_MATCH: u32 = 700;

/// The pressable element that is named best, with its score; earlier ones win ties.
pub(super) fn best<'a>(
    candidates: impl Iterator<Item = &'a Element>,
    score: impl Fn(&Element) -> u32,
    least: u32,
) -> Option<&'a Element> {
    let mut best: Option<(u32, &Element)> = None;
    for element in candidates {
        let points = score(element);
        if points >= least && best.is_none_or(|(most, _)| points > most) {
            best = Some((points, element));
        }
    }
    best.map(|(_, element)| element)
}

/// How well the element is the one that the goal names.
pub(super) fn score(wanted: &Wanted, element: &Element) -> u32 {
    let stems = words::stems(&element.name);
    let role_bonus = match wanted.role {
        Some("button") if controls::is_button(element) => 60,
        Some("link") if controls::is_link(element) => 60,
        Some(role) if element.role == role => 60,
        Some(_) | None => 0,
    };
    let named = if element.name.trim().eq_ignore_ascii_case(wanted.name.trim()) {
        2000
    } else if stems == wanted.stems {
        1800
    } else if wanted.is_quoted {
        if words::has_sequence(&stems, &wanted.stems) { 1200 } else { 0 }
    } else {
        likeness_of_name(wanted, element)
    };
    if named == 0 { by_address(wanted, element) } else { named + role_bonus }
}

fn likeness_of_name(wanted: &Wanted, element: &Element) -> u32 {
    let stems = words::content_stems(&element.name);
    let covers_wanted = words::coverage(&wanted.stems, &stems) == words::LIKENESS_MAX;
    let is_part_of_wanted = words::coverage(&stems, &wanted.stems) == words::LIKENESS_MAX;
    let likeness = words::likeness(&wanted.stems, &stems);
    match (covers_wanted, is_part_of_wanted) {
        (true, _) => likeness.max(GOOD_MATCH),
        (false, true) => likeness,
        (false, false) if likeness >= 500 => likeness,
        (false, false) => 0,
    }
}

/// Icons without a name are known by where they lead.
fn by_address(wanted: &Wanted, element: &Element) -> u32 {
    let Some(path) = element
        .href
        .as_deref()
        .and_then(|href| url::Url::parse(href).ok())
        .map(|url| words::identifier_stems(url.path()))
    else {
        return 0;
    };
    if element.name.trim().is_empty()
        && !wanted.is_quoted
        && words::coverage(&wanted.stems, &path) == words::LIKENESS_MAX
    {
        450
    } else {
        0
    }
}

/// Ways to see more of a page or site before giving up, cheapest first.
pub(super) fn look_around(context: &Context<'_>) -> Option<Progress> {
    look_here(context).or_else(|| go_back(context)).map(|action| Progress::Decided(Decision::Act(action)))
}

/// Ways to see more of this page or list.
pub(super) fn look_here(context: &Context<'_>) -> Option<Action> {
    open_menu(context).or_else(|| context.scroll_down()).or_else(|| next_page(context))
}

/// Clicks that are spent on a site's navigation when nothing on it is named as in the goal.
const EXPLORED_MAX: usize = 6;

/// Links of every site that lead to no product or topic.
#[rustfmt::skip]
const UNEXPLORED: &[&str] = &[
    "home", "cart", "basket", "bag", "login", "logout", "signup", "account", "contact", "privacy", "terms", "cookie",
    "legal", "imprint", "impressum", "help", "faq", "about", "blog", "news", "language", "facebook", "instagram",
    "twitter", "youtube", "wishlist", "startseite", "warenkorb", "anmelden", "konto", "kontakt", "datenschutz", "agb",
    "panier", "carrito", "careers", "jobs", "press",
];

/// The next link of the navigation that was not followed yet, on the same site.
pub(super) fn explore(context: &Context<'_>) -> Option<Action> {
    let clicks = context.memory.acted.iter().filter(|past| matches!(past.action, Action::Click { .. })).count();
    let host = host_of(&context.page.url);
    let is_new = |element: &&Element| {
        let Some(href) = element.href.as_deref() else { return false };
        let is_boring = words::has_any(&words::stems(&element.name), UNEXPLORED) || element.name.trim().is_empty();
        let is_here = super::memory::same_page(href, &context.page.url) || context.memory.has_visited(href);
        super::follow::is_in_navigation(element) && host_of(href) == host && !is_boring && !is_here
    };
    if clicks >= EXPLORED_MAX {
        return None;
    }
    let clicked = |element: &&Element| context.memory.clicked(0, |name| name == element.name).is_some();
    let mut links = context.pressables().filter(|element| controls::is_link(element)).filter(is_new);
    links.find(|element| !clicked(element)).and_then(|element| context.click(element))
}

fn host_of(url: &str) -> Option<String> {
    url::Url::parse(url).ok().and_then(|url| url.host_str().map(str::to_owned))
}

/// A collapsed navigation.
pub(super) fn open_menu(context: &Context<'_>) -> Option<Action> {
    let is_menu = |element: &&Element| {
        let stems = words::stems(&element.name);
        !controls::is_link(element)
            && words::is_any(
                &stems,
                &[
                    "menu",
                    "open menu",
                    "navigation",
                    "toggle navigation",
                    "main menu",
                    "more",
                    "toggle menu",
                    "show menu",
                    "open navigation",
                    "site menu",
                ],
            )
    };
    context.pressables().filter(is_menu).find_map(|element| context.click(element))
}

/// The next page of a list.
pub(super) fn next_page(context: &Context<'_>) -> Option<Action> {
    let is_next = |element: &&Element| {
        let name = element.name.trim();
        let stems = words::stems(name);
        matches!(name, "›" | "»" | ">" | "→")
            || words::is_any(
                &stems,
                &[
                    "next",
                    "next page",
                    "load more",
                    "show more",
                    "more results",
                    "more products",
                    "view more",
                    "see more",
                    "older posts",
                ],
            )
    };
    context.pressables().filter(is_next).find_map(|element| context.click(element))
}

/// Back from a page that was opened by a click and offers nothing.
pub(super) fn go_back(context: &Context<'_>) -> Option<Action> {
    let last = context.memory.acted.last()?;
    let was_opened =
        matches!(last.action, Action::Click { .. }) && last.url != context.page.url && !super::submit::is_commit(last);
    if was_opened { context.permit(Action::Back) } else { None }
}
