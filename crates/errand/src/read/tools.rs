//! The tools that fetch a page: a file, one plain request, or a real browser behind an egress proxy.

use errand_browser::{Browser, BrowserError, LaunchError, LaunchOptions, NavigateError, Session, SessionOptions};
use errand_egress::{Dialer, EgressProxy, FetchError, FetchLimits, FetchedPage, HostRules, HttpFetch};
use std::io;
use thiserror::Error;
use url::Url;

use super::Place;

/// A way of getting a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tool {
    File,
    Http,
    Chromium,
}

impl Tool {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Http => "http",
            Self::Chromium => "chromium",
        }
    }
}

/// What the tools work with.
#[derive(Debug)]
pub(super) struct Tools {
    pub dialer: Dialer,
    pub launch: LaunchOptions,
}

/// A page as a tool got it.
#[derive(Debug)]
pub(super) struct Fetched {
    pub final_url: String,
    pub html: String,
}

/// Why a tool got no page.
#[derive(Debug, Error)]
pub(super) enum ToolError {
    #[error("this tool does not read such an address")]
    WrongPlace,
    #[error("the file cannot be read")]
    File(#[source] io::Error),
    #[error(transparent)]
    Fetch(#[from] FetchError),
    #[error("the server answered {status}")]
    Status { status: u16 },
    #[error("the page is {media_type}, not HTML")]
    MediaType { media_type: String },
    #[error("the browser does not start")]
    Launch(#[source] LaunchError),
    #[error("no port for the browser's proxy")]
    Proxy(#[source] io::Error),
    #[error(transparent)]
    Navigate(#[from] NavigateError),
    #[error(transparent)]
    Browser(#[from] BrowserError),
    #[error("the page is too large")]
    TooLarge,
}

impl Tools {
    /// Gets the page with one tool.
    ///
    /// # Errors
    /// When there is no page; an HTTP error's page is none.
    pub(super) async fn fetch(&self, tool: Tool, place: &Place) -> Result<Fetched, ToolError> {
        match (tool, place) {
            (Tool::File, Place::File(file)) => {
                let bytes = tokio::fs::read(file).await.map_err(ToolError::File)?;
                let url = Url::from_file_path(file).map_err(|()| ToolError::WrongPlace)?;
                Ok(Fetched { final_url: url.into(), html: String::from_utf8_lossy(&bytes).into_owned() })
            }
            (Tool::Http, Place::Web(url)) => {
                let page = HttpFetch::new(self.dialer.clone()).get(url, &FetchLimits::default()).await?;
                as_html(&page)
            }
            (Tool::Chromium, Place::Web(url)) => self.browse(url).await,
            (Tool::File, Place::Web(_)) | (Tool::Http | Tool::Chromium, Place::File(_)) => Err(ToolError::WrongPlace),
        }
    }

    async fn browse(&self, url: &Url) -> Result<Fetched, ToolError> {
        let browser = Browser::launch(self.launch.clone()).await.map_err(ToolError::Launch)?;
        let proxy = EgressProxy::start(self.dialer.clone(), HostRules::every()).await;
        let fetched = match &proxy {
            Ok(proxy) => self.open(&browser, proxy, url).await,
            Err(_) => Err(ToolError::WrongPlace),
        };
        browser.shutdown().await;
        proxy.map_err(ToolError::Proxy)?.stop().await;
        fetched
    }

    async fn open(&self, browser: &Browser, proxy: &EgressProxy, url: &Url) -> Result<Fetched, ToolError> {
        let options = SessionOptions { proxy: Some(proxy.address()), ..SessionOptions::default() };
        let session = browser.new_session(options).await?;
        let fetched = look(&session, url).await;
        session.close().await;
        fetched
    }
}

async fn look(session: &Session, url: &Url) -> Result<Fetched, ToolError> {
    let navigation = session.goto(url.as_str()).await?;
    if let Some(status) = navigation.status.filter(|status| *status >= 400) {
        return Err(ToolError::Status { status });
    }
    let snapshot = session.snapshot_page().await?;
    if snapshot.html.is_empty() {
        return Err(ToolError::TooLarge);
    }
    Ok(Fetched { final_url: snapshot.url, html: snapshot.html })
}

/// A server that names no type may still send HTML.
fn as_html(page: &FetchedPage) -> Result<Fetched, ToolError> {
    if !page.status.is_success() {
        return Err(ToolError::Status { status: page.status.as_u16() });
    }
    let media_type = page.media_type();
    let is_readable = media_type.is_empty() || media_type.starts_with("text/") || media_type.ends_with("xml");
    if !is_readable {
        return Err(ToolError::MediaType { media_type });
    }
    Ok(Fetched { final_url: page.final_url.to_string(), html: page.text() })
}
