//! Counts requests per path, so that a test can say what a browser or reader fetched.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::middleware::Next;
use axum::response::Response;
use axum::routing::get;
use axum::{Json, Router};

use super::state::{SiteState, lock};

/// Distinct paths that are counted; a site has far fewer, and a client that invents paths must not fill memory.
const PATHS_MAX: usize = 4096;

#[derive(Debug, Default)]
pub struct Requests {
    by_path: Mutex<BTreeMap<String, u64>>,
}

impl Requests {
    pub fn count(&self, path: &str) -> u64 {
        lock(&self.by_path).get(path).copied().unwrap_or(0)
    }

    pub fn total(&self) -> u64 {
        lock(&self.by_path).values().sum()
    }

    fn add(&self, path: &str) {
        let mut by_path = lock(&self.by_path);
        if by_path.len() < PATHS_MAX || by_path.contains_key(path) {
            *by_path.entry(path.to_owned()).or_insert(0) += 1;
        }
    }
}

pub fn routes() -> Router<Arc<SiteState>> {
    Router::new()
        .route("/requests.json", get(requests_json))
        .route("/favicon.ico", get(|| async { StatusCode::NO_CONTENT }))
}

/// Middleware: counts, then serves.
pub async fn count(State(state): State<Arc<SiteState>>, request: Request, next: Next) -> Response {
    state.requests.add(request.uri().path());
    next.run(request).await
}

async fn requests_json(State(state): State<Arc<SiteState>>) -> Json<BTreeMap<String, u64>> {
    Json(lock(&state.requests.by_path).clone())
}
