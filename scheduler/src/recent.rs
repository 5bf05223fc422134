//! The index of each account's most recent runs: a bounded list per account, newest first, rebuilt from the log when it
//! is lost.

use errand_domain::{AccountId, RunId};
use errand_store::{Bucket, KeyValue, KeyValueError};

/// SPEC §1 shows 50; the filter by status looks further back.
pub const RECENT_RUNS_MAX: usize = 500;

/// Adds a run to its account's index. Adding it again changes nothing.
///
/// # Errors
/// When the store cannot be reached.
pub async fn add(keyvalue: &dyn KeyValue, account: &AccountId, run_id: &RunId) -> Result<(), KeyValueError> {
    let entry = keyvalue.get(Bucket::Recent, account.as_str()).await?;
    let mut recent: Vec<RunId> = entry.and_then(|entry| serde_json::from_slice(&entry.value).ok()).unwrap_or_default();
    if recent.contains(run_id) {
        return Ok(());
    }
    // Ids sort by time, so a run that a replay brings late still finds its place.
    let place = recent.iter().position(|other| other < run_id).unwrap_or(recent.len());
    recent.insert(place, run_id.clone());
    recent.truncate(RECENT_RUNS_MAX);
    let value = serde_json::to_vec(&recent).unwrap_or_default();
    keyvalue.put(Bucket::Recent, account.as_str(), value.into()).await.map(|_| ())
}
