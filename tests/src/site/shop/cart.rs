//! The cart: adding, showing, removing.

use std::sync::Arc;

use axum::Form;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use serde::Deserialize;

use super::catalogue::Size;
use super::session::{CartLine, Session, subtotal_cents};
use super::{NAV, QUANTITY_MAX, SESSION_COOKIE, current_session, session_id};
use crate::site::html::{self, escape, money};
use crate::site::state::SiteState;

#[derive(Debug, Deserialize)]
pub struct AddForm {
    product: String,
    size: String,
    quantity: String,
}

#[derive(Debug, Deserialize)]
pub struct RemoveForm {
    line: usize,
}

/// `POST /shop/cart`
pub async fn add(State(state): State<Arc<SiteState>>, headers: HeaderMap, Form(form): Form<AddForm>) -> Response {
    let quantity = form.quantity.trim().parse::<u32>().ok().filter(|count| (1..=QUANTITY_MAX).contains(count));
    let (Some(product), Some(size), Some(quantity)) =
        (state.shop.product(&form.product), Size::from_value(&form.size), quantity)
    else {
        let message = format!(
            "{NAV}<h1>That did not work</h1><p class=\"error\">Choose a size and a quantity from 1 to {QUANTITY_MAX}.</p>"
        );
        return (StatusCode::UNPROCESSABLE_ENTITY, html::page("Error", &message)).into_response();
    };
    let known = session_id(&state, &headers);
    let id = known.clone().unwrap_or_else(|| state.shop.open_session());
    state.shop.add_to_cart(&id, CartLine { product: product.clone(), size, quantity });
    let redirect = Redirect::to("/shop/cart");
    match known {
        Some(_) => redirect.into_response(),
        None => {
            ([(header::SET_COOKIE, format!("{SESSION_COOKIE}={id}; Path=/shop; HttpOnly; SameSite=Lax"))], redirect)
                .into_response()
        }
    }
}

/// `POST /shop/cart/remove`
pub async fn remove(State(state): State<Arc<SiteState>>, headers: HeaderMap, Form(form): Form<RemoveForm>) -> Redirect {
    if let Some(id) = session_id(&state, &headers) {
        state.shop.remove_from_cart(&id, form.line);
    }
    Redirect::to("/shop/cart")
}

/// `GET /shop/cart`
pub async fn show(State(state): State<Arc<SiteState>>, headers: HeaderMap) -> Response {
    let session = current_session(&state, &headers);
    let body = if session.lines.is_empty() {
        format!("{NAV}<h1>Your cart</h1><p>Your cart is empty.</p><p><a href=\"/shop\">Back to the shop</a></p>")
    } else {
        format!(
            "{NAV}<h1>Your cart</h1>{}<p>Subtotal: ${}</p>{}<p><a href=\"/shop/checkout\" class=\"button\">Checkout</a></p>",
            lines_table(&session),
            money(subtotal_cents(&session.lines)),
            remove_buttons(&session),
        )
    };
    html::page("Your cart – Harbour Shop", &body).into_response()
}

/// The cart's lines as a table, also shown for review.
pub fn lines_table(session: &Session) -> String {
    let rows: String = session.lines.iter().map(line_row).collect();
    format!("<table><tr><th>Item</th><th>Size</th><th>Quantity</th><th>Price</th></tr>{rows}</table>")
}

fn line_row(line: &CartLine) -> String {
    format!(
        "<tr><td>{}</td><td>{}</td><td>{}</td><td>${}</td></tr>",
        escape(line.product.name),
        line.size.label(),
        line.quantity,
        money(line.total_cents()),
    )
}

fn remove_buttons(session: &Session) -> String {
    let button = |(index, line): (usize, &CartLine)| {
        format!(
            "<form method=\"post\" action=\"/shop/cart/remove\"><input type=\"hidden\" name=\"line\" value=\"{index}\"><button>Remove {}</button></form>",
            escape(line.product.name)
        )
    };
    session.lines.iter().enumerate().map(button).collect()
}
