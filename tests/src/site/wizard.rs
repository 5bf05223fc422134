//! A wizard that takes exactly ten actions: seven clicks on links or buttons and three texts. Benchmarks count steps on it.
//!
//! Pages 1, 3, 5 and 7 need one click; pages 2, 4 and 6 need a text and a click. Every page is light and without script.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, Query, State};
use axum::response::{Html, IntoResponse, Redirect, Response};
use axum::routing::get;
use serde::Deserialize;

use super::html::{self, escape};
use super::seed;
use super::state::SiteState;

/// Pages before the last one, which shows the code.
const PAGE_COUNT: u64 = 7;

#[derive(Debug, Default, Deserialize)]
struct WizardQuery {
    /// Shows that the page before was passed; without it one starts again.
    #[serde(default)]
    key: String,
    /// What was typed on the page before, if it asked.
    answer: Option<String>,
}

pub fn routes() -> Router<Arc<SiteState>> {
    Router::new()
        .route("/wizard", get(|| async { Redirect::to("/wizard/1") }))
        .route("/wizard/{page}", get(wizard_page))
}

async fn wizard_page(
    State(state): State<Arc<SiteState>>,
    Path(page): Path<u64>,
    Query(query): Query<WizardQuery>,
) -> Response {
    if page == 0 || page > PAGE_COUNT + 1 || (page > 1 && query.key != key(state.seed, page)) {
        return Redirect::to("/wizard/1").into_response();
    }
    let is_answer_missing =
        question(page - 1).is_some() && query.answer.as_ref().is_none_or(|text| text.trim().is_empty());
    if is_answer_missing {
        return show(state.seed, page - 1, "<p class=\"error\" role=\"alert\">Please answer the question.</p>")
            .into_response();
    }
    if page > PAGE_COUNT {
        return done(state.seed).into_response();
    }
    let thanks = query.answer.map(|text| format!("<p>Noted: {}</p>", escape(&text))).unwrap_or_default();
    show(state.seed, page, &thanks).into_response()
}

/// What a page asks for in a text field.
fn question(page: u64) -> Option<&'static str> {
    match page {
        2 => Some("Name"),
        4 => Some("City"),
        6 => Some("Colour"),
        _ => None,
    }
}

fn show(seed: u64, page: u64, note: &str) -> Html<String> {
    let next_key = key(seed, page + 1);
    let field = question(page).map(|label| {
        format!(
            "<p><label for=\"answer\">{label}</label> <input id=\"answer\" name=\"answer\" autocomplete=\"off\"></p>"
        )
    });
    let button = match page {
        1 => "Start",
        PAGE_COUNT => "Finish",
        _ => "Next",
    };
    let body = format!(
        "<h1>Step {page} of {PAGE_COUNT}</h1>{note}<form action=\"/wizard/{}\"><input type=\"hidden\" name=\"key\" value=\"{next_key}\">{}\
         <p><button type=\"submit\">{button}</button></p></form>",
        page + 1,
        field.unwrap_or_else(|| "<p>Nothing to fill in here.</p>".to_owned()),
    );
    html::page(&format!("Wizard, step {page}"), &body)
}

fn done(seed: u64) -> Html<String> {
    html::page(
        "Wizard, done",
        &format!("<h1>All done</h1><p>Your code: WZ-{}</p>", seed::six_digits(seed, "wizard", 0)),
    )
}

fn key(seed: u64, page: u64) -> String {
    seed::name(seed, "wizard-page", page, 10)
}
