//! One run's browsing: a context with its pages. The page worked on is the newest window that is still open.

use crate::browser::Registry;
use crate::checkpoint::{OriginStorage, SessionCheckpoint};
use crate::connection::Connection;
use crate::error::BrowserError;
use crate::guard::{HeldRequest, Told, Watch};
use crate::limits::{CALL_TIMEOUT, PAGES_PER_SESSION_MAX};
use crate::page::Page;
use crate::wire::Wire;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::watch;

/// How a session is opened.
#[derive(Debug, Clone, Default)]
pub struct SessionOptions {
    /// HTTP proxy for all traffic of the session, loopback included; `None` connects directly.
    pub proxy: Option<SocketAddr>,
    pub viewport: Viewport,
    /// Replaces the browser's own identification.
    pub user_agent: Option<String>,
    /// Watches what the session's pages send; `None` lets everything go.
    pub guard: Option<GuardOptions>,
    /// Cookies, storage and page to start from.
    pub restore: Option<SessionCheckpoint>,
}

/// How a session's pages are kept from doing what nobody decided.
#[derive(Debug, Clone)]
pub struct GuardOptions {
    /// What would do something is held back unless the action may commit; otherwise it goes, once.
    pub holds: bool,
    pub wire: Option<Arc<dyn Wire>>,
}

/// Size of the window's inside in CSS pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Viewport {
    pub width: u32,
    pub height: u32,
}

impl Default for Viewport {
    /// A common laptop window: sites show their full layout on it.
    fn default() -> Self {
        Self { width: 1280, height: 800 }
    }
}

/// A browser context with its pages; dropping it closes them.
pub struct Session {
    connection: Connection,
    registry: Arc<Registry>,
    pub(crate) shared: Arc<SessionShared>,
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").field("context", &self.shared.context).finish_non_exhaustive()
    }
}

/// What the browser's events change in a session.
pub(crate) struct SessionShared {
    context: String,
    user_agent: Option<String>,
    watch: Option<Arc<Watch>>,
    pages: Mutex<Vec<Arc<Page>>>,
    changes: watch::Sender<u64>,
    pub(crate) memory: Mutex<Memory>,
}

/// What a session remembers beyond its pages.
#[derive(Default)]
pub(crate) struct Memory {
    /// Fingerprints of fields that hold a secret.
    pub(crate) secret_fields: BTreeSet<String>,
    /// Storage of the origins seen so far, as last read.
    pub(crate) storage: BTreeMap<String, OriginStorage>,
}

impl Session {
    pub(crate) fn new(connection: Connection, registry: Arc<Registry>, shared: Arc<SessionShared>) -> Self {
        Self { connection, registry, shared }
    }

    pub(crate) fn connection(&self) -> &Connection {
        &self.connection
    }

    pub(crate) fn context(&self) -> &str {
        &self.shared.context
    }

    /// URL of the page worked on; of a page that could not be reached, the URL that was asked for.
    #[must_use]
    pub fn current_url(&self) -> String {
        self.shared.current().map(|page| page.state().url.clone()).unwrap_or_default()
    }

    /// Windows open now.
    #[must_use]
    pub fn page_count(&self) -> usize {
        self.shared.pages().len()
    }

    /// Closes the pages and the context; what still runs on them fails at once.
    pub async fn close(self) {
        // The context's end is not waited for: the browser does it in order, and a dead browser has none.
        self.registry.dispose(&self.connection, &self.shared.context);
    }

    /// Requests held back since they were last asked for, or told by an action.
    #[must_use]
    pub fn take_held(&self) -> Vec<HeldRequest> {
        self.shared.guard().map(|watch| watch.take_held()).unwrap_or_default()
    }

    pub(crate) fn page(&self) -> Result<Arc<Page>, BrowserError> {
        self.shared.current().ok_or(BrowserError::Gone)
    }

    pub(crate) async fn first_page(&self) -> Result<Arc<Page>, BrowserError> {
        let mut changes = self.shared.changes.subscribe();
        let is_there = changes.wait_for(|_count| !self.shared.pages().is_empty());
        let waited = tokio::time::timeout(CALL_TIMEOUT, is_there).await;
        waited
            .map_err(|_elapsed| BrowserError::Timeout { method: "Target.attachedToTarget" })?
            .map_err(|_closed| BrowserError::Gone)?;
        let page = self.page()?;
        let mut changes = page.watch();
        let is_ready = changes.wait_for(|_count| page.state().is_ready);
        let waited = tokio::time::timeout(CALL_TIMEOUT, is_ready).await;
        waited
            .map_err(|_elapsed| BrowserError::Timeout { method: "Page.enable" })?
            .map_err(|_closed| BrowserError::Gone)?;
        drop(changes);
        Ok(page)
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.registry.dispose(&self.connection, &self.shared.context);
    }
}

impl SessionShared {
    pub(crate) fn new(context: String, user_agent: Option<String>, guard: Option<GuardOptions>) -> Self {
        Self {
            context,
            user_agent,
            watch: guard.map(|guard| Watch::new(guard.holds, guard.wire)),
            pages: Mutex::default(),
            changes: watch::Sender::new(0),
            memory: Mutex::default(),
        }
    }

    pub(crate) fn guard(&self) -> Option<&Arc<Watch>> {
        self.watch.as_ref()
    }

    /// Some page was given input.
    pub(crate) fn is_touched(&self) -> bool {
        self.pages().iter().any(|page| page.state().is_touched)
    }

    /// Tells the page worked on what became of a worker's request.
    pub(crate) fn tell(&self, told: Told) {
        if let Some(page) = self.current() {
            page.tell(told);
        }
    }

    pub(crate) fn user_agent(&self) -> Option<&str> {
        self.user_agent.as_deref()
    }

    fn pages(&self) -> MutexGuard<'_, Vec<Arc<Page>>> {
        // Nothing panics while it is locked.
        self.pages.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn memory(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The newest window that shows something; an empty one only where all are empty.
    pub(crate) fn current(&self) -> Option<Arc<Page>> {
        let pages = self.pages();
        let shown = pages.iter().rev().find(|page| !page.state().is_empty());
        shown.or(pages.last()).cloned()
    }

    pub(crate) fn watch(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    pub(crate) fn page_of_target(&self, target_id: &str) -> Option<Arc<Page>> {
        self.pages().iter().find(|page| page.target_id() == target_id).cloned()
    }

    /// Whether the session may have another window; when not, the page worked on says so.
    pub(crate) fn has_place(&self) -> bool {
        let has_place = self.pages().len() < PAGES_PER_SESSION_MAX;
        if !has_place && let Some(page) = self.current() {
            page.state().notice(format!("a window was closed: a run has at most {PAGES_PER_SESSION_MAX}"));
        }
        has_place
    }

    /// A new window becomes the page worked on once it shows something.
    pub(crate) fn add_page(&self, page: Arc<Page>) {
        self.pages().push(page);
        self.changed();
    }

    pub(crate) fn remove_page(&self, session_id: &str) {
        let removed = {
            let mut pages = self.pages();
            let at = pages.iter().position(|page| page.frame.session.as_deref() == Some(session_id));
            at.map(|at| pages.remove(at))
        };
        if let Some(page) = removed {
            page.close();
            self.changed();
        }
    }

    pub(crate) fn close_pages(&self) {
        let pages = std::mem::take(&mut *self.pages());
        for page in pages {
            page.close();
        }
        self.changed();
    }

    fn changed(&self) {
        self.changes.send_modify(|count| *count = count.wrapping_add(1));
    }
}
