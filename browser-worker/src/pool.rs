//! The browser processes of a worker. Sessions are spread over a few of them, so that one that dies takes only its own
//! with it. A session of a run that lost one before gets a process to itself: whichever page it was that ended the shared
//! one, it can end nothing but its own again.

use errand_browser::{Browser, LaunchError, LaunchOptions};
use std::sync::Arc;
use tokio::sync::Mutex;

#[derive(Debug)]
pub(crate) struct Pool {
    launch: LaunchOptions,
    shared_max: usize,
    shared: Mutex<Vec<Arc<Browser>>>,
}

impl Pool {
    pub(crate) fn new(launch: LaunchOptions, shared_max: usize) -> Self {
        Self { launch, shared_max: shared_max.max(1), shared: Mutex::default() }
    }

    pub(crate) fn with_shared_max(self, shared_max: usize) -> Self {
        Self::new(self.launch, shared_max)
    }

    /// A process for one session alone. It ends with the last use of it.
    ///
    /// # Errors
    /// When it does not start.
    pub(crate) async fn alone(&self) -> Result<Arc<Browser>, LaunchError> {
        launch(&self.launch).await
    }

    /// The process with the fewest sessions, or a new one while there may be more.
    ///
    /// # Errors
    /// When none is there and none starts.
    pub(crate) async fn shared(&self) -> Result<Arc<Browser>, LaunchError> {
        let mut shared = self.shared.lock().await;
        shared.retain(|browser| browser.is_alive());
        let freest = shared.iter().min_by_key(|browser| sessions(browser));
        if let Some(freest) = freest.filter(|freest| sessions(freest) == 0 || shared.len() >= self.shared_max) {
            return Ok(Arc::clone(freest));
        }
        match (launch(&self.launch).await, freest) {
            (Ok(started), _) => {
                shared.push(Arc::clone(&started));
                Ok(started)
            }
            (Err(error), Some(freest)) => {
                tracing::warn!(%error, "another browser could not be started");
                Ok(Arc::clone(freest))
            }
            (Err(error), None) => Err(error),
        }
    }

    /// Ends those that no session holds; the others end with their last session.
    pub(crate) async fn shutdown(&self) {
        for browser in std::mem::take(&mut *self.shared.lock().await) {
            end(browser).await;
        }
    }
}

/// Ends a browser that nobody else holds.
pub(crate) async fn end(browser: Arc<Browser>) {
    if let Some(browser) = Arc::into_inner(browser) {
        browser.shutdown().await;
    }
}

/// Each session holds its browser, and so does the pool.
fn sessions(browser: &Arc<Browser>) -> usize {
    Arc::strong_count(browser).saturating_sub(1)
}

async fn launch(options: &LaunchOptions) -> Result<Arc<Browser>, LaunchError> {
    let browser = Arc::new(Browser::launch(options.clone()).await?);
    tracing::info!(product = browser.product(), process_id = browser.process_id(), "browser started");
    Ok(browser)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(browser: &Arc<Browser>) -> Option<u32> {
        browser.process_id()
    }

    #[tokio::test]
    async fn sessions_are_spread_and_one_that_may_be_lost_again_is_alone() {
        let pool = Pool::new(LaunchOptions::default(), 2);
        let first = pool.shared().await.unwrap();
        let second = pool.shared().await.unwrap();
        assert_ne!(id(&first), id(&second));
        let third = pool.shared().await.unwrap();
        assert!([id(&first), id(&second)].contains(&id(&third)));
        let alone = pool.alone().await.unwrap();
        assert!(![id(&first), id(&second)].contains(&id(&alone)));
        let next = pool.shared().await.unwrap();
        assert_ne!(id(&next), id(&third), "the freer of the two");
        end(alone).await;
        drop((first, second, third, next));
        pool.shutdown().await;
        assert!(pool.shared.lock().await.is_empty());
    }
}
