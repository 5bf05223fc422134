//! The tools that get a page of the web: one plain request, or a browser behind a trait.

use async_trait::async_trait;
use errand_browser::{BrowserError, LaunchError, NavigateError};
use errand_egress::{
    BlockReason, BlockedAttempt, ConnectError, Dialer, EgressFault, FetchError, FetchLimits, FetchedPage, HttpFetch,
};
use std::fmt;
use std::io;
use thiserror::Error;
use tokio::task::JoinError;
use url::Url;

use crate::encoding;
use crate::limits::PAGE_BYTES_MAX;

/// A way of getting a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tool {
    File,
    Http,
    Chromium,
}

impl Tool {
    /// As the receipt names it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Http => "http",
            Self::Chromium => "chromium",
        }
    }
}

/// A page as a tool got it.
#[derive(Clone, PartialEq, Eq)]
pub struct Page {
    /// After redirects.
    pub url: String,
    pub html: String,
    /// The document is longer: this is its beginning.
    pub is_cut: bool,
}

impl fmt::Debug for Page {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Page")
            .field("url", &self.url)
            .field("html_bytes", &self.html.len())
            .field("is_cut", &self.is_cut)
            .finish()
    }
}

/// Why a tool got no page.
#[derive(Debug, Error)]
pub enum ToolError {
    #[error("the file cannot be read")]
    File(#[source] io::Error),
    #[error(transparent)]
    Fetch(#[from] FetchError),
    #[error("the server answered {status}")]
    Status { status: u16 },
    #[error("the page is {media_type}, not HTML or JSON")]
    MediaType { media_type: String },
    #[error("the browser could not be started")]
    Launch(#[source] LaunchError),
    /// There is no port for its proxy.
    #[error("the browser could not be started")]
    Proxy(#[source] io::Error),
    #[error("{host} may not be reached: {reason}")]
    Blocked { host: String, reason: BlockReason },
    #[error("{host} could not be reached")]
    Unreachable { host: String },
    #[error(transparent)]
    Navigate(#[from] NavigateError),
    #[error(transparent)]
    Browser(#[from] BrowserError),
    #[error("the file is larger than can be read")]
    TooLarge,
    #[error("the browser shows no page there")]
    Empty,
    #[error("there was no page in time")]
    TimedOut,
    #[error("reading the page failed")]
    Died(#[source] JoinError),
}

impl ToolError {
    /// Whether a rule about addresses forbids the page, so that no other tool may reach it either.
    #[must_use]
    pub fn is_blocked(&self) -> bool {
        matches!(self, Self::Blocked { .. } | Self::Fetch(FetchError::Connect(ConnectError::Blocked { .. })))
    }

    /// Whether the machine that reads is at fault, not the page: what is behind it is for its log, not for clients.
    #[must_use]
    pub fn is_ours(&self) -> bool {
        match self {
            Self::Launch(_) | Self::Proxy(_) | Self::Died(_) => true,
            Self::File(_)
            | Self::Fetch(_)
            | Self::Status { .. }
            | Self::MediaType { .. }
            | Self::Blocked { .. }
            | Self::Unreachable { .. }
            | Self::Navigate(_)
            | Self::Browser(_)
            | Self::TooLarge
            | Self::Empty
            | Self::TimedOut => false,
        }
    }
}

impl From<EgressFault> for ToolError {
    fn from(fault: EgressFault) -> Self {
        match fault {
            EgressFault::Blocked(BlockedAttempt { host, reason, .. }) => Self::Blocked { host, reason },
            EgressFault::Unreachable { host } => Self::Unreachable { host },
        }
    }
}

/// Opens pages in a real browser. Every connection that this makes must go through the egress rules.
#[async_trait]
pub trait Browse: fmt::Debug + Send + Sync {
    /// The page as it is once its scripts have run. A caller that goes away ends it; nothing that takes time is left to its
    /// going.
    ///
    /// # Errors
    /// When there is no page; an HTTP error's page is none.
    async fn open(&self, url: &Url) -> Result<Page, ToolError>;

    /// Waits until nothing is left of what callers went away from.
    async fn ended(&self) {}
}

/// Gets a page by one plain request; redirects are followed, each checked like the first.
///
/// # Errors
/// As [`Browse::open`], and when it is neither HTML nor JSON.
pub(crate) async fn fetch(dialer: &Dialer, url: &Url) -> Result<Page, ToolError> {
    let limits = FetchLimits { body_bytes_max: PAGE_BYTES_MAX, ..FetchLimits::default() };
    let fetched = HttpFetch::new(dialer.clone()).get(url, &limits).await?;
    as_page(&fetched)
}

/// A server that names no type may still send HTML.
fn as_page(page: &FetchedPage) -> Result<Page, ToolError> {
    if !page.status.is_success() {
        return Err(ToolError::Status { status: page.status.as_u16() });
    }
    let media_type = page.media_type();
    if !is_readable(&media_type) {
        return Err(ToolError::MediaType { media_type });
    }
    Ok(Page { url: page.final_url.to_string(), html: encoding::decode(&page.body, page.content_type()), is_cut: false })
}

/// HTML and what is read like it, and JSON (RFC 8259; RFC 6839 §3.1).
fn is_readable(media_type: &str) -> bool {
    let is_json = media_type == "application/json" || media_type.ends_with("+json");
    media_type.is_empty() || media_type.starts_with("text/") || media_type.ends_with("xml") || is_json
}
