//! From the cart to the order: details of the buyer, and the button that goes on.

use errand_domain::action::{Action, TypedText};

use super::{BUY, act, is_checkout_page, is_order_button};
use crate::Decision;
use crate::controls::{self, Kind};
use crate::goal::Item;
use crate::goal::meaning::Meaning;
use crate::observation::Element;
use crate::risk::{self, lexicon, lexicon::Hint};
use crate::rules::context::{Context, Progress};
use crate::rules::fill::{self, Filling};
use crate::rules::forms;
use crate::rules::submit::{self, Submit};
use crate::words;

#[rustfmt::skip]
const CHECKOUT: &[&str] = &[
    "checkout", "zur kasse", "kasse", "passer la commande", "tramitar pedido", "vai alla cassa", "afrekenen",
    "finalizar compra",
];

const CART: &[&str] =
    &["cart", "basket", "bag", "warenkorb", "panier", "carrito", "cesta", "carrello", "winkelwagen", "trolley"];

/// A form that asks who the order is for: filled and sent on.
pub(super) fn details(context: &Context<'_>, item: &Item, in_flow: bool) -> Option<Progress> {
    let group = details_group(context, item, in_flow)?;
    let fields: Vec<&Element> =
        context.fields(group).into_iter().filter(|field| controls::meaning(field) != Some(Meaning::Search)).collect();
    match fill::next(context, &fields) {
        Filling::Act(action) => return Some(act(action)),
        Filling::Ask(decision) if !context.memory.was_handed_back() || matches!(decision, Decision::Ask { .. }) => {
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
    let offers_item = context.elements().any(|element| super::is_add_name(&element.name));
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
        let is_contact = is_written(&fields) && !is_addressed(&fields);
        let is_order_form = is_addressed(&fields)
            || is_checkout_page(context)
            || mentions_item(&fields, item)
            || in_flow && !offers_item;
        let known = fields.iter().filter(|field| fill::has_value(context, field, &fields)).count();
        if !needs_password && !is_contact && is_order_form && best.is_none_or(|(most, _)| known > most) {
            best = Some((known, group));
        }
    }
    best.map(|(_, group)| group)
}

/// It asks where the order goes.
fn is_addressed(fields: &[&Element]) -> bool {
    let is_place =
        |meaning: Meaning| matches!(meaning, Meaning::Address | Meaning::Street | Meaning::Zip | Meaning::City);
    fields.iter().filter_map(|field| controls::meaning(field)).any(is_place)
}

/// It asks for a text: a contact form or a review.
fn is_written(fields: &[&Element]) -> bool {
    let is_text = |field: &&&Element| {
        controls::kind(field) == Kind::MultiLine || controls::meaning(field) == Some(Meaning::Message)
    };
    fields.iter().any(|field| is_text(&field))
}

/// A single-page order form offers the item in one of its fields.
fn mentions_item(fields: &[&Element], item: &Item) -> bool {
    fields.iter().any(|field| {
        let names = field.options.iter().chain([&field.name]);
        names
            .into_iter()
            .any(|name| words::likeness(&item.stems, &words::content_stems(name)) >= super::pick::ITEM_MATCH)
    })
}

/// The item is in the cart: on to checkout and order.
pub(super) fn on_to_order(context: &Context<'_>, item: &Item, since: usize) -> Progress {
    if let Some(action) = correct_quantity(context, item) {
        return act(action);
    }
    let ranked = context.pressables().filter_map(|element| forward_rank(context, element).map(|rank| (rank, element)));
    let mut ways: Vec<(u32, &Element)> = ranked.collect();
    ways.sort_by_key(|(rank, _)| std::cmp::Reverse(*rank));
    if let Some((_, best)) = ways.first()
        && let Some(progress) = fill_beside(context, best)
    {
        return progress;
    }
    match submit::press_first(context, ways.into_iter().map(|(_, element)| element)) {
        Submit::Press(action) => act(action),
        Submit::Refused(reason) => Progress::Stuck(reason),
        Submit::AlreadyDone => after_order_press(context),
        Submit::None => wait_or_scroll(context, since),
    }
}

/// What the form of a button asks for is answered before it is pressed: delivery, payment, terms.
fn fill_beside(context: &Context<'_>, button: &Element) -> Option<Progress> {
    let is_form = !controls::is_loose(context.page, button.form);
    if !is_form && (!is_checkout_page(context) || controls::is_link(button)) {
        return None;
    }
    let is_asked = |field: &&Element| {
        let meaning = controls::meaning(field);
        !matches!(
            meaning,
            Some(Meaning::Search | Meaning::Coupon | Meaning::Quantity | Meaning::Email | Meaning::Password)
        )
    };
    let fields: Vec<&Element> = context.fields(button.form).into_iter().filter(is_asked).collect();
    match fill::next(context, &fields) {
        Filling::Act(action) => Some(act(action)),
        Filling::Ask(decision) if !context.memory.was_handed_back() || matches!(decision, Decision::Ask { .. }) => {
            Some(Progress::Decided(decision))
        }
        Filling::Ask(_) | Filling::Complete => None,
    }
}

/// A cart drawer may still be opening.
fn wait_or_scroll(context: &Context<'_>, since: usize) -> Progress {
    let is_fresh = context.memory.acted.len() == since + 1;
    let wait = if is_fresh { context.permit(Action::Wait { ms: WAIT_MS }) } else { None };
    let action = wait.or_else(|| context.scroll_down());
    action.map_or_else(|| Progress::Stuck("the shop offers no way to check out".to_owned()), act)
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
    if sends_something_else(context, element) {
        return None;
    }
    let offers_item = !on_checkout && context.elements().any(|other| super::is_add_name(&other.name));
    if controls::is_button(element) && is_order_button(element) && !words::is_any(&stems, BUY) && !offers_item {
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
    if lexicon::hint(&element.name) == Hint::Unknown && risk::is_last_step(element, context.page) {
        return Some(250);
    }
    let is_cart = words::has_any(&stems, CART)
        && stems.len() <= 4
        && !words::has_any(&stems, &["remove", "empty", "update", "add", "clear"]);
    if is_cart && !is_cart_page(context) && !on_checkout { Some(200) } else { None }
}

/// A review or contact form stands on the page as well.
fn sends_something_else(context: &Context<'_>, button: &Element) -> bool {
    if controls::is_loose(context.page, button.form) {
        return false;
    }
    let fields = context.fields(button.form);
    let topic = words::stems("order checkout");
    submit::is_side_form(context, button.form, &fields, &topic)
        || is_written(&fields) && !is_addressed(&fields) && !is_checkout_page(context)
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
            Kind::Text | Kind::MultiLine | Kind::Radio | Kind::Checkbox | Kind::Press | Kind::Other => {
                context.type_text(field, TypedText::Plain(wanted))
            }
        };
    }
    let was_changed = context.memory.acted.last().is_some_and(|past| {
        past.is_fill() && past.action.target().is_some_and(|target| target.fingerprint == field.fingerprint)
    });
    let updates =
        |element: &&Element| words::has_any(&words::stems(&element.name), &["update"]) && controls::is_button(element);
    if was_changed { context.pressables().filter(updates).find_map(|element| context.click(element)) } else { None }
}
