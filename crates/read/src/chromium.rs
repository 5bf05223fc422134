//! A browser of its own for each read, behind an egress proxy of its own: nothing of one read is there for the next.

use async_trait::async_trait;
use errand_browser::{Browser, LaunchOptions, Look, NavigateError, Session, SessionOptions};
use errand_egress::{Dialer, EgressCounts, EgressProxy, HostRules};
use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout_at};
use url::Url;

use crate::limits::BROWSERS_MAX;
use crate::tools::{Browse, Page, ToolError};

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
    let fault = |url: &str, status| proxy.fault_since(EgressCounts::default(), url, status).map(ToolError::from);
    let navigation = match session.goto(url.as_str()).await {
        Ok(navigation) => navigation,
        Err(NavigateError::Browser(error)) => return Err(error.into()),
        // The browser says so of every connection that the proxy did not open, whatever the reason.
        Err(error @ NavigateError::Blocked { .. }) => return Err(fault(url.as_str(), None).unwrap_or(error.into())),
        Err(error) => return Err(error.into()),
    };
    if let Some(status) = navigation.status.filter(|status| *status >= 400) {
        // For plain http the browser shows the proxy's own answer as a page.
        return Err(fault(&navigation.url, Some(status)).unwrap_or(ToolError::Status { status }));
    }
    let Look { snapshot, is_code_cut, .. } = session.look().await?;
    // So it is of the browser's own error page.
    if snapshot.html.is_empty() {
        return Err(ToolError::Empty);
    }
    Ok(Page { url: snapshot.url, html: snapshot.html, is_cut: is_code_cut })
}
