//! Opens URLs and goes back. An HTTP error status is a page like any other; only what shows no page is an error.

use crate::error::BrowserError;
use crate::limits::NAVIGATION_TIMEOUT;
use crate::page::Page;
use crate::protocol::{Crash, GetNavigationHistory, Navigate, NavigateToHistoryEntry, StopLoading};
use crate::session::Session;
use crate::settle::Before;
use std::time::{Duration, Instant};
use thiserror::Error;
use url::Url;

/// A page that was reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Navigation {
    /// After redirects.
    pub url: String,
    /// HTTP status of the document; `None` for pages that came without HTTP.
    pub status: Option<u16>,
}

/// Why no page was reached.
#[derive(Debug, Error)]
pub enum NavigateError {
    /// Only absolute http(s) URLs (and `about:blank`) are opened.
    #[error("{url} is not an absolute http or https URL")]
    NotWeb { url: String },
    /// The proxy let no connection through: the host is not allowed, or its address is not public.
    #[error("{url} was blocked: {reason}")]
    Blocked { url: String, reason: String },
    /// The network or the server failed, in Chromium's words (`net::ERR_…`).
    #[error("{url} could not be reached: {reason}")]
    Refused { url: String, reason: String },
    /// Redirects without end.
    #[error("{url} redirected too many times")]
    TooManyRedirects { url: String },
    /// The URL gave a file, which is not downloaded.
    #[error("{url} is a download")]
    Download { url: String },
    #[error("{url} did not answer in time")]
    Timeout { url: String },
    #[error("there is no earlier page")]
    NoHistory,
    #[error(transparent)]
    Browser(#[from] BrowserError),
}

impl Session {
    /// Opens a URL and waits until its document is there and rests.
    ///
    /// # Errors
    /// When no page was reached, or the browser failed.
    pub async fn goto(&self, url: &str) -> Result<Navigation, NavigateError> {
        self.goto_within(url, NAVIGATION_TIMEOUT).await
    }

    /// As [`Session::goto`], with another limit on its time.
    ///
    /// # Errors
    /// As for [`Session::goto`].
    pub async fn goto_within(&self, url: &str, patience: Duration) -> Result<Navigation, NavigateError> {
        self.goto_until(url, Instant::now() + patience).await
    }

    pub(crate) async fn goto_until(&self, url: &str, deadline: Instant) -> Result<Navigation, NavigateError> {
        let parsed = Url::parse(url).map_err(|_error| NavigateError::NotWeb { url: url.to_owned() })?;
        if !matches!(parsed.scheme(), "http" | "https") && parsed.as_str() != "about:blank" {
            return Err(NavigateError::NotWeb { url: url.to_owned() });
        }
        let before = Before::of(self)?;
        let page = self.page()?;
        let command = Navigate { url: parsed.as_str() };
        let patience = deadline.saturating_duration_since(Instant::now());
        page.check_alive()?;
        page.state().is_touched = false;
        let answer = page.connection().call_within(&page.frame.session, &command, patience).await;
        let navigated = match answer.map_err(BrowserError::from) {
            Err(BrowserError::Timeout { .. }) => {
                page.post(&StopLoading {});
                return Err(NavigateError::Timeout { url: url.to_owned() });
            }
            answer => answer?,
        };
        if navigated.is_download {
            return Err(NavigateError::Download { url: url.to_owned() });
        }
        if let Some(reason) = navigated.error_text {
            // The caller hears of it by the error.
            page.state().take_notices();
            let loader = navigated.loader_id.as_deref().unwrap_or_default();
            let is_answered = page.state().requests.has_answered(loader);
            return Err(refusal(url, &reason, is_answered));
        }
        self.reached(&before, deadline).await
    }

    /// Goes back one entry of the page's history.
    ///
    /// # Errors
    /// When there is none, no page was reached, or the browser failed.
    pub(crate) async fn go_back(&self, before: &Before, deadline: Instant) -> Result<Navigation, NavigateError> {
        let page = self.page()?;
        let history = page.call(&GetNavigationHistory {}).await?;
        let Some(earlier) = history.current_index.checked_sub(1).and_then(|at| history.entries.get(at)) else {
            return Err(NavigateError::NoHistory);
        };
        // The first entry of a session is the empty page it began with.
        if earlier.url == "about:blank" && history.current_index == 1 {
            return Err(NavigateError::NoHistory);
        }
        let now = Instant::now();
        {
            let mut state = page.state();
            state.is_touched = false;
            state.expect_navigation(&earlier.url, now);
        }
        page.call(&NavigateToHistoryEntry { entry_id: earlier.id }).await?;
        self.reached(before, deadline).await
    }

    /// Kills the page's process, so that its loss can be rehearsed.
    ///
    /// # Errors
    /// [`BrowserError::Crashed`] when it worked.
    pub async fn crash_page(&self) -> Result<(), BrowserError> {
        let page = self.page()?;
        page.call(&Crash {}).await.map(|_answer| ())
    }

    async fn reached(&self, before: &Before, deadline: Instant) -> Result<Navigation, NavigateError> {
        let page = self.settle(before, deadline).await?;
        let status = page.status().await?;
        Ok(Navigation { url: self.current_url(), status })
    }
}

impl Page {
    async fn status(&self) -> Result<Option<u16>, BrowserError> {
        let status: u16 = self.frame.script("status", &()).await?;
        Ok((status != 0).then_some(status))
    }
}

/// Errors that no site can cause: the browser's process or its machine is short of something, or was cut off from our
/// proxy.
const ERRORS_OF_THE_MACHINE: [&str; 11] = [
    "ERR_INSUFFICIENT_RESOURCES",
    "ERR_OUT_OF_MEMORY",
    "ERR_NO_BUFFER_SPACE",
    "ERR_FILE_NO_SPACE",
    "ERR_FILE_PATH_TOO_LONG",
    "ERR_NETWORK_IO_SUSPENDED",
    "ERR_NETWORK_CHANGED",
    "ERR_INTERNET_DISCONNECTED",
    "ERR_NETWORK_ACCESS_DENIED",
    "ERR_PROXY_CONNECTION_FAILED",
    "ERR_UNEXPECTED",
];

/// Sorts Chromium's network errors (`net_error_list.h`). A navigation that is given up although nobody answered it was
/// given up by the browser: a site gives a file, or an answer without content.
fn refusal(url: &str, reason: &str, is_answered: bool) -> NavigateError {
    let (url, reason) = (url.to_owned(), reason.to_owned());
    let name = reason.strip_prefix("net::").unwrap_or(&reason);
    if ERRORS_OF_THE_MACHINE.contains(&name) || name == "ERR_ABORTED" && !is_answered {
        return BrowserError::Exhausted { reason }.into();
    }
    match name {
        "ERR_TUNNEL_CONNECTION_FAILED"
        | "ERR_BLOCKED_BY_CLIENT"
        | "ERR_BLOCKED_BY_ADMINISTRATOR"
        | "ERR_ACCESS_DENIED" => NavigateError::Blocked { url, reason },
        "ERR_TOO_MANY_REDIRECTS" => NavigateError::TooManyRedirects { url },
        "ERR_TIMED_OUT" | "ERR_CONNECTION_TIMED_OUT" => NavigateError::Timeout { url },
        _ => NavigateError::Refused { url, reason },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_site_can_cause_is_the_browsers_and_what_a_site_answers_is_the_sites() {
        let of_browser = |reason, is_answered| {
            matches!(
                refusal("https://a.test/", reason, is_answered),
                NavigateError::Browser(BrowserError::Exhausted { .. })
            )
        };
        assert!(of_browser("net::ERR_INSUFFICIENT_RESOURCES", false));
        assert!(of_browser("net::ERR_ABORTED", false));
        assert!(!of_browser("net::ERR_ABORTED", true));
        for of_site in ["net::ERR_EMPTY_RESPONSE", "net::ERR_CONNECTION_REFUSED", "net::ERR_NAME_NOT_RESOLVED"] {
            assert!(!of_browser(of_site, false), "{of_site}");
        }
    }
}
