//! Orders an item: product list, product page, options, cart, checkout, details, review, order.

use errand_domain::action::{Action, TypedText};

use super::context::{Context, Progress};
use super::fill::{self, Filling};
use super::find;
use super::forms;
use super::memory::Acted;
use super::options;
use super::submit::{self, Submit};
use crate::Decision;
use crate::controls::{self, Kind};
use crate::goal::meaning::Meaning;
use crate::goal::{Choice, Item};
use crate::observation::Element;
use crate::risk::lexicon::{self, Hint};
use crate::words;

const ADD: &[&str] = &[
    "add to cart",
    "add to basket",
    "add to bag",
    "add to trolley",
    "add to my cart",
    "add to my bag",
    "add to my basket",
    "add to shopping cart",
    "add to shopping bag",
    "add to order",
    "add item",
    "in den warenkorb",
    "ajouter au panier",
    "anadir al carrito",
    "anadir a la cesta",
    "agregar al carrito",
    "aggiungi al carrello",
    "in winkelwagen",
    "adicionar ao carrinho",
];
const BUY: &[&str] =
    &["buy now", "buy it now", "buy", "order now", "purchase", "jetzt kaufen", "order this", "get it now", "order"];
const CHECKOUT: &[&str] = &[
    "checkout",
    "zur kasse",
    "kasse",
    "passer la commande",
    "tramitar pedido",
    "vai alla cassa",
    "afrekenen",
    "finalizar compra",
];
const CART: &[&str] =
    &["cart", "basket", "bag", "warenkorb", "panier", "carrito", "cesta", "carrello", "winkelwagen", "trolley"];
const SHOPS: &[&str] = &[
    "shop",
    "store",
    "products",
    "all products",
    "catalog",
    "catalogue",
    "shop all",
    "shop now",
    "our products",
    "browse",
    "collections",
    "merchandise",
    "order online",
    "start shopping",
    "order now",
    "order",
    "place an order",
];

/// A name covers the item from here on.
const ITEM_MATCH: u32 = 600;

/// Carries out an order intent that began at step `from`.
pub(super) fn order(context: &Context<'_>, item: &Item, from: usize) -> Progress {
    if let Some(done) = ordered_at(context, from) {
        return Progress::Done(done);
    }
    let added = context.memory.clicked(from, is_add_name);
    let bought = context.memory.clicked(from, |name| words::is_any(&words::stems(name), BUY));
    let in_flow = added.or(bought);
    if let Some(progress) = details(context, item, in_flow.is_some()) {
        return progress;
    }
    match in_flow {
        Some(at) => on_to_order(context, item, at),
        None => pick(context, item, true),
    }
}

/// Carries out an add-to-cart intent that began at step `from`.
pub(super) fn add_to_cart(context: &Context<'_>, item: &Item, from: usize) -> Progress {
    match context.memory.clicked(from, is_add_name) {
        Some(at) => Progress::Done(at + 1),
        None => pick(context, item, false),
    }
}

fn is_add_name(name: &str) -> bool {
    words::has_any(&words::stems(name), ADD) || words::is_any(&words::stems(name), &["add"])
}

/// The step after the one that ordered, once the page confirms it or asks for nothing more.
fn ordered_at(context: &Context<'_>, from: usize) -> Option<usize> {
    let at = context.memory.last_position(from, |past| is_order_press(context, past))?;
    let pressed = &context.memory.acted[at];
    if context.memory.filled_since(at + 1) || pressed.digest == context.page.digest {
        return None;
    }
    let asks_more = context
        .elements()
        .any(|field| controls::is_text(field) && controls::is_required(field) && controls::is_empty(field));
    let commits = context
        .pressables()
        .any(|button| controls::is_button(button) && is_order_button(button) && button.name != pressed.name());
    let is_same_page =
        pressed.url == context.page.url && context.pressables().any(|button| button.name == pressed.name());
    let is_open = asks_more || commits || (is_same_page && context.is_rejected());
    (context.is_confirmed() && !is_open || !is_open && !is_same_page && !is_checkout_page(context)).then_some(at + 1)
}

/// An order button by its name; a press with another name counts once the page confirms.
fn is_order_press(context: &Context<'_>, past: &Acted<'_>) -> bool {
    let starts_flow = is_add_name(past.name()) || words::is_any(&words::stems(past.name()), BUY);
    let is_order = submit::is_commit(past) && !starts_flow;
    is_order || context.is_confirmed() && submit::is_final_press(past) && !is_add_name(past.name())
}

fn is_order_button(button: &Element) -> bool {
    let stems = words::stems(&button.name);
    let is_aside = words::has_any(
        &stems,
        &["subscribe", "newsletter", "send", "post", "share", "signup", "register", "reply", "vote"],
    );
    lexicon::hint(&button.name) == Hint::Commits && !is_aside
}

fn is_checkout_page(context: &Context<'_>) -> bool {
    let about = words::stems(&context.page.title);
    let path = url::Url::parse(&context.page.url).map(|url| words::identifier_stems(url.path())).unwrap_or_default();
    [about, path].iter().any(|words| {
        words::has_any(words, &["checkout", "payment", "shipping", "delivery", "review", "billing", "order form"])
    }) && !context.is_confirmed()
}

/// A form that asks who the order is for: filled and sent on.
fn details(context: &Context<'_>, item: &Item, in_flow: bool) -> Option<Progress> {
    let group = details_group(context, item, in_flow)?;
    let fields: Vec<&Element> =
        context.fields(group).into_iter().filter(|field| controls::meaning(field) != Some(Meaning::Search)).collect();
    match fill::next(context, &fields) {
        Filling::Act(action) => return Some(act(action)),
        Filling::Ask(decision) if !context.memory.was_handed_back || matches!(decision, Decision::Ask { .. }) => {
            return Some(Progress::Decided(decision));
        }
        Filling::Ask(_) | Filling::Complete => {}
    }
    let topic = words::stems("place order continue checkout");
    match submit::press(context, group, &fields, &topic) {
        Submit::Press(action) => Some(act(action)),
        Submit::Refused(reason) => Some(Progress::Stuck(reason)),
        Submit::AlreadyDone if context.is_rejected() => {
            Some(Progress::Stuck("the shop did not accept the order form".to_owned()))
        }
        Submit::AlreadyDone | Submit::None => None,
    }
}

/// The group of fields that asks for a person's details, when it belongs to an order.
fn details_group(context: &Context<'_>, item: &Item, in_flow: bool) -> Option<Option<usize>> {
    let topic = words::stems("order checkout");
    let mut best: Option<(usize, Option<usize>)> = None;
    for group in context.groups() {
        let fields = context.fields(group);
        if submit::is_side_form(context, group, &fields, &topic) || !forms::asks_for_person(&fields) {
            continue;
        }
        let has = |wanted: Meaning| fields.iter().any(|field| controls::meaning(field) == Some(wanted));
        let needs_password = has(Meaning::Password)
            && !fields.iter().any(|field| {
                controls::meaning(field) == Some(Meaning::Password) && fill::has_value(context, field, &fields)
            });
        let is_contact = has(Meaning::Message) && !has(Meaning::Address) && !has(Meaning::Street) && !has(Meaning::Zip);
        let is_order_form = in_flow
            || is_checkout_page(context)
            || has(Meaning::Address)
            || has(Meaning::Street)
            || has(Meaning::Zip)
            || mentions_item(&fields, item);
        let known = fields.iter().filter(|field| fill::has_value(context, field, &fields)).count();
        if !needs_password && !is_contact && is_order_form && best.is_none_or(|(most, _)| known > most) {
            best = Some((known, group));
        }
    }
    best.map(|(_, group)| group)
}

/// A single-page order form offers the item in one of its fields.
fn mentions_item(fields: &[&Element], item: &Item) -> bool {
    fields.iter().any(|field| {
        let names = field.options.iter().chain([&field.name]);
        names.into_iter().any(|name| words::likeness(&item.stems, &words::content_stems(name)) >= ITEM_MATCH)
    })
}

fn act(action: Action) -> Progress {
    Progress::Decided(Decision::Act(action))
}

/// Finds the item and puts it into the cart, or presses `Buy now` when the goal orders it.
fn pick(context: &Context<'_>, item: &Item, may_buy: bool) -> Progress {
    let adders: Vec<&Element> = context.pressables().filter(|element| is_add_name(&element.name)).collect();
    let buyers: Vec<&Element> = context
        .pressables()
        .filter(|element| may_buy && controls::is_button(element) && words::is_any(&words::stems(&element.name), BUY))
        .collect();
    let buttons = if adders.is_empty() { buyers } else { adders };
    if let Some(button) = button_for_item(context, item, &buttons) {
        return prepare_and_press(context, button);
    }
    find_item(context, item)
}

/// The button that adds the wanted item: the only one of its product page, or the one in the item's card.
fn button_for_item<'a>(context: &Context<'_>, item: &Item, buttons: &[&'a Element]) -> Option<&'a Element> {
    let usable: Vec<&Element> = buttons.iter().filter(|button| context.click(button).is_some()).copied().collect();
    if item.stems.is_empty() {
        return usable.first().copied();
    }
    let near = |button: &Element| {
        words::coverage(
            &item.stems,
            &words::content_stems(&format!("{} {} {}", button.name, button.section, button.near_text)),
        )
    };
    let has_other_cards = usable.len() > 1;
    if let [only] = usable.as_slice()
        && is_page_of(context, item)
        && near(only) >= near_floor(only)
    {
        return Some(only);
    }
    let wants_options =
        context.goal.facts.labelled.iter().any(|fact| crate::goal::meaning::of_stems(&fact.label).is_none());
    let link = if wants_options && has_other_cards { best_item_link(context, item) } else { None };
    if link.is_some() {
        return None;
    }
    let chosen =
        if item.choice.is_some() { by_price(&usable, item, |button| near(button) >= ITEM_MATCH) } else { None };
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
    let facts = context.goal.facts.labelled.iter().filter(|fact| crate::goal::meaning::of_stems(&fact.label).is_none());
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
    if let Some(action) = search(context, item).or_else(|| category(context, item)).or_else(|| shop_link(context)) {
        return act(action);
    }
    find::look_around(context)
        .unwrap_or_else(|| Progress::Stuck(format!("\"{}\" was not found in the shop", item.name)))
}

/// The link or card that names the item best.
fn best_item_link<'a>(context: &Context<'a>, item: &Item) -> Option<&'a Element> {
    let candidates: Vec<&Element> = context.pressables().filter(|element| is_item_link(context, element)).collect();
    if item.choice.is_some()
        && let Some(chosen) = by_price(&candidates, item, |element| item_score(element, item) >= ITEM_MATCH)
    {
        return Some(chosen);
    }
    find::best(candidates.into_iter(), |element| item_score(element, item), ITEM_MATCH)
}

fn is_item_link(context: &Context<'_>, element: &Element) -> bool {
    let leads =
        controls::is_link(element) || controls::is_button(element) && lexicon::hint(&element.name) != Hint::Commits;
    let is_self = element.href.as_deref().is_some_and(|href| super::memory::same_page(href, &context.page.url));
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
        "select",
    ];
    if by_name >= ITEM_MATCH || !(name.is_empty() || words::is_any(&words::stems(&element.name), &generic)) {
        return by_name;
    }
    let around = words::content_stems(&format!("{} {}", element.section, element.near_text));
    words::coverage(&item.stems, &around) * 9 / 10
}

/// The cheapest or dearest of the fitting elements, by the price in their name or around them.
fn by_price<'a>(elements: &[&'a Element], item: &Item, fits: impl Fn(&Element) -> bool) -> Option<&'a Element> {
    let mut best: Option<(u64, &Element)> = None;
    for element in elements.iter().filter(|element| fits(element)) {
        let Some(cents) = price_in(&format!("{} {} {}", element.name, element.near_text, element.section)) else {
            continue;
        };
        let is_better = best.is_none_or(|(price, _)| match item.choice {
            Some(Choice::MostExpensive) => cents > price,
            Some(Choice::Cheapest) | None => cents < price,
        });
        if is_better {
            best = Some((cents, element));
        }
    }
    best.map(|(_, element)| element)
}

/// The first amount beside a currency sign, in hundredths.
fn price_in(text: &str) -> Option<u64> {
    let at = text.find(['$', '€', '£', '¥', '₹'])?;
    let digits = |part: &str| part.chars().filter(|c| c.is_ascii_digit() || *c == '.').collect::<String>();
    let after: String = text[at..]
        .chars()
        .skip(1)
        .skip_while(|c| c.is_whitespace())
        .take_while(|c| c.is_ascii_digit() || matches!(c, '.' | ','))
        .collect();
    let before: String = text[..at]
        .chars()
        .rev()
        .skip_while(|c| c.is_whitespace())
        .take_while(|c| c.is_ascii_digit() || matches!(c, '.' | ','))
        .collect();
    let amount = if after.is_empty() { before.chars().rev().collect() } else { after };
    let amount = if amount.matches(',').count() == 1 && amount.rsplit(',').next().is_some_and(|cents| cents.len() == 2)
    {
        amount.replace('.', "").replace(',', ".")
    } else {
        amount.replace(',', "")
    };
    let (whole, cents) = amount.split_once('.').unwrap_or((&amount, "0"));
    let cents: String = format!("{}00", digits(cents)).chars().take(2).collect();
    Some(whole.parse::<u64>().ok()? * 100 + cents.parse::<u64>().ok()?)
}

fn search(context: &Context<'_>, item: &Item) -> Option<Action> {
    let field = context.search_box()?;
    if item.name.is_empty() {
        return None;
    }
    if field.value.as_deref() == Some(item.name.as_str()) && context.memory.acted.last().is_some_and(Acted::is_fill) {
        return super::search::submission(context, field);
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
    let score = |element: &Element| {
        let name = words::content_stems(&element.name);
        if name.len() <= 3 { words::coverage(&name, &item.stems) } else { 0 }
    };
    let links = context.pressables().filter(|element| controls::is_link(element) && is_item_link(context, element));
    find::best(links, score, 500).and_then(|element| context.click(element))
}

fn shop_link(context: &Context<'_>) -> Option<Action> {
    let links = context
        .pressables()
        .filter(|element| is_item_link(context, element) && words::is_any(&words::stems(&element.name), SHOPS));
    links.into_iter().find_map(|element| context.click(element))
}

/// The item is in the cart: on to checkout and order.
fn on_to_order(context: &Context<'_>, item: &Item, since: usize) -> Progress {
    if let Some(action) = correct_quantity(context, item) {
        return act(action);
    }
    let mut ways: Vec<(u32, &Element)> =
        context.pressables().filter_map(|element| forward_rank(context, element).map(|rank| (rank, element))).collect();
    ways.sort_by_key(|(rank, _)| std::cmp::Reverse(*rank));
    match submit::press_first(context, ways.into_iter().map(|(_, element)| element)) {
        Submit::Press(action) => act(action),
        Submit::Refused(reason) => Progress::Stuck(reason),
        Submit::AlreadyDone => after_order_press(context),
        Submit::None => {
            let is_fresh = context.memory.acted.len() == since + 1;
            let wait = if is_fresh { context.permit(Action::Wait { ms: WAIT_MS }) } else { None };
            wait.map(act)
                .or_else(|| context.scroll_down().map(act))
                .unwrap_or_else(|| Progress::Stuck("the shop offers no way to check out".to_owned()))
        }
    }
}

/// Long enough for a cart drawer to open.
const WAIT_MS: u32 = 1000;

/// The order button was pressed and is still there: wait a little, then say so.
fn after_order_press(context: &Context<'_>) -> Progress {
    if context.memory.waits_at_end() < 2 && !context.is_rejected() {
        return act(Action::Wait { ms: WAIT_MS });
    }
    Progress::Stuck("the order was sent, but the page does not confirm it".to_owned())
}

fn forward_rank(context: &Context<'_>, element: &Element) -> Option<u32> {
    let stems = words::stems(&element.name);
    let on_checkout = is_checkout_page(context);
    let is_shopping =
        words::has_any(&stems, &["continue shopping", "keep shopping", "back to", "return to", "continue reading"]);
    if is_shopping || words::has_any(&stems, &["login", "paypal", "apple pay", "google pay", "klarna", "amazon pay"]) {
        return None;
    }
    if controls::is_button(element) && is_order_button(element) && !words::is_any(&stems, BUY) {
        return Some(500);
    }
    if on_checkout && controls::is_button(element) && words::is_any(&stems, BUY) {
        return Some(480);
    }
    let is_checkout = words::has_any(&stems, CHECKOUT) && !words::has_any(&stems, &["about", "faster"]);
    if is_checkout && (!on_checkout || element.submits) {
        return Some(400);
    }
    if lexicon::hint(&element.name) == Hint::Advances
        && (!controls::is_link(element) || element.href.is_some())
        && !is_checkout
    {
        return Some(if on_checkout { 420 } else { 300 });
    }
    let is_cart = words::has_any(&stems, CART)
        && stems.len() <= 4
        && !words::has_any(&stems, &["remove", "empty", "update", "add", "clear"]);
    if is_cart && !is_cart_page(context) && !on_checkout { Some(200) } else { None }
}

fn is_cart_page(context: &Context<'_>) -> bool {
    let path = url::Url::parse(&context.page.url).map(|url| words::identifier_stems(url.path())).unwrap_or_default();
    words::has_any(&path, CART)
}

/// The cart holds another number than wanted: set it, then update.
fn correct_quantity(context: &Context<'_>, item: &Item) -> Option<Action> {
    if !is_cart_page(context) {
        return None;
    }
    let wanted = item.quantity?.to_string();
    let mut fields = context
        .elements()
        .filter(|field| controls::meaning(field) == Some(Meaning::Quantity) && controls::is_field(field));
    let (Some(field), None) = (fields.next(), fields.next()) else { return None };
    if field.value.as_deref().is_some_and(|value| value.trim() != wanted) {
        return match controls::kind(field) {
            Kind::Choice => field
                .options
                .iter()
                .find(|option| option.trim() == wanted)
                .and_then(|option| context.select(field, option)),
            _ => context.type_text(field, TypedText::Plain(wanted)),
        };
    }
    let was_changed = context.memory.acted.last().is_some_and(|past| {
        past.is_fill() && past.action.target().is_some_and(|target| target.fingerprint == field.fingerprint)
    });
    let updates =
        |element: &&Element| words::has_any(&words::stems(&element.name), &["update"]) && controls::is_button(element);
    if was_changed { context.pressables().filter(updates).find_map(|element| context.click(element)) } else { None }
}
