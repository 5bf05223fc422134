//! Probes and metrics: without a key, and without anything of an account.

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use errand_store::Bucket;
use http::header;
use serde_json::{Value, json};
use std::sync::Arc;

use super::edge;
use crate::app::App;
use crate::fault::Fault;
use crate::limits::READY_DEADLINE;

/// The process answers.
pub(super) async fn healthz() -> Json<Value> {
    Json(json!({"status": "ok"}))
}

/// The store answers, and no shutdown has begun.
pub(super) async fn readyz(State(app): State<Arc<App>>) -> Result<Json<Value>, Fault> {
    if app.shutdown.is_cancelled() {
        return Err(Fault::unavailable());
    }
    let probe = app.stores.keyvalue.get(Bucket::Keys, "ready");
    match tokio::time::timeout(READY_DEADLINE, probe).await {
        Ok(answered) => answered.map(|_| Json(json!({"status": "ok"}))).map_err(Fault::from),
        Err(_) => Err(Fault::unavailable()),
    }
}

/// Prometheus' text form.
pub(super) async fn metrics(State(app): State<Arc<App>>) -> Response {
    match &app.config.metrics {
        Some(metrics) => {
            let media_type = [(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")];
            (media_type, metrics.render()).into_response()
        }
        None => edge::no_route().await.into_response(),
    }
}
