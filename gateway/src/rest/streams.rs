//! The calls about events: lists and live streams.

use axum::Json;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, header};
use std::sync::Arc;

use super::{Caller, Query};
use crate::app::App;
use crate::events::{self, AccountFilter};
use crate::fault::Fault;

const EVENT_STREAM: &str = "text/event-stream";

/// A stream for whoever accepts one, else the list.
pub(super) async fn run_events(
    State(app): State<Arc<App>>,
    caller: Caller,
    Path(id): Path<String>,
    query: Query,
    headers: HeaderMap,
) -> Result<Response, Fault> {
    if accepts_stream(&headers) {
        return events::run_stream(&app, &caller, &id, last_event_id(&headers, &query)).await;
    }
    events::run_events(&app, &caller, &id).await.map(|list| Json(list).into_response())
}

/// Always a stream.
pub(super) async fn account_events(
    State(app): State<Arc<App>>,
    caller: Caller,
    query: Query,
    headers: HeaderMap,
) -> Result<Response, Fault> {
    let types = query.list("type").into_iter().map(str::to_owned).collect();
    let filter = AccountFilter { types, statuses: query.statuses("status")? };
    events::account_stream(&app, caller, filter, last_event_id(&headers, &query)).await
}

fn accepts_stream(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    accepted.into_iter().any(|value| value.contains(EVENT_STREAM))
}

/// From the header, or from `cursor` for clients that cannot set one on their first request.
fn last_event_id<'a>(headers: &'a HeaderMap, query: &'a Query) -> Option<&'a str> {
    let header = headers.get("last-event-id").map(|value| value.to_str().unwrap_or("?"));
    header.or_else(|| query.text("cursor"))
}
