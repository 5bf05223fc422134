//! What is known of one page, folded from the browser's events: which document it shows, whether a navigation or
//! requests are under way, and what happened that a planner should hear of. Pure; time comes in.

use crate::limits::{
    BEGIN_PATIENCE, DOCUMENT_BYTES_MAX, FRAMES_NOTED_MAX, NOTICE_CHARS_MAX, NOTICES_MAX, REFRESH_DELAY_MAX_S,
};
use crate::page_events::{DataReceived, Dialog, FrameEvent, FrameNavigated, RequestPaused};
use crate::requests::{RequestEvent, Requests};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::time::Instant;

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
    /// Documents whose bytes are counted, by the frame that shows them.
    received: BTreeMap<String, Received>,
    /// A navigation of the main frame that has not committed yet.
    pub(crate) navigating: Option<Navigating>,
    pub(crate) requests: Requests,
    /// The document was given input.
    pub(crate) is_touched: bool,
    /// A script writes the document.
    is_written: bool,
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
    /// Notices so far, with those that were taken.
    pub(crate) notices_made: u64,
}

/// How much of a frame's document has come; its loader and its request have the same id.
#[derive(Debug, Default)]
struct Received {
    loader: String,
    bytes: u64,
}

#[derive(Debug, Clone)]
pub(crate) struct Navigating {
    pub(crate) url: String,
    stage: Stage,
}

/// How far a navigation is.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Stage {
    /// The page announced a refresh.
    Scheduled,
    /// The page, or we, asked for it at that moment; the browser has not heard of it yet.
    Requested(Instant),
    /// The browser has begun it.
    Begun,
    /// Its request of this id was sent.
    Sent(String),
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
    /// The document is over the limit: the rest is not asked for.
    StopLoading,
}

impl PageState {
    pub(crate) fn new(target_id: &str, url: &str, now: Instant) -> Self {
        // A window opened for a URL is attached before that URL is asked for.
        let is_blank = url.is_empty() || url.starts_with("about:");
        Self {
            frame: target_id.to_owned(),
            url: if is_blank { url.to_owned() } else { "about:blank".to_owned() },
            commits: 0,
            inner_navigations: 0,
            content_loaded: true,
            loaded: true,
            received: BTreeMap::new(),
            navigating: (!is_blank).then(|| Navigating { url: url.to_owned(), stage: Stage::Requested(now) }),
            requests: Requests::default(),
            is_touched: false,
            is_written: false,
            windows_requested: 0,
            is_ready: false,
            crashed: false,
            closed: false,
            accept_dialogs: false,
            answers_requests: false,
            notices: Vec::new(),
            notices_made: 0,
        }
    }

    /// Takes in one event. Unknown and malformed ones change nothing: a newer browser may send other fields.
    pub(crate) fn fold(&mut self, method: &str, params: Value, now: Instant) -> Reaction {
        match method {
            "Page.frameNavigated" => read(params).map_or((), |event| self.commit(event)),
            "Page.navigatedWithinDocument" => read(params).map_or((), |event| self.navigated_within(event)),
            "Page.frameRequestedNavigation" => read(params).map_or((), |event| self.navigation_requested(event, now)),
            "Page.frameScheduledNavigation" => read(params).map_or((), |event| self.navigation_scheduled(event)),
            "Page.frameClearedScheduledNavigation" => read(params).map_or((), |event| self.schedule_cleared(&event)),
            "Page.frameStartedNavigating" => read(params).map_or((), |event| self.navigation_started(event)),
            "Page.frameStartedLoading" => read(params).map_or((), |event| self.loading_started(event, now)),
            "Page.frameDetached" => read(params).map_or((), |event| self.frame_detached(&event)),
            "Page.frameStoppedLoading" => read(params).map_or((), |event| self.loading_stopped(&event, now)),
            "Page.domContentEventFired" => self.content_loaded = true,
            "Page.loadEventFired" => self.loaded = true,
            "Page.documentOpened" => self.is_written = true,
            "Page.windowOpen" => self.windows_requested += 1,
            "Page.javascriptDialogOpening" => return read(params).map_or(Reaction::None, |event| self.dialog(&event)),
            "Fetch.requestPaused" if self.answers_requests => {
                return read(params).map_or(Reaction::None, |event: RequestPaused| Reaction::AnswerEmpty {
                    request_id: event.request_id,
                });
            }
            "Network.requestWillBeSent" => read(params).map_or((), |event| self.request_started(event, now)),
            "Network.dataReceived" => return read(params).map_or(Reaction::None, |event| self.data_received(&event)),
            "Network.responseReceived" => read(params).map_or((), |event| self.requests.responded(&event, &self.frame)),
            "Network.loadingFinished" => {
                read(params).map_or((), |event: RequestEvent| self.requests.end(&event.request_id))
            }
            "Network.loadingFailed" => read(params).map_or((), |event| self.request_failed(&event)),
            "Inspector.targetCrashed" => self.crashed = true,
            _ => {}
        }
        Reaction::None
    }

    fn commit(&mut self, event: FrameNavigated) {
        if event.frame.id != self.frame {
            self.count_document(event.frame.id, event.frame.loader_id);
            return;
        }
        let failed_url = event.frame.unreachable_url;
        self.url = failed_url.unwrap_or_else(|| event.frame.url + event.frame.url_fragment.as_deref().unwrap_or(""));
        self.commits += 1;
        self.is_touched = false;
        // A document from the back/forward cache is complete and fires no events again.
        let is_restored = event.kind.as_deref() == Some("BackForwardCacheRestore");
        self.content_loaded = is_restored;
        self.loaded = is_restored;
        self.navigating = None;
        self.requests.keep_only(&event.frame.loader_id);
        self.received.clear();
        self.count_document(event.frame.id, event.frame.loader_id);
    }

    fn count_document(&mut self, frame: String, loader: String) {
        if self.received.len() < FRAMES_NOTED_MAX || self.received.contains_key(&frame) {
            self.received.insert(frame, Received { loader, bytes: 0 });
        }
    }

    /// What came before the commit is not counted: it is less than one read of the network's buffer. One document over the
    /// limit stops the whole page's loading: the protocol stops no single frame.
    fn data_received(&mut self, event: &DataReceived) -> Reaction {
        let mut documents = self.received.iter_mut();
        let Some((frame, received)) = documents.find(|(_, each)| each.loader == event.request_id) else {
            return Reaction::None;
        };
        let before = received.bytes;
        received.bytes = before.saturating_add(event.data_length);
        if before > DOCUMENT_BYTES_MAX || received.bytes <= DOCUMENT_BYTES_MAX {
            return Reaction::None;
        }
        let what = if *frame == self.frame { "the page" } else { "a frame of the page" };
        self.notice(format!("only the first {} MiB of {what} were loaded", DOCUMENT_BYTES_MAX >> 20));
        Reaction::StopLoading
    }

    fn navigated_within(&mut self, event: FrameEvent) {
        if event.frame_id == self.frame {
            self.url = event.url;
            self.inner_navigations += 1;
            if matches!(self.stage(), Some(Stage::Requested(_) | Stage::Begun)) {
                self.navigating = None;
            }
        }
    }

    /// The page's word may come after the browser's, which then knows more.
    fn navigation_requested(&mut self, event: FrameEvent, now: Instant) {
        if event.disposition.starts_with("new") {
            self.windows_requested += 1;
        } else if event.frame_id == self.frame && is_web_url(&event.url) && !self.is_begun(&event.url) {
            self.navigating = Some(Navigating { url: event.url, stage: Stage::Requested(now) });
        }
    }

    fn is_begun(&self, url: &str) -> bool {
        self.navigating.as_ref().is_some_and(|navigating| {
            navigating.url == url && matches!(navigating.stage, Stage::Begun | Stage::Sent(_))
        })
    }

    /// A refresh that the page announces is waited for when it is near; a page that reloads every minute is not.
    fn navigation_scheduled(&mut self, event: FrameEvent) {
        if event.frame_id == self.frame && event.delay <= REFRESH_DELAY_MAX_S && self.navigating.is_none() {
            self.navigating = Some(Navigating { url: event.url, stage: Stage::Scheduled });
        }
    }

    fn schedule_cleared(&mut self, event: &FrameEvent) {
        if event.frame_id == self.frame && self.stage() == Some(&Stage::Scheduled) {
            self.navigating = None;
        }
    }

    fn stage(&self) -> Option<&Stage> {
        self.navigating.as_ref().map(|navigating| &navigating.stage)
    }

    fn navigation_started(&mut self, event: FrameEvent) {
        let is_same_document = matches!(event.navigation_type.as_str(), "sameDocument" | "historySameDocument");
        let is_sent = matches!(self.stage(), Some(Stage::Sent(_)));
        if event.frame_id == self.frame && !is_same_document && !is_sent {
            self.navigating = Some(Navigating { url: event.url, stage: Stage::Begun });
        }
    }

    fn loading_stopped(&mut self, event: &FrameEvent, now: Instant) {
        self.requests.frame_rests(&event.frame_id);
        // The end of the old document's loading may come while the new one is on its way, or before it is asked for.
        let is_to_come = match self.stage() {
            None | Some(Stage::Begun) => false,
            Some(Stage::Requested(since)) => now < *since + BEGIN_PATIENCE,
            Some(Stage::Scheduled) => true,
            Some(Stage::Sent(request)) => self.requests.is_in_flight(request),
        };
        if event.frame_id == self.frame && !is_to_come {
            self.navigating = None;
        }
    }

    fn loading_started(&mut self, event: FrameEvent, now: Instant) {
        if event.frame_id != self.frame {
            self.requests.frame_loads(event.frame_id, now);
        }
    }

    fn frame_detached(&mut self, event: &FrameEvent) {
        // A frame that moves to another process goes on loading there.
        if event.reason != "swap" {
            self.requests.frame_rests(&event.frame_id);
            self.received.remove(&event.frame_id);
        }
    }

    fn request_started(&mut self, event: RequestEvent, now: Instant) {
        if event.is_document_of(&self.frame) {
            let url = event.url().to_owned();
            self.navigating = Some(Navigating { url, stage: Stage::Sent(event.request_id.clone()) });
        }
        self.requests.start(event, &self.frame, &self.url, now);
    }

    fn request_failed(&mut self, event: &RequestEvent) {
        let failed_document = self.requests.fail(event);
        let Some(url) = failed_document else { return };
        if !event.was_given_up() {
            self.notice(format!("navigation to {url} failed: {}", event.error_text));
        }
        if self.stage() == Some(&Stage::Sent(event.request_id.clone())) {
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
    pub(crate) fn expect_navigation(&mut self, url: &str, now: Instant) {
        self.navigating = Some(Navigating { url: url.to_owned(), stage: Stage::Requested(now) });
    }

    /// A navigation is pending that is still waited for.
    pub(crate) fn is_navigating(&self, now: Instant) -> bool {
        match self.stage() {
            None => false,
            Some(Stage::Requested(since)) => now < *since + BEGIN_PATIENCE,
            Some(Stage::Scheduled | Stage::Begun | Stage::Sent(_)) => true,
        }
    }

    /// Until when a pending navigation holds back at most; `None` when none is pending. What the page asked for and the
    /// browser does not begin was refused without a word.
    pub(crate) fn navigating_until(&self, deadline: Instant) -> Option<Instant> {
        self.stage().map(|stage| match stage {
            Stage::Requested(since) => deadline.min(*since + BEGIN_PATIENCE),
            Stage::Scheduled | Stage::Begun | Stage::Sent(_) => deadline,
        })
    }

    /// A window that no document has come to, and none is on its way to.
    pub(crate) fn is_empty(&self) -> bool {
        self.url.starts_with("about:") && !self.is_written && self.navigating.is_none() && !self.crashed
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
        self.notices_made += 1;
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

    /// The page is of no more use.
    pub(crate) fn is_lost(&self) -> bool {
        self.crashed || self.closed
    }
}

fn read<T: for<'de> Deserialize<'de>>(params: Value) -> Option<T> {
    serde_json::from_value(params).ok()
}

/// Links of other schemes run script or start programs; they replace no document.
fn is_web_url(url: &str) -> bool {
    let scheme = url.split(':').next().unwrap_or_default().to_ascii_lowercase();
    matches!(scheme.as_str(), "http" | "https" | "about" | "data" | "blob" | "file" | "chrome")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn page() -> (PageState, Instant) {
        let now = Instant::now();
        (PageState::new("main", "about:blank", now), now)
    }

    fn request(id: &str, kind: &str, url: &str) -> Value {
        json!({ "requestId": id, "loaderId": id, "frameId": "main", "type": kind, "request": { "url": url } })
    }

    fn committed(loader: &str, url: &str) -> Value {
        json!({ "frame": { "id": "main", "loaderId": loader, "url": url } })
    }

    #[test]
    fn navigation_is_pending_from_its_request_to_its_commit() {
        let (mut page, now) = page();
        page.fold("Network.requestWillBeSent", request("1", "Document", "https://a.test/"), now);
        assert!(page.navigating.is_some());
        page.fold("Page.frameNavigated", committed("1", "https://a.test/"), now);
        assert!(page.navigating.is_none() && !page.content_loaded);
        assert_eq!((page.url.as_str(), page.commits), ("https://a.test/", 1));
    }

    #[test]
    fn a_navigation_that_was_only_asked_for_outlives_the_end_of_the_old_documents_loading() {
        let (mut page, now) = page();
        let asked = json!({ "frameId": "main", "url": "https://a.test/", "disposition": "currentTab" });
        let stopped = json!({ "frameId": "main" });
        page.fold("Page.frameRequestedNavigation", asked.clone(), now);
        page.fold("Page.frameStoppedLoading", stopped.clone(), now);
        assert!(page.navigating.is_some(), "the old document's end came late");
        let begun = json!({ "frameId": "main", "url": "https://a.test/", "navigationType": "differentDocument" });
        page.fold("Page.frameStartedNavigating", begun, now);
        page.fold("Page.frameRequestedNavigation", asked.clone(), now);
        page.fold("Page.frameStoppedLoading", stopped.clone(), now);
        assert!(page.navigating.is_none(), "what the browser had begun has ended, whenever the page's word came");
        page.fold("Page.frameRequestedNavigation", asked, now);
        assert_eq!(page.navigating_until(now + 2 * BEGIN_PATIENCE), Some(now + BEGIN_PATIENCE));
        page.fold("Page.frameStoppedLoading", stopped, now + BEGIN_PATIENCE);
        assert!(page.navigating.is_none(), "the browser never began it");
    }

    #[test]
    fn end_of_the_old_documents_loading_does_not_end_a_navigation() {
        let (mut page, now) = page();
        page.fold("Network.requestWillBeSent", request("1", "Document", "https://a.test/"), now);
        page.fold("Page.frameStoppedLoading", json!({ "frameId": "main" }), now);
        assert!(page.navigating.is_some());
        page.fold("Network.loadingFinished", json!({ "requestId": "1" }), now);
        page.fold("Page.frameStoppedLoading", json!({ "frameId": "main" }), now);
        assert!(page.navigating.is_none(), "an answer without content replaces no document");
    }

    #[test]
    fn document_over_the_limit_is_stopped_once_and_other_requests_are_not() {
        let (mut page, now) = page();
        page.fold("Page.frameNavigated", committed("1", "https://a.test/"), now);
        let data = |id: &str, length: u64| json!({ "requestId": id, "dataLength": length });
        let mut fold = |data: Value| page.fold("Network.dataReceived", data, now);
        assert_eq!(fold(data("2", 2 * DOCUMENT_BYTES_MAX)), Reaction::None);
        assert_eq!(fold(data("1", DOCUMENT_BYTES_MAX)), Reaction::None);
        assert_eq!(fold(data("1", 1)), Reaction::StopLoading);
        assert_eq!(fold(data("1", 1)), Reaction::None);
        assert_eq!(page.take_notices().as_deref(), Some("only the first 5 MiB of the page were loaded"));
    }

    #[test]
    fn document_of_a_frame_is_bounded_too() {
        let (mut page, now) = page();
        page.fold("Page.frameNavigated", committed("1", "https://a.test/"), now);
        let inner = json!({ "frame": { "id": "inner", "loaderId": "2", "url": "https://a.test/inner" } });
        page.fold("Page.frameNavigated", inner, now);
        let data = |id: &str| json!({ "requestId": id, "dataLength": DOCUMENT_BYTES_MAX });
        let mut fold = |data: Value| page.fold("Network.dataReceived", data, now);
        assert_eq!([fold(data("1")), fold(data("2"))], [Reaction::None, Reaction::None]);
        assert_eq!(fold(data("2")), Reaction::StopLoading);
        assert_eq!(page.take_notices().as_deref(), Some("only the first 5 MiB of a frame of the page were loaded"));
    }

    #[test]
    fn failed_navigation_is_a_notice_and_a_given_up_one_is_not() {
        let (mut page, now) = page();
        for (id, error, canceled) in [("1", "net::ERR_FAILED", false), ("2", "net::ERR_ABORTED", true)] {
            page.fold("Network.requestWillBeSent", request(id, "Document", "https://a.test/"), now);
            let failed = json!({ "requestId": id, "errorText": error, "canceled": canceled });
            page.fold("Network.loadingFailed", failed, now);
            assert!(page.navigating.is_none());
        }
        assert_eq!(page.take_notices().as_deref(), Some("navigation to https://a.test/ failed: net::ERR_FAILED"));
        assert_eq!((page.take_notices(), page.notices_made), (None, 1));
    }

    #[test]
    fn script_links_and_new_windows_start_no_navigation_here() {
        let (mut page, now) = page();
        for (url, disposition) in [("javascript:void 0", "currentTab"), ("https://a.test/", "newForegroundTab")] {
            let event = json!({ "frameId": "main", "url": url, "disposition": disposition });
            page.fold("Page.frameRequestedNavigation", event, now);
            assert!(page.navigating.is_none(), "{url}");
        }
        assert_eq!(page.windows_requested, 1);
    }

    #[test]
    fn dialogs_are_answered_as_allowed_and_notices_are_bounded() {
        let (mut page, now) = page();
        let confirm = json!({ "message": "Sure?", "type": "confirm", "url": "" });
        let answer = page.fold("Page.javascriptDialogOpening", confirm.clone(), now);
        assert_eq!(answer, Reaction::AnswerDialog { accept: false });
        page.accept_dialogs = true;
        for _ in 0..3 * NOTICES_MAX {
            let answer = page.fold("Page.javascriptDialogOpening", confirm.clone(), now);
            assert_eq!(answer, Reaction::AnswerDialog { accept: true });
        }
        assert_eq!(page.notices.len(), NOTICES_MAX);
    }

    #[test]
    fn malformed_and_unknown_events_change_nothing() {
        let (mut page, now) = page();
        for method in ["Page.frameNavigated", "Network.requestWillBeSent", "Page.javascriptDialogOpening", "New.event"]
        {
            assert_eq!(page.fold(method, json!({ "frame": 7 }), now), Reaction::None);
        }
        assert_eq!(page.commits, 0);
    }
}
