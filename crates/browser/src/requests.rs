//! The requests and inner frames of one page that are under way, and how long each is worth waiting for. Pure.

use crate::limits::{DATA_PATIENCE, REQUESTS_WATCHED_MAX, SIDE_REQUEST_PATIENCE};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::time::Instant;
use url::Url;

/// What is in flight.
#[derive(Debug, Default)]
pub(crate) struct Requests {
    requests: BTreeMap<String, Request>,
    /// Frames inside the page that load, by id, since when.
    frames: BTreeMap<String, Instant>,
    /// The loader of the page's last document that an answer came for.
    answered_loader: Option<String>,
    /// Requests started so far, to tell "something began" from "nothing did".
    pub(crate) started: u64,
}

#[derive(Debug)]
struct Request {
    loader: String,
    url: String,
    since: Instant,
    /// The main frame's document.
    is_document: bool,
    /// Data or a frame from the page's own site.
    is_central: bool,
}

/// Parameters of the Network domain's events, as far as they are used.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RequestEvent {
    pub(crate) request_id: String,
    #[serde(default)]
    loader_id: String,
    frame_id: Option<String>,
    #[serde(default, rename = "type")]
    kind: String,
    request: Option<RequestDetails>,
    response: Option<ResponseDetails>,
    #[serde(default)]
    pub(crate) error_text: String,
    #[serde(default)]
    canceled: bool,
}

#[derive(Debug, Deserialize)]
struct RequestDetails {
    url: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ResponseDetails {
    #[serde(default)]
    mime_type: String,
}

impl RequestEvent {
    pub(crate) fn url(&self) -> &str {
        self.request.as_ref().map(|request| request.url.as_str()).unwrap_or_default()
    }

    pub(crate) fn is_document_of(&self, frame: &str) -> bool {
        self.kind == "Document" && self.frame_id.as_deref() == Some(frame)
    }

    /// The browser dropped it for something newer, or because it gave a download.
    pub(crate) fn was_given_up(&self) -> bool {
        self.canceled || self.error_text == "net::ERR_ABORTED"
    }
}

impl Requests {
    /// `frame` and `page_url` are those of the page.
    pub(crate) fn start(&mut self, event: RequestEvent, frame: &str, page_url: &str, now: Instant) {
        // Pictures, fonts and media change no text; sockets and pings have no end.
        let is_data = matches!(event.kind.as_str(), "Document" | "XHR" | "Fetch");
        let is_code = matches!(event.kind.as_str(), "Stylesheet" | "Script" | "Preflight");
        if (!is_data && !is_code) || self.requests.len() >= REQUESTS_WATCHED_MAX {
            return;
        }
        let is_document = event.is_document_of(frame);
        let url = event.url().to_owned();
        let is_central = is_data && site_of(&url) == site_of(page_url);
        self.started += 1;
        let request = Request { loader: event.loader_id, url, since: now, is_document, is_central };
        self.requests.insert(event.request_id, request);
    }

    /// Whether a server gave this navigation an answer, whatever the browser made of it.
    pub(crate) fn has_answered(&self, loader: &str) -> bool {
        self.answered_loader.as_deref() == Some(loader)
    }

    /// `frame` is the page's.
    pub(crate) fn responded(&mut self, event: &RequestEvent, frame: &str) {
        if event.is_document_of(frame) {
            self.answered_loader = Some(event.loader_id.clone());
        }
        // Such a response has no end.
        if event.response.as_ref().is_some_and(|response| response.mime_type == "text/event-stream") {
            self.requests.remove(&event.request_id);
        }
    }

    pub(crate) fn end(&mut self, request_id: &str) {
        self.requests.remove(request_id);
    }

    /// Ends a request; the URL, when it was for the page's document.
    pub(crate) fn fail(&mut self, event: &RequestEvent) -> Option<String> {
        let request = self.requests.remove(&event.request_id)?;
        request.is_document.then_some(request.url)
    }

    pub(crate) fn is_in_flight(&self, request_id: &str) -> bool {
        self.requests.contains_key(request_id)
    }

    /// Another document was committed: what the old one asked for is of no interest.
    pub(crate) fn keep_only(&mut self, loader: &str) {
        self.frames.clear();
        self.requests.retain(|_, request| request.loader == loader && !request.is_document);
    }

    pub(crate) fn frame_loads(&mut self, frame_id: String, now: Instant) {
        if self.frames.len() < REQUESTS_WATCHED_MAX {
            self.frames.insert(frame_id, now);
        }
    }

    pub(crate) fn frame_rests(&mut self, frame_id: &str) {
        self.frames.remove(frame_id);
    }

    /// When the last of what is worth waiting for will have had its time; `None` when nothing is in flight. `began` is
    /// when the action or navigation started that is being waited for.
    pub(crate) fn busy_until(&self, began: Instant) -> Option<Instant> {
        let frames = self.frames.values().map(|since| (*since).max(began) + SIDE_REQUEST_PATIENCE);
        let requests = self.requests.values().filter(|request| !request.is_document).map(|request| {
            let is_result = request.is_central && request.since >= began;
            request.since.max(began) + if is_result { DATA_PATIENCE } else { SIDE_REQUEST_PATIENCE }
        });
        requests.chain(frames).max()
    }
}

/// The last two labels of the host: near enough to tell a shop from its counters, and not used for safety.
fn site_of(url: &str) -> Option<String> {
    let host = Url::parse(url).ok()?.host_str()?.to_owned();
    let labels: Vec<&str> = host.rsplit('.').take(2).collect();
    Some(labels.join("."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::time::Duration;

    fn event(id: &str, kind: &str, url: &str) -> RequestEvent {
        serde_json::from_value(json!({ "requestId": id, "loaderId": "l", "type": kind, "request": { "url": url } }))
            .unwrap()
    }

    fn patience_for(kind: &str, url: &str, age: Duration) -> Option<Duration> {
        let mut requests = Requests::default();
        let started = Instant::now();
        requests.start(event("1", kind, url), "main", "https://www.shop.test/", started);
        let began = started + age;
        requests.busy_until(began).map(|until| until - began)
    }

    #[test]
    fn data_of_the_own_site_is_waited_for_longest() {
        let own = patience_for("XHR", "https://api.shop.test/cart", Duration::ZERO);
        assert_eq!(own, Some(DATA_PATIENCE));
        for (kind, url) in [("XHR", "https://stats.test/"), ("Script", "https://www.shop.test/x.js")] {
            assert_eq!(patience_for(kind, url, Duration::ZERO), Some(SIDE_REQUEST_PATIENCE), "{kind} {url}");
        }
        let polling = patience_for("XHR", "https://api.shop.test/poll", Duration::from_secs(60));
        assert_eq!(polling, Some(SIDE_REQUEST_PATIENCE), "it is older than the action");
    }

    #[test]
    fn pictures_sockets_and_streams_are_not_waited_for() {
        for kind in ["Image", "WebSocket", "Ping", "EventSource", "Media"] {
            assert_eq!(patience_for(kind, "https://www.shop.test/", Duration::ZERO), None, "{kind}");
        }
        let mut requests = Requests::default();
        requests.start(event("1", "Fetch", "https://www.shop.test/"), "main", "https://www.shop.test/", Instant::now());
        let response = json!({ "requestId": "1", "type": "Fetch", "response": { "mimeType": "text/event-stream" } });
        requests.responded(&serde_json::from_value(response).unwrap(), "main");
        assert_eq!(requests.busy_until(Instant::now()), None);
    }
}
