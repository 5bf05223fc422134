//! What a run keeps of a page before the browser leaves it: the evidence that data is grounded on.

use serde::{Deserialize, Serialize};

/// A link as the page showed it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link {
    pub text: String,
    /// Absolute, resolved against the page's base.
    pub url: String,
}

/// The stored form of one page: visible text and links, and the document's code for the extractor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageSnapshot {
    pub url: String,
    /// Base for relative references (RFC 3986 §5.1): the `base` element's, else the URL.
    pub base_url: String,
    pub title: String,
    /// Visible text, a line per block.
    pub text: String,
    pub links: Vec<Link>,
    /// The serialised document; empty when it was over the limit.
    pub html: String,
    /// Status of the HTTP answer that the document came with, where it came with one.
    #[serde(default)]
    pub http_status: Option<u16>,
}

impl PageSnapshot {
    /// The server said that this is not the page that was asked for: what it shows is about the failure.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.http_status.is_some_and(is_error_status)
    }
}

/// 4xx and 5xx (RFC 9110 §15.5, §15.6).
#[must_use]
pub fn is_error_status(status: u16) -> bool {
    status >= 400
}
