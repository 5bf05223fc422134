//! What the pages of one fixture site share.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::forms::Submissions;
use super::news::Story;
use super::requests::Requests;
use super::shop::Shop;

#[derive(Debug)]
pub struct SiteState {
    pub seed: u64,
    pub stories: Vec<Story>,
    pub shop: Shop,
    pub submissions: Submissions,
    pub requests: Requests,
    /// Ends requests that would never be answered.
    pub stop: CancellationToken,
}

impl SiteState {
    pub fn new(seed: u64, order_delay: Duration, stop: CancellationToken) -> Self {
        Self {
            seed,
            stories: super::news::stories(seed),
            shop: Shop::new(seed, order_delay),
            submissions: Submissions::default(),
            requests: Requests::default(),
            stop,
        }
    }
}

/// Locks, also after a panic in another request: what is kept here is valid after every statement.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
