//! A browser of its own for each read, behind an egress proxy of its own: nothing of one read is there for the next.

use async_trait::async_trait;
use errand_browser::{Browser, LaunchOptions, NavigateError, Session, SessionOptions};
use errand_egress::{Dialer, EgressProxy, HostRules};
use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout_at};
use url::Url;

use crate::limits::BROWSERS_MAX;
use crate::tools::{Browse, Page, ToolError};

/// What the proxy answers when it reached no server (RFC 9110 §15.6.3, §15.6.5).
const PROXY_STATUS: [u16; 2] = [502, 504];

/// Starts Chromium for each page and ends it afterwards.
#[derive(Debug)]
pub struct Chromium {
    launch: LaunchOptions,
    dialer: Dialer,
    places: Semaphore,
}

impl Chromium {
    /// `dialer` makes every connection of every page, so its address rules hold for all of them.
    #[must_use]
    pub fn new(launch: LaunchOptions, dialer: Dialer) -> Self {
        Self { launch, dialer, places: Semaphore::new(BROWSERS_MAX) }
    }

    async fn open_in(&self, browser: &Browser, url: &Url) -> Result<Page, ToolError> {
        let proxy = EgressProxy::start(self.dialer.clone(), HostRules::every()).await.map_err(ToolError::Proxy)?;
        let options = SessionOptions { proxy: Some(proxy.address()), ..SessionOptions::default() };
        let opened = match browser.new_session(options).await {
            Ok(session) => {
                let opened = look(&session, &proxy, url).await;
                session.close().await;
                opened
            }
            Err(error) => Err(error.into()),
        };
        proxy.stop().await;
        opened
    }
}

#[async_trait]
impl Browse for Chromium {
    async fn open(&self, url: &Url, deadline: Instant) -> Result<Page, ToolError> {
        let late = |_| ToolError::TimedOut;
        // The semaphore is never closed, so an error is the deadline's.
        let _place = timeout_at(deadline, self.places.acquire()).await.map_err(late)?;
        let launching = timeout_at(deadline, Browser::launch(self.launch.clone())).await.map_err(late)?;
        let browser = launching.map_err(ToolError::Launch)?;
        let opened = timeout_at(deadline, self.open_in(&browser, url)).await.unwrap_or(Err(ToolError::TimedOut));
        browser.shutdown().await;
        opened
    }
}

async fn look(session: &Session, proxy: &EgressProxy, url: &Url) -> Result<Page, ToolError> {
    let navigation = match session.goto(url.as_str()).await {
        Ok(navigation) => navigation,
        Err(NavigateError::Browser(error)) => return Err(error.into()),
        Err(error) => return Err(refusal(proxy, url.as_str()).unwrap_or(ToolError::Navigate(error))),
    };
    if let Some(status) = navigation.status.filter(|status| *status >= 400) {
        // For plain http the browser shows the proxy's own answer as a page.
        return Err(refusal(proxy, &navigation.url)
            .or_else(|| unreachable(proxy, &navigation.url, status))
            .unwrap_or(ToolError::Status { status }));
    }
    let snapshot = session.snapshot_page().await?;
    if snapshot.html.is_empty() {
        return Err(ToolError::TooLarge);
    }
    Ok(Page { url: snapshot.url, html: snapshot.html })
}

/// Whether the proxy let no connection to the page's own host through.
fn refusal(proxy: &EgressProxy, url: &str) -> Option<ToolError> {
    let host = host_of(url)?;
    let attempt = proxy.blocked().into_iter().find(|attempt| attempt.host == host)?;
    Some(ToolError::Blocked { host, reason: attempt.reason })
}

fn unreachable(proxy: &EgressProxy, url: &str, status: u16) -> Option<ToolError> {
    let is_proxys = PROXY_STATUS.contains(&status) && proxy.counts().failed > 0;
    is_proxys.then(|| host_of(url)).flatten().map(|host| ToolError::Unreachable { host })
}

/// As the proxy writes it: IPv6 in brackets.
fn host_of(url: &str) -> Option<String> {
    Url::parse(url).ok()?.host_str().map(str::to_owned)
}
