//! The news part of the fixture: a ranked front page, a search, an article page per story, and the gold data.

mod layouts;
mod stories;

use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::json;

pub use stories::{GoldStory, Story, gold, stories};

use super::html::{self, escape};
use super::state::SiteState;

const NAV: &str = "<nav><a href=\"/news\">Harbour News</a><a href=\"/news/older\">Past</a><a href=\"/news/about\">About</a>\
<a href=\"/forms/newsletter\">Newsletter</a><a href=\"/shop\">Shop</a><a href=\"/account/login\">Log in</a></nav>";
const SEARCH: &str = "<form action=\"/news/search\" role=\"search\"><input type=\"search\" name=\"q\" aria-label=\"Search stories\" \
placeholder=\"Search stories\"> <button>Search</button></form>";

#[derive(Debug, Deserialize)]
struct SearchQuery {
    #[serde(default)]
    q: String,
}

pub fn routes() -> Router<Arc<SiteState>> {
    Router::new()
        .route("/news", get(front))
        .route("/news/gold.json", get(gold_json))
        .route("/news/search", get(search))
        .route("/news/item/{id}", get(article))
        .route("/news/by/{author}", get(by_author))
        .route("/news/older", get(older))
        .route("/news/about", get(about))
}

async fn front(State(state): State<Arc<SiteState>>) -> Html<String> {
    let stories = layouts::render(state.seed, &state.stories);
    html::page("Harbour News", &format!("{NAV}<h1>Harbour News</h1>{SEARCH}\n{stories}"))
}

async fn gold_json(State(state): State<Arc<SiteState>>, headers: HeaderMap) -> Json<Vec<GoldStory>> {
    Json(gold(&state.stories, &format!("{}/news", html::origin(&headers))))
}

async fn search(State(state): State<Arc<SiteState>>, Query(query): Query<SearchQuery>) -> Html<String> {
    let wanted = query.q.trim().to_lowercase();
    let matches = state.stories.iter().filter(|story| !wanted.is_empty() && matches(story, &wanted));
    let items: Vec<String> = matches.map(search_item).collect();
    let shown = escape(query.q.trim());
    let results = match items.len() {
        0 => format!("<p>No stories match “{shown}”.</p>"),
        1 => format!("<p>1 story matches “{shown}”.</p><ul>{}</ul>", items.concat()),
        count => format!("<p>{count} stories match “{shown}”.</p><ul>{}</ul>", items.concat()),
    };
    html::page("Search – Harbour News", &format!("{NAV}<h1>Search results</h1>{SEARCH}{results}"))
}

/// A story matches when its title or host holds every word that was asked for.
fn matches(story: &Story, wanted: &str) -> bool {
    let text = format!("{} {}", story.title, story.label.unwrap_or_default()).to_lowercase();
    wanted.split_whitespace().all(|word| text.contains(word))
}

fn search_item(story: &Story) -> String {
    format!(
        "<li><a href=\"/news/item/{}\">{}</a> <span class=\"small\">{}</span></li>\n",
        story.id,
        escape(story.title),
        story.published_in_words()
    )
}

async fn article(State(state): State<Arc<SiteState>>, Path(id): Path<usize>) -> Response {
    let Some(story) = state.stories.iter().find(|story| story.id == id) else {
        return (StatusCode::NOT_FOUND, html::page("Not found", "<h1>No such story</h1>")).into_response();
    };
    let author = story.votes.as_ref().map_or("the jobs desk", |votes| votes.author);
    let published = json!({
        "@context": "https://schema.org", "@type": "NewsArticle", "headline": story.title,
        "datePublished": story.published_date(), "author": {"@type": "Person", "name": author},
    });
    let head = format!(
        "{}<meta property=\"og:title\" content=\"{}\"><meta property=\"article:published_time\" content=\"{}\">",
        html::json_ld(&published),
        escape(story.title),
        story.published_date(),
    );
    let score =
        story.votes.as_ref().map(|votes| format!("<p>{} points · {} comments</p>", votes.points, votes.comments));
    let body = format!(
        "{NAV}<article><h1>{}</h1><p class=\"byline\">By <span class=\"author\">{author}</span>, <time datetime=\"{}\">{}</time></p>{}{}</article>\
         <p><a href=\"/news\">Back to the front page</a></p>",
        escape(story.title),
        story.published_date(),
        story.published_in_words(),
        score.unwrap_or_default(),
        paragraphs(story),
    );
    html::page_with_head(&format!("{} – Harbour News", story.title), &head, &body).into_response()
}

fn paragraphs(story: &Story) -> String {
    let origin = story.label.map_or("written for this site", |_| "a summary of a story from elsewhere");
    format!(
        "<p>This is {origin}. It was checked by the night desk and took {} cups of tea.</p>\
         <p>The harbour office declined to comment, then commented at length about item {}.</p>",
        story.age_hours, story.id
    )
}

async fn by_author(State(state): State<Arc<SiteState>>, Path(author): Path<String>) -> Html<String> {
    let is_theirs = |story: &&Story| story.votes.as_ref().is_some_and(|votes| votes.author == author);
    let items: String = state.stories.iter().filter(is_theirs).map(search_item).collect();
    let name = escape(&author);
    html::page("Author – Harbour News", &format!("{NAV}<h1>Stories by {name}</h1><ul>{items}</ul>"))
}

async fn older() -> Html<String> {
    html::page("Older – Harbour News", &format!("{NAV}<h1>Older stories</h1><p>The archive is being re-shelved.</p>"))
}

async fn about() -> Html<String> {
    html::page(
        "About – Harbour News",
        &format!(
            "{NAV}<h1>About</h1><p>Harbour News ranks stories about small, slow and stubborn things.</p><p>Contact: desk@harbour-news.example</p>"
        ),
    )
}
