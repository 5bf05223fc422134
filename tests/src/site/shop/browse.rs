//! The shop's catalogue pages: the list and one page per product.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{Html, IntoResponse, Response};
use serde_json::{Value, json};

use super::catalogue::{Product, Size};
use super::{NAV, QUANTITY_MAX};
use crate::site::html::{self, escape, money};
use crate::site::state::SiteState;

/// `GET /shop`
pub async fn list(State(state): State<Arc<SiteState>>) -> Html<String> {
    let items: String = state.shop.products.iter().map(list_item).collect();
    html::page(
        "Harbour Shop",
        &format!("{NAV}<h1>Harbour Shop</h1><p>Things for slow mornings.</p><ul class=\"products\">{items}</ul>"),
    )
}

/// `GET /shop/p/{slug}`
pub async fn product(State(state): State<Arc<SiteState>>, Path(slug): Path<String>) -> Response {
    let Some(product) = state.shop.product(&slug) else {
        return (StatusCode::NOT_FOUND, html::page("Not found", &format!("{NAV}<h1>We do not sell that</h1>")))
            .into_response();
    };
    let head = format!(
        "{}<meta property=\"og:type\" content=\"product\"><meta property=\"og:title\" content=\"{}\">",
        html::json_ld(&published(product)),
        escape(product.name),
    );
    let others: String = state.shop.products.iter().filter(|other| other.slug != slug).take(3).map(list_item).collect();
    let body = format!(
        "{NAV}<main><h1>{}</h1><p>{}</p><p class=\"price\" id=\"price\">${}</p><p class=\"small\">In stock · SKU {} · {} reviews</p>{}{}</main>\
         <aside><h2>You may also like</h2><ul>{others}</ul></aside>",
        escape(product.name),
        escape(product.description),
        money(product.small_cents),
        product.sku,
        product.reviews,
        buy_form(product),
        price_script(product),
    );
    html::page_with_head(&format!("{} – Harbour Shop", product.name), &head, &body).into_response()
}

fn list_item(product: &Product) -> String {
    format!(
        "<li><a href=\"/shop/p/{}\">{}</a> <span class=\"price\">from ${}</span></li>\n",
        product.slug,
        escape(product.name),
        money(product.small_cents),
    )
}

fn buy_form(product: &Product) -> String {
    let options: String =
        Size::ALL.iter().map(|size| format!("<option value=\"{}\">{}</option>", size.value(), size.label())).collect();
    let prices: Vec<String> =
        Size::ALL.iter().map(|size| format!("{} ${}", size.label(), money(product.price_cents(*size)))).collect();
    format!(
        "<form method=\"post\" action=\"/shop/cart\"><input type=\"hidden\" name=\"product\" value=\"{}\">\
         <p><label for=\"size\">Size</label> <select id=\"size\" name=\"size\">{options}</select></p>\
         <p class=\"small\">Prices: {}</p>\
         <p><label for=\"quantity\">Quantity</label> <input id=\"quantity\" name=\"quantity\" type=\"number\" min=\"1\" max=\"{QUANTITY_MAX}\" value=\"1\"></p>\
         <p><button type=\"submit\">Add to cart</button></p></form>",
        product.slug,
        prices.join(" · "),
    )
}

/// Keeps the big price in step with the chosen size, as shops do.
fn price_script(product: &Product) -> String {
    let prices: Value =
        Size::ALL.iter().map(|size| (size.value().to_owned(), json!(money(product.price_cents(*size))))).collect();
    format!(
        "<script>const prices={};document.getElementById('size').addEventListener('change',event=>{{\
         document.getElementById('price').textContent='$'+prices[event.target.value];}});</script>",
        html::script_json(&prices)
    )
}

fn published(product: &Product) -> Value {
    json!({
        "@context": "https://schema.org", "@type": "Product", "name": product.name, "sku": product.sku,
        "description": product.description,
        "offers": {
            "@type": "Offer", "price": money(product.small_cents), "priceCurrency": "USD",
            "availability": "https://schema.org/InStock",
        },
        "aggregateRating": {"@type": "AggregateRating", "ratingValue": "4.6", "reviewCount": product.reviews},
    })
}
