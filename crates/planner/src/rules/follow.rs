//! Follows a link or presses a button that the goal names, by its name or by its place in a list.

use std::collections::BTreeMap;

use errand_domain::action::Action;
use url::Url;

use super::context::{Context, Progress};
use super::find;
use super::memory::same_page;
use super::submit;
use crate::Decision;
use crate::controls::{self, Kind};
use crate::goal::Wanted;
use crate::observation::Element;
use crate::words;

/// Lower scores are not followed.
const FOLLOWED_FROM: u32 = 350;

/// Links of one list at least.
const LIST_LINKS_MIN: usize = 3;

/// Opens a URL that the goal gives.
pub(super) fn visit(context: &Context<'_>, url: &str, from: usize) -> Progress {
    let visited =
        context.memory.position(from, |past| matches!(past.action, Action::Navigate { url: opened } if opened == url));
    if let Some(at) = visited {
        return Progress::Done(at + 1);
    }
    if same_page(&context.page.url, url) {
        return Progress::Done(from);
    }
    match context.permit(Action::Navigate { url: url.to_owned() }) {
        Some(action) => Progress::Decided(Decision::Act(action)),
        None => Progress::Stuck(format!("{url} could not be opened")),
    }
}

/// Carries out an open intent that began at step `from`; `query` is what was searched for before.
pub(super) fn progress(context: &Context<'_>, wanted: &Wanted, query: Option<&str>, from: usize) -> Progress {
    if let Some(at) = opened_at(context, wanted, query, from) {
        return Progress::Done(at + 1);
    }
    if let Some(ordinal) = wanted.ordinal {
        return nth(context, wanted, ordinal, query);
    }
    if let Some(progress) = choose_control(context, wanted, from) {
        return progress;
    }
    let is_open = |element: &&Element| {
        let action = Action::Click { target: element.target() };
        context.click(element).is_some() || submit::refusal(context, &action).is_some()
    };
    let untried = context.pressables().filter(is_open);
    let Some(element) = find::best(untried, |element| find::score(wanted, element), FOLLOWED_FROM) else {
        return not_found(context, wanted, from);
    };
    let action = Action::Click { target: element.target() };
    match submit::refusal(context, &action) {
        Some(reason) => Progress::Stuck(reason),
        None => Progress::Decided(Decision::Act(action)),
    }
}

/// The step that pressed what is wanted. Only the name is left of past pages, so that is compared again.
pub(super) fn opened_at(context: &Context<'_>, wanted: &Wanted, query: Option<&str>, from: usize) -> Option<usize> {
    context.memory.position(from, |past| {
        let (Action::Click { target } | Action::Check { target, .. }) = past.action else { return false };
        let shown = Element { name: target.name.clone(), role: target.role.clone(), ..Element::default() };
        let is_navigation_help =
            words::is_any(&words::stems(&target.name), &["menu", "next", "next page", "load more", "show more"]);
        let is_named = find::score(wanted, &shown) >= FOLLOWED_FROM;
        let is_in_list = wanted.ordinal.is_some() && !is_navigation_help && target.role != "button";
        let is_empty_icon = target.name.trim().is_empty() && wanted.ordinal.is_none();
        is_named || (is_in_list && (query.is_some() || target.role == "link")) || is_empty_icon
    })
}

/// The goal names a box, a radio button or an option of a select.
fn choose_control(context: &Context<'_>, wanted: &Wanted, from: usize) -> Option<Progress> {
    let is_settable = |element: &&Element| matches!(controls::kind(element), Kind::Radio | Kind::Checkbox);
    let untried = context.elements().filter(is_settable).filter(|element| element.checked != Some(true));
    let control = find::best(untried, |element| find::score(wanted, element), 1000);
    let button = find::best(context.pressables(), |element| find::score(wanted, element), 1000);
    if let (Some(control), None) = (control, button) {
        return context.check(control, true).map(|action| Progress::Decided(Decision::Act(action)));
    }
    let was_chosen = context.memory.position(
        from,
        |past| matches!(past.action, Action::Select { option, .. } if words::stems(option) == wanted.stems),
    );
    if let Some(at) = was_chosen {
        return Some(Progress::Done(at + 1));
    }
    if button.is_some() {
        return None;
    }
    context.elements().filter(|element| controls::kind(element) == Kind::Choice).find_map(|select| {
        let option = select.options.iter().find(|option| words::stems(option) == wanted.stems)?;
        context.select(select, option).map(|action| Progress::Decided(Decision::Act(action)))
    })
}

fn not_found(context: &Context<'_>, wanted: &Wanted, from: usize) -> Progress {
    if is_already_there(context, wanted) {
        return Progress::Done(from);
    }
    find::look_around(context)
        .unwrap_or_else(|| Progress::Stuck(format!("nothing named \"{}\" was found to open", wanted.name)))
}

/// The page in view is the wanted one: its title or address says so.
fn is_already_there(context: &Context<'_>, wanted: &Wanted) -> bool {
    let path = Url::parse(&context.page.url).map(|url| words::identifier_stems(url.path())).unwrap_or_default();
    let title = words::stems(&context.page.title);
    let covers =
        |words: &[String]| !wanted.stems.is_empty() && words::coverage(&wanted.stems, words) == words::LIKENESS_MAX;
    covers(&path) || covers(&title) || words::is_any(&wanted.stems, &["home", "homepage", "front"])
}

/// The n-th result, story or item.
fn nth(context: &Context<'_>, wanted: &Wanted, ordinal: usize, query: Option<&str>) -> Progress {
    let named = named_list(context, wanted);
    let list = if named.len() >= ordinal { named } else { list_links(context, query) };
    match list.get(ordinal - 1).and_then(|element| context.click(element)) {
        Some(action) => Progress::Decided(Decision::Act(action)),
        None => find::look_around(context)
            .unwrap_or_else(|| Progress::Stuck(format!("the page shows no list with {ordinal} entries"))),
    }
}

/// `the second "Details" link`: elements with that very name.
fn named_list<'a>(context: &Context<'a>, wanted: &Wanted) -> Vec<&'a Element> {
    if wanted.stems.is_empty() {
        return Vec::new();
    }
    context.pressables().filter(|element| words::content_stems(&element.name) == wanted.stems).collect()
}

/// The links of the page's main list: those that mention the query, else the largest family of links by text.
pub(super) fn list_links<'a>(context: &Context<'a>, query: Option<&str>) -> Vec<&'a Element> {
    let links: Vec<&Element> =
        context.pressables().filter(|element| controls::is_link(element) && !is_in_navigation(element)).collect();
    if let Some(query) = query {
        let stems = words::content_stems(query);
        let matching: Vec<&Element> = links
            .iter()
            .filter(|link| words::coverage(&stems, &words::content_stems(&link.name)) >= 500)
            .copied()
            .collect();
        if !matching.is_empty() {
            return without_repeats(matching);
        }
    }
    let headlines: Vec<&Element> = links.iter().filter(|link| is_headline(link)).copied().collect();
    let headlines = without_repeats(headlines);
    if query.is_none() && headlines.len() >= LIST_LINKS_MIN {
        return headlines;
    }
    let mut families: BTreeMap<String, (usize, Vec<&Element>)> = BTreeMap::new();
    for link in links.iter().filter(|link| !link.name.trim().is_empty()) {
        let family = families.entry(family_of(link)).or_default();
        family.0 += link.name.chars().count();
        family.1.push(link);
    }
    let is_list = |family: &&(usize, Vec<&'a Element>)| family.1.len() >= LIST_LINKS_MIN;
    let largest = families.values().filter(is_list).max_by_key(|(letters, _)| *letters);
    largest.map(|(_, links)| without_repeats(links.clone())).unwrap_or_else(|| without_repeats(links))
}

/// A link of several words, and no advertisement: a story, an article, a long product name.
fn is_headline(link: &Element) -> bool {
    let around = words::tokens(&link.near_text);
    let is_advert = words::says_any(&around, &["promoted", "sponsored", "advertisement", "ad", "anzeige"]);
    words::tokens(&link.name).len() >= HEADLINE_WORDS_MIN && !is_advert
}

/// Shorter names are menu entries and counters, such as `213 comments`.
const HEADLINE_WORDS_MIN: usize = 3;

/// Picture and title of one card lead to the same page.
fn without_repeats(links: Vec<&Element>) -> Vec<&Element> {
    let mut kept: Vec<&Element> = Vec::new();
    for link in links {
        if !kept.iter().any(|earlier| earlier.href.is_some() && earlier.href == link.href) {
            kept.push(link);
        }
    }
    kept
}

/// Links of one kind look alike: same host or not, same depth, same start of the path.
fn family_of(link: &Element) -> String {
    let Some(url) = link.href.as_deref().and_then(|href| Url::parse(href).ok()) else { return String::new() };
    let segments: Vec<&str> = url.path().split('/').filter(|segment| !segment.is_empty()).collect();
    let first = segments.first().copied().unwrap_or_default();
    let depth = segments.len();
    if depth > 1 { format!("{first}/{depth}") } else { format!("/{depth}?{}", url.query().is_some()) }
}

pub(super) fn is_in_navigation(element: &Element) -> bool {
    words::has_any(
        &words::stems(&element.section),
        &["navigation", "nav", "footer", "breadcrumb", "breadcrumbs", "banner", "menu"],
    )
}
