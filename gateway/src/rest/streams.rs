//! The calls about events: lists, live streams and the tokens that open them.

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, HeaderValue, StatusCode, header};
use serde_json::Value;
use std::sync::Arc;

use super::path::PathName;
use super::{Caller, Query, StreamCaller};
use crate::app::App;
use crate::events::{self, AccountFilter};
use crate::fault::Fault;
use crate::stream_tokens;

const EVENT_STREAM: &str = "text/event-stream";

/// A token for a browser's EventSource.
pub(super) async fn create_stream_token(State(app): State<Arc<App>>, caller: Caller) -> (StatusCode, Json<Value>) {
    (StatusCode::CREATED, Json(stream_tokens::create(&app, &caller)))
}

/// A stream for whoever accepts one, else the list.
pub(super) async fn run_events(
    State(app): State<Arc<App>>,
    StreamCaller { caller, by_token }: StreamCaller,
    PathName(id): PathName,
    query: Query,
    headers: HeaderMap,
) -> Result<Response, Fault> {
    if !accepts_stream(&headers) {
        return events::run_events(&app, &caller, &id).await.map(|list| Json(list).into_response());
    }
    let stream = events::run_stream(&app, &caller, &id, last_event_id(&headers, &query)).await?;
    Ok(readable(stream, by_token))
}

/// Always a stream.
pub(super) async fn account_events(
    State(app): State<Arc<App>>,
    StreamCaller { caller, by_token }: StreamCaller,
    query: Query,
    headers: HeaderMap,
) -> Result<Response, Fault> {
    let types = events::read_types(&query.list("type"))?;
    let filter = AccountFilter { types, statuses: query.statuses("status")? };
    let stream = events::account_stream(&app, caller, filter, last_event_id(&headers, &query)).await?;
    Ok(readable(stream, by_token))
}

/// A token in the URL is all that opened the stream, so a page of any origin that has one may read it (Fetch §3.3).
fn readable(mut stream: Response, by_token: bool) -> Response {
    if by_token {
        let anybody = HeaderValue::from_static("*");
        stream.headers_mut().insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, anybody);
    }
    stream
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
