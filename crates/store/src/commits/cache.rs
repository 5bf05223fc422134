//! Folded states kept in memory. An entry is only a head start: what was appended after it is always read.

use errand_domain::RunId;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use super::Loaded;
use crate::limits;

/// Bounded by count; when full, the entry with the smallest id goes, which is the oldest run.
#[derive(Debug)]
pub(super) struct StateCache<S> {
    states: Mutex<BTreeMap<RunId, Loaded<S>>>,
}

impl<S> Default for StateCache<S> {
    fn default() -> Self {
        Self { states: Mutex::default() }
    }
}

impl<S: Clone> StateCache<S> {
    pub(super) fn get(&self, run_id: &RunId) -> Option<Loaded<S>> {
        self.states.lock().unwrap_or_else(PoisonError::into_inner).get(run_id).cloned()
    }

    /// Keeps the newer of the stored and the given state.
    pub(super) fn put(&self, run_id: &RunId, loaded: &Loaded<S>) {
        let mut states = self.states.lock().unwrap_or_else(PoisonError::into_inner);
        if states.get(run_id).is_some_and(|cached| cached.head >= loaded.head) {
            return;
        }
        states.insert(run_id.clone(), loaded.clone());
        if states.len() > limits::CACHED_RUNS_MAX {
            states.pop_first();
        }
    }

    pub(super) fn forget(&self, run_id: &RunId) {
        self.states.lock().unwrap_or_else(PoisonError::into_inner).remove(run_id);
    }
}
