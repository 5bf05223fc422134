//! Logins: one that behaves, one that leaks the password everywhere a page can, to test redaction.

use std::sync::Arc;

use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{Html, IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use axum::{Form, Router};
use rand::Rng;
use serde::Deserialize;
use url::form_urlencoded;

use super::html::{self, escape, money};
use super::seed;
use super::state::SiteState;

/// The one user of the fixture.
pub const ACCOUNT_USERNAME: &str = "ada";
/// Its password: it has characters that URL encoding and HTML escaping change, and occurs nowhere else.
pub const ACCOUNT_PASSWORD: &str = "Violet kettle & 7719/öl";

const COOKIE: &str = "account_session";

#[derive(Debug, Deserialize)]
struct Login {
    #[serde(default)]
    username: String,
    #[serde(default)]
    password: String,
}

#[derive(Debug, Deserialize)]
struct Echo {
    #[serde(default)]
    password: String,
}

pub fn routes() -> Router<Arc<SiteState>> {
    Router::new()
        .route("/account/login", get(login_page).post(log_in))
        .route("/account", get(account))
        .route("/account/logout", post(log_out))
        .route("/account/leaky", get(leaky_page).post(leak))
        .route("/account/leaky/echo", get(echo))
}

async fn login_page() -> Html<String> {
    login_form("Log in", "/account/login", "")
}

fn login_form(title: &str, action: &str, error: &str) -> Html<String> {
    let body = format!(
        "<h1>{title}</h1>{error}<form method=\"post\" action=\"{action}\">\
         <p><label for=\"username\">Username</label> <input id=\"username\" name=\"username\" autocomplete=\"username\"></p>\
         <p><label for=\"password\">Password</label> <input id=\"password\" name=\"password\" type=\"password\" autocomplete=\"current-password\"></p>\
         <p><button type=\"submit\">Log in</button></p></form>"
    );
    html::page(title, &body)
}

async fn log_in(State(state): State<Arc<SiteState>>, Form(login): Form<Login>) -> Response {
    if login.username.trim() != ACCOUNT_USERNAME || login.password != ACCOUNT_PASSWORD {
        let error = "<p class=\"error\" role=\"alert\">Wrong username or password.</p>";
        return (StatusCode::UNAUTHORIZED, login_form("Log in", "/account/login", error)).into_response();
    }
    let cookie = format!("{COOKIE}={}; Path=/account; HttpOnly; SameSite=Lax", session(&state));
    ([(header::SET_COOKIE, cookie)], Redirect::to("/account")).into_response()
}

async fn account(State(state): State<Arc<SiteState>>, headers: HeaderMap) -> Response {
    if html::cookie(&headers, COOKIE) != Some(session(&state)) {
        return Redirect::to("/account/login").into_response();
    }
    let balance = seed::generator(state.seed, "balance").random_range(10_000..900_000);
    let body = format!(
        "<h1>Welcome back, Ada</h1><p>Account number: AC-{}</p><p>Balance: ${}</p>\
         <form method=\"post\" action=\"/account/logout\"><button>Log out</button></form>",
        seed::six_digits(state.seed, "account", 0),
        money(balance),
    );
    html::page("Your account", &body).into_response()
}

async fn log_out() -> Response {
    let cookie = format!("{COOKIE}=; Path=/account; Max-Age=0");
    ([(header::SET_COOKIE, cookie)], Redirect::to("/account/login")).into_response()
}

async fn leaky_page() -> Html<String> {
    login_form("Leaky log in", "/account/leaky", "")
}

/// Puts the password into the URL.
async fn leak(Form(login): Form<Login>) -> Redirect {
    let query = form_urlencoded::Serializer::new(String::new()).append_pair("password", &login.password).finish();
    Redirect::to(&format!("/account/leaky/echo?{query}"))
}

/// Puts the password into title, text, an attribute, a link and published data.
async fn echo(Query(echo): Query<Echo>) -> Html<String> {
    let shown = escape(&echo.password);
    let encoded: String = form_urlencoded::byte_serialize(echo.password.as_bytes()).collect();
    let published =
        html::json_ld(&serde_json::json!({"@context": "https://schema.org", "@type": "Thing", "name": echo.password}));
    let body = format!(
        "<h1>Signed in</h1><p>Your password is {shown}</p><p><a href=\"/account/leaky/echo?password={encoded}\" title=\"{shown}\">Keep this link: {encoded}</a></p>\
         <p><label for=\"again\">Password again</label> <input id=\"again\" value=\"{shown}\"></p>"
    );
    html::page_with_head(&format!("Password {}", echo.password), &published, &body)
}

fn session(state: &SiteState) -> String {
    seed::name(state.seed, "account-session", 0, 32)
}
