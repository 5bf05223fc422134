//! Chromium behind the driver's trait: one browser process, and for each session a context whose traffic goes through an
//! egress proxy of its own.

use async_trait::async_trait;
use bytes::Bytes;
use errand_browser::{
    ActError as BrowserActError, ActOptions, Browser, BrowserError, Commits, GuardOptions, HeldRequest, LaunchOptions,
    NavigateError, Navigation, Session, SessionCheckpoint, SessionOptions, Wire,
};
use errand_domain::action::Action;
use errand_domain::page::PageSnapshot;
use errand_egress::{BlockedAttempt, Dialer, EgressFault, EgressProxy, HostRules};
use errand_planner::Observation;
use errand_store::Sabotage;
use secrecy::SecretString;
use std::sync::Arc;
use tokio::sync::Mutex;

use crate::departures::ProxyWire;
use crate::driver::{ActError, ActReport, BrowserDriver, Capture, GotoError, SessionDriver, SessionLost, SessionPlan};

/// Starts the browser when the first session is opened, and again after it died.
#[derive(Debug)]
pub struct ChromiumDriver {
    launch: LaunchOptions,
    dialer: Dialer,
    browser: Mutex<Option<Arc<Browser>>>,
}

impl ChromiumDriver {
    /// `dialer` makes every connection of every session, so its address rules hold for all of them.
    #[must_use]
    pub fn new(launch: LaunchOptions, dialer: Dialer) -> Self {
        Self { launch, dialer, browser: Mutex::new(None) }
    }

    async fn browser(&self) -> Result<Arc<Browser>, SessionLost> {
        let mut current = self.browser.lock().await;
        if let Some(browser) = current.as_ref().filter(|browser| browser.is_alive()) {
            return Ok(Arc::clone(browser));
        }
        let launched = Browser::launch(self.launch.clone()).await;
        let browser = Arc::new(launched.map_err(|error| SessionLost { reason: error.to_string() })?);
        tracing::info!(product = browser.product(), process_id = browser.process_id(), "browser started");
        *current = Some(Arc::clone(&browser));
        Ok(browser)
    }
}

#[async_trait]
impl BrowserDriver for ChromiumDriver {
    async fn open(&self, plan: SessionPlan) -> Result<Box<dyn SessionDriver>, SessionLost> {
        let browser = self.browser().await?;
        let rules = host_rules(plan.allowed_hosts.as_deref())?;
        let proxy = EgressProxy::start(self.dialer.clone(), rules).await;
        let proxy = proxy.map_err(|error| SessionLost { reason: format!("no egress proxy: {error}") })?;
        let restore = plan.checkpoint.as_deref().and_then(read_checkpoint);
        let guard = guard(&proxy, plan.holds);
        let options = SessionOptions { proxy: Some(proxy.address()), guard, restore, ..SessionOptions::default() };
        match browser.new_session(options).await {
            Ok(session) => Ok(Box::new(ChromiumSession { session, proxy, _browser: browser })),
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
        let browser = self.browser.lock().await.take();
        // Sessions hold the browser too; the last one to go ends it.
        if let Some(browser) = browser.and_then(Arc::into_inner) {
            browser.shutdown().await;
        }
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
    _browser: Arc<Browser>,
}

impl ChromiumSession {
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
            Err(error) => {
                let fault = matches!(error, NavigateError::Blocked { .. })
                    .then(|| self.proxy.fault_since(earlier, url, None))
                    .flatten();
                return Err(fault.map_or_else(|| GotoError::Failed { reason: error.to_string() }, GotoError::from));
            }
        };
        fault.map_or(Ok(()), |fault| Err(fault.into()))
    }

    async fn look(&mut self) -> Result<(Observation, PageSnapshot), SessionLost> {
        let look = self.session.look().await.map_err(|error| lost(&error))?;
        Ok((look.observation, look.snapshot))
    }

    async fn act(
        &mut self,
        action: &Action,
        typed: Option<&SecretString>,
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
    }
}
