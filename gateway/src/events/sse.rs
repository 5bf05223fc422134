//! One server-sent event, and the answer that streams them.

use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures::{Stream, StreamExt};
use http::{HeaderName, HeaderValue};
use serde_json::Value;
use std::convert::Infallible;

use crate::limits::STREAM_HEARTBEAT;

/// An event with the position to resume from after it.
#[derive(Debug)]
pub(super) struct StreamItem {
    pub resume_id: String,
    pub json: Value,
}

impl StreamItem {
    fn into_event(self) -> Event {
        let name = self.json["type"].as_str().unwrap_or("message").to_owned();
        Event::default().id(self.resume_id).event(name).data(self.json.to_string())
    }
}

/// Streams items, with comments while there are none.
pub(super) fn respond(items: impl Stream<Item = StreamItem> + Send + 'static) -> Response {
    let events = items.map(|item| Ok::<_, Infallible>(item.into_event()));
    let heartbeat = KeepAlive::new().interval(STREAM_HEARTBEAT).text("heartbeat");
    let mut response = Sse::new(events).keep_alive(heartbeat).into_response();
    // Reverse proxies must pass each event on as it comes.
    let unbuffered = (HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));
    response.headers_mut().insert(unbuffered.0, unbuffered.1);
    response
}
