//! Chromium behind the driver's trait: for each session a context, in one of a few processes, whose traffic goes through
//! an egress proxy of its own.

use async_trait::async_trait;
use bytes::Bytes;
use errand_browser::{
    ActError as BrowserActError, ActOptions, Browser, BrowserError, Commits, GuardOptions, HeldRequest, LaunchOptions,
    NavigateError, Navigation, Session, SessionCheckpoint, SessionOptions, TypedSecret, Wire,
};
use errand_domain::action::Action;
use errand_domain::page::PageSnapshot;
use errand_egress::{BlockedAttempt, Dialer, EgressCounts, EgressFault, EgressProxy, HostRules};
use errand_planner::Observation;
use errand_store::Sabotage;
use std::sync::Arc;

use crate::departures::ProxyWire;
use crate::driver::{ActError, ActReport, BrowserDriver, Capture, GotoError, SessionDriver, SessionLost, SessionPlan};
use crate::limits::BROWSERS_DEFAULT;
use crate::pool::{self, Pool};

/// Starts browsers when sessions are opened, and again after they died.
#[derive(Debug)]
pub struct ChromiumDriver {
    pool: Pool,
    dialer: Dialer,
}

impl ChromiumDriver {
    /// `dialer` makes every connection of every session, so its address rules hold for all of them.
    #[must_use]
    pub fn new(launch: LaunchOptions, dialer: Dialer) -> Self {
        Self { pool: Pool::new(launch, BROWSERS_DEFAULT), dialer }
    }

    /// Spreads the sessions over at most so many processes, beside those that are alone in one.
    #[must_use]
    pub fn with_browsers_max(self, browsers_max: usize) -> Self {
        Self { pool: self.pool.with_shared_max(browsers_max), ..self }
    }

    async fn browser(&self, is_alone: bool) -> Result<Arc<Browser>, SessionLost> {
        let started = if is_alone { self.pool.alone().await } else { self.pool.shared().await };
        started.map_err(|error| SessionLost { reason: error.to_string() })
    }
}

#[async_trait]
impl BrowserDriver for ChromiumDriver {
    async fn open(&self, plan: SessionPlan) -> Result<Box<dyn SessionDriver>, SessionLost> {
        let browser = self.browser(plan.is_alone).await?;
        let rules = host_rules(plan.allowed_hosts.as_deref())?;
        let proxy = EgressProxy::start(self.dialer.clone(), rules).await;
        let proxy = proxy.map_err(|error| SessionLost { reason: format!("no egress proxy: {error}") })?;
        let restore = plan.checkpoint.as_deref().and_then(read_checkpoint);
        let guard = guard(&proxy, plan.holds);
        let options = SessionOptions { proxy: Some(proxy.address()), guard, restore, ..SessionOptions::default() };
        match browser.new_session(options).await {
            Ok(session) => Ok(Box::new(ChromiumSession { session, proxy, browser })),
            Err(error) => {
                proxy.stop().await;
                Err(lost(&error))
            }
        }
    }

    fn profile_of(&self, checkpoint: &[u8]) -> Option<Bytes> {
        let SessionCheckpoint { cookies, storage, .. } = read_checkpoint(checkpoint)?;
        let profile = SessionCheckpoint { cookies, storage, ..SessionCheckpoint::default() };
        serde_json::to_vec(&profile).ok().map(Bytes::from)
    }

    async fn shutdown(&self) {
        self.pool.shutdown().await;
    }
}

/// What the session's pages send is watched, and carried by its proxy as the guard decides.
fn guard(proxy: &EgressProxy, holds: bool) -> Option<GuardOptions> {
    let sabotage = Sabotage::from_env();
    if sabotage == Some(Sabotage::GuardOff) {
        return None;
    }
    let is_fresh = sabotage != Some(Sabotage::ReuseConnections);
    let wire = is_fresh.then(|| Arc::new(ProxyWire { departures: proxy.departures() }) as Arc<dyn Wire>);
    Some(GuardOptions { holds, wire })
}

fn host_rules(allowed_hosts: Option<&[String]>) -> Result<HostRules, SessionLost> {
    let Some(hosts) = allowed_hosts else { return Ok(HostRules::every()) };
    HostRules::parse(hosts.iter().map(String::as_str)).map_err(|error| SessionLost { reason: error.to_string() })
}

fn read_checkpoint(bytes: &[u8]) -> Option<SessionCheckpoint> {
    let checkpoint = serde_json::from_slice(bytes).ok();
    if checkpoint.is_none() {
        tracing::warn!("checkpoint is of another form and is left out");
    }
    checkpoint
}

fn lost(error: &BrowserError) -> SessionLost {
    SessionLost { reason: error.to_string() }
}

/// The page was not reached for want of something that this machine gives.
fn starved() -> SessionLost {
    SessionLost { reason: "this machine has no open files or ports left to reach the page with".to_owned() }
}

/// A picture that would show a secret, is too large, or takes too long to paint is left out; that is no reason to lose the
/// session. A page that hangs is found out by what is asked of it besides.
fn picture(taken: Result<Vec<u8>, BrowserError>) -> Result<Bytes, SessionLost> {
    match taken {
        Ok(png) => Ok(Bytes::from(png)),
        Err(
            BrowserError::ScreenshotWithheld | BrowserError::ScreenshotTooLarge { .. } | BrowserError::Timeout { .. },
        ) => Ok(Bytes::new()),
        Err(error) => Err(lost(&error)),
    }
}

/// One run's browser context and the proxy that all its traffic goes through.
#[derive(Debug)]
struct ChromiumSession {
    session: Session,
    proxy: EgressProxy,
    browser: Arc<Browser>,
}

impl ChromiumSession {
    fn is_starved_since(&self, earlier: EgressCounts) -> bool {
        self.proxy.counts().starved > earlier.starved
    }

    async fn take_screenshot(&self) -> Result<Bytes, SessionLost> {
        picture(self.session.screenshot().await)
    }

    async fn take_checkpoint(&self) -> Result<Bytes, SessionLost> {
        let checkpoint = self.session.checkpoint().await.map_err(|error| lost(&error))?;
        let bytes = serde_json::to_vec(&checkpoint).map_err(|error| SessionLost { reason: error.to_string() })?;
        Ok(bytes.into())
    }
}

impl From<EgressFault> for GotoError {
    fn from(fault: EgressFault) -> Self {
        match fault {
            EgressFault::Blocked(BlockedAttempt { host, reason, .. }) => {
                Self::Blocked { reason: format!("navigation to {host} was blocked: {reason}") }
            }
            EgressFault::Unreachable { host } => Self::Failed { reason: format!("{host} could not be reached") },
        }
    }
}

#[async_trait]
impl SessionDriver for ChromiumSession {
    async fn goto(&mut self, url: &str) -> Result<(), GotoError> {
        let earlier = self.proxy.counts();
        let fault = match self.session.goto(url).await {
            // For plain http the browser shows the proxy's own answer as a page.
            Ok(Navigation { url, status: Some(status) }) => self.proxy.fault_since(earlier, &url, Some(status)),
            Ok(Navigation { status: None, .. }) => None,
            Err(NavigateError::Browser(error)) => return Err(lost(&error).into()),
            Err(_) if self.is_starved_since(earlier) => return Err(starved().into()),
            // A site that was never asked cannot be what hung.
            Err(NavigateError::Timeout { .. }) if self.proxy.counts() == EgressCounts::default() => {
                return Err(starved().into());
            }
            Err(error) => {
                let fault = matches!(error, NavigateError::Blocked { .. })
                    .then(|| self.proxy.fault_since(earlier, url, None))
                    .flatten();
                return Err(fault.map_or_else(|| GotoError::Failed { reason: error.to_string() }, GotoError::from));
            }
        };
        match fault {
            None => Ok(()),
            Some(_) if self.is_starved_since(earlier) => Err(starved().into()),
            Some(fault) => Err(fault.into()),
        }
    }

    async fn look(&mut self) -> Result<(Observation, PageSnapshot), SessionLost> {
        let look = self.session.look().await.map_err(|error| lost(&error))?;
        Ok((look.observation, look.snapshot))
    }

    async fn act(
        &mut self,
        action: &Action,
        typed: Option<&TypedSecret>,
        accept_dialogs: bool,
        commits: Commits,
    ) -> Result<ActReport, ActError> {
        let options = ActOptions { secret: typed.cloned(), accept_dialogs, commits, patience: None };
        let outcome = match self.session.act(action, &options).await {
            Ok(outcome) => outcome,
            Err(BrowserActError::Browser(error)) => return Err(lost(&error).into()),
            // A navigation that failed was begun all the same; the next look shows where the page is.
            Err(BrowserActError::Navigate(NavigateError::Browser(error))) => return Err(lost(&error).into()),
            Err(error) => return Err(ActError::NotActed { reason: error.to_string() }),
        };
        let what = if outcome.navigated { format!("opened {}", outcome.url) } else { "done".to_owned() };
        let result = outcome.notice.map_or(what.clone(), |notice| format!("{what}; {notice}"));
        Ok(ActReport { url: outcome.url, result, doubt: outcome.doubt })
    }

    fn take_held(&mut self) -> Vec<HeldRequest> {
        self.session.take_held()
    }

    async fn url(&mut self) -> Result<String, SessionLost> {
        Ok(self.session.current_url())
    }

    async fn screenshot(&mut self) -> Result<Bytes, SessionLost> {
        self.take_screenshot().await
    }

    async fn checkpoint(&mut self) -> Result<Bytes, SessionLost> {
        self.take_checkpoint().await
    }

    /// The browser paints the picture while the page tells its state.
    async fn capture(&mut self) -> Result<Capture, SessionLost> {
        let (screenshot, checkpoint) = tokio::join!(self.take_screenshot(), self.take_checkpoint());
        Ok(Capture { screenshot: screenshot?, checkpoint: checkpoint?, url: self.session.current_url() })
    }

    async fn close(self: Box<Self>) {
        self.session.close().await;
        self.proxy.stop().await;
        pool::end(self.browser).await;
    }
}
