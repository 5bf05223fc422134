//! The shop part of the fixture: catalogue, cart, checkout, review, order, and the ledger of what was really ordered.

mod browse;
mod cart;
mod catalogue;
mod checkout;
mod ledger;
mod order;
mod session;

use std::sync::Arc;

use axum::Router;
use axum::http::HeaderMap;
use axum::routing::{get, post};

pub use ledger::{Ledger, Order, OrderLine, OrderPost, PostOutcome};
pub use session::Shop;

use super::html;
use super::state::SiteState;
use session::Session;

const SESSION_COOKIE: &str = "shop_session";
/// The most of one thing that can be ordered at once, as the quantity field says.
const QUANTITY_MAX: u32 = 20;
const NAV: &str =
    "<nav><a href=\"/shop\">Harbour Shop</a><a href=\"/shop/cart\">Cart</a><a href=\"/news\">News</a></nav>";

pub fn routes() -> Router<Arc<SiteState>> {
    Router::new()
        .route("/shop", get(browse::list))
        .route("/shop/p/{slug}", get(browse::product))
        .route("/shop/cart", get(cart::show).post(cart::add))
        .route("/shop/cart/remove", post(cart::remove))
        .route("/shop/checkout", get(checkout::show).post(checkout::submit))
        .route("/shop/review", get(order::review))
        .route("/shop/orders", post(order::place))
        .route("/shop/orders/{number}", get(order::confirmation))
        .route("/shop/ledger.json", get(order::ledger_json))
}

/// The id of a session this shop opened, from the client's cookie.
fn session_id(state: &SiteState, headers: &HeaderMap) -> Option<String> {
    html::cookie(headers, SESSION_COOKIE).filter(|id| state.shop.session(id).is_some())
}

/// The client's session, empty when it has none.
fn current_session(state: &SiteState, headers: &HeaderMap) -> Session {
    session_id(state, headers).and_then(|id| state.shop.session(&id)).unwrap_or_default()
}
