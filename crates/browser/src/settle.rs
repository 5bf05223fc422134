//! Waits until what an action started has come to rest: the navigation has committed, the document is there, its requests
//! are answered and it no longer changes. Every wait has a cap, since many pages never rest.

use crate::error::BrowserError;
use crate::limits::{
    BUSY_WAIT_MAX_MS, CALL_TIMEOUT, CONTENT_WAIT_MAX, IDLE_MS, POPUP_WAIT_MAX, QUIET_MS, QUIET_WAIT_MAX_MS, SETTLE_MAX,
};
use crate::page::Page;
use crate::page_state::PageState;
use crate::session::Session;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A page that navigates by itself again and again is looked at after so many documents.
const ROUNDS_MAX: u32 = 12;

/// Where the session stood before an action.
#[derive(Debug, Clone)]
pub(crate) struct Before {
    pub(crate) at: Instant,
    target: String,
    commits: u64,
    inner_navigations: u64,
    windows_requested: u64,
    notices_made: u64,
    page_count: usize,
}

impl Before {
    pub(crate) fn of(session: &Session) -> Result<Self, BrowserError> {
        let page = session.page()?;
        let state = page.state();
        Ok(Self {
            at: Instant::now(),
            target: page.target_id().to_owned(),
            commits: state.commits,
            inner_navigations: state.inner_navigations,
            windows_requested: state.windows_requested,
            notices_made: state.notices_made,
            page_count: session.page_count(),
        })
    }

    /// Whether the session shows another document or URL than before.
    pub(crate) fn has_navigated(&self, page: &Page) -> bool {
        let state = page.state();
        self.target != page.target_id()
            || self.commits != state.commits
            || self.inner_navigations != state.inner_navigations
    }

    /// The last notice, when there was one since.
    pub(crate) fn new_notice(&self, page: &Page) -> Option<String> {
        let state = page.state();
        let is_new = self.target != page.target_id() || self.notices_made != state.notices_made;
        state.last_notice().filter(|_notice| is_new).map(str::to_owned)
    }
}

impl Session {
    /// Waits for rest, until the deadline at most; a page that is still loading then is left as it is.
    pub(crate) async fn settle(&self, before: &Before, deadline: Instant) -> Result<Arc<Page>, BrowserError> {
        for _round in 0..ROUNDS_MAX {
            let page = self.page()?;
            page.until_loaded(before.at, deadline).await;
            let alive = page.check_alive();
            // A window that closed has given its opener back by the time it counts as closed.
            if self.has_moved(&page) {
                continue;
            }
            alive?;
            let marker = Marker::of(&page);
            page.until_quiet(deadline).await?;
            self.until_window_opened(&page, before, deadline).await;
            if Instant::now() >= deadline {
                page.state().notice_still_loading();
                break;
            }
            if !self.has_moved(&page) && marker.is_at_rest(&Marker::of(&page)) {
                break;
            }
        }
        self.page()
    }

    /// The page worked on is another one now: a window opened, or this one closed and its opener is back.
    fn has_moved(&self, page: &Arc<Page>) -> bool {
        self.shared.current().is_some_and(|current| !Arc::ptr_eq(&current, page))
    }

    /// A window that the page asked for is attached a moment later.
    async fn until_window_opened(&self, page: &Page, before: &Before, deadline: Instant) {
        let is_awaited = page.state().windows_requested > before.windows_requested;
        if !is_awaited || page.target_id() != before.target {
            return;
        }
        let patience = POPUP_WAIT_MAX.min(deadline.saturating_duration_since(Instant::now()));
        let mut changes = self.shared.watch();
        let opened = changes.wait_for(|_count| self.page_count() > before.page_count);
        // A window that was blocked never comes; that is no error.
        let _ = tokio::time::timeout(patience, opened).await;
    }
}

/// Changes when something began on the page.
#[derive(Debug, PartialEq, Eq)]
struct Marker {
    commits: u64,
    requests_started: u64,
    is_navigating: bool,
}

impl Marker {
    fn of(page: &Page) -> Self {
        let state = page.state();
        Self {
            commits: state.commits,
            requests_started: state.requests.started,
            is_navigating: state.is_navigating(Instant::now()),
        }
    }

    /// Nothing began since, and nothing is pending: a navigation that became so just before this marker changes nothing.
    fn is_at_rest(&self, now: &Self) -> bool {
        self == now && !now.is_navigating
    }
}

impl Page {
    /// Waits until no navigation is pending, the document is parsed and the requests that matter are answered.
    async fn until_loaded(&self, began: Instant, deadline: Instant) {
        let mut changes = self.watch();
        let mut committed_at = Instant::now();
        let mut commits = self.state().commits;
        loop {
            changes.borrow_and_update();
            let now = Instant::now();
            let next = {
                let state = self.state();
                if state.commits != commits {
                    commits = state.commits;
                    committed_at = now;
                }
                not_loaded_until(&state, began, committed_at, deadline)
            };
            let Some(next) = next.filter(|next| *next > now) else { return };
            let patience = next.saturating_duration_since(now);
            tokio::select! {
                changed = tokio::time::timeout(patience, changes.changed()) => {
                    if matches!(changed, Ok(Err(_))) { return; }
                }
                () = self.connection().closed() => return,
            }
        }
    }

    /// Waits until the document rests, or another one is on its way.
    async fn until_quiet(&self, deadline: Instant) -> Result<(), BrowserError> {
        let commits = self.state().commits;
        let arguments = format!("{IDLE_MS}, {QUIET_MS}, {QUIET_WAIT_MAX_MS}, {BUSY_WAIT_MAX_MS}");
        let patience =
            CALL_TIMEOUT.min(deadline.saturating_duration_since(Instant::now()).max(Duration::from_millis(100)));
        let mut changes = self.watch();
        let replaced = changes.wait_for(|_count| {
            let state = self.state();
            state.is_navigating(Instant::now()) || state.commits != commits || state.is_lost()
        });
        let quiet = tokio::select! {
            quiet = self.frame.script_promise("quiet", &arguments, patience) => quiet,
            _ = replaced => return Ok(()),
        };
        match quiet {
            // The document went away while it was watched.
            Err(BrowserError::Refused { .. } | BrowserError::Script { .. }) => Ok(()),
            // A closed window is no fault of the session, which has others.
            Err(BrowserError::Closed) => Ok(()),
            other => other,
        }
    }

    /// Waits until the page changes in any way, at most so long.
    pub(crate) async fn until_changed(&self, patience: Duration) -> Result<(), BrowserError> {
        let before = Marker::of(self);
        let mut changes = self.watch();
        let moved = changes.wait_for(|_count| Marker::of(self) != before || self.state().is_lost());
        let cap_ms = patience.as_millis().to_string();
        let mutation = self.frame.script_promise("mutated", &cap_ms, patience + CALL_TIMEOUT);
        tokio::select! {
            _ = moved => Ok(()),
            () = tokio::time::sleep(patience) => Ok(()),
            mutated = mutation => match mutated {
                Err(BrowserError::Closed) => Ok(()),
                other => other,
            },
        }
    }
}

/// The moment until which a page counts as loading; `None` when it is loaded.
fn not_loaded_until(state: &PageState, began: Instant, committed_at: Instant, deadline: Instant) -> Option<Instant> {
    if state.is_lost() {
        return None;
    }
    if let Some(until) = state.navigating_until(deadline) {
        return Some(until);
    }
    if !state.content_loaded {
        return Some(deadline.min(committed_at + CONTENT_WAIT_MAX));
    }
    let busy_until = state.requests.busy_until(began)?;
    Some(deadline.min(busy_until).min(began.max(committed_at) + SETTLE_MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_with_a_pending_navigation_is_not_at_rest_although_nothing_began_since() {
        let marker = |is_navigating| Marker { commits: 3, requests_started: 5, is_navigating };
        assert!(marker(false).is_at_rest(&marker(false)));
        assert!(!marker(true).is_at_rest(&marker(true)));
        assert!(!marker(false).is_at_rest(&Marker { commits: 4, ..marker(false) }));
    }
}
