//! One run's browsing: a context with its pages. The page worked on is the newest window that is still open.

use crate::browser::Registry;
use crate::checkpoint::{OriginStorage, SessionCheckpoint};
use crate::connection::Connection;
use crate::error::BrowserError;
use crate::limits::{CALL_TIMEOUT, PAGES_PER_SESSION_MAX};
use crate::page::Page;
use crate::protocol::CloseTarget;
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
    /// Cookies, storage and page to start from.
    pub restore: Option<SessionCheckpoint>,
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
    pub(crate) fn new(context: String, user_agent: Option<String>) -> Self {
        Self { context, user_agent, pages: Mutex::default(), changes: watch::Sender::new(0), memory: Mutex::default() }
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

    pub(crate) fn current(&self) -> Option<Arc<Page>> {
        self.pages().last().cloned()
    }

    pub(crate) fn watch(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    pub(crate) fn page_of_target(&self, target_id: &str) -> Option<Arc<Page>> {
        self.pages().iter().find(|page| page.target_id() == target_id).cloned()
    }

    /// A new window becomes the page worked on; over the limit, the oldest popup is closed.
    pub(crate) fn add_page(&self, connection: &Connection, page: Arc<Page>) {
        let mut pages = self.pages();
        pages.push(page);
        if pages.len() > PAGES_PER_SESSION_MAX {
            let oldest_popup = pages.remove(1);
            connection.post(&None, &CloseTarget { target_id: oldest_popup.target_id() });
        }
        drop(pages);
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
