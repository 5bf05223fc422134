//! What is known of one page, folded from the browser's events: which document it shows, whether a navigation or
//! requests are under way, and what happened that a planner should hear of. Pure; time comes in.

use crate::limits::{DATA_PATIENCE, NOTICE_CHARS_MAX, NOTICES_MAX, REQUESTS_WATCHED_MAX, SIDE_REQUEST_PATIENCE};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::time::Instant;
use url::Url;

/// A page as its events describe it.
#[derive(Debug)]
pub(crate) struct PageState {
    /// Main frame; Chromium gives it the target's id.
    frame: String,
    pub(crate) url: String,
    /// Documents committed so far; a changed number means another document.
    pub(crate) commits: u64,
    /// URL changes within a document (history entries, fragments).
    pub(crate) inner_navigations: u64,
    pub(crate) content_loaded: bool,
    pub(crate) loaded: bool,
    /// A navigation of the main frame that has not committed yet.
    pub(crate) navigating: Option<Navigating>,
    requests: BTreeMap<String, Request>,
    /// Frames inside that load, by id, since when.
    loading_frames: BTreeMap<String, Instant>,
    /// Requests started so far, to tell "something began" from "nothing did".
    pub(crate) requests_started: u64,
    /// Windows the page asked for.
    pub(crate) windows_requested: u64,
    /// Its events are on.
    pub(crate) is_ready: bool,
    pub(crate) crashed: bool,
    pub(crate) closed: bool,
    /// Answer to `confirm` and `prompt`.
    pub(crate) accept_dialogs: bool,
    /// Storage is being restored: paused requests are answered by us, with an empty page.
    pub(crate) answers_requests: bool,
    notices: Vec<String>,
}

#[derive(Debug, Clone)]
pub(crate) struct Navigating {
    pub(crate) url: String,
    request: Option<String>,
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

/// What the listener must do after an event was folded.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Reaction {
    None,
    /// A dialog blocks the page until it is answered.
    AnswerDialog {
        accept: bool,
    },
    /// A paused request waits for our answer.
    AnswerEmpty {
        request_id: String,
    },
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct FrameNavigated {
    frame: Frame,
    #[serde(rename = "type")]
    kind: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Frame {
    id: String,
    loader_id: String,
    url: String,
    url_fragment: Option<String>,
    unreachable_url: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct FrameEvent {
    frame_id: String,
    #[serde(default)]
    url: String,
    #[serde(default)]
    disposition: String,
    #[serde(default)]
    navigation_type: String,
    #[serde(default)]
    reason: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RequestEvent {
    request_id: String,
    #[serde(default)]
    loader_id: String,
    frame_id: Option<String>,
    #[serde(default, rename = "type")]
    kind: String,
    request: Option<RequestDetails>,
    response: Option<ResponseDetails>,
    #[serde(default)]
    error_text: String,
    #[serde(default)]
    canceled: bool,
}

#[derive(Deserialize)]
struct RequestDetails {
    url: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ResponseDetails {
    #[serde(default)]
    mime_type: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RequestPaused {
    request_id: String,
}

#[derive(Deserialize)]
struct Dialog {
    message: String,
    #[serde(rename = "type")]
    kind: String,
}

impl PageState {
    pub(crate) fn new(target_id: &str, url: &str) -> Self {
        // A window opened for a URL is attached before that URL is asked for.
        let is_blank = url.is_empty() || url.starts_with("about:");
        Self {
            frame: target_id.to_owned(),
            url: if is_blank { url.to_owned() } else { "about:blank".to_owned() },
            commits: 0,
            inner_navigations: 0,
            content_loaded: true,
            loaded: true,
            navigating: (!is_blank).then(|| Navigating { url: url.to_owned(), request: None }),
            requests: BTreeMap::new(),
            loading_frames: BTreeMap::new(),
            requests_started: 0,
            windows_requested: 0,
            is_ready: false,
            crashed: false,
            closed: false,
            accept_dialogs: false,
            answers_requests: false,
            notices: Vec::new(),
        }
    }

    /// Takes in one event. Unknown and malformed ones change nothing: a newer browser may send other fields.
    pub(crate) fn fold(&mut self, method: &str, params: Value, now: Instant) -> Reaction {
        match method {
            "Page.frameNavigated" => read(params).map_or((), |event| self.commit(event)),
            "Page.navigatedWithinDocument" => read(params).map_or((), |event| self.navigated_within(event)),
            "Page.frameRequestedNavigation" => read(params).map_or((), |event| self.navigation_requested(event)),
            "Page.frameStartedNavigating" => read(params).map_or((), |event| self.navigation_started(event)),
            "Page.frameStartedLoading" => read(params).map_or((), |event| self.loading_started(event, now)),
            "Page.frameDetached" => read(params).map_or((), |event| self.frame_detached(&event)),
            "Page.frameStoppedLoading" => read(params).map_or((), |event| self.loading_stopped(&event)),
            "Page.domContentEventFired" => self.content_loaded = true,
            "Page.loadEventFired" => self.loaded = true,
            "Page.windowOpen" => self.windows_requested += 1,
            "Page.javascriptDialogOpening" => return read(params).map_or(Reaction::None, |event| self.dialog(&event)),
            "Fetch.requestPaused" if self.answers_requests => {
                return read(params).map_or(Reaction::None, |event: RequestPaused| Reaction::AnswerEmpty {
                    request_id: event.request_id,
                });
            }
            "Network.requestWillBeSent" => read(params).map_or((), |event| self.request_started(event, now)),
            "Network.responseReceived" => read(params).map_or((), |event| self.response_received(&event)),
            "Network.loadingFinished" => read(params).map_or((), |event| self.request_ended(&event)),
            "Network.loadingFailed" => read(params).map_or((), |event| self.request_failed(&event)),
            "Inspector.targetCrashed" => self.crashed = true,
            _ => {}
        }
        Reaction::None
    }

    fn commit(&mut self, event: FrameNavigated) {
        if event.frame.id != self.frame {
            return;
        }
        let failed_url = event.frame.unreachable_url;
        self.url = failed_url.unwrap_or_else(|| event.frame.url + event.frame.url_fragment.as_deref().unwrap_or(""));
        self.commits += 1;
        // A document from the back/forward cache is complete and fires no events again.
        let is_restored = event.kind.as_deref() == Some("BackForwardCacheRestore");
        self.content_loaded = is_restored;
        self.loaded = is_restored;
        self.navigating = None;
        self.loading_frames.clear();
        let loader = event.frame.loader_id;
        self.requests.retain(|_, request| request.loader == loader && !request.is_document);
    }

    fn navigated_within(&mut self, event: FrameEvent) {
        if event.frame_id == self.frame {
            self.url = event.url;
            self.inner_navigations += 1;
            if self.navigating.as_ref().is_some_and(|navigating| navigating.request.is_none()) {
                self.navigating = None;
            }
        }
    }

    fn navigation_requested(&mut self, event: FrameEvent) {
        if event.disposition.starts_with("new") {
            self.windows_requested += 1;
        } else if event.frame_id == self.frame && is_web_url(&event.url) {
            self.navigating = Some(Navigating { url: event.url, request: None });
        }
    }

    fn navigation_started(&mut self, event: FrameEvent) {
        let is_same_document = matches!(event.navigation_type.as_str(), "sameDocument" | "historySameDocument");
        if event.frame_id == self.frame && !is_same_document && self.navigating.is_none() {
            self.navigating = Some(Navigating { url: event.url, request: None });
        }
    }

    fn loading_stopped(&mut self, event: &FrameEvent) {
        self.loading_frames.remove(&event.frame_id);
        // The end of the old document's loading may come while the new one is on its way.
        let request = self.navigating.as_ref().and_then(|navigating| navigating.request.as_ref());
        let is_on_its_way = request.is_some_and(|request| self.requests.contains_key(request));
        if event.frame_id == self.frame && !is_on_its_way {
            self.navigating = None;
        }
    }

    fn loading_started(&mut self, event: FrameEvent, now: Instant) {
        if event.frame_id != self.frame && self.loading_frames.len() < REQUESTS_WATCHED_MAX {
            self.loading_frames.insert(event.frame_id, now);
        }
    }

    fn frame_detached(&mut self, event: &FrameEvent) {
        // A frame that moves to another process goes on loading there.
        if event.reason != "swap" {
            self.loading_frames.remove(&event.frame_id);
        }
    }

    fn request_started(&mut self, event: RequestEvent, now: Instant) {
        let is_watched =
            matches!(event.kind.as_str(), "Document" | "Stylesheet" | "Script" | "XHR" | "Fetch" | "Preflight");
        if !is_watched || self.requests.len() >= REQUESTS_WATCHED_MAX {
            return;
        }
        let url = event.request.map(|request| request.url).unwrap_or_default();
        let is_document = event.kind == "Document" && event.frame_id.as_deref() == Some(self.frame.as_str());
        if is_document {
            self.navigating = Some(Navigating { url: url.clone(), request: Some(event.request_id.clone()) });
        }
        let is_data = matches!(event.kind.as_str(), "Document" | "XHR" | "Fetch");
        let is_central = is_data && site_of(&url) == site_of(&self.url);
        self.requests_started += 1;
        let request = Request { loader: event.loader_id, url, since: now, is_document, is_central };
        self.requests.insert(event.request_id, request);
    }

    fn response_received(&mut self, event: &RequestEvent) {
        // Such a response has no end.
        if event.response.as_ref().is_some_and(|response| response.mime_type == "text/event-stream") {
            self.requests.remove(&event.request_id);
        }
    }

    fn request_ended(&mut self, event: &RequestEvent) {
        self.requests.remove(&event.request_id);
    }

    fn request_failed(&mut self, event: &RequestEvent) {
        let Some(request) = self.requests.remove(&event.request_id) else { return };
        if !request.is_document {
            return;
        }
        if !event.canceled && event.error_text != "net::ERR_ABORTED" {
            self.notice(format!("navigation to {} failed: {}", request.url, event.error_text));
        }
        let is_current = self.navigating.as_ref().and_then(|n| n.request.as_deref()) == Some(event.request_id.as_str());
        if is_current {
            self.navigating = None;
        }
    }

    fn dialog(&mut self, event: &Dialog) -> Reaction {
        let accept = match event.kind.as_str() {
            "alert" | "beforeunload" => true,
            _ => self.accept_dialogs,
        };
        if event.kind != "beforeunload" {
            let outcome = if accept { "accepted" } else { "dismissed" };
            self.notice(format!("the page showed the {} \"{}\", which was {outcome}", event.kind, event.message));
        }
        Reaction::AnswerDialog { accept }
    }

    /// A navigation that we asked for ourselves is pending from now on.
    pub(crate) fn expect_navigation(&mut self, url: &str) {
        self.navigating = Some(Navigating { url: url.to_owned(), request: None });
    }

    pub(crate) fn notice_still_loading(&mut self) {
        if let Some(navigating) = &self.navigating {
            self.notice(format!("{} was still loading", navigating.url));
        }
    }

    pub(crate) fn refuse_download(&mut self, url: &str) {
        self.navigating = None;
        self.notice(format!("the download of {url} was refused"));
    }

    /// Adds something that a planner should hear of; the newest are kept.
    pub(crate) fn notice(&mut self, text: String) {
        if self.notices.len() >= NOTICES_MAX {
            self.notices.remove(0);
        }
        self.notices.push(text.chars().take(NOTICE_CHARS_MAX).collect());
    }

    /// Takes the notices since the last time, as one text.
    pub(crate) fn take_notices(&mut self) -> Option<String> {
        let notices = std::mem::take(&mut self.notices);
        (!notices.is_empty()).then(|| notices.join("; "))
    }

    pub(crate) fn last_notice(&self) -> Option<&str> {
        self.notices.last().map(String::as_str)
    }

    /// When the last request that is worth waiting for will have had its time; `None` when there is none in flight.
    /// `began` is when the action or navigation started that is being waited for.
    pub(crate) fn busy_until(&self, began: Instant) -> Option<Instant> {
        let frames = self.loading_frames.values().map(|since| (*since).max(began) + SIDE_REQUEST_PATIENCE);
        let requests = self.requests.values().filter(|request| !request.is_document);
        requests
            .map(|request| {
                let patience =
                    if request.is_central && request.since >= began { DATA_PATIENCE } else { SIDE_REQUEST_PATIENCE };
                request.since.max(began) + patience
            })
            .chain(frames)
            .max()
    }

    /// The page is of no more use.
    pub(crate) fn is_lost(&self) -> bool {
        self.crashed || self.closed
    }
}

fn read<T: for<'de> Deserialize<'de>>(params: Value) -> Option<T> {
    serde_json::from_value(params).ok()
}

/// The last two labels of the host: near enough to tell a shop from its counters, and not used for safety.
fn site_of(url: &str) -> Option<String> {
    let host = Url::parse(url).ok()?.host_str()?.to_owned();
    let labels: Vec<&str> = host.rsplit('.').take(2).collect();
    Some(labels.join("."))
}

/// Links of other schemes run script or start programs; they replace no document.
fn is_web_url(url: &str) -> bool {
    let scheme = url.split(':').next().unwrap_or_default().to_ascii_lowercase();
    matches!(scheme.as_str(), "http" | "https" | "about" | "data" | "blob" | "file" | "chrome")
}
