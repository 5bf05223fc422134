//! One page (a target of the protocol) of a session: its state, shared between the connection's reader and whoever
//! drives the page.

use crate::connection::{Connection, Loss, SessionId};
use crate::error::BrowserError;
use crate::frame::Frame;
use crate::guard::{Told, Watch};
use crate::page_state::{PageState, Reaction};
use crate::protocol::{
    Command, EnableNetwork, EnablePage, FulfillRequest, HandleDialog, Header, RunIfWaitingForDebugger,
    SetFocusEmulation, SetUserAgent, StopLoading, TargetInfo,
};
use crate::session::SessionShared;
use crate::subframes::Subframes;
use serde_json::Value;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use tokio::sync::watch;

pub(crate) struct Page {
    /// The main frame.
    pub(crate) frame: Frame,
    state: Mutex<PageState>,
    subframes: Mutex<Subframes>,
    watch: Option<Arc<Watch>>,
    /// Counts folded events, so that a waiter sees that something changed.
    changes: watch::Sender<u64>,
}

impl Page {
    /// Starts listening to a target that was just attached and still waits, sets it up and lets it run.
    pub(crate) fn attach(
        connection: &Connection,
        session_id: String,
        target: &TargetInfo,
        of: &SessionShared,
    ) -> Arc<Self> {
        let session: SessionId = Some(Arc::from(session_id));
        let page = Arc::new(Self {
            frame: Frame::new(connection.clone(), session.clone(), &target.target_id),
            state: Mutex::new(PageState::new(&target.target_id, &target.url, Instant::now())),
            subframes: Mutex::default(),
            watch: of.guard().cloned(),
            changes: watch::Sender::new(0),
        });
        page.listen(session);
        let user_agent = of.user_agent().map(str::to_owned);
        // Ends with the last answer, or when the connection closes, or by the calls' deadlines.
        tokio::spawn(set_up(Arc::clone(&page), user_agent));
        page
    }

    /// Takes the events of the page's own session, and of the sessions of frames in it.
    pub(crate) fn listen(self: &Arc<Self>, session: SessionId) {
        let weak = Arc::downgrade(self);
        let is_main = session == self.frame.session;
        let of = session.clone();
        let listener = move |method: &str, params: Value| {
            let Some(page) = weak.upgrade() else { return };
            if let Some(watch) = &page.watch {
                watch.network_event(method, &params);
            }
            match method {
                "Fetch.requestPaused" if page.is_guarded() => page.request_paused(&of, params),
                "Target.attachedToTarget" => page.attach_subframe(params),
                "Target.detachedFromTarget" => page.detach_subframe(params),
                "Page.frameNavigated" => {
                    page.frame_navigated(&of, &params);
                    page.take_event(method, params);
                }
                "Page.frameDetached" => {
                    page.frame_detached(&of, &params);
                    page.take_event(method, params);
                }
                "Page.frameStoppedLoading" => page.take_event(method, params),
                _ if is_main => page.take_event(method, params),
                _ => {}
            }
        };
        self.connection().listen(session, Arc::new(listener));
    }

    fn take_event(&self, method: &str, params: Value) {
        let (reaction, has_committed) = {
            let mut state = self.state();
            let commits = state.commits;
            let reaction = state.fold(method, params, Instant::now());
            (reaction, state.commits != commits)
        };
        if has_committed {
            self.frame.forget_world();
        }
        match reaction {
            Reaction::None => {}
            Reaction::AnswerEmpty { request_id } => self.answer_empty(&request_id),
            Reaction::StopLoading => self.post(&StopLoading {}),
            Reaction::AnswerDialog { accept } => self.post(&HandleDialog { accept }),
        }
        self.changed();
    }

    fn is_guarded(&self) -> bool {
        self.watch.is_some() && !self.state().answers_requests
    }

    fn request_paused(&self, session: &SessionId, params: Value) {
        let Some(watch) = &self.watch else { return };
        let is_touched = {
            let state = self.state();
            // What a window is opened for is what the one that opened it wants.
            state.is_touched || state.commits == 0 && watch.guard().is_acting()
        };
        self.tell(watch.paused(self.connection(), session, params, is_touched));
    }

    pub(crate) fn tell(&self, told: Told) {
        if let Some(notice) = told {
            self.state().notice(notice);
            self.changed();
        }
    }

    /// Lets the guard hear of what a session sends.
    pub(crate) fn watch_requests(&self, session: &SessionId) {
        if self.watch.is_some() {
            Watch::start(self.connection(), session);
        }
    }

    fn answer_empty(&self, request_id: &str) {
        let response_headers = vec![Header { name: "content-type", value: "text/html" }];
        let answer = FulfillRequest { request_id, response_code: 200, response_headers, body: "" };
        self.post(&answer);
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, PageState> {
        // Folding never panics half-way: a poisoned state is still whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn subframes(&self) -> MutexGuard<'_, Subframes> {
        self.subframes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn changed(&self) {
        self.changes.send_modify(|count| *count = count.wrapping_add(1));
    }

    pub(crate) fn watch(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// The page's process died.
    pub(crate) fn crash(&self) {
        self.state().crashed = true;
        self.connection().lose_session(&self.frame.session, Loss::Crash);
        self.changed();
    }

    /// The page was closed, or the browser is gone.
    pub(crate) fn close(&self) {
        self.state().closed = true;
        for (_number, frame) in self.numbered_subframes() {
            if !frame.is_inside() {
                self.connection().lose_session(&frame.session, Loss::Target);
            }
        }
        self.connection().lose_session(&self.frame.session, Loss::Target);
        self.changed();
    }

    /// A download was begun and denied; the page stays.
    pub(crate) fn refuse_download(&self, url: &str) {
        self.state().refuse_download(url);
        self.changed();
    }

    /// Sends a command to this page and waits for its answer.
    pub(crate) async fn call<C: Command>(&self, command: &C) -> Result<C::Reply, BrowserError> {
        self.check_alive()?;
        self.frame.call(command).await
    }

    /// Sends a command to this page without waiting for its answer.
    pub(crate) fn post<C: Command>(&self, command: &C) {
        self.connection().post(&self.frame.session, command);
    }

    pub(crate) fn connection(&self) -> &Connection {
        &self.frame.connection
    }

    pub(crate) fn target_id(&self) -> &str {
        &self.frame.id
    }

    pub(crate) fn check_alive(&self) -> Result<(), BrowserError> {
        let state = self.state();
        if state.crashed {
            return Err(BrowserError::Crashed);
        }
        if self.connection().is_closed() {
            return Err(BrowserError::Gone);
        }
        if state.closed {
            return Err(BrowserError::Closed);
        }
        Ok(())
    }
}

/// Turns on the events this crate lives on and lets the page run, in one batch: a window that waits answers most of it only
/// once it may run, and takes it in order.
async fn set_up(page: Arc<Page>, user_agent: Option<String>) {
    let (connection, session) = (page.connection(), &page.frame.session);
    let events = connection.call(session, &EnablePage {});
    // Bodies are never asked for, so none are kept.
    let network = EnableNetwork { max_total_buffer_size: 0, max_resource_buffer_size: 0 };
    let requests = connection.call(session, &network);
    connection.post(session, &SetFocusEmulation { enabled: true });
    if let Some(user_agent) = user_agent.as_deref() {
        connection.post(session, &SetUserAgent { user_agent });
    }
    page.watch_requests(session);
    page.attach_parts_of(session);
    connection.post(session, &RunIfWaitingForDebugger {});
    let (events, requests) = tokio::join!(events, requests);
    if let Some(error) = events.err().or(requests.err()) {
        tracing::debug!(%error, "page not set up");
    }
    page.state().is_ready = true;
    page.changed();
}
