//! Which account a run belongs to, remembered so that a stream need not load each run again.

use errand_domain::{AccountId, RunId};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use crate::limits::OWNERS_MAX;

/// Bounded by count; when full, the oldest run goes. An owner never changes.
#[derive(Debug, Default)]
pub(crate) struct Owners(Mutex<BTreeMap<RunId, AccountId>>);

impl Owners {
    pub(crate) fn get(&self, run_id: &RunId) -> Option<AccountId> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(run_id).cloned()
    }

    pub(crate) fn put(&self, run_id: &RunId, account: &AccountId) {
        let mut owners = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        owners.insert(run_id.clone(), account.clone());
        if owners.len() > OWNERS_MAX {
            owners.pop_first();
        }
    }
}
