//! Whose run a deleted run was. The log keeps a tombstone without content; this record lets its account be told 410
//! while others see 404.

use errand_domain::{AccountId, RunId};
use errand_store::{Bucket, KeyValue, KeyValueError};

fn key(run_id: &RunId) -> String {
    format!("deleted/{run_id}")
}

/// Stored before the run's history goes.
pub(crate) async fn keep_owner(
    keyvalue: &dyn KeyValue,
    run_id: &RunId,
    account: &AccountId,
) -> Result<(), KeyValueError> {
    let value = account.as_str().to_owned().into_bytes();
    keyvalue.put(Bucket::Views, &key(run_id), value.into()).await.map(|_| ())
}

/// The account, unless the record was lost.
pub(crate) async fn owner(keyvalue: &dyn KeyValue, run_id: &RunId) -> Result<Option<AccountId>, KeyValueError> {
    let entry = keyvalue.get(Bucket::Views, &key(run_id)).await?;
    Ok(entry.and_then(|entry| AccountId::parse(std::str::from_utf8(&entry.value).ok()?).ok()))
}
