//! Reviewing and placing an order, and the pages that show what was placed.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Redirect, Response};
use axum::{Form, Json};
use serde::Deserialize;
use serde_json::{Value, json};

use super::cart::lines_table;
use super::ledger::{Order, Recipient};
use super::session::{OrderAnswer, Session, subtotal_cents};
use super::{NAV, current_session, session_id};
use crate::site::html::{self, escape, money};
use crate::site::state::SiteState;

#[derive(Debug, Deserialize)]
pub struct OrderForm {
    #[serde(default)]
    token: String,
}

/// `GET /shop/review`
pub async fn review(State(state): State<Arc<SiteState>>, headers: HeaderMap) -> Response {
    let session = current_session(&state, &headers);
    if session.lines.is_empty() {
        return Redirect::to("/shop/cart").into_response();
    }
    let Some((recipient, token)) = &session.checkout else {
        return Redirect::to("/shop/checkout").into_response();
    };
    let body = format!(
        "{NAV}<h1>Review your order</h1>{}{}{}\
         <form method=\"post\" action=\"/shop/orders\"><input type=\"hidden\" name=\"token\" value=\"{token}\">\
         <p><button type=\"submit\">Place order</button></p></form><p><a href=\"/shop/checkout\">Edit details</a></p>",
        facts(recipient),
        lines_table(&session),
        sums(&session, state.shop.shipping_cents),
    );
    html::page("Review your order – Harbour Shop", &body).into_response()
}

/// `POST /shop/orders`: the side effect. It is recorded before the delay, so a client that gives up early has ordered.
pub async fn place(State(state): State<Arc<SiteState>>, headers: HeaderMap, Form(form): Form<OrderForm>) -> Response {
    let id = session_id(&state, &headers);
    let answer = state.shop.place(id.as_deref(), &form.token);
    tokio::select! {
        () = tokio::time::sleep(state.shop.order_delay) => {}
        () = state.stop.cancelled() => {}
    }
    match answer {
        OrderAnswer::Placed(order) => Redirect::to(&format!("/shop/orders/{}", order.number)).into_response(),
        OrderAnswer::AlreadyPlaced(order) => (StatusCode::CONFLICT, already_placed(&order)).into_response(),
        OrderAnswer::Refused => {
            let body =
                format!("{NAV}<h1>We could not place this order</h1><p class=\"error\">This checkout has expired.</p>");
            (StatusCode::BAD_REQUEST, html::page("Not placed – Harbour Shop", &body)).into_response()
        }
    }
}

/// `GET /shop/orders/{number}`
pub async fn confirmation(State(state): State<Arc<SiteState>>, Path(number): Path<String>) -> Response {
    let ledger = state.shop.ledger();
    let Some(order) = ledger.order(&number) else {
        return (StatusCode::NOT_FOUND, html::page("Not found", &format!("{NAV}<h1>No such order</h1>")))
            .into_response();
    };
    let lines: String = order
        .lines
        .iter()
        .map(|line| format!("<li>{} × {} ({})</li>", line.quantity, escape(&line.product), line.size))
        .collect();
    let body = format!(
        "{NAV}<h1>Thank you, {}!</h1><p>Your order has been placed.</p><p>Order number: <b>{}</b></p><ul>{lines}</ul>\
         <p>Subtotal: ${}</p><p>Shipping: ${}</p><p>Total: ${}</p><p>Currency: {}</p><p><a href=\"/shop\">Continue shopping</a></p>",
        escape(&order.recipient.full_name),
        order.number,
        money(order.subtotal_cents),
        money(order.shipping_cents),
        order.total,
        order.currency,
    );
    html::page("Order placed – Harbour Shop", &body).into_response()
}

/// `GET /shop/ledger.json`
pub async fn ledger_json(State(state): State<Arc<SiteState>>) -> Json<Value> {
    let ledger = state.shop.ledger();
    Json(json!({
        "orders": ledger.orders, "posts": ledger.posts.len(), "duplicates": ledger.duplicates(),
        "by_token": ledger.by_token(), "post_log": ledger.posts,
    }))
}

fn already_placed(order: &Order) -> axum::response::Html<String> {
    let body = format!(
        "{NAV}<h1>This order was already placed</h1><p>Order number: <a href=\"/shop/orders/{0}\">{0}</a></p>",
        order.number
    );
    html::page("Already placed – Harbour Shop", &body)
}

fn facts(recipient: &Recipient) -> String {
    let mut rows = vec![
        ("Full name", recipient.full_name.as_str()),
        ("Street address", &recipient.street),
        ("City", &recipient.city),
        ("State", &recipient.state),
        ("ZIP code", &recipient.zip),
    ];
    if !recipient.email.is_empty() {
        rows.push(("Email", &recipient.email));
    }
    let rows: String =
        rows.iter().map(|(label, value)| format!("<dt>{label}</dt><dd>{}</dd>", escape(value))).collect();
    format!("<dl>{rows}</dl>")
}

fn sums(session: &Session, shipping_cents: u32) -> String {
    let subtotal = subtotal_cents(&session.lines);
    format!(
        "<p>Subtotal: ${}</p><p>Shipping: ${}</p><p>Total: ${}</p>",
        money(subtotal),
        money(shipping_cents),
        money(subtotal + shipping_cents),
    )
}
