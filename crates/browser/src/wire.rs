//! What lies below the browser, as far as a committing request must not be carried twice: whoever carries the session's
//! connections.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use url::Url;

/// A committing request that is about to leave.
#[derive(Debug, Clone, Copy)]
pub struct Departure<'a> {
    pub method: &'a str,
    pub url: &'a Url,
    /// Its answer will be told.
    pub is_watched: bool,
}

/// Carries a session's connections, and is told what may go over them.
pub trait Wire: fmt::Debug + Send + Sync {
    /// A request of a method that changes things was let through, and may go once.
    fn allow(&self, method: &str, url: &Url);

    /// Ends when the request can only leave over a new connection. From then on its host gets no second one, until the
    /// answer is told.
    fn departs<'a>(&'a self, departure: Departure<'a>) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

    /// The answer to a request that departed has begun, or will not come.
    fn answered(&self, url: &Url);

    /// Whether a second connection was refused to a host while a request to it was under way.
    fn has_refused(&self, url: &Url) -> bool;
}
