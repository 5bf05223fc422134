//! The index of recent runs, written when a run is created: a list after a 201 shows the run on any gateway. The
//! scheduler keeps the same index, which may be lost and is rebuilt; an entry without a run is left out of lists.

use errand_domain::{AccountId, RunId};
use errand_store::{KeyValue, recent};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

/// Adds runs to the index; those that come while it is being written go together into the next write.
#[derive(Debug, Default)]
pub(crate) struct RecentIndex {
    pending: Mutex<BTreeMap<AccountId, BTreeSet<RunId>>>,
    writer: tokio::sync::Mutex<()>,
}

impl RecentIndex {
    /// Adds one run. A failure is logged only: the index is a hint, and the run is what counts.
    pub(crate) async fn add(&self, keyvalue: &dyn KeyValue, account: &AccountId, run_id: &RunId) {
        self.pending().entry(account.clone()).or_default().insert(run_id.clone());
        let _writing = self.writer.lock().await;
        // Empty when the writer before this one took the run along; it is written then.
        let batch = std::mem::take(&mut *self.pending());
        for (account, run_ids) in batch {
            if let Err(error) = recent::add(keyvalue, &account, &run_ids).await {
                let error: &dyn std::error::Error = &error;
                tracing::warn!(error, "index of recent runs was not written");
            }
        }
    }

    fn pending(&self) -> std::sync::MutexGuard<'_, BTreeMap<AccountId, BTreeSet<RunId>>> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use errand_domain::Timestamp;
    use errand_store::memory::MemoryKeyValue;
    use std::sync::Arc;

    #[tokio::test]
    async fn runs_that_two_gateways_add_at_once_are_all_there() {
        let store = Arc::new(MemoryKeyValue::default());
        let account = AccountId::parse("a").unwrap();
        let gateways = [Arc::new(RecentIndex::default()), Arc::new(RecentIndex::default())];
        let run = |n: u64| RunId::new(Timestamp::from_millis(n as i64), 0);
        let adds = (0..40u64).map(|n| {
            let (store, account, index) = (Arc::clone(&store), account.clone(), Arc::clone(&gateways[n as usize % 2]));
            let run_id = run(n);
            tokio::spawn(async move { index.add(&*store, &account, &run_id).await })
        });
        for add in adds.collect::<Vec<_>>() {
            add.await.unwrap();
        }
        let newest_first: Vec<RunId> = (0..40).rev().map(run).collect();
        assert_eq!(recent::list(&*store, &account, None, 40).await.unwrap(), newest_first);
    }
}
