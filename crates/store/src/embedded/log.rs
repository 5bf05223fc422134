//! The event log in sled. Appends go through the writer; reads see what is on disk and nothing else.

use async_trait::async_trait;
use errand_domain::limits::COMMIT_BYTES_MAX;
use std::sync::Arc;
use tokio::sync::watch;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use super::group::Request;
use super::tables::{TableError, Tables};
use super::writer::{Unanswered, Writer};
use crate::limits::CALL_DEADLINE;
use crate::log::{AppendError, Entry, EventLog, LogError, LogKey, Position, Record, TailFrom, TailStream};
use crate::memory::tail::{TailSource, follow};

#[derive(Debug)]
pub(super) struct EmbeddedLog {
    tables: Arc<Tables>,
    writer: Arc<Writer>,
    /// Each partition's newest record that is on disk.
    newest: Vec<watch::Receiver<Position>>,
}

impl EmbeddedLog {
    pub(super) fn new(tables: Arc<Tables>, writer: Arc<Writer>, newest: Vec<watch::Receiver<Position>>) -> Self {
        Self { tables, writer, newest }
    }

    fn newest(&self, partition: u32) -> Result<&watch::Receiver<Position>, LogError> {
        let unknown = || LogError::Unusable { reason: format!("there is no partition {partition}") };
        self.newest.get(partition as usize).ok_or_else(unknown)
    }
}

fn unavailable(reason: &str) -> LogError {
    LogError::Unavailable { reason: reason.to_owned() }
}

/// Asks with a deadline; for calls whose lost answer can be asked for again.
async fn ask<T>(
    writer: &Writer,
    request: impl FnOnce(tokio::sync::oneshot::Sender<Result<T, LogError>>) -> Request,
) -> Result<T, LogError> {
    match timeout(CALL_DEADLINE, writer.ask(request)).await {
        Ok(Ok(answer)) => answer,
        Ok(Err(Unanswered::NotTaken | Unanswered::Unknown)) => Err(unavailable("the store is closed")),
        Err(_) => Err(unavailable("the disk did not answer in time")),
    }
}

/// Reads sled, which may wait for the disk, on a thread for that.
async fn read_tables<T: Send + 'static>(
    tables: &Arc<Tables>,
    read: impl FnOnce(&Tables) -> Result<T, TableError> + Send + 'static,
) -> Result<T, LogError> {
    let tables = Arc::clone(tables);
    match spawn_blocking(move || read(&tables)).await {
        Ok(found) => Ok(found?),
        Err(_) => Err(unavailable("reading was cut short")),
    }
}

#[async_trait]
impl EventLog for EmbeddedLog {
    fn partitions(&self) -> u32 {
        self.newest.len() as u32
    }

    async fn append(&self, key: &LogKey, expected: Option<Position>, entry: Entry) -> Result<Position, AppendError> {
        let payload = entry.payload;
        let bytes = payload.len();
        if bytes > COMMIT_BYTES_MAX {
            return Err(AppendError::TooLarge { bytes, max: COMMIT_BYTES_MAX });
        }
        let key = key.clone();
        match self.writer.ask(|answer| Request::Append { key, expected, payload, answer }).await {
            Ok(answer) => answer,
            Err(Unanswered::NotTaken) => Err(AppendError::NotStored(unavailable("the store is closed"))),
            Err(Unanswered::Unknown) => Err(AppendError::Unknown(unavailable("the writer ended"))),
        }
    }

    async fn last(&self, key: &LogKey) -> Result<Option<Record>, LogError> {
        let key = key.clone();
        ask(&self.writer, |answer| Request::Last { key, answer }).await
    }

    async fn read(&self, key: &LogKey, after: Option<Position>) -> Result<Vec<Record>, LogError> {
        let up_to = *self.newest(key.partition(self.partitions()))?.borrow();
        let after = after.unwrap_or(Position(0));
        if after >= up_to {
            return Ok(Vec::new());
        }
        let key = key.clone();
        read_tables(&self.tables, move |tables| tables.read(&key, after, up_to)).await
    }

    async fn tail(&self, partition: u32, from: TailFrom) -> Result<TailStream, LogError> {
        let newest = self.newest(partition)?.clone();
        Ok(follow(Arc::new(Stored(Arc::clone(&self.tables))), partition, newest, from))
    }

    async fn purge(&self, key: &LogKey, before: Position) -> Result<(), LogError> {
        let key = key.clone();
        ask(&self.writer, |answer| Request::Purge { key, before, answer }).await
    }
}

struct Stored(Arc<Tables>);

#[async_trait]
impl TailSource for Stored {
    async fn between(
        &self,
        partition: u32,
        after: Position,
        up_to: Position,
        count_max: usize,
    ) -> Result<Vec<Record>, LogError> {
        read_tables(&self.0, move |tables| tables.between(partition, after, up_to, count_max)).await
    }
}
