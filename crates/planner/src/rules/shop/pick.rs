//! Finds the item in the shop, sets its options and puts it into the cart.

use errand_domain::action::{Action, TypedText};

use super::price;
use super::{BUY, act, is_add_name};
use crate::controls;
use crate::goal::Item;
use crate::goal::meaning::{self, Meaning};
use crate::observation::Element;
use crate::risk::lexicon::{self, Hint};
use crate::rules::context::{Context, Progress};
use crate::rules::fill::{self, Filling};
use crate::rules::find;
use crate::rules::memory::{self, Acted};
use crate::rules::options;
use crate::rules::search;
use crate::rules::submit;
use crate::words;

#[rustfmt::skip]
const SHOPS: &[&str] = &[
    "shop", "store", "products", "all products", "catalog", "catalogue", "shop all", "shop now", "our products",
    "browse", "collections", "merchandise", "order online", "start shopping", "order now", "order", "place an order",
];

/// A name covers the item from here on.
pub(super) const ITEM_MATCH: u32 = 600;

/// Finds the item and puts it into the cart, or presses `Buy now` when the goal orders it.
pub(super) fn pick(context: &Context<'_>, item: &Item, may_buy: bool) -> Progress {
    let is_press = |element: &&Element| controls::kind(element) == controls::Kind::Press;
    // A button that waits for options is disabled until they are set.
    let all = context.page.elements.iter().filter(is_press);
    let (adders, others): (Vec<&Element>, Vec<&Element>) = all.partition(|element| is_add_name(&element.name));
    let is_buyer = |element: &&Element| {
        may_buy && controls::is_button(element) && words::is_any(&words::stems(&element.name), BUY)
    };
    let buttons = if adders.is_empty() { others.into_iter().filter(is_buyer).collect() } else { adders };
    if let Some(button) = button_for_item(context, item, &buttons) {
        return prepare_and_press(context, button);
    }
    find_item(context, item)
}

/// The button that adds the wanted item: the only one of its product page, or the one in the item's card.
fn button_for_item<'a>(context: &Context<'_>, item: &Item, buttons: &[&'a Element]) -> Option<&'a Element> {
    let usable: Vec<&Element> =
        buttons.iter().filter(|button| button.disabled || context.click(button).is_some()).copied().collect();
    if item.stems.is_empty() {
        return usable.first().copied();
    }
    let near = |button: &Element| card_score(button, item);
    let has_other_cards = usable.len() > 1;
    if let [only] = usable.as_slice()
        && is_page_of(context, item)
        && near(only) >= near_floor(only)
    {
        return Some(only);
    }
    let wants_options = context.goal.facts.labelled.iter().any(|fact| meaning::of_stems(&fact.label).is_none());
    let link = if wants_options && has_other_cards { best_item_link(context, item) } else { None };
    if link.is_some() {
        return None;
    }
    let chosen =
        if item.choice.is_some() { price::choose(&usable, item, |button| near(button) >= ITEM_MATCH) } else { None };
    let title_matches = is_page_of(context, item);
    chosen
        .or_else(|| find::best(usable.iter().copied(), |button| near(button), ITEM_MATCH))
        .or_else(|| usable.first().copied().filter(|_| title_matches && !has_other_cards))
}

/// A button that stands under nothing may stand anywhere on its product page.
fn near_floor(button: &Element) -> u32 {
    if button.section.trim().is_empty() && button.near_text.trim().is_empty() { 0 } else { 1 }
}

/// Whether the page is about the item: its title or one of its first lines names it.
fn is_page_of(context: &Context<'_>, item: &Item) -> bool {
    let lines = context.page.text.lines().filter(|line| line.chars().count() <= 120).take(40);
    std::iter::once(context.page.title.as_str())
        .chain(lines)
        .any(|line| words::coverage(&item.stems, &words::content_stems(line)) >= ITEM_MATCH.max(660))
}

/// Sets the product's options, then presses.
fn prepare_and_press(context: &Context<'_>, button: &Element) -> Progress {
    let is_form = !controls::is_loose(context.page, button.form);
    let in_form: Vec<&Element> = context.fields(button.form);
    let fields: Vec<&Element> = in_form
        .into_iter()
        .filter(|field| controls::meaning(field) != Some(Meaning::Search))
        .filter(|field| is_form || is_near(context, button, field))
        .collect();
    match fill::next(context, &fields) {
        Filling::Act(action) => return act(action),
        Filling::Ask(decision) => return Progress::Decided(decision),
        Filling::Complete => {}
    }
    if let Some(action) = swatch(context) {
        return act(action);
    }
    if button.disabled {
        return context.scroll_down().map_or_else(|| Progress::Stuck(format!("{:?} stays disabled", button.name)), act);
    }
    let action = Action::Click { target: button.target() };
    match submit::refusal(context, &action) {
        Some(reason) => Progress::Stuck(reason),
        None => context
            .permit(action)
            .map_or_else(|| Progress::Stuck("the item could not be put into the cart".to_owned()), act),
    }
}

/// Without a form, only fields of the same card or of a page with one add button belong to it.
fn is_near(context: &Context<'_>, button: &Element, field: &Element) -> bool {
    let adders = context.pressables().filter(|element| is_add_name(&element.name)).count();
    adders <= 1 || field.section == button.section
}

/// A size or colour that is chosen by a button instead of a field.
fn swatch(context: &Context<'_>) -> Option<Action> {
    let facts = context.goal.facts.labelled.iter().filter(|fact| meaning::of_stems(&fact.label).is_none());
    let values: Vec<&str> = facts.map(|fact| fact.value.as_str()).collect();
    let is_value = |element: &&Element| {
        let name = options::without_price(&element.name);
        let is_plain = !element.submits && (!controls::is_link(element) || element.href.is_none());
        is_plain
            && values.iter().any(|value| name.eq_ignore_ascii_case(value) || options::is_same_size(name, value))
            && context.memory.clicked(0, |clicked| clicked == element.name).is_none()
    };
    context
        .pressables()
        .filter(is_value)
        .filter(|element| element.checked != Some(true))
        .find_map(|element| context.click(element))
}

/// Follows the link to the item, searches for it, or looks through the shop.
fn find_item(context: &Context<'_>, item: &Item) -> Progress {
    if let Some(action) = best_item_link(context, item).and_then(|element| context.click(element)) {
        return act(action);
    }
    if let Some(action) = search_for(context, item).or_else(|| category(context, item)).or_else(|| shop_link(context)) {
        return act(action);
    }
    let not_found = || Progress::Stuck(format!("\"{}\" was not found in the shop", item.name));
    find::look_here(context)
        .or_else(|| find::explore(context))
        .or_else(|| find::go_back(context))
        .map_or_else(not_found, act)
}

/// How well the card around an element names the item: its heading or row, else the text near it.
fn card_score(element: &Element, item: &Item) -> u32 {
    let named = |text: &str| {
        let stems = words::content_stems(options::without_price(text));
        let is_covered = words::coverage(&item.stems, &stems) >= ITEM_MATCH;
        if is_covered { words::likeness(&item.stems, &stems) } else { 0 }
    };
    let headings = element.section.split(": ").map(named).max().unwrap_or(0);
    headings.max(named(&element.name)).max(named(&element.near_text) * 9 / 10)
}

/// The link or card that names the item best.
fn best_item_link<'a>(context: &Context<'a>, item: &Item) -> Option<&'a Element> {
    let candidates: Vec<&Element> = context.pressables().filter(|element| is_item_link(context, element)).collect();
    if item.choice.is_some()
        && let Some(chosen) = price::choose(&candidates, item, |element| item_score(element, item) >= ITEM_MATCH)
    {
        return Some(chosen);
    }
    find::best(candidates.into_iter(), |element| item_score(element, item), ITEM_MATCH)
}

fn is_item_link(context: &Context<'_>, element: &Element) -> bool {
    let leads =
        controls::is_link(element) || controls::is_button(element) && lexicon::hint(&element.name) != Hint::Commits;
    let is_self = element.href.as_deref().is_some_and(|href| memory::same_page(href, &context.page.url));
    leads && !element.submits && !is_self && !is_add_name(&element.name) && context.click(element).is_some()
}

/// How well an element leads to the item; `View` and `Details` are judged by their card.
fn item_score(element: &Element, item: &Item) -> u32 {
    if item.stems.is_empty() {
        return 0;
    }
    let name = words::content_stems(options::without_price(&element.name));
    let has_head = item.stems.last().is_some_and(|head| name.contains(head));
    let by_name =
        if has_head || words::coverage(&item.stems, &name) >= 660 { words::likeness(&item.stems, &name) } else { 0 };
    let generic = [
        "view",
        "details",
        "view details",
        "view product",
        "select options",
        "choose options",
        "more",
        "learn more",
        "buy",
        "shop now",
        "see details",
        "open",
        "order",
        "more info",
        "view item",
        "order now",
        "buy now",
        "order this",
        "get it",
        "get yours",
        "get this",
        "see more",
        "go to product",
        "order here",
        "product page",
        "configure",
        "customize",
        "select",
    ];
    if by_name >= ITEM_MATCH || !(name.is_empty() || words::is_any(&words::stems(&element.name), &generic)) {
        return by_name;
    }
    card_score(element, item) * 9 / 10
}

fn search_for(context: &Context<'_>, item: &Item) -> Option<Action> {
    let field = context.search_box()?;
    if item.name.is_empty() {
        return None;
    }
    if field.value.as_deref() == Some(item.name.as_str()) && context.memory.acted.last().is_some_and(Acted::is_fill) {
        return search::submission(context, field);
    }
    let was_searched = context
        .memory
        .position(
            0,
            |past| matches!(past.action, Action::Type { text: TypedText::Plain(text), .. } if *text == item.name),
        )
        .is_some();
    if was_searched { None } else { context.type_text(field, TypedText::Plain(item.name.clone())) }
}

/// A category that a word of the item names: `Mugs`.
fn category(context: &Context<'_>, item: &Item) -> Option<Action> {
    // All of its words are the item's: `Mugs` for a blue mug, but not `Red Mug`.
    let score = |element: &Element| {
        let name = words::content_stems(&element.name);
        let is_part = words::coverage(&name, &item.stems) == words::LIKENESS_MAX;
        if is_part { words::coverage(&item.stems, &name) } else { 0 }
    };
    let links = context.pressables().filter(|element| controls::is_link(element) && is_item_link(context, element));
    find::best(links, score, 1).and_then(|element| context.click(element))
}

fn shop_link(context: &Context<'_>) -> Option<Action> {
    // As written: `Order` leads to a shop, `Orders` to what was ordered.
    let is_shop = |element: &Element| SHOPS.contains(&words::tokens(&element.name).join(" ").as_str());
    // `Order now` beside every product is no way to the shop.
    let is_alone = |element: &Element| context.pressables().filter(|other| other.name == element.name).count() == 1;
    let is_way = |element: &&Element| is_item_link(context, element) && is_shop(element) && is_alone(element);
    context.pressables().filter(is_way).find_map(|element| context.click(element))
}
