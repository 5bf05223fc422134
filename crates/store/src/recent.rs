//! The index of each account's most recent runs: a bounded list, newest first. It is written by whoever creates a run and
//! again by the scheduler; it may be lost, and an entry without a run means nothing.

use errand_domain::{AccountId, RunId};
use std::collections::BTreeSet;

use crate::keyvalue::{Bucket, KeyValue, KeyValueError};
use crate::limits::{INDEX_TRIES_MAX, RECENT_RUNS_MAX};

/// The account's run ids, newest first.
///
/// # Errors
/// When the store cannot be reached.
pub async fn read(keyvalue: &dyn KeyValue, account: &AccountId) -> Result<Vec<RunId>, KeyValueError> {
    let entry = keyvalue.get(Bucket::Recent, account.as_str()).await?;
    Ok(entry.and_then(|entry| serde_json::from_slice(&entry.value).ok()).unwrap_or_default())
}

/// Adds runs; adding one again changes nothing. Writers that meet each other lose nothing.
///
/// # Errors
/// When the store cannot be reached, or so many writers were there first that this one gives up.
pub async fn add(keyvalue: &dyn KeyValue, account: &AccountId, added: &BTreeSet<RunId>) -> Result<(), KeyValueError> {
    for _ in 0..INDEX_TRIES_MAX {
        let entry = keyvalue.get(Bucket::Recent, account.as_str()).await?;
        let stored: Vec<RunId> =
            entry.as_ref().and_then(|entry| serde_json::from_slice(&entry.value).ok()).unwrap_or_default();
        if added.iter().all(|run_id| stored.contains(run_id)) {
            return Ok(());
        }
        let all: BTreeSet<RunId> = stored.into_iter().chain(added.iter().cloned()).collect();
        // Newest first; ids sort by time.
        let newest: Vec<&RunId> = all.iter().rev().take(RECENT_RUNS_MAX).collect();
        // Strings: serialising them cannot fail.
        let value = serde_json::to_vec(&newest).unwrap_or_default().into();
        let written = match entry {
            None => keyvalue.create(Bucket::Recent, account.as_str(), value).await,
            Some(entry) => keyvalue.update(Bucket::Recent, account.as_str(), value, entry.revision).await,
        };
        match written {
            Ok(_) => return Ok(()),
            Err(KeyValueError::Conflict) => {}
            Err(
                error @ (KeyValueError::TooLarge { .. }
                | KeyValueError::Unavailable { .. }
                | KeyValueError::Corrupt { .. }),
            ) => return Err(error),
        }
    }
    Err(KeyValueError::Conflict)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::MemoryKeyValue;
    use errand_domain::Timestamp;

    #[tokio::test]
    async fn the_index_is_bounded_and_keeps_the_newest() {
        let store = MemoryKeyValue::default();
        let account = AccountId::parse("a").unwrap();
        let run = |n: usize| RunId::new(Timestamp::from_millis(n as i64), 0);
        let many: BTreeSet<RunId> = (0..RECENT_RUNS_MAX + 9).map(run).collect();
        add(&store, &account, &many).await.unwrap();
        let stored = read(&store, &account).await.unwrap();
        assert_eq!((stored.len(), &stored[0]), (RECENT_RUNS_MAX, &run(RECENT_RUNS_MAX + 8)));
    }
}
