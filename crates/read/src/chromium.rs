//! A browser of its own for each read, behind an egress proxy of its own: nothing of one read is there for the next.

use async_trait::async_trait;
use errand_browser::{Browser, LaunchOptions, Look, NavigateError, SessionOptions};
use errand_egress::{Dialer, EgressCounts, EgressProxy, HostRules};
use std::sync::Arc;
use tokio::sync::{Semaphore, oneshot};
use url::Url;

use crate::limits::BROWSERS_MAX;
use crate::tools::{Browse, Page, ToolError};

/// Starts Chromium for each page and ends it afterwards.
#[derive(Debug)]
pub struct Chromium {
    launch: LaunchOptions,
    dialer: Dialer,
    places: Arc<Semaphore>,
}

impl Chromium {
    /// `dialer` makes every connection of every page, so its address rules hold for all of them.
    #[must_use]
    pub fn new(launch: LaunchOptions, dialer: Dialer) -> Self {
        Self { launch, dialer, places: Arc::new(Semaphore::new(BROWSERS_MAX)) }
    }
}

#[async_trait]
impl Browse for Chromium {
    /// A task of its own ends the browser and keeps its place until it is gone, also when the caller does not wait for it.
    async fn open(&self, url: &Url) -> Result<Page, ToolError> {
        let place = Arc::clone(&self.places).acquire_owned().await;
        let (asking, left) = oneshot::channel();
        let visit = visit(self.launch.clone(), self.dialer.clone(), url.clone(), left);
        let visiting = tokio::spawn(async move {
            let opened = visit.await;
            drop(place);
            opened
        });
        let opened = visiting.await.map_err(ToolError::Died)?;
        drop(asking);
        opened
    }

    async fn ended(&self) {
        // Never closed; while a browser lives, its place is taken.
        let _every_place = self.places.acquire_many(BROWSERS_MAX as u32).await;
    }
}

/// `left` resolves when the caller has gone: the browser is ended then. Its start is waited for; it has a bound of its own.
async fn visit(
    launch: LaunchOptions,
    dialer: Dialer,
    url: Url,
    left: oneshot::Receiver<()>,
) -> Result<Page, ToolError> {
    let proxy = EgressProxy::start(dialer, HostRules::every()).await.map_err(ToolError::Proxy)?;
    let opened = match Browser::launch(launch).await {
        Ok(browser) => {
            let opened = tokio::select! {
                opened = look(&browser, &proxy, &url) => opened,
                _ = left => Err(ToolError::TimedOut),
            };
            browser.shutdown().await;
            opened
        }
        Err(error) => Err(ToolError::Launch(error)),
    };
    proxy.stop().await;
    opened
}

/// The session ends with the browser.
async fn look(browser: &Browser, proxy: &EgressProxy, url: &Url) -> Result<Page, ToolError> {
    let session =
        browser.new_session(SessionOptions { proxy: Some(proxy.address()), ..SessionOptions::default() }).await?;
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
