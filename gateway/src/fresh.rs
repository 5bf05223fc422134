//! Runs that were created here, or seen in the log, and may not be in the scheduler's index yet: a list after a 201
//! shows them all the same.

use errand_domain::{AccountId, RunId};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use crate::limits::FRESH_RUNS_MAX;

/// Bounded by count; when full, the oldest run goes, which the index has had time to take up.
#[derive(Debug, Default)]
pub(crate) struct FreshRuns(Mutex<BTreeMap<RunId, AccountId>>);

impl FreshRuns {
    pub(crate) fn add(&self, run_id: &RunId, account: &AccountId) {
        let mut runs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        runs.insert(run_id.clone(), account.clone());
        if runs.len() > FRESH_RUNS_MAX {
            runs.pop_first();
        }
    }

    /// Those whose account fits.
    pub(crate) fn of(&self, fits: impl Fn(&AccountId) -> bool) -> Vec<RunId> {
        let runs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        runs.iter().filter(|(_, account)| fits(account)).map(|(run_id, _)| run_id.clone()).collect()
    }
}
