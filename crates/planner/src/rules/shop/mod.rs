//! Orders an item: product list, product page, options, cart, checkout, details, review, order.

mod checkout;
mod pick;
mod price;

use errand_domain::action::Action;

use super::context::{Context, Progress};
use super::memory::Acted;
use super::submit;
use crate::Decision;
use crate::controls;
use crate::goal::Item;
use crate::observation::Element;
use crate::risk::lexicon::{self, Hint};
use crate::words;

const BUY: &[&str] =
    &["buy now", "buy it now", "buy", "order now", "purchase", "jetzt kaufen", "order this", "get it now", "order"];

/// Carries out an order intent that began at step `from`.
pub(super) fn order(context: &Context<'_>, item: &Item, from: usize) -> Progress {
    if let Some(done) = ordered_at(context, from) {
        return Progress::Done(done);
    }
    let added = context.memory.clicked(from, is_add_name);
    let bought = context.memory.clicked(from, |name| words::is_any(&words::stems(name), BUY));
    let in_flow = added.or(bought);
    if let Some(progress) = checkout::details(context, item, in_flow.is_some()) {
        return progress;
    }
    match in_flow {
        Some(at) => checkout::on_to_order(context, item, at),
        None => pick::pick(context, item, true),
    }
}

/// Carries out an add-to-cart intent that began at step `from`.
pub(super) fn add_to_cart(context: &Context<'_>, item: &Item, from: usize) -> Progress {
    match context.memory.clicked(from, is_add_name) {
        Some(at) => Progress::Done(at + 1),
        None => pick::pick(context, item, false),
    }
}

/// Whether a past step put something into the cart.
pub(super) fn is_adding(past: &Acted<'_>) -> bool {
    matches!(past.action, Action::Click { .. }) && is_add_name(past.name())
}

fn is_add_name(name: &str) -> bool {
    words::has_any(&words::stems(name), lexicon::ADD_TO_CART) || words::is_any(&words::stems(name), &["add"])
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

fn act(action: Action) -> Progress {
    Progress::Decided(Decision::Act(action))
}
