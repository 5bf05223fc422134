//! The index of each account's runs, newest first: a bounded list of the newest, and behind it parts with the older ones,
//! each named by its oldest run. It is written by whoever creates a run and again by the scheduler; it may be lost, and an
//! entry without a run means nothing.

use bytes::Bytes;
use errand_domain::{AccountId, RunId};
use std::collections::BTreeSet;

use crate::keyvalue::{Bucket, KeyValue, KeyValueEntry, KeyValueError};
use crate::limits::{INDEX_TRIES_MAX, RECENT_RUNS_MAX};

/// The account's newest run ids that are older than `before`, newest first: at least `count`, unless there are fewer.
///
/// # Errors
/// When the store cannot be reached.
pub async fn list(
    keyvalue: &dyn KeyValue,
    account: &AccountId,
    before: Option<&RunId>,
    count: usize,
) -> Result<Vec<RunId>, KeyValueError> {
    let is_older = |run_id: &RunId| before.is_none_or(|before| run_id < before);
    let newest = ids_in(keyvalue.get(Bucket::Recent, account.as_str()).await?.as_ref());
    let mut found: BTreeSet<RunId> = newest.into_iter().filter(is_older).collect();
    if found.len() < count {
        for oldest in parts(keyvalue, account).await?.iter().rev().filter(|oldest| is_older(oldest)) {
            let part = ids_in(keyvalue.get(Bucket::Recent, &part_key(account, oldest)).await?.as_ref());
            found.extend(part.into_iter().filter(is_older));
            if found.len() >= count {
                break;
            }
        }
    }
    Ok(found.into_iter().rev().collect())
}

/// The accounts that have an index.
///
/// # Errors
/// When the store cannot be reached.
pub async fn accounts(keyvalue: &dyn KeyValue) -> Result<Vec<AccountId>, KeyValueError> {
    let keys = keyvalue.keys(Bucket::Recent, "").await?;
    // The key of a part is no account's name.
    Ok(keys.iter().filter_map(|key| AccountId::parse(key).ok()).collect())
}

/// Adds runs; adding one again changes nothing. Writers that meet each other lose nothing.
///
/// # Errors
/// When the store cannot be reached, or so many writers were there first that this one gives up.
pub async fn add(keyvalue: &dyn KeyValue, account: &AccountId, added: &BTreeSet<RunId>) -> Result<(), KeyValueError> {
    for _ in 0..INDEX_TRIES_MAX {
        match try_add(keyvalue, account, added).await {
            Err(KeyValueError::Conflict) => {}
            ended => return ended,
        }
    }
    Err(KeyValueError::Conflict)
}

async fn try_add(keyvalue: &dyn KeyValue, account: &AccountId, added: &BTreeSet<RunId>) -> Result<(), KeyValueError> {
    let entry = keyvalue.get(Bucket::Recent, account.as_str()).await?;
    let mut newest = ids_in(entry.as_ref());
    let mut missing: BTreeSet<RunId> = added.difference(&newest).cloned().collect();
    if let Some(first) = newest.first() {
        let newer = missing.split_off(first);
        missing = add_late(keyvalue, account, missing).await?;
        missing.extend(newer);
    }
    if missing.is_empty() {
        return Ok(());
    }
    newest.extend(missing);
    if newest.len() > RECENT_RUNS_MAX {
        let older: BTreeSet<RunId> = newest.iter().take(newest.len() - RECENT_RUNS_MAX / 2).cloned().collect();
        newest = newest.difference(&older).cloned().collect();
        // First, so that a run is never in neither; one that is in both is listed once.
        add_to_part(keyvalue, account, older).await?;
    }
    write(keyvalue, account.as_str(), entry.as_ref(), &newest).await
}

/// Runs older than all of the list belong to the part that reaches that far back. Gives them back while there are no parts.
async fn add_late(
    keyvalue: &dyn KeyValue,
    account: &AccountId,
    mut late: BTreeSet<RunId>,
) -> Result<BTreeSet<RunId>, KeyValueError> {
    if late.is_empty() {
        return Ok(late);
    }
    let parts = parts(keyvalue, account).await?;
    if parts.is_empty() {
        return Ok(late);
    }
    for oldest in parts.iter().rev() {
        let of_part = late.split_off(oldest);
        if !of_part.is_empty() {
            add_ids(keyvalue, &part_key(account, oldest), of_part).await?;
        }
    }
    add_to_part(keyvalue, account, late).await?;
    Ok(BTreeSet::new())
}

async fn add_to_part(
    keyvalue: &dyn KeyValue,
    account: &AccountId,
    run_ids: BTreeSet<RunId>,
) -> Result<(), KeyValueError> {
    let Some(oldest) = run_ids.first().cloned() else { return Ok(()) };
    add_ids(keyvalue, &part_key(account, &oldest), run_ids).await
}

async fn add_ids(keyvalue: &dyn KeyValue, key: &str, added: BTreeSet<RunId>) -> Result<(), KeyValueError> {
    let entry = keyvalue.get(Bucket::Recent, key).await?;
    let mut run_ids = ids_in(entry.as_ref());
    if added.is_subset(&run_ids) {
        return Ok(());
    }
    run_ids.extend(added);
    write(keyvalue, key, entry.as_ref(), &run_ids).await
}

async fn write(
    keyvalue: &dyn KeyValue,
    key: &str,
    entry: Option<&KeyValueEntry>,
    run_ids: &BTreeSet<RunId>,
) -> Result<(), KeyValueError> {
    let newest_first: Vec<&RunId> = run_ids.iter().rev().collect();
    // Strings: serialising them cannot fail.
    let value: Bytes = serde_json::to_vec(&newest_first).unwrap_or_default().into();
    match entry {
        None => keyvalue.create(Bucket::Recent, key, value).await?,
        Some(entry) => keyvalue.update(Bucket::Recent, key, value, entry.revision).await?,
    };
    Ok(())
}

fn ids_in(entry: Option<&KeyValueEntry>) -> BTreeSet<RunId> {
    entry.and_then(|entry| serde_json::from_slice(&entry.value).ok()).unwrap_or_default()
}

/// The oldest run of each part, sorted.
async fn parts(keyvalue: &dyn KeyValue, account: &AccountId) -> Result<BTreeSet<RunId>, KeyValueError> {
    let prefix = format!("{account}/");
    let keys = keyvalue.keys(Bucket::Recent, &prefix).await?;
    Ok(keys.iter().filter_map(|key| RunId::parse(key.strip_prefix(&prefix)?).ok()).collect())
}

fn part_key(account: &AccountId, oldest: &RunId) -> String {
    format!("{account}/{oldest}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::MemoryKeyValue;
    use errand_domain::Timestamp;

    fn run(n: usize) -> RunId {
        RunId::new(Timestamp::from_millis(n as i64), 0)
    }

    fn account() -> AccountId {
        AccountId::parse("a").unwrap()
    }

    async fn pages(store: &MemoryKeyValue, count: usize) -> Vec<RunId> {
        let mut all: Vec<RunId> = Vec::new();
        loop {
            let page = list(store, &account(), all.last(), count).await.unwrap();
            if page.is_empty() {
                return all;
            }
            all.extend(page.into_iter().take(count));
        }
    }

    #[tokio::test]
    async fn every_run_is_listed_once_newest_first_however_many_there_are() {
        let store = MemoryKeyValue::default();
        let total = 3 * RECENT_RUNS_MAX + 7;
        for n in 0..total {
            add(&store, &account(), &BTreeSet::from([run(n)])).await.unwrap();
        }
        let newest_first: Vec<RunId> = (0..total).rev().map(run).collect();
        for count in [1, 50, 2_000] {
            assert_eq!(pages(&store, count).await, newest_first, "{count}");
        }
        let newest = ids_in(store.get(Bucket::Recent, "a").await.unwrap().as_ref());
        assert!(newest.len() <= RECENT_RUNS_MAX, "what every creation writes is bounded");
        assert_eq!(accounts(&store).await.unwrap(), [account()]);
    }

    #[tokio::test]
    async fn runs_that_are_added_again_make_no_further_parts() {
        let store = MemoryKeyValue::default();
        let total = 2 * RECENT_RUNS_MAX;
        let all: BTreeSet<RunId> = (0..total).map(run).collect();
        add(&store, &account(), &all).await.unwrap();
        let before = store.keys(Bucket::Recent, "").await.unwrap();
        for n in 0..total {
            add(&store, &account(), &BTreeSet::from([run(n)])).await.unwrap();
        }
        assert_eq!(store.keys(Bucket::Recent, "").await.unwrap(), before);
        assert_eq!(pages(&store, 50).await.len(), total);
    }

    #[tokio::test]
    async fn a_run_that_comes_late_is_listed_in_its_place() {
        let store = MemoryKeyValue::default();
        let evens: BTreeSet<RunId> = (1..RECENT_RUNS_MAX + 20).map(|n| run(2 * n)).collect();
        add(&store, &account(), &evens).await.unwrap();
        let late = BTreeSet::from([run(0), run(41), run(2 * RECENT_RUNS_MAX + 1)]);
        add(&store, &account(), &late).await.unwrap();
        let all: BTreeSet<RunId> = evens.union(&late).cloned().collect();
        let wanted: Vec<RunId> = all.into_iter().rev().collect();
        assert_eq!(pages(&store, 50).await, wanted);
    }
}
