//! The event log in memory.

use async_trait::async_trait;
use bytes::Bytes;
use errand_domain::limits::COMMIT_BYTES_MAX;
use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::watch;

use super::tail::{TailSource, follow};
use crate::log::{AppendError, Entry, EventLog, LogError, LogKey, Position, Record, TailFrom, TailStream};
use crate::sabotage::Sabotage;

/// Keeps every record in two maps.
#[derive(Debug)]
pub struct MemoryLog {
    records: Arc<Records>,
    partitions: Vec<watch::Sender<Position>>,
    sabotage: Option<Sabotage>,
}

#[derive(Debug, Default)]
struct Records(Mutex<Tables>);

#[derive(Debug, Default)]
struct Tables {
    by_key: BTreeMap<LogKey, BTreeMap<Position, Bytes>>,
    by_position: BTreeMap<(u32, Position), LogKey>,
}

impl MemoryLog {
    /// An empty log; no partitions count as one.
    #[must_use]
    pub fn new(partitions: u32) -> Self {
        Self {
            records: Arc::default(),
            partitions: (0..partitions.max(1)).map(|_| watch::Sender::new(Position(0))).collect(),
            sabotage: Sabotage::from_env(),
        }
    }

    fn partition(&self, partition: u32) -> Result<&watch::Sender<Position>, LogError> {
        let unknown = || LogError::Unusable { reason: format!("there is no partition {partition}") };
        self.partitions.get(partition as usize).ok_or_else(unknown)
    }
}

impl Records {
    fn lock(&self) -> MutexGuard<'_, Tables> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Tables {
    fn head(&self, key: &LogKey) -> Option<Position> {
        self.by_key.get(key)?.last_key_value().map(|(position, _)| *position)
    }

    fn record(&self, key: &LogKey, position: Position) -> Option<Record> {
        let payload = self.by_key.get(key)?.get(&position)?.clone();
        Some(Record { key: key.clone(), position, payload })
    }
}

#[async_trait]
impl EventLog for MemoryLog {
    fn partitions(&self) -> u32 {
        self.partitions.len() as u32
    }

    async fn append(&self, key: &LogKey, expected: Option<Position>, entry: Entry) -> Result<Position, AppendError> {
        let bytes = entry.payload.len();
        if bytes > COMMIT_BYTES_MAX {
            return Err(AppendError::TooLarge { bytes, max: COMMIT_BYTES_MAX });
        }
        let partition = key.partition(self.partitions());
        let newest = self.partition(partition).map_err(AppendError::NotStored)?;
        let mut tables = self.records.lock();
        if tables.head(key) != expected && self.sabotage != Some(Sabotage::DropExpected) {
            return Err(AppendError::Conflict);
        }
        let position = Position(newest.borrow().0 + 1);
        tables.by_key.entry(key.clone()).or_default().insert(position, entry.payload);
        tables.by_position.insert((partition, position), key.clone());
        newest.send_replace(position);
        Ok(position)
    }

    async fn last(&self, key: &LogKey) -> Result<Option<Record>, LogError> {
        let tables = self.records.lock();
        Ok(tables.head(key).and_then(|head| tables.record(key, head)))
    }

    async fn read(&self, key: &LogKey, after: Option<Position>) -> Result<Vec<Record>, LogError> {
        let tables = self.records.lock();
        let Some(records) = tables.by_key.get(key) else {
            return Ok(Vec::new());
        };
        let from = after.map_or(Bound::Unbounded, Bound::Excluded);
        let to_record = |(position, payload): (&Position, &Bytes)| Record {
            key: key.clone(),
            position: *position,
            payload: payload.clone(),
        };
        Ok(records.range((from, Bound::Unbounded)).map(to_record).collect())
    }

    async fn tail(&self, partition: u32, from: TailFrom) -> Result<TailStream, LogError> {
        let newest = self.partition(partition)?.subscribe();
        Ok(follow(Arc::clone(&self.records), partition, newest, from))
    }

    async fn purge(&self, key: &LogKey, before: Position) -> Result<(), LogError> {
        let partition = key.partition(self.partitions());
        let mut guard = self.records.lock();
        let tables = &mut *guard;
        // The last record always stays, or the key could be used again.
        let Some(keep_from) = tables.head(key).map(|head| head.min(before)) else {
            return Ok(());
        };
        let Some(records) = tables.by_key.get_mut(key) else {
            return Ok(());
        };
        let kept = records.split_off(&keep_from);
        for position in std::mem::replace(records, kept).into_keys() {
            tables.by_position.remove(&(partition, position));
        }
        Ok(())
    }
}

#[async_trait]
impl TailSource for Records {
    async fn between(
        &self,
        partition: u32,
        after: Position,
        up_to: Position,
        count_max: usize,
    ) -> Result<Vec<Record>, LogError> {
        let tables = self.lock();
        let range = (Bound::Excluded((partition, after)), Bound::Included((partition, up_to)));
        let found = tables.by_position.range(range).take(count_max);
        Ok(found.filter_map(|((_, position), key)| tables.record(key, *position)).collect())
    }
}
