//! What is stored in sled, as records and values.

use bytes::{Buf, BufMut, Bytes, BytesMut};
use errand_domain::RunId;
use sled::Tree;
use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard};
use thiserror::Error;

use super::disk::SledSync;
use super::folder::{Folder, file_error, make_private, sync_dir};
use super::frame;
use super::ledger::{Change, LEDGER_KEY, Ledger};
use super::pieces::{self, Pieces};
use super::run_keys::RunKeys;
use super::{EmbeddedError, layout};
use crate::keyvalue::{Bucket, KeyValueEntry, Revision};
use crate::log::{LogError, LogKey, LogKind, Position, Record};

/// Before a record's payload: as it is. Only what is left of a deleted run.
const PLAIN: u8 = 0;
/// Before a record's payload: sealed under its run's key.
const SEALED: u8 = 1;

/// A call to sled that failed. After one that wrote, nothing more is written.
#[derive(Debug, Error)]
pub(super) enum TableError {
    #[error(transparent)]
    Sled(#[from] sled::Error),
    #[error("the keys of runs cannot be used")]
    Keys(#[source] io::Error),
    #[error("{record} is damaged: its checksum is wrong, or a part of it is missing")]
    Damaged { record: String },
}

impl TableError {
    /// Whether trying again cannot help.
    pub(super) fn is_damage(&self) -> bool {
        match self {
            Self::Damaged { .. } | Self::Sled(sled::Error::Corruption { .. }) => true,
            Self::Sled(_) | Self::Keys(_) => false,
        }
    }
}

impl From<TableError> for LogError {
    fn from(error: TableError) -> Self {
        let reason = error.to_string();
        if error.is_damage() { Self::Corrupt { reason } } else { Self::Unavailable { reason } }
    }
}

/// Whether a record's stored value is sealed.
pub(super) fn is_sealed(value: &[u8]) -> bool {
    value.first() == Some(&SEALED)
}

/// A record's stored value that everybody can read.
pub(super) fn plain_value(payload: &[u8]) -> Vec<u8> {
    [&[PLAIN], payload].concat()
}

/// The payload in a record's stored value.
pub(super) fn open_value(keys: &RunKeys, key: &LogKey, position: Position, value: &[u8]) -> Option<Bytes> {
    match value.split_first()? {
        (&PLAIN, payload) => Some(Bytes::copy_from_slice(payload)),
        (&SEALED, sealed) => {
            let place = layout::record(key, position);
            keys.open_sealed(&key.run_id, &place, sealed).ok().map(Bytes::from)
        }
        _ => None,
    }
}

/// The tree of all records and values, and the folder that it is in. Only the writer calls what changes it.
#[derive(Debug)]
pub(super) struct Tables {
    tree: Tree,
    ledger: Mutex<Ledger>,
    keys: RunKeys,
    verify: bool,
    /// Held for writing while something stored is removed or replaced: sled's scans are not snapshots.
    changes: RwLock<()>,
    // Last, so that the folder is let go after sled is closed.
    _folder: Option<Folder>,
}

/// What a purge left.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Purged {
    /// Nothing of the run is sealed any more: its key is to be destroyed once that is on the disk.
    KeyNotNeeded,
    KeyNeeded,
}

impl Tables {
    /// Opens a database whose folder is held by the caller, or by `folder`.
    pub(super) fn open(
        path: &Path,
        keys: RunKeys,
        cache_bytes: u64,
        verify: bool,
        folder: Option<Folder>,
    ) -> Result<(Self, SledSync), EmbeddedError> {
        let database_error = |source| EmbeddedError::Database { folder: path.to_owned(), source };
        let config = sled::Config::new().path(path).cache_capacity(cache_bytes).flush_every_ms(None);
        let database = config.open().map_err(database_error)?;
        let tree = database.open_tree(layout::TREE).map_err(database_error)?;
        database.flush().map_err(database_error)?;
        let file_path = path.join("db");
        let file = File::open(&file_path).map_err(file_error(&file_path))?;
        file.sync_all().map_err(file_error(&file_path))?;
        make_private(path).and_then(|()| sync_dir(path)).map_err(file_error(path))?;
        let sync = SledSync::new(database, file);
        let stored = tree.get(LEDGER_KEY).map_err(database_error)?;
        let ledger = stored.map(|stored| read_ledger(&stored).ok_or(())).transpose();
        let unreadable =
            |()| EmbeddedError::Corrupt { folder: path.to_owned(), reason: "its ledger cannot be read".to_owned() };
        let ledger = Mutex::new(ledger.map_err(unreadable)?.unwrap_or_default());
        let tables = Self { tree, ledger, keys, verify, changes: RwLock::new(()), _folder: folder };
        Ok((tables, sync))
    }

    pub(super) fn keys(&self) -> &RunKeys {
        &self.keys
    }

    /// The last change that was stored.
    pub(super) fn changes(&self) -> u64 {
        self.ledger().changes
    }

    fn ledger(&self) -> MutexGuard<'_, Ledger> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn pieces(&self) -> Pieces<'_> {
        Pieces { tree: &self.tree, verify: self.verify }
    }

    /// Lets the next change have a number over this one; for a store that is made from another.
    pub(super) fn number_changes_after(&self, number: u64) {
        let mut ledger = self.ledger();
        ledger.changes = ledger.changes.max(number);
    }

    /// A change to add to; see [`Self::store`].
    pub(super) fn begin(&self) -> Change {
        Change::after(*self.ledger())
    }

    /// Stores a change that only adds.
    pub(super) fn store(&self, change: Change) -> Result<(), TableError> {
        if change.is_empty() {
            return Ok(());
        }
        let mut ledger = self.ledger();
        let (batch, next) = change.close(*ledger);
        self.tree.apply_batch(batch)?;
        *ledger = next;
        Ok(())
    }

    fn hold_still(&self) -> RwLockReadGuard<'_, ()> {
        self.changes.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stores a change that removes or replaces.
    fn change(&self, change: Change) -> Result<(), TableError> {
        let _alone = self.changes.write().unwrap_or_else(PoisonError::into_inner);
        self.store(change)
    }

    /// The highest position given in a partition.
    pub(super) fn newest(&self, partition: u32) -> Result<Position, TableError> {
        let Some(entry) = self.tree.scan_prefix(layout::partition_prefix(partition)).next_back() else {
            return Ok(Position(0));
        };
        let (key, _) = entry?;
        layout::position_of(&key).ok_or_else(|| damaged(&key))
    }

    /// A log's last position.
    pub(super) fn head(&self, key: &LogKey) -> Result<Option<Position>, TableError> {
        let prefix = layout::log_prefix(key);
        let Some(entry) = self.tree.scan_prefix(&prefix).next_back() else {
            return Ok(None);
        };
        let (stored, _) = entry?;
        let position = layout::record_position(&stored[prefix.len()..]);
        position.map(Some).ok_or_else(|| damaged(&stored))
    }

    /// Adds a record, sealed under its run's key.
    pub(super) fn add_record(
        &self,
        change: &mut Change,
        key: &LogKey,
        partition: u32,
        position: Position,
        payload: &[u8],
    ) -> Result<(), TableError> {
        let place = layout::record(key, position);
        let sealed = self.keys.seal(&key.run_id, &place, payload).map_err(TableError::Keys)?;
        pieces::insert(change, &place, &[&[SEALED], sealed.as_slice()].concat());
        change.add(layout::position(partition, position), &layout::log_name(key));
        Ok(())
    }

    fn record_value(&self, key: &LogKey, position: Position) -> Result<Bytes, TableError> {
        let place = layout::record(key, position);
        self.pieces().get(&place)?.ok_or_else(|| damaged(&place))
    }

    fn record(&self, key: &LogKey, position: Position) -> Result<Record, TableError> {
        let value = self.record_value(key, position)?;
        let payload = open_value(&self.keys, key, position, &value);
        let payload = payload.ok_or_else(|| damaged(&layout::record(key, position)))?;
        Ok(Record { key: key.clone(), position, payload })
    }

    pub(super) fn last(&self, key: &LogKey) -> Result<Option<Record>, TableError> {
        match self.head(key)? {
            Some(head) => self.record(key, head).map(Some),
            None => Ok(None),
        }
    }

    /// A log's records after one position and up to another.
    pub(super) fn read(&self, key: &LogKey, after: Position, up_to: Position) -> Result<Vec<Record>, TableError> {
        let _still = self.hold_still();
        let positions = self.positions(key, after, up_to)?;
        positions.into_iter().map(|position| self.record(key, position)).collect()
    }

    /// A log's positions after one and up to another.
    fn positions(&self, key: &LogKey, after: Position, up_to: Position) -> Result<Vec<Position>, TableError> {
        let prefix_bytes = layout::log_prefix(key).len();
        let from = layout::record(key, Position(after.0.saturating_add(1)));
        let to = layout::record(key, Position(up_to.0.saturating_add(1)));
        let mut positions = Vec::new();
        for stored in self.tree.range(from..to).keys() {
            let stored = stored?;
            let position = layout::record_position(&stored[prefix_bytes..]).ok_or_else(|| damaged(&stored))?;
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
            let name = self.pieces().check(&stored, &name)?.body;
            let (Some(position), Some(key)) = (layout::position_of(&stored), layout::parse_log_name(name)) else {
                return Err(damaged(&stored));
            };
            records.push(self.record(&key, position)?);
        }
        Ok(records)
    }

    /// Removes a log's records before a position, but never the last one, which is no longer sealed when it is the only
    /// one left: a tombstone is read without the key.
    pub(super) fn purge(&self, key: &LogKey, partition: u32, before: Position) -> Result<Purged, TableError> {
        let Some(head) = self.head(key)? else {
            return Ok(Purged::KeyNeeded);
        };
        let up_to = Position(head.min(before).0.saturating_sub(1));
        let mut change = self.begin();
        for position in self.positions(key, Position(0), up_to)? {
            self.pieces().remove(&mut change, &layout::record(key, position))?;
            self.pieces().remove_piece(&mut change, layout::position(partition, position))?;
        }
        let is_alone = self.positions(key, up_to, head)? == [head];
        if is_alone && is_sealed(&self.record_value(key, head)?) {
            let payload = self.record(key, head)?.payload;
            let place = layout::record(key, head);
            self.pieces().remove(&mut change, &place)?;
            pieces::insert(&mut change, &place, &plain_value(&payload));
        }
        self.change(change)?;
        let needs_key = key.kind != LogKind::Run || self.holds_sealed(&key.run_id)?;
        Ok(if needs_key { Purged::KeyNeeded } else { Purged::KeyNotNeeded })
    }

    fn holds_sealed(&self, run_id: &RunId) -> Result<bool, TableError> {
        for key in [LogKey::run(run_id), LogKey::delivery(run_id)] {
            for position in self.positions(&key, Position(0), Position(u64::MAX - 1))? {
                if is_sealed(&self.record_value(&key, position)?) {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    pub(super) fn value(&self, bucket: Bucket, key: &str) -> Result<Option<KeyValueEntry>, TableError> {
        let _still = self.hold_still();
        let key = layout::value(bucket, key);
        let Some(mut stored) = self.pieces().get(&key)? else {
            return Ok(None);
        };
        let revision = stored.try_get_u64().map_err(|_| damaged(&key))?;
        Ok(Some(KeyValueEntry { value: stored, revision: Revision(revision) }))
    }

    pub(super) fn set_value(&self, bucket: Bucket, key: &str, value: &Bytes) -> Result<Revision, TableError> {
        // The change's number: it rises for ever, restarts included.
        let revision = self.changes() + 1;
        let mut stored = BytesMut::with_capacity(8 + value.len());
        stored.put_u64(revision);
        stored.put_slice(value);
        let key = layout::value(bucket, key);
        let mut change = self.begin();
        self.pieces().remove(&mut change, &key)?;
        pieces::insert(&mut change, &key, &stored);
        self.change(change)?;
        Ok(Revision(revision))
    }

    pub(super) fn remove_value(&self, bucket: Bucket, key: &str) -> Result<bool, TableError> {
        let mut change = self.begin();
        let was_there = self.pieces().remove(&mut change, &layout::value(bucket, key))?;
        self.change(change)?;
        Ok(was_there)
    }

    /// A bucket's keys with a prefix, sorted.
    pub(super) fn value_keys(&self, bucket: Bucket, prefix: &str) -> Result<Vec<String>, TableError> {
        let _still = self.hold_still();
        let mut keys = Vec::new();
        for stored in self.tree.scan_prefix(layout::value(bucket, prefix)).keys() {
            let stored = stored?;
            let parsed = pieces::split_key(&stored).and_then(|(key, number)| Some((layout::parse_value(key)?, number)));
            let (key, number) = parsed.ok_or_else(|| damaged(&stored))?;
            // A shorter key's piece number may look like the rest of the prefix.
            if number == 0 && key.starts_with(prefix) {
                keys.push(key);
            }
        }
        keys.sort_unstable();
        Ok(keys)
    }
}

fn damaged(key: &[u8]) -> TableError {
    TableError::Damaged { record: layout::describe(key) }
}

/// The ledger as it is stored.
pub(super) fn read_ledger(stored: &[u8]) -> Option<Ledger> {
    Ledger::decode(frame::decode(LEDGER_KEY, stored, true)?.body)
}
