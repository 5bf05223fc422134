//! Every route, in one table, with its handler.

use axum::extract::Request;
use axum::middleware::{Next, from_fn};
use axum::routing::{MethodRouter, delete, get, post, put};
use axum::{Json, Router};
use std::sync::Arc;

use super::query::check_parameters;
use super::server::Routers;
use super::{calls, edge, health, streams};
use crate::app::App;
use crate::description::description;
use crate::pages::PAGES;

/// One call: the table is what the API's description is checked against.
pub(crate) struct Route {
    #[cfg_attr(not(test), expect(dead_code, reason = "only the check of the description asks for it"))]
    pub method: &'static str,
    pub path: &'static str,
    /// The query parameters that it takes; any other one is refused.
    #[cfg_attr(not(test), expect(dead_code, reason = "only the check of the description asks for it"))]
    pub parameters: &'static [&'static str],
    pub handler: MethodRouter<Arc<App>>,
}

/// A call without query parameters.
fn route(method: &'static str, path: &'static str, handler: MethodRouter<Arc<App>>) -> Route {
    asking(method, path, &[], handler)
}

/// A call with query parameters.
fn asking(
    method: &'static str,
    path: &'static str,
    parameters: &'static [&'static str],
    handler: MethodRouter<Arc<App>>,
) -> Route {
    let check = from_fn(move |request: Request, next: Next| check_parameters(parameters, request, next));
    Route { method, path, parameters, handler: handler.layer(check) }
}

/// The calls that the API's description lists.
pub(crate) fn api_routes() -> Vec<Route> {
    vec![
        route("post", "/v1/browser/runs", post(calls::create_run)),
        asking("get", "/v1/browser/runs", &["cursor", "limit", "status"], get(calls::list_runs)),
        asking("get", "/v1/browser/runs/{id}", &["wait"], get(calls::get_run)),
        route("delete", "/v1/browser/runs/{id}", delete(calls::delete_run)),
        route("post", "/v1/browser/runs/{id}/reply", post(calls::reply)),
        route("post", "/v1/browser/runs/{id}/stop", post(calls::stop)),
        asking("get", "/v1/browser/runs/{id}/screenshot", &["step"], get(calls::screenshot)),
        asking("get", "/v1/browser/runs/{id}/events", &["cursor", "token"], get(streams::run_events)),
        route("get", "/v1/browser/runs/{id}/deliveries", get(calls::deliveries)),
        asking("get", "/v1/events", &["cursor", "status", "token", "type"], get(streams::account_events)),
        route("post", "/v1/stream_tokens", post(streams::create_stream_token)),
        route("get", "/v1/browser/secrets", get(calls::list_secrets)),
        route("put", "/v1/browser/secrets/{name}", put(calls::put_secret)),
        route("get", "/v1/browser/secrets/{name}", get(calls::get_secret)),
        route("delete", "/v1/browser/secrets/{name}", delete(calls::delete_secret)),
        route("get", "/v1/browser/profiles", get(calls::list_profiles)),
        route("get", "/v1/browser/profiles/{name}", get(calls::get_profile)),
        route("delete", "/v1/browser/profiles/{name}", delete(calls::delete_profile)),
        route("post", "/v1/read", post(calls::read)),
        route("get", "/healthz", get(health::healthz)),
        route("get", "/readyz", get(health::readyz)),
        route("get", "/metrics", get(health::metrics)),
    ]
}

/// The whole gateway, and what of it answers when there is no room.
pub(crate) fn routers(app: &Arc<App>) -> Routers {
    Routers { all: router(Arc::clone(app)), crowded: crowded(Arc::clone(app)) }
}

fn crowded(app: Arc<App>) -> Router {
    Router::new()
        .route("/healthz", get(health::healthz))
        .route("/readyz", get(health::readyz))
        .route("/metrics", get(health::metrics))
        .fallback(edge::no_room)
        .layer(from_fn(edge::guard))
        .with_state(app)
}

fn router(app: Arc<App>) -> Router {
    let mut router = Router::new();
    for Route { path, handler, .. } in api_routes() {
        router = router.route(path, handler);
    }
    for (path, page) in PAGES {
        router = router.route(path, get(move || async move { page }));
    }
    router
        .route("/openapi.json", get(async || Json(description())))
        .fallback(edge::no_route)
        .method_not_allowed_fallback(edge::no_method)
        .layer(from_fn(edge::guard))
        .with_state(app)
}
