//! What is stored in sled, as records and values.

use bytes::{Buf, BufMut, Bytes, BytesMut};
use sled::{Batch, Db, Tree};
use std::fs::File;
use std::sync::{PoisonError, RwLock, RwLockReadGuard};
use thiserror::Error;

use super::disk::SledSync;
use super::folder::{Folder, file_error, sync_dir};
use super::{EmbeddedError, layout, pieces};
use crate::keyvalue::{Bucket, KeyValueEntry, Revision};
use crate::log::{LogError, LogKey, Position, Record};

/// A call to sled that failed. After one that wrote, nothing more is written.
#[derive(Debug, Error)]
pub(super) enum TableError {
    #[error(transparent)]
    Sled(#[from] sled::Error),
    #[error("{0}")]
    Corrupt(&'static str),
}

impl From<TableError> for LogError {
    fn from(error: TableError) -> Self {
        let reason = error.to_string();
        match error {
            TableError::Corrupt(_) | TableError::Sled(sled::Error::Corruption { .. }) => Self::Corrupt { reason },
            TableError::Sled(_) => Self::Unavailable { reason },
        }
    }
}

/// Adds a record to what [`Tables::append`] stores.
pub(super) fn add_record(records: &mut Batch, key: &LogKey, partition: u32, position: Position, payload: &[u8]) {
    pieces::insert(records, &layout::record(key, position), payload);
    records.insert(layout::position(partition, position), layout::log_name(key));
}

/// The tree of all records and values, and the folder that it is in. Only the writer calls what changes it.
#[derive(Debug)]
pub(super) struct Tables {
    database: Db,
    tree: Tree,
    /// Held for writing while something stored is removed or replaced: sled's scans are not snapshots.
    changes: RwLock<()>,
    // Last, so that the folder is let go after sled is closed.
    folder: Folder,
}

impl Tables {
    pub(super) fn open(folder: Folder, cache_bytes: u64) -> Result<(Self, SledSync), EmbeddedError> {
        let path = folder.database();
        let database_error = |source| EmbeddedError::Database { folder: path.clone(), source };
        let config = sled::Config::new().path(&path).cache_capacity(cache_bytes).flush_every_ms(None);
        let database = config.open().map_err(database_error)?;
        let tree = database.open_tree("tables").map_err(database_error)?;
        database.flush().map_err(database_error)?;
        let file_path = path.join("db");
        let file = File::open(&file_path).map_err(file_error(&file_path))?;
        file.sync_all().map_err(file_error(&file_path))?;
        sync_dir(&path).map_err(file_error(&path))?;
        let sync = SledSync::new(database.clone(), file);
        Ok((Self { database, tree, changes: RwLock::new(()), folder }, sync))
    }

    pub(super) fn folder(&self) -> &Folder {
        &self.folder
    }

    fn hold_still(&self) -> RwLockReadGuard<'_, ()> {
        self.changes.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, batch: Batch) -> Result<(), TableError> {
        let _alone = self.changes.write().unwrap_or_else(PoisonError::into_inner);
        Ok(self.tree.apply_batch(batch)?)
    }

    /// The highest position given in a partition.
    pub(super) fn newest(&self, partition: u32) -> Result<Position, TableError> {
        let Some(entry) = self.tree.scan_prefix(layout::partition_prefix(partition)).next_back() else {
            return Ok(Position(0));
        };
        let (key, _) = entry?;
        layout::position_of(&key).ok_or(TableError::Corrupt("a position cannot be read"))
    }

    /// A log's last position.
    pub(super) fn head(&self, key: &LogKey) -> Result<Option<Position>, TableError> {
        let prefix = layout::log_prefix(key);
        let Some(entry) = self.tree.scan_prefix(&prefix).next_back() else {
            return Ok(None);
        };
        let (stored, _) = entry?;
        let position = layout::record_position(&stored[prefix.len()..]);
        position.map(Some).ok_or(TableError::Corrupt("a record's key cannot be read"))
    }

    /// Stores a group's new records.
    pub(super) fn append(&self, records: Batch) -> Result<(), TableError> {
        Ok(self.tree.apply_batch(records)?)
    }

    fn record(&self, key: &LogKey, position: Position) -> Result<Option<Record>, TableError> {
        let payload = pieces::get(&self.tree, &layout::record(key, position))?;
        Ok(payload.map(|payload| Record { key: key.clone(), position, payload }))
    }

    pub(super) fn last(&self, key: &LogKey) -> Result<Option<Record>, TableError> {
        match self.head(key)? {
            Some(head) => self.record(key, head),
            None => Ok(None),
        }
    }

    /// A log's records after one position and up to another.
    pub(super) fn read(&self, key: &LogKey, after: Position, up_to: Position) -> Result<Vec<Record>, TableError> {
        let _still = self.hold_still();
        let mut records = Vec::new();
        for position in self.positions(key, after, up_to)? {
            let missing = TableError::Corrupt("a record is missing");
            records.push(self.record(key, position)?.ok_or(missing)?);
        }
        Ok(records)
    }

    /// A log's positions after one and up to another.
    fn positions(&self, key: &LogKey, after: Position, up_to: Position) -> Result<Vec<Position>, TableError> {
        let prefix_bytes = layout::log_prefix(key).len();
        let from = layout::record(key, Position(after.0.saturating_add(1)));
        let to = layout::record(key, Position(up_to.0.saturating_add(1)));
        let mut positions = Vec::new();
        for stored in self.tree.range(from..to).keys() {
            let stored = stored?;
            let position = layout::record_position(&stored[prefix_bytes..])
                .ok_or(TableError::Corrupt("a record's key cannot be read"))?;
            if positions.last() != Some(&position) {
                positions.push(position);
            }
        }
        Ok(positions)
    }

    /// A partition's records after one position and up to another.
    pub(super) fn between(
        &self,
        partition: u32,
        after: Position,
        up_to: Position,
        count_max: usize,
    ) -> Result<Vec<Record>, TableError> {
        let _still = self.hold_still();
        let from = layout::position(partition, Position(after.0.saturating_add(1)));
        let to = layout::position(partition, Position(up_to.0.saturating_add(1)));
        let mut records = Vec::new();
        for entry in self.tree.range(from..to).take(count_max) {
            let (stored, name) = entry?;
            let unreadable = TableError::Corrupt("a position cannot be read");
            let (Some(position), Some(key)) = (layout::position_of(&stored), layout::parse_log_name(&name)) else {
                return Err(unreadable);
            };
            let missing = TableError::Corrupt("a record is missing");
            records.push(self.record(&key, position)?.ok_or(missing)?);
        }
        Ok(records)
    }

    /// Removes a log's records before a position, but never the last one.
    pub(super) fn purge(&self, key: &LogKey, partition: u32, before: Position) -> Result<(), TableError> {
        let Some(head) = self.head(key)? else {
            return Ok(());
        };
        let up_to = Position(head.min(before).0.saturating_sub(1));
        let mut batch = Batch::default();
        for position in self.positions(key, Position(0), up_to)? {
            pieces::remove(&self.tree, &mut batch, &layout::record(key, position))?;
            batch.remove(layout::position(partition, position));
        }
        self.change(batch)
    }

    pub(super) fn value(&self, bucket: Bucket, key: &str) -> Result<Option<KeyValueEntry>, TableError> {
        let _still = self.hold_still();
        let Some(mut stored) = pieces::get(&self.tree, &layout::value(bucket, key))? else {
            return Ok(None);
        };
        let revision = stored.try_get_u64().map_err(|_| TableError::Corrupt("a value has no revision"))?;
        Ok(Some(KeyValueEntry { value: stored, revision: Revision(revision) }))
    }

    pub(super) fn set_value(&self, bucket: Bucket, key: &str, value: &Bytes) -> Result<Revision, TableError> {
        // Rises for ever, restarts included.
        let revision = self.database.generate_id()?;
        let mut stored = BytesMut::with_capacity(8 + value.len());
        stored.put_u64(revision);
        stored.put_slice(value);
        let key = layout::value(bucket, key);
        let mut batch = Batch::default();
        pieces::remove(&self.tree, &mut batch, &key)?;
        pieces::insert(&mut batch, &key, &stored);
        self.change(batch)?;
        Ok(Revision(revision))
    }

    pub(super) fn remove_value(&self, bucket: Bucket, key: &str) -> Result<bool, TableError> {
        let mut batch = Batch::default();
        let was_there = pieces::remove(&self.tree, &mut batch, &layout::value(bucket, key))?;
        self.change(batch)?;
        Ok(was_there)
    }

    /// A bucket's keys with a prefix, sorted.
    pub(super) fn value_keys(&self, bucket: Bucket, prefix: &str) -> Result<Vec<String>, TableError> {
        let _still = self.hold_still();
        let mut keys = Vec::new();
        for stored in self.tree.scan_prefix(layout::value(bucket, prefix)).keys() {
            let stored = stored?;
            let parsed = pieces::split_key(&stored).and_then(|(key, number)| Some((layout::parse_value(key)?, number)));
            let (key, number) = parsed.ok_or(TableError::Corrupt("a value's key cannot be read"))?;
            // A shorter key's piece number may look like the rest of the prefix.
            if number == 0 && key.starts_with(prefix) {
                keys.push(key);
            }
        }
        keys.sort_unstable();
        Ok(keys)
    }
}
