//! The index of recent runs, written when a run is created: a list after a 201 shows the run on any gateway. The
//! scheduler keeps the same index, which may be lost and is rebuilt; an entry without a run is left out of lists.

use errand_domain::{AccountId, RunId};
use errand_store::{Bucket, KeyValue, KeyValueError};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

use crate::limits::{INDEX_TRIES_MAX, LIST_SCAN_MAX};

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
            if let Err(error) = write(keyvalue, &account, &run_ids).await {
                let error: &dyn std::error::Error = &error;
                tracing::warn!(error, "index of recent runs was not written");
            }
        }
    }

    fn pending(&self) -> std::sync::MutexGuard<'_, BTreeMap<AccountId, BTreeSet<RunId>>> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The account's run ids as stored.
pub(crate) async fn read(keyvalue: &dyn KeyValue, account: &str) -> Result<Vec<RunId>, KeyValueError> {
    let entry = keyvalue.get(Bucket::Recent, account).await?;
    Ok(entry.and_then(|entry| serde_json::from_slice(&entry.value).ok()).unwrap_or_default())
}

async fn write(keyvalue: &dyn KeyValue, account: &AccountId, added: &BTreeSet<RunId>) -> Result<(), KeyValueError> {
    for _ in 0..INDEX_TRIES_MAX {
        let entry = keyvalue.get(Bucket::Recent, account.as_str()).await?;
        let stored: Vec<RunId> =
            entry.as_ref().and_then(|entry| serde_json::from_slice(&entry.value).ok()).unwrap_or_default();
        let all: BTreeSet<RunId> = stored.into_iter().chain(added.iter().cloned()).collect();
        // Newest first; ids sort by time.
        let newest: Vec<&RunId> = all.iter().rev().take(LIST_SCAN_MAX).collect();
        // Strings: serialising them cannot fail.
        let value = serde_json::to_vec(&newest).unwrap_or_default().into();
        let written = match entry {
            None => keyvalue.create(Bucket::Recent, account.as_str(), value).await,
            Some(entry) => keyvalue.update(Bucket::Recent, account.as_str(), value, entry.revision).await,
        };
        match written {
            Ok(_) => return Ok(()),
            Err(KeyValueError::Conflict) => {}
            Err(error) => return Err(error),
        }
    }
    Err(KeyValueError::Conflict)
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
        assert_eq!(read(&*store, "a").await.unwrap(), newest_first);
    }

    #[tokio::test]
    async fn the_index_is_bounded() {
        let store = MemoryKeyValue::default();
        let account = AccountId::parse("a").unwrap();
        let run = |n: usize| RunId::new(Timestamp::from_millis(n as i64), 0);
        let many: BTreeSet<RunId> = (0..LIST_SCAN_MAX + 9).map(run).collect();
        write(&store, &account, &many).await.unwrap();
        let stored = read(&store, "a").await.unwrap();
        assert_eq!((stored.len(), &stored[0]), (LIST_SCAN_MAX, &run(LIST_SCAN_MAX + 8)));
    }
}
