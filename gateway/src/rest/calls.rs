//! The calls about runs, secrets, profiles and reads: each reads its parameters and hands on.

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, StatusCode, header};
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;

use super::body::JsonBody;
use super::path::PathName;
use super::{Caller, Query};
use crate::app::App;
use crate::fault::Fault;
use crate::limits::{LIST_MAX, WAIT_S_MAX};
use crate::runs::{self, ListCursor, ListFilter};
use crate::{profiles, reads, secrets};

type Answer = Result<Json<Value>, Fault>;

pub(super) async fn create_run(
    State(app): State<Arc<App>>,
    caller: Caller,
    headers: HeaderMap,
    JsonBody(body): JsonBody,
) -> Result<(StatusCode, Json<Value>), Fault> {
    let key = headers.get("idempotency-key").map(|key| key.to_str().unwrap_or_default());
    let created = runs::create(&app, &caller, key, &body).await?;
    Ok((StatusCode::CREATED, Json(created)))
}

pub(super) async fn list_runs(State(app): State<Arc<App>>, caller: Caller, query: Query) -> Answer {
    let limit = query.integer("limit", 1, LIST_MAX as u64)?;
    let limit = limit.map_or(LIST_MAX, |limit| limit as usize);
    let before = query.text("cursor").map(ListCursor::parse).transpose()?;
    let filter = ListFilter { limit, statuses: query.statuses("status")?, before };
    runs::list(&app, &caller, &filter).await.map(Json)
}

pub(super) async fn get_run(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathName(id): PathName,
    query: Query,
) -> Answer {
    let wait = query.integer("wait", 0, WAIT_S_MAX)?.map(Duration::from_secs);
    runs::get(&app, &caller, &id, wait).await.map(Json)
}

pub(super) async fn delete_run(State(app): State<Arc<App>>, caller: Caller, PathName(id): PathName) -> Answer {
    runs::delete(&app, &caller, &id).await.map(Json)
}

pub(super) async fn reply(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathName(id): PathName,
    JsonBody(body): JsonBody,
) -> Answer {
    runs::reply(&app, &caller, &id, &body).await.map(Json)
}

pub(super) async fn stop(State(app): State<Arc<App>>, caller: Caller, PathName(id): PathName) -> Answer {
    runs::stop(&app, &caller, &id).await.map(Json)
}

pub(super) async fn screenshot(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathName(id): PathName,
    query: Query,
    headers: HeaderMap,
) -> Result<Response, Fault> {
    let step = query.integer("step", 1, u64::from(u32::MAX))?;
    let step = step.and_then(|step| u32::try_from(step).ok());
    let shot = runs::screenshot(&app, &caller, &id, step).await?;
    let tag = format!("\"{}\"", shot.key);
    let is_known = headers.get(header::IF_NONE_MATCH).is_some_and(|known| known.as_bytes() == tag.as_bytes());
    if is_known {
        return Ok((StatusCode::NOT_MODIFIED, [(header::ETAG, tag)]).into_response());
    }
    let headers = [(header::CONTENT_TYPE, "image/png".to_owned()), (header::ETAG, tag)];
    Ok((headers, shot.png).into_response())
}

pub(super) async fn deliveries(State(app): State<Arc<App>>, caller: Caller, PathName(id): PathName) -> Answer {
    runs::deliveries(&app, &caller, &id).await.map(Json)
}

pub(super) async fn put_secret(
    State(app): State<Arc<App>>,
    caller: Caller,
    PathName(name): PathName,
    JsonBody(body): JsonBody,
) -> Answer {
    secrets::put(&app, &caller, &name, &body).await.map(Json)
}

pub(super) async fn get_secret(State(app): State<Arc<App>>, caller: Caller, PathName(name): PathName) -> Answer {
    secrets::get(&app, &caller, &name).await.map(Json)
}

pub(super) async fn list_secrets(State(app): State<Arc<App>>, caller: Caller) -> Answer {
    secrets::list(&app, &caller).await.map(Json)
}

pub(super) async fn delete_secret(State(app): State<Arc<App>>, caller: Caller, PathName(name): PathName) -> Answer {
    secrets::delete(&app, &caller, &name).await.map(Json)
}

pub(super) async fn list_profiles(State(app): State<Arc<App>>, caller: Caller) -> Answer {
    profiles::list(&app, &caller).await.map(Json)
}

pub(super) async fn get_profile(State(app): State<Arc<App>>, caller: Caller, PathName(name): PathName) -> Answer {
    profiles::get(&app, &caller, &name).await.map(Json)
}

pub(super) async fn delete_profile(State(app): State<Arc<App>>, caller: Caller, PathName(name): PathName) -> Answer {
    profiles::delete(&app, &caller, &name).await.map(Json)
}

/// Any account may read; the answer is of no account.
pub(super) async fn read(State(app): State<Arc<App>>, caller: Caller, JsonBody(body): JsonBody) -> Answer {
    reads::read(&app, &caller, &body).await.map(Json)
}
