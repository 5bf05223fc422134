//! The browser sessions this worker holds, by run. A session is a cache: a lost one is restored from its checkpoint.

use errand_domain::RunId;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

use crate::driver::SessionDriver;
use crate::limits::CLOSE_DEADLINE;

/// One run's session between two steps.
#[derive(Debug)]
pub struct HeldSession {
    pub driver: Box<dyn SessionDriver>,
    /// What the last stored page showed, so that the same page is not stored again.
    pub last_stored: Option<u64>,
    /// The last stored checkpoint's content, likewise.
    pub last_checkpoint: Option<u64>,
    pub used_at: Instant,
    /// Its place among the sessions that the worker may hold.
    pub _place: OwnedSemaphorePermit,
}

impl HeldSession {
    /// Ends the session; tidying up has a deadline, and the browser's end does the rest.
    pub async fn close(self) {
        if tokio::time::timeout(CLOSE_DEADLINE, self.driver.close()).await.is_err() {
            tracing::warn!("browser session did not close in time");
        }
    }
}

/// All held sessions.
#[derive(Debug)]
pub struct Sessions {
    held: Mutex<BTreeMap<RunId, HeldSession>>,
    places: Arc<Semaphore>,
}

impl Sessions {
    #[must_use]
    pub fn new(sessions_max: usize) -> Self {
        Self { held: Mutex::default(), places: Arc::new(Semaphore::new(sessions_max)) }
    }

    /// Places for new sessions.
    #[must_use]
    pub fn places(&self) -> Arc<Semaphore> {
        Arc::clone(&self.places)
    }

    /// Whether every place is taken.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.places.available_permits() == 0
    }

    pub fn take(&self, run_id: &RunId) -> Option<HeldSession> {
        self.lock().remove(run_id)
    }

    #[must_use]
    pub fn holds(&self, run_id: &RunId) -> bool {
        self.lock().contains_key(run_id)
    }

    /// Puts a session back after a step.
    pub fn put(&self, run_id: RunId, mut session: HeldSession) {
        session.used_at = Instant::now();
        self.lock().insert(run_id, session);
    }

    /// The runs with an idle session, and since when it is idle.
    #[must_use]
    pub fn idle(&self) -> Vec<(RunId, Instant)> {
        self.lock().iter().map(|(run_id, session)| (run_id.clone(), session.used_at)).collect()
    }

    pub fn take_all(&self) -> Vec<HeldSession> {
        std::mem::take(&mut *self.lock()).into_values().collect()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, BTreeMap<RunId, HeldSession>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
