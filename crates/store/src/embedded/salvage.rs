//! Copies what is whole of a damaged store into a new folder. Pieces are taken from a copy of the database as far as that
//! opens, and from the bytes of its file, where a piece is whole by its own checksum; the damaged folder stays as it is.

use bytes::{Bytes, BytesMut};
use errand_domain::RunId;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use super::check::{Contents, Damage, check, with_copy};
use super::disk::DiskSync;
use super::folder::{FORMAT, FORMAT_UNCHECKED, Folder, Found, copy_dir, create_private_dir, file_error, sync_dir};
use super::frame;
use super::layout::{self, Place};
use super::ledger::LEDGER_KEY;
use super::mark::{self, Mark};
use super::pieces;
use super::run_keys::RunKeys;
use super::salvaged_runs::{KeptRecord, keep_histories};
use super::tables::{TableError, Tables, open_value, plain_value};
use super::{EmbeddedError, FOLDER_PARTS};
use crate::keyvalue::Bucket;
use crate::limits::{PARTITIONS_DEFAULT, SLED_CACHE_BYTES};
use crate::log::{LogKey, Position};

/// What became of a store.
#[derive(Debug)]
pub struct Salvaged {
    /// What was wrong with it; `None` when it was whole.
    pub damage: Option<Damage>,
    pub partitions: u32,
    pub runs: BTreeSet<RunId>,
    /// Runs of which later commits were there, behind one that is lost.
    pub cut: Vec<RunId>,
    /// Runs of which nothing can be read any more.
    pub lost: Vec<RunId>,
    /// How many values each bucket has.
    pub values: BTreeMap<&'static str, usize>,
}

/// Pieces by key: the change that wrote them, and their bodies. Of two the newer is kept.
type Pieces = BTreeMap<Vec<u8>, (u64, Vec<u8>)>;

/// Whole values of a store.
#[derive(Debug, Default)]
struct Values {
    records: BTreeMap<LogKey, BTreeMap<Position, Bytes>>,
    values: BTreeMap<(Bucket, String), Bytes>,
}

/// Makes a new store of what is whole in `from`. `to` must not exist, or be empty.
///
/// # Errors
/// When `from` is in use or no store, or `to` cannot be written.
pub(super) fn copy_whole(from: &Path, to: &Path) -> Result<Salvaged, EmbeddedError> {
    if !from.join(FOLDER_PARTS[0]).exists() && !from.join(FOLDER_PARTS[1]).exists() {
        return Err(EmbeddedError::NoStore { folder: from.to_owned() });
    }
    if fs::read_dir(to).is_ok_and(|mut entries| entries.next().is_some()) {
        return Err(EmbeddedError::NotEmpty { folder: to.to_owned() });
    }
    let (folder, format) = Folder::open(from, None)?;
    if format == Found::Format(FORMAT_UNCHECKED) {
        // Nothing in it says what is whole.
        return Err(EmbeddedError::Format { folder: from.to_owned(), stored: FORMAT_UNCHECKED, known: FORMAT });
    }
    let partitions = folder.partitions().unwrap_or(PARTITIONS_DEFAULT);
    let damage = match check(&folder, None) {
        Ok(_) => None,
        Err(EmbeddedError::Damaged { damage, .. }) => Some(damage),
        Err(error) => return Err(error),
    };
    let found = gather(&folder)?;
    let (target, _) = Folder::open(to, None)?;
    copy_keys(&folder, &target)?;
    let keys = RunKeys::open(&target.run_keys()).map_err(file_error(&target.run_keys()))?;
    let known = keys.runs();
    let changes = found.values().map(|(change, _)| *change).max().unwrap_or(0);
    let values = assemble(&found);
    let (histories, mut cut) =
        keep_histories(&values.records, |key, position, value| open_value(&keys, key, position, value));
    write(&target, keys, partitions, changes, &histories, &values.values)?;
    let runs: BTreeSet<RunId> = histories.keys().map(|key| key.run_id.clone()).collect();
    cut.retain(|run_id| runs.contains(run_id));
    copy_blobs(&folder, &target, &runs)?;
    target.write_parameters(partitions)?;
    let seen = known.into_iter().chain(values.records.into_keys().map(|key| key.run_id)).chain(blob_runs(&folder));
    let lost: BTreeSet<RunId> = seen.filter(|run_id| !runs.contains(run_id)).collect();
    let mut counts = BTreeMap::new();
    for (bucket, _) in values.values.keys() {
        *counts.entry(bucket.as_str()).or_default() += 1;
    }
    Ok(Salvaged { damage, partitions, runs, cut, lost: lost.into_iter().collect(), values: counts })
}

/// Everything that is whole.
fn gather(folder: &Folder) -> Result<Pieces, EmbeddedError> {
    if !folder.database().join("db").exists() {
        return Ok(Pieces::new());
    }
    let viewed = with_copy(folder, |copy| {
        let database = sled::Config::new().path(copy).cache_capacity(SLED_CACHE_BYTES).flush_every_ms(None).open()?;
        let tree = database.open_tree(layout::TREE)?;
        let contents = Contents::of(&tree, true)?;
        let mut found = Pieces::new();
        for entry in &tree {
            let (key, stored) = entry?;
            if let Some(frame) = frame::decode(&key, &stored, true) {
                found.insert(key.to_vec(), (frame.change, frame.body.to_vec()));
            }
        }
        Ok((contents, found))
    })?;
    // A view that fits its own ledger is the store as it once was: what is not in it had been removed by then.
    let (mut found, complete_up_to) = match viewed {
        Ok((contents, found)) => (found, if contents.is_complete() { contents.ledger.changes } else { 0 }),
        Err(_) => (Pieces::new(), 0),
    };
    let path = folder.database().join("db");
    let bytes = fs::read(&path).map_err(file_error(&path))?;
    for frame in frame::find_all(&bytes).filter(|frame| frame.change > complete_up_to) {
        let is_newer = found.get(frame.key).is_none_or(|(change, _)| *change < frame.change);
        if is_newer && !is_api_key(frame.key) {
            found.insert(frame.key.to_vec(), (frame.change, frame.body.to_vec()));
        }
    }
    found.remove(LEDGER_KEY);
    Ok(found)
}

/// A revoked key must not come back: its bytes may still be in the file.
fn is_api_key(key: &[u8]) -> bool {
    matches!(layout::parse(key), Some(Place::Value { bucket: Bucket::Keys, .. }))
}

/// Puts pieces together; a value that lacks one is left out.
fn assemble(found: &Pieces) -> Values {
    let mut values = Values::default();
    for (key, (change, first)) in found {
        match layout::parse(key) {
            Some(Place::Record { key: log, position, piece: 0 }) => {
                if let Some(value) = whole_value(found, key, *change, first) {
                    values.records.entry(log).or_default().insert(position, value);
                }
            }
            Some(Place::Value { bucket, key: name, piece: 0 }) => {
                if let Some(value) = whole_value(found, key, *change, first) {
                    values.values.insert((bucket, name), value);
                }
            }
            Some(Place::Record { .. } | Place::Value { .. } | Place::Position { .. }) | None => {}
        }
    }
    values
}

/// All pieces were written by the same change as the first.
fn whole_value(found: &Pieces, first_key: &[u8], change: u64, first: &[u8]) -> Option<Bytes> {
    let (length, body) = pieces::split_first_body(first)?;
    let (key, _) = pieces::split_key(first_key)?;
    let mut value = BytesMut::from(body);
    for number in 1..pieces::count_of_first(first)? {
        let (of_change, piece) = found.get(&pieces::piece_key(key, number))?;
        if *of_change != change {
            return None;
        }
        value.extend_from_slice(piece);
    }
    (value.len() == length).then(|| value.freeze())
}

fn copy_keys(folder: &Folder, target: &Folder) -> Result<(), EmbeddedError> {
    let (from, to) = (folder.run_keys(), target.run_keys());
    if from.exists() {
        fs::copy(&from, &to).map_err(file_error(&to))?;
    }
    // What is no key any more would be taken for damage again.
    super::run_keys::clear_bad(&to).map_err(file_error(&to))
}

fn write(
    target: &Folder,
    keys: RunKeys,
    partitions: u32,
    changes: u64,
    histories: &BTreeMap<LogKey, Vec<KeptRecord>>,
    values: &BTreeMap<(Bucket, String), Bytes>,
) -> Result<(), EmbeddedError> {
    let path = target.database();
    create_private_dir(&path).map_err(file_error(&path))?;
    let (tables, mut sync) = Tables::open(&path, keys, SLED_CACHE_BYTES, true, None)?;
    tables.number_changes_after(changes);
    let corrupt = |error: TableError| EmbeddedError::Corrupt { folder: path.clone(), reason: error.to_string() };
    for (key, records) in histories {
        let mut change = tables.begin();
        for record in records {
            let partition = key.partition(partitions);
            if record.is_tombstone {
                let place = layout::record(key, record.position);
                pieces::insert(&mut change, &place, &plain_value(&record.payload));
                change.add(layout::position(partition, record.position), &layout::log_name(key));
            } else {
                let added = tables.add_record(&mut change, key, partition, record.position, &record.payload);
                added.map_err(corrupt)?;
            }
        }
        tables.store(change).map_err(corrupt)?;
    }
    for ((bucket, key), value) in values {
        let mut change = tables.begin();
        pieces::insert(&mut change, &layout::value(*bucket, key), value);
        tables.store(change).map_err(corrupt)?;
    }
    tables.keys().sync().and_then(|()| sync.sync()).map_err(file_error(&path))?;
    let positions: Result<Vec<Position>, _> = (0..partitions).map(|partition| tables.newest(partition)).collect();
    let mark = Mark { changes: tables.changes(), positions: positions.map_err(corrupt)? };
    mark::create(&target.mark(), &mark).map_err(file_error(&target.mark()))
}

fn blob_runs(folder: &Folder) -> Vec<RunId> {
    let names = fs::read_dir(folder.blobs()).into_iter().flatten().flatten().map(|entry| entry.file_name());
    names.filter_map(|name| RunId::parse(name.to_str()?).ok()).collect()
}

fn copy_blobs(folder: &Folder, target: &Folder, runs: &BTreeSet<RunId>) -> Result<(), EmbeddedError> {
    let to = target.blobs();
    create_private_dir(&to).map_err(file_error(&to))?;
    for run_id in blob_runs(folder).iter().filter(|run_id| runs.contains(run_id)) {
        let (from, to) = (folder.blobs().join(run_id.as_str()), to.join(run_id.as_str()));
        copy_dir(&from, &to).map_err(file_error(&to))?;
    }
    sync_dir(&to).map_err(file_error(&to))
}
