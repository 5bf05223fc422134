//! Fetches one page over HTTP for `errand read` and the plain reading tool: no scripts, no cookies, each redirect
//! checked like the first request.

mod content;
mod exchange;

use std::time::Duration;

use http::{HeaderMap, StatusCode, header};
use tokio::time::{Instant, timeout};
use url::Url;

use crate::{
    dialer::{ConnectError, Dialer},
    limits::{FETCH_BODY_BYTES_MAX, FETCH_REDIRECTS_MAX, FETCH_TOTAL_MAX},
};
use exchange::Answer;

/// Fetches pages through a [`Dialer`]. Cheap to clone.
#[derive(Clone, Debug)]
pub struct HttpFetch {
    dialer: Dialer,
}

/// Bounds of one fetch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FetchLimits {
    /// For the whole fetch, redirects and body included.
    pub total: Duration,
    pub redirects_max: usize,
    /// Of the body as received and again as decoded.
    pub body_bytes_max: usize,
}

impl Default for FetchLimits {
    fn default() -> Self {
        Self { total: FETCH_TOTAL_MAX, redirects_max: FETCH_REDIRECTS_MAX, body_bytes_max: FETCH_BODY_BYTES_MAX }
    }
}

/// A page as its server sent it, whatever the status.
#[derive(Clone, Debug)]
pub struct FetchedPage {
    pub final_url: Url,
    pub status: StatusCode,
    pub headers: HeaderMap,
    /// Without content encodings, in the page's own character encoding.
    pub body: Vec<u8>,
    /// The URLs that redirected, in order; empty when the first one answered.
    pub redirects: Vec<Url>,
}

/// Why a page was not fetched.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    #[error("{url} is not an http or https URL with a host")]
    NotHttp { url: String },
    #[error(transparent)]
    Connect(#[from] ConnectError),
    #[error("{host} broke the connection or does not speak HTTP")]
    Exchange { host: String, source: hyper::Error },
    #[error("more than {max} redirects")]
    TooManyRedirects { max: usize },
    #[error("{url} redirects to something that is not a URL")]
    BadRedirect { url: String },
    #[error("the page is larger than {max_bytes} bytes")]
    BodyTooLarge { max_bytes: usize },
    #[error("the page has a content encoding that was not asked for: {encoding}")]
    UnknownEncoding { encoding: String },
    #[error("the page's content encoding is broken")]
    BrokenEncoding(#[source] std::io::Error),
    #[error("the page was not fetched within {} s", .total.as_secs_f32())]
    TimedOut { total: Duration },
}

impl FetchError {
    /// Whether the same fetch may succeed later without anything being changed here.
    pub fn is_transient(&self) -> bool {
        match self {
            Self::Connect(error) => error.is_transient(),
            Self::Exchange { .. } | Self::TimedOut { .. } => true,
            Self::NotHttp { .. }
            | Self::TooManyRedirects { .. }
            | Self::BadRedirect { .. }
            | Self::BodyTooLarge { .. }
            | Self::UnknownEncoding { .. }
            | Self::BrokenEncoding(_) => false,
        }
    }
}

impl HttpFetch {
    pub fn new(dialer: Dialer) -> Self {
        Self { dialer }
    }

    /// Gets a page, following redirects. An answer of any status is a page.
    ///
    /// # Errors
    /// [`FetchError`]; addresses that are not allowed are [`FetchError::Connect`] at the first URL and at each redirect.
    pub async fn get(&self, url: &Url, limits: &FetchLimits) -> Result<FetchedPage, FetchError> {
        let deadline = Instant::now() + limits.total;
        let following = self.follow(url.clone(), limits, deadline);
        timeout(limits.total, following).await.unwrap_or(Err(FetchError::TimedOut { total: limits.total }))
    }

    async fn follow(&self, first: Url, limits: &FetchLimits, deadline: Instant) -> Result<FetchedPage, FetchError> {
        let mut url = first;
        let mut redirects = Vec::new();
        loop {
            let answer = exchange::get(&self.dialer, &url, limits.body_bytes_max, deadline).await?;
            let Some(next) = redirect_target(&url, &answer)? else {
                let Answer { status, headers, body } = answer;
                let body = content::decode(&headers, body, limits.body_bytes_max)?;
                return Ok(FetchedPage { final_url: url, status, headers, body, redirects });
            };
            if redirects.len() == limits.redirects_max {
                return Err(FetchError::TooManyRedirects { max: limits.redirects_max });
            }
            redirects.push(std::mem::replace(&mut url, next));
        }
    }
}

impl FetchedPage {
    /// The server's `content-type`, whole.
    pub fn content_type(&self) -> Option<&str> {
        self.headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok())
    }

    /// The media type without parameters, lower case; empty when the server named none.
    pub fn media_type(&self) -> String {
        let named = self.content_type().unwrap_or_default();
        named.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
    }
}

/// The URL a redirect leads to, with the fragment of the redirecting one if it names none (RFC 9110 §10.2.2).
fn redirect_target(from: &Url, answer: &Answer) -> Result<Option<Url>, FetchError> {
    let is_redirect = matches!(answer.status.as_u16(), 301 | 302 | 303 | 307 | 308);
    let Some(location) = answer.headers.get(header::LOCATION).filter(|_| is_redirect) else {
        return Ok(None);
    };
    let bad_redirect = || FetchError::BadRedirect { url: from.to_string() };
    let location = str::from_utf8(location.as_bytes()).map_err(|_| bad_redirect())?;
    let mut target = from.join(location).map_err(|_| bad_redirect())?;
    if target.fragment().is_none() {
        target.set_fragment(from.fragment());
    }
    Ok(Some(target))
}
