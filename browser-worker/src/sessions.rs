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
    /// Step and attempt of the claim that holds or held it last.
    pub holder: (u32, u32),
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

    /// Puts a session back after a step; of two sessions of one run the newer claim's stays. Gives the one to close.
    #[must_use]
    pub fn put(&self, run_id: RunId, mut session: HeldSession) -> Option<HeldSession> {
        session.used_at = Instant::now();
        let mut held = self.lock();
        if held.get(&run_id).is_some_and(|other| other.holder > session.holder) {
            return Some(session);
        }
        held.insert(run_id, session)
    }

    /// Takes a session that this claim has put back, unless another has it by now.
    pub fn take_back(&self, run_id: &RunId, holder: (u32, u32)) -> Option<HeldSession> {
        let mut held = self.lock();
        if held.get(run_id)?.holder == holder { held.remove(run_id) } else { None }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::driver::{ActError, ActReport, GotoError, SessionLost};
    use async_trait::async_trait;
    use bytes::Bytes;
    use errand_browser::{Commits, TypedSecret};
    use errand_domain::Timestamp;
    use errand_domain::action::Action;
    use errand_domain::page::PageSnapshot;
    use errand_planner::Observation;

    #[derive(Debug)]
    struct NoBrowser;

    #[async_trait]
    impl SessionDriver for NoBrowser {
        async fn goto(&mut self, _: &str) -> Result<(), GotoError> {
            Ok(())
        }
        async fn look(&mut self) -> Result<(Observation, PageSnapshot), SessionLost> {
            Err(SessionLost { reason: String::new() })
        }
        async fn act(
            &mut self,
            _: &Action,
            _: Option<&TypedSecret>,
            _: bool,
            _: Commits,
        ) -> Result<ActReport, ActError> {
            Err(ActError::NotActed { reason: String::new() })
        }
        async fn url(&mut self) -> Result<String, SessionLost> {
            Ok(String::new())
        }
        async fn screenshot(&mut self) -> Result<Bytes, SessionLost> {
            Ok(Bytes::new())
        }
        async fn checkpoint(&mut self) -> Result<Bytes, SessionLost> {
            Ok(Bytes::new())
        }
        async fn close(self: Box<Self>) {}
    }

    async fn session(sessions: &Sessions, holder: (u32, u32)) -> HeldSession {
        HeldSession {
            driver: Box::new(NoBrowser),
            last_stored: None,
            last_checkpoint: None,
            used_at: Instant::now(),
            holder,
            _place: sessions.places().acquire_owned().await.unwrap(),
        }
    }

    #[tokio::test]
    async fn a_fenced_attempts_session_does_not_replace_the_live_one() {
        let sessions = Sessions::new(4);
        let run_id = RunId::new(Timestamp::from_millis(1), 1);
        assert!(sessions.put(run_id.clone(), session(&sessions, (1, 2)).await).is_none());
        let rejected = sessions.put(run_id.clone(), session(&sessions, (1, 1)).await);
        assert_eq!(rejected.map(|session| session.holder), Some((1, 1)));
        assert!(sessions.take_back(&run_id, (1, 1)).is_none(), "another claim's session is left");
        assert_eq!(sessions.take_back(&run_id, (1, 2)).map(|session| session.holder), Some((1, 2)));
    }
}
