//! The checkout form: who gets the order and where.

use std::sync::Arc;

use axum::Form;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Redirect, Response};
use serde::Deserialize;

use super::ledger::Recipient;
use super::{NAV, current_session, session_id};
use crate::site::html::{self, escape};
use crate::site::state::SiteState;

/// USPS codes and names of the states and the federal district.
#[rustfmt::skip]
const STATES: [(&str, &str); 51] = [
    ("AL", "Alabama"), ("AK", "Alaska"), ("AZ", "Arizona"), ("AR", "Arkansas"), ("CA", "California"), ("CO", "Colorado"),
    ("CT", "Connecticut"), ("DE", "Delaware"), ("DC", "District of Columbia"), ("FL", "Florida"), ("GA", "Georgia"),
    ("HI", "Hawaii"), ("ID", "Idaho"), ("IL", "Illinois"), ("IN", "Indiana"), ("IA", "Iowa"), ("KS", "Kansas"),
    ("KY", "Kentucky"), ("LA", "Louisiana"), ("ME", "Maine"), ("MD", "Maryland"), ("MA", "Massachusetts"),
    ("MI", "Michigan"), ("MN", "Minnesota"), ("MS", "Mississippi"), ("MO", "Missouri"), ("MT", "Montana"),
    ("NE", "Nebraska"), ("NV", "Nevada"), ("NH", "New Hampshire"), ("NJ", "New Jersey"), ("NM", "New Mexico"),
    ("NY", "New York"), ("NC", "North Carolina"), ("ND", "North Dakota"), ("OH", "Ohio"), ("OK", "Oklahoma"),
    ("OR", "Oregon"), ("PA", "Pennsylvania"), ("RI", "Rhode Island"), ("SC", "South Carolina"), ("SD", "South Dakota"),
    ("TN", "Tennessee"), ("TX", "Texas"), ("UT", "Utah"), ("VT", "Vermont"), ("VA", "Virginia"), ("WA", "Washington"),
    ("WV", "West Virginia"), ("WI", "Wisconsin"), ("WY", "Wyoming"),
];

#[derive(Debug, Default, Deserialize)]
pub struct CheckoutForm {
    #[serde(default)]
    full_name: String,
    #[serde(default)]
    street: String,
    #[serde(default)]
    city: String,
    #[serde(default)]
    state: String,
    #[serde(default)]
    zip: String,
    #[serde(default)]
    email: String,
}

/// `GET /shop/checkout`
pub async fn show(State(state): State<Arc<SiteState>>, headers: HeaderMap) -> Response {
    let session = current_session(&state, &headers);
    if session.lines.is_empty() {
        return Redirect::to("/shop/cart").into_response();
    }
    let given = session.checkout.map(|(recipient, _)| recipient).unwrap_or_default();
    form_page(state.seed, &given, &[]).into_response()
}

/// `POST /shop/checkout`
pub async fn submit(
    State(state): State<Arc<SiteState>>,
    headers: HeaderMap,
    Form(form): Form<CheckoutForm>,
) -> Response {
    let Some(id) = session_id(&state, &headers) else {
        return Redirect::to("/shop/cart").into_response();
    };
    if current_session(&state, &headers).lines.is_empty() {
        return Redirect::to("/shop/cart").into_response();
    }
    let recipient = Recipient {
        full_name: form.full_name.trim().to_owned(),
        street: form.street.trim().to_owned(),
        city: form.city.trim().to_owned(),
        state: form.state,
        zip: form.zip.trim().to_owned(),
        email: form.email.trim().to_owned(),
    };
    let faults = faults(&recipient);
    if !faults.is_empty() {
        return (StatusCode::UNPROCESSABLE_ENTITY, form_page(state.seed, &recipient, &faults)).into_response();
    }
    state.shop.check_out(&id, recipient);
    Redirect::to("/shop/review").into_response()
}

fn faults(recipient: &Recipient) -> Vec<&'static str> {
    let zip_is_five_digits = recipient.zip.len() == 5 && recipient.zip.bytes().all(|byte| byte.is_ascii_digit());
    let checks = [
        (recipient.full_name.is_empty(), "Enter your full name."),
        (recipient.street.is_empty(), "Enter a street address."),
        (recipient.city.is_empty(), "Enter a city."),
        (!STATES.iter().any(|(code, _)| *code == recipient.state), "Choose a state."),
        (!zip_is_five_digits, "Enter a ZIP code of five digits."),
    ];
    checks.into_iter().filter(|(wrong, _)| *wrong).map(|(_, message)| message).collect()
}

fn form_page(seed: u64, given: &Recipient, faults: &[&str]) -> axum::response::Html<String> {
    let errors: String = faults.iter().map(|fault| format!("<p class=\"error\" role=\"alert\">{fault}</p>")).collect();
    let body = format!(
        "{NAV}<h1>Checkout</h1>{errors}<form method=\"post\" action=\"/shop/checkout\" novalidate>{}{}{}{}{}{}\
         <p><button type=\"submit\">Continue to review</button></p></form>",
        text_field("full_name", "Full name", "name", &given.full_name),
        text_field("street", "Street address", "street-address", &given.street),
        text_field("city", "City", "address-level2", &given.city),
        state_field(seed, &given.state),
        text_field("zip", "ZIP code", "postal-code", &given.zip),
        text_field("email", "Email (optional)", "email", &given.email),
    );
    html::page("Checkout – Harbour Shop", &body)
}

fn text_field(name: &str, label: &str, autocomplete: &str, value: &str) -> String {
    format!(
        "<p><label for=\"{name}\">{label}</label> <input id=\"{name}\" name=\"{name}\" autocomplete=\"{autocomplete}\" value=\"{}\"></p>",
        escape(value)
    )
}

/// Even seeds show codes, odd seeds names: a goal says `IL`, and shops do both.
fn state_field(seed: u64, chosen: &str) -> String {
    let option = |(code, name): &(&str, &str)| {
        let selected = if *code == chosen { " selected" } else { "" };
        let shown = if seed.is_multiple_of(2) { code } else { name };
        format!("<option value=\"{code}\"{selected}>{shown}</option>")
    };
    let options: String = STATES.iter().map(option).collect();
    format!(
        "<p><label for=\"state\">State</label> <select id=\"state\" name=\"state\"><option value=\"\">Choose a state</option>{options}</select></p>"
    )
}
