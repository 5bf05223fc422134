//! Everything that was ever stored, in order, with the virtual time at which it was.

use async_trait::async_trait;
use bytes::Bytes;
use errand_domain::CommitId;
use errand_store::memory::MemoryLog;
use errand_store::{AppendError, Entry, EventLog, LogError, LogKey, Position, Record, TailFrom, TailStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use tokio::sync::Notify;
use tokio::time::Instant;

/// One stored commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredCommit {
    pub elapsed_ms: u128,
    pub key: LogKey,
    pub position: Position,
    pub commit_id: CommitId,
    pub payload: Bytes,
}

/// The in-memory log, which also keeps its own history.
#[derive(Debug)]
pub struct RecordedLog {
    inner: MemoryLog,
    began: Instant,
    stored: Mutex<Vec<StoredCommit>>,
    conflicts: AtomicU64,
    /// Tails wait here: in order of arrival, which the log's own watch channel does not promise.
    pub appended: Notify,
}

impl RecordedLog {
    pub fn new(began: Instant) -> Self {
        // One partition: they share nothing, and a notifier's host slots wake its partitions in random order.
        Self {
            inner: MemoryLog::new(1),
            began,
            stored: Mutex::default(),
            conflicts: AtomicU64::new(0),
            appended: Notify::new(),
        }
    }

    pub fn stored(&self) -> Vec<StoredCommit> {
        self.stored.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Appends that were refused because another writer was first.
    pub fn conflicts(&self) -> u64 {
        self.conflicts.load(Ordering::Relaxed)
    }

    fn record(&self, key: &LogKey, position: Position, entry: Entry) {
        let elapsed_ms = self.began.elapsed().as_millis();
        let Entry { commit_id, payload } = entry;
        let commit = StoredCommit { elapsed_ms, key: key.clone(), position, commit_id, payload };
        self.stored.lock().unwrap_or_else(PoisonError::into_inner).push(commit);
        self.appended.notify_waiters();
    }
}

#[async_trait]
impl EventLog for RecordedLog {
    fn partitions(&self) -> u32 {
        self.inner.partitions()
    }

    async fn append(&self, key: &LogKey, expected: Option<Position>, entry: Entry) -> Result<Position, AppendError> {
        let answer = self.inner.append(key, expected, entry.clone()).await;
        match &answer {
            Ok(position) => self.record(key, *position, entry),
            Err(AppendError::Conflict) => {
                self.conflicts.fetch_add(1, Ordering::Relaxed);
            }
            Err(AppendError::Unknown(_) | AppendError::NotStored(_) | AppendError::TooLarge { .. }) => {}
        }
        answer
    }

    async fn last(&self, key: &LogKey) -> Result<Option<Record>, LogError> {
        self.inner.last(key).await
    }

    async fn read(&self, key: &LogKey, after: Option<Position>) -> Result<Vec<Record>, LogError> {
        self.inner.read(key, after).await
    }

    async fn tail(&self, partition: u32, from: TailFrom) -> Result<TailStream, LogError> {
        self.inner.tail(partition, from).await
    }

    async fn purge(&self, key: &LogKey, before: Position) -> Result<(), LogError> {
        self.inner.purge(key, before).await
    }
}
