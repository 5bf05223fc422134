//! Where a partition's notifier takes up again: the position up to which it has followed the log, and the runs that had
//! something to deliver there. Only a head start; without it the log is followed from its first record.

use errand_domain::RunId;
use errand_store::{Bucket, KeyValue, KeyValueError, Position};
use serde::{Deserialize, Serialize};

/// Every run with an undelivered event or an open claim at `position` is in `runs`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshot {
    pub position: u64,
    pub runs: Vec<RunId>,
}

impl Snapshot {
    fn key(partition: u32) -> String {
        format!("notifier-{partition}")
    }

    /// The stored snapshot; one that cannot be read counts as none.
    ///
    /// # Errors
    /// When the store cannot be reached.
    pub async fn load(keyvalue: &dyn KeyValue, partition: u32) -> Result<Option<Self>, KeyValueError> {
        let entry = keyvalue.get(Bucket::Views, &Self::key(partition)).await?;
        Ok(entry.and_then(|entry| serde_json::from_slice(&entry.value).ok()))
    }

    /// Stores the snapshot. An older one that replaces a newer one costs time, never correctness.
    ///
    /// # Errors
    /// When the store cannot be reached.
    pub async fn save(&self, keyvalue: &dyn KeyValue, partition: u32) -> Result<(), KeyValueError> {
        let value = serde_json::to_vec(self).unwrap_or_default();
        keyvalue.put(Bucket::Views, &Self::key(partition), value.into()).await.map(|_| ())
    }

    #[must_use]
    pub fn position(&self) -> Position {
        Position(self.position)
    }
}
