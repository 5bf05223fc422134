//! All stores in one folder of one machine, for one process: events and key-value buckets in sled, blobs in files;
//! queues, signals and leases in memory, since they need not outlive the process.

mod after_salvage;
mod blobs;
mod check;
mod disk;
mod folder;
mod frame;
mod group;
mod keyvalue;
mod layout;
mod ledger;
mod log;
mod mark;
mod migrate;
mod pieces;
mod run_keys;
mod salvage;
mod salvaged_runs;
mod tables;
#[cfg(test)]
mod tests;
mod writer;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use thiserror::Error;

pub use self::after_salvage::{SalvageError, SalvageReport, salvage};
use self::blobs::{BlobPaths, FileBlobs};
pub use self::check::Damage;
use self::check::{Contents, check, holds_remains};
use self::disk::{DiskSync, SledSync};
use self::folder::{FORMAT_UNCHECKED, Folder, Found, file_error, remove_dir};
use self::keyvalue::EmbeddedKeyValue;
use self::log::EmbeddedLog;
use self::mark::Mark;
use self::run_keys::RunKeys;
pub use self::salvage::Salvaged;
use self::tables::Tables;
use self::writer::{FolderPaths, Writer};
use crate::limits::{PARTITIONS_DEFAULT, PARTITIONS_MAX, SLED_CACHE_BYTES};
use crate::log::Position;
use crate::memory::{MemoryQueue, MemorySignals};
use crate::sabotage::Sabotage;
use crate::{Clock, IdSource, Stores};

/// How to open a store.
#[derive(Debug, Clone)]
pub struct EmbeddedOptions {
    /// Partitions of the event log, 1 to 256; fixed when the store is made.
    pub partitions: u32,
    /// Memory for cached pages.
    pub cache_bytes: u64,
    /// A safeguard to break; for tests.
    pub sabotage: Option<Sabotage>,
}

impl Default for EmbeddedOptions {
    fn default() -> Self {
        Self { partitions: PARTITIONS_DEFAULT, cache_bytes: SLED_CACHE_BYTES, sabotage: Sabotage::from_env() }
    }
}

/// Why a store could not be opened.
#[derive(Debug, Error)]
pub enum EmbeddedError {
    /// Transient: until the other process ends.
    #[error("{} is in use by another process", folder.display())]
    InUse { folder: PathBuf },
    #[error("{} was made with {stored} partitions, not {wanted}", folder.display())]
    Partitions { folder: PathBuf, stored: u32, wanted: u32 },
    #[error("{} has format {stored}; this version reads format {known}", folder.display())]
    Format { folder: PathBuf, stored: u32, known: u32 },
    #[error("{} cannot be read", file.display())]
    FormatFile {
        file: PathBuf,
        #[source]
        source: serde_json::Error,
    },
    #[error("the number of partitions must be 1 to {max}, not {wanted}")]
    PartitionsOutOfRange { wanted: u32, max: u32 },
    #[error("{} cannot be used", path.display())]
    File {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("the database in {} cannot be opened", folder.display())]
    Database {
        folder: PathBuf,
        #[source]
        source: sled::Error,
    },
    #[error("the database in {} is corrupt: {reason}", folder.display())]
    Corrupt { folder: PathBuf, reason: String },
    #[error("{} holds no store", folder.display())]
    NoStore { folder: PathBuf },
    #[error("{} is not empty; name a folder that does not exist yet", folder.display())]
    NotEmpty { folder: PathBuf },
    /// Permanent: something that was acknowledged is not there any more, or nobody can tell. Nothing was changed.
    #[error(
        "the store in {} is damaged: {damage}. Put a backup in its place; or `errand doctor --salvage NEW_FOLDER` copies \
         what is whole and says what is lost",
        folder.display()
    )]
    Damaged { folder: PathBuf, damage: Damage },
}

/// An open folder. It is let go when the writer has ended (see [`EmbeddedStore::close`]) and every [`Stores`] made from
/// this and every tail are dropped.
#[derive(Debug)]
pub struct EmbeddedStore {
    writer: Arc<Writer>,
    log: Arc<EmbeddedLog>,
    queue: Arc<MemoryQueue>,
    keyvalue: Arc<EmbeddedKeyValue>,
    blobs: Arc<FileBlobs>,
    signals: Arc<MemorySignals>,
}

impl EmbeddedStore {
    /// Opens the store in a folder, or makes one. Blocks while a database that was not closed is recovered, and up to a second
    /// for one that is in use.
    ///
    /// # Errors
    /// When another process has it, it was made otherwise, or the files cannot be used.
    pub fn open(data_dir: impl AsRef<Path>, options: &EmbeddedOptions) -> Result<Self, EmbeddedError> {
        Self::open_with(data_dir.as_ref(), options, |sync| Box::new(sync))
    }

    /// As [`Self::open`], with a chance to watch what happens on the way to the disk.
    fn open_with(
        data_dir: &Path,
        options: &EmbeddedOptions,
        wrap_sync: impl FnOnce(SledSync) -> Box<dyn DiskSync>,
    ) -> Result<Self, EmbeddedError> {
        let partitions = options.partitions;
        if partitions == 0 || partitions > PARTITIONS_MAX {
            return Err(EmbeddedError::PartitionsOutOfRange { wanted: partitions, max: PARTITIONS_MAX });
        }
        let (folder, found) = Folder::open(data_dir, Some(partitions))?;
        let contents = prepare(&folder, found, partitions, options.sabotage)?;
        let paths = FolderPaths { path: folder.path().to_owned(), mark: folder.mark() };
        let blob_paths = BlobPaths::of(&folder);
        let keys = RunKeys::open(&folder.run_keys()).map_err(file_error(&folder.run_keys()))?;
        forget_keys(&keys, contents.as_ref(), &folder.blobs()).map_err(file_error(&folder.run_keys()))?;
        let verify = options.sabotage != Some(Sabotage::NoChecksum);
        let (tables, sync) = Tables::open(&folder.database(), keys, options.cache_bytes, verify, Some(folder))?;
        let tables = Arc::new(tables);
        let started = Writer::start(Arc::clone(&tables), wrap_sync(sync), &paths, partitions, options.sabotage);
        let (writer, newest) = started?;
        let writer = Arc::new(writer);
        Ok(Self {
            blobs: Arc::new(FileBlobs::new(blob_paths, Arc::clone(&tables))),
            log: Arc::new(EmbeddedLog::new(Arc::clone(&tables), Arc::clone(&writer), newest)),
            keyvalue: Arc::new(EmbeddedKeyValue::new(tables, Arc::clone(&writer))),
            writer,
            queue: Arc::default(),
            signals: Arc::default(),
        })
    }

    /// The stores as a service gets them.
    #[must_use]
    pub fn stores(&self, clock: Arc<dyn Clock>, ids: Arc<dyn IdSource>) -> Stores {
        Stores {
            log: Arc::clone(&self.log) as _,
            queue: Arc::clone(&self.queue) as _,
            keyvalue: Arc::clone(&self.keyvalue) as _,
            blobs: Arc::clone(&self.blobs) as _,
            signals: Arc::clone(&self.signals) as _,
            clock,
            ids,
        }
    }

    /// Waits until the store cannot write any more, for example because the disk is full: from then on it takes nothing
    /// until the folder is opened again by a new process. Never ends while all is well.
    pub async fn failed(&self) {
        self.writer.failed().await;
    }

    /// Writes what was accepted, answers it, and ends the writer. Later appends are refused, tails end. Without this the
    /// writer ends by itself some time after the last user is dropped.
    pub async fn close(self) {
        self.writer.close().await;
    }
}

/// What shows that a folder holds a store.
const FOLDER_PARTS: [&str; 2] = ["store.json", "log"];

/// Checks the store in a folder without changing it; gives how many runs it holds.
///
/// # Errors
/// [`EmbeddedError::Damaged`] says what is wrong with it; also when another process has it, or there is none.
pub fn examine(data_dir: impl AsRef<Path>) -> Result<usize, EmbeddedError> {
    let data_dir = data_dir.as_ref();
    if FOLDER_PARTS.iter().all(|part| !data_dir.join(part).exists()) {
        return Err(EmbeddedError::NoStore { folder: data_dir.to_owned() });
    }
    let (folder, found) = Folder::open(data_dir, None)?;
    match found {
        Found::Nothing => {
            Err(EmbeddedError::Damaged { folder: folder.path().to_owned(), damage: Damage::NoParameters })
        }
        // It has no checksums yet; it is checked once it was brought to this format.
        Found::Format(FORMAT_UNCHECKED) => Ok(0),
        Found::Format(_) => Ok(check(&folder, None)?.map_or(0, |contents| contents.runs.len())),
    }
}

/// Takes a folder to where its database can be opened: makes a new store, checks one that is there, or brings it to this
/// format. Gives what a checked store holds.
fn prepare(
    folder: &Folder,
    found: Found,
    partitions: u32,
    sabotage: Option<Sabotage>,
) -> Result<Option<Contents>, EmbeddedError> {
    let contents = match found {
        Found::Nothing if holds_remains(folder) && sabotage != Some(Sabotage::NoMark) => {
            return Err(EmbeddedError::Damaged { folder: folder.path().to_owned(), damage: Damage::NoParameters });
        }
        Found::Nothing => {
            let start = Mark { changes: 0, positions: vec![Position(0); partitions as usize] };
            mark::create(&folder.mark(), &start).map_err(file_error(&folder.mark()))?;
            folder.write_parameters(partitions)?;
            None
        }
        Found::Format(FORMAT_UNCHECKED) => {
            migrate::migrate(folder, partitions)?;
            check(folder, sabotage)?
        }
        Found::Format(_) => check(folder, sabotage)?,
    };
    remove_dir(&folder.last_database()).map_err(file_error(&folder.last_database()))?;
    folder.complete()?;
    Ok(contents)
}

/// Destroys the keys of runs of which nothing sealed is left: a process that died had not come to it.
fn forget_keys(keys: &RunKeys, contents: Option<&Contents>, blobs: &Path) -> io::Result<()> {
    let Some(contents) = contents else { return Ok(()) };
    for run_id in keys.runs() {
        if !contents.sealed.contains(&run_id) && !blobs.join(run_id.as_str()).exists() {
            keys.destroy(&run_id)?;
        }
    }
    keys.sync()
}
