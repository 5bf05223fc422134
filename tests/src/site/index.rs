//! The start page: a link to every page of the fixture, for people who try it by hand.

use std::sync::Arc;

use axum::Router;
use axum::response::Html;
use axum::routing::get;

use super::html;
use super::state::SiteState;

const LINKS: [(&str, &str); 25] = [
    ("/news", "News"),
    ("/shop", "Shop"),
    ("/forms/contact", "Contact form"),
    ("/forms/newsletter", "Newsletter form"),
    ("/forms/delete-account", "Delete account"),
    ("/forms/consent", "Cookie consent"),
    ("/wizard", "Wizard of ten actions"),
    ("/account/login", "Login"),
    ("/account/leaky", "Login that echoes the password"),
    ("/pages/late", "Late content"),
    ("/pages/scripted", "Product that a script publishes"),
    ("/pages/hanging-image", "Hanging sub-resource"),
    ("/pages/unreachable", "Unreachable sub-resource"),
    ("/pages/loop", "Endless redirect"),
    ("/pages/dialogs", "Dialogs"),
    ("/pages/beforeunload", "Question before leaving"),
    ("/pages/popup", "Link into a new window"),
    ("/pages/download", "Download"),
    ("/pages/frame", "Frame"),
    ("/pages/big", "Two megabytes"),
    ("/pages/unicode", "Unicode and right-to-left"),
    ("/pages/prices", "Price table"),
    ("/pages/injection", "Injected instructions"),
    ("/pages/failing", "Server error"),
    ("/hostile", "Hostile pages"),
];

pub fn routes() -> Router<Arc<SiteState>> {
    Router::new().route("/", get(index))
}

async fn index() -> Html<String> {
    let items: String = LINKS.iter().map(|(path, name)| format!("<li><a href=\"{path}\">{name}</a></li>")).collect();
    html::page("Fixture site", &format!("<h1>Fixture site</h1><ul>{items}</ul>"))
}
