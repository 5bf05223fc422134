//! What the worker needs of a browser. Chromium is the one that is shipped; the simulator has another.

use async_trait::async_trait;
use bytes::Bytes;
use errand_browser::{Commits, HeldRequest, TypedSecret};
use errand_domain::action::Action;
use errand_domain::page::PageSnapshot;
use errand_planner::Observation;
use std::fmt;
use thiserror::Error;

/// How a session begins.
#[derive(Debug, Clone, Default)]
pub struct SessionPlan {
    /// Hosts the session may reach; `None`: any that the address rules allow.
    pub allowed_hosts: Option<Vec<String>>,
    /// What [`SessionDriver::checkpoint`] gave earlier: cookies, storage, URL, scroll position, form values.
    pub checkpoint: Option<Bytes>,
    /// What its pages would do without having been asked to is held back; otherwise it is let through, once.
    pub holds: bool,
    /// The run lost a session at this step: nobody else's is put where this one may be lost again.
    pub is_alone: bool,
}

/// The browser or its page is gone, or does not answer; the session is of no more use.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("the browser session was lost: {reason}")]
pub struct SessionLost {
    pub reason: String,
}

/// Why a page could not be opened.
#[derive(Debug, Error)]
pub enum GotoError {
    /// Permanent: the address rules or the run's hosts forbid it.
    #[error("{reason}")]
    Blocked { reason: String },
    /// The site did not give a page: no such host, refused, timed out, too many redirects.
    #[error("{reason}")]
    Failed { reason: String },
    #[error(transparent)]
    Lost(#[from] SessionLost),
}

/// Why an action has no known result.
#[derive(Debug, Error)]
pub enum ActError {
    /// It had no effect: the element is gone, covered, disabled.
    #[error("{reason}")]
    NotActed { reason: String },
    /// It may have had an effect.
    #[error(transparent)]
    Lost(#[from] SessionLost),
}

/// What was seen of an action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActReport {
    pub url: String,
    /// In a person's words, such as `opened Review your order`.
    pub result: String,
    /// Something that commits was sent, and it is not known what came of it: why.
    pub doubt: Option<String>,
}

/// What a session gives after a step; see [`SessionDriver`]'s methods of these names.
#[derive(Debug, Clone)]
pub struct Capture {
    pub screenshot: Bytes,
    pub checkpoint: Bytes,
    pub url: String,
}

/// Opens sessions.
#[async_trait]
pub trait BrowserDriver: Send + Sync + fmt::Debug {
    async fn open(&self, plan: SessionPlan) -> Result<Box<dyn SessionDriver>, SessionLost>;
    /// What of a checkpoint a later run may begin with: cookies and local storage, not the page. `None` when it cannot be
    /// read.
    fn profile_of(&self, checkpoint: &[u8]) -> Option<Bytes>;
    /// Ends the browser, if one was started.
    async fn shutdown(&self);
}

/// One run's browser context; sessions share nothing.
#[async_trait]
pub trait SessionDriver: Send + fmt::Debug {
    async fn goto(&mut self, url: &str) -> Result<(), GotoError>;
    /// What the page shows now, for the planner and for the page store.
    async fn look(&mut self) -> Result<(Observation, PageSnapshot), SessionLost>;
    /// Carries an action out with real input and waits for what it starts. `typed` is a secret and where it may go. With
    /// `accept_dialogs` a confirmation that the action raises is accepted. `commits` is what it may send.
    async fn act(
        &mut self,
        action: &Action,
        typed: Option<&TypedSecret>,
        accept_dialogs: bool,
        commits: Commits,
    ) -> Result<ActReport, ActError>;
    /// What the session's pages would have sent since this was last asked, and were not let.
    fn take_held(&mut self) -> Vec<HeldRequest> {
        Vec::new()
    }
    /// Where the page is now.
    async fn url(&mut self) -> Result<String, SessionLost>;
    /// PNG of the window, secret fields masked; empty when the page shows a typed secret elsewhere.
    async fn screenshot(&mut self) -> Result<Bytes, SessionLost>;
    /// See [`SessionPlan::checkpoint`]; without secrets.
    async fn checkpoint(&mut self) -> Result<Bytes, SessionLost>;
    /// What is kept after a step.
    async fn capture(&mut self) -> Result<Capture, SessionLost> {
        let (screenshot, checkpoint, url) = (self.screenshot().await?, self.checkpoint().await?, self.url().await?);
        Ok(Capture { screenshot, checkpoint, url })
    }
    async fn close(self: Box<Self>);
}
