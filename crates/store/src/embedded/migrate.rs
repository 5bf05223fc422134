//! Makes a store of today's format from one whose values had no checksums and whose runs had no keys. It is built beside
//! the old database, which goes once the new one has its place; a migration that broke off starts again.

use bytes::{Bytes, BytesMut};
use sled::Tree;
use std::fs;
use std::io;

use super::EmbeddedError;
use super::disk::DiskSync;
use super::folder::{FORMAT_UNCHECKED, Folder, file_error, remove_dir, sync_dir};
use super::layout::{self, Place};
use super::ledger::Change;
use super::mark::{self, Mark};
use super::pieces;
use super::run_keys::RunKeys;
use super::tables::{TableError, Tables};
use crate::limits::{MIGRATED_PER_CHANGE, PIECE_BYTES_MAX, SLED_CACHE_BYTES};
use crate::log::Position;

/// Takes a folder of the first format to today's.
pub(super) fn migrate(folder: &Folder, partitions: u32) -> Result<(), EmbeddedError> {
    let (old, next) = (folder.database(), folder.next_database());
    let last = folder.last_database();
    put_back(folder).map_err(file_error(&last))?;
    let positions = copy_database(folder, partitions)?;
    let path = folder.path();
    let moved = fs::rename(&old, &last).and_then(|()| fs::rename(&next, &old)).and_then(|()| sync_dir(path));
    moved.map_err(file_error(&old))?;
    mark::create(&folder.mark(), &positions).map_err(file_error(&folder.mark()))?;
    folder.write_parameters(partitions)?;
    remove_dir(&last).map_err(file_error(&last))?;
    tracing::info!(from = FORMAT_UNCHECKED, "the store was taken to a newer format");
    Ok(())
}

/// Undoes what a migration that broke off had begun.
fn put_back(folder: &Folder) -> io::Result<()> {
    let (old, last) = (folder.database(), folder.last_database());
    if last.exists() {
        remove_dir(&old)?;
        fs::rename(&last, &old)?;
    }
    remove_dir(&folder.next_database())
}

fn copy_database(folder: &Folder, partitions: u32) -> Result<Mark, EmbeddedError> {
    let next = folder.next_database();
    let old = folder.database();
    let keys = RunKeys::open(&folder.run_keys()).map_err(file_error(&folder.run_keys()))?;
    let database_error = |source| EmbeddedError::Database { folder: old.clone(), source };
    let database = sled::Config::new().path(&old).cache_capacity(SLED_CACHE_BYTES).flush_every_ms(None).open();
    let old_tree = database.and_then(|database| database.open_tree(layout::TREE)).map_err(database_error)?;
    let (tables, mut sync) = Tables::open(&next, keys, SLED_CACHE_BYTES, true, None)?;
    let corrupt = |error: TableError| EmbeddedError::Corrupt { folder: old.clone(), reason: error.to_string() };
    copy_all(&old_tree, &tables, partitions).map_err(corrupt)?;
    tables.keys().sync().and_then(|()| sync.sync()).map_err(file_error(&next))?;
    let newest = (0..partitions).map(|partition| tables.newest(partition));
    let positions: Result<Vec<Position>, _> = newest.collect();
    Ok(Mark { changes: tables.changes(), positions: positions.map_err(corrupt)? })
}

fn copy_all(old: &Tree, tables: &Tables, partitions: u32) -> Result<(), TableError> {
    let mut change = tables.begin();
    let mut count = 0;
    for entry in old {
        let (key, stored) = entry?;
        copy_one(old, tables, &mut change, partitions, &key, &stored)?;
        count += 1;
        if count % MIGRATED_PER_CHANGE == 0 {
            tables.store(std::mem::replace(&mut change, tables.begin()))?;
        }
    }
    tables.store(change)
}

/// Copies a value with its first piece; its other pieces come with that.
fn copy_one(
    old: &Tree,
    tables: &Tables,
    change: &mut Change,
    partitions: u32,
    key: &[u8],
    stored: &[u8],
) -> Result<(), TableError> {
    let damaged = || TableError::Damaged { record: layout::describe(key) };
    match layout::parse(key).ok_or_else(damaged)? {
        Place::Record { key: log, position, piece: 0 } => {
            let payload = old_value(old, key, stored)?;
            tables.add_record(change, &log, log.partition(partitions), position, &payload)
        }
        Place::Value { bucket, key: name, piece: 0 } => {
            let value = old_value(old, key, stored)?;
            let revision = value.first_chunk().map(|bytes| u64::from_be_bytes(*bytes)).ok_or_else(damaged)?;
            tables.number_changes_after(revision);
            pieces::insert(change, &layout::value(bucket, &name), &value);
            Ok(())
        }
        // Written with its record.
        Place::Position { .. } => Ok(()),
        Place::Record { .. } | Place::Value { .. } => Ok(()),
    }
}

/// A value of the first format: its length before its first piece, the other pieces as they are.
fn old_value(old: &Tree, first_key: &[u8], first: &[u8]) -> Result<Bytes, TableError> {
    let damaged = || TableError::Damaged { record: layout::describe(first_key) };
    let (length, first) = pieces::split_first_body(first).ok_or_else(damaged)?;
    let (key, _) = pieces::split_key(first_key).ok_or_else(damaged)?;
    let mut value = BytesMut::from(first);
    for number in 1..length.div_ceil(PIECE_BYTES_MAX).max(1) as u32 {
        value.extend_from_slice(&old.get(pieces::piece_key(key, number))?.ok_or_else(damaged)?);
    }
    if value.len() != length {
        return Err(damaged());
    }
    Ok(value.freeze())
}
