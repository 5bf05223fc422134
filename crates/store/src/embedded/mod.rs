//! All stores in one folder of one machine, for one process: events and key-value buckets in sled, blobs in files;
//! queues, signals and leases in memory, since they need not outlive the process.

mod blobs;
mod disk;
mod folder;
mod group;
mod keyvalue;
mod layout;
mod log;
mod pieces;
mod tables;
#[cfg(test)]
mod tests;
mod writer;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use thiserror::Error;

use self::blobs::FileBlobs;
use self::disk::{DiskSync, SledSync};
use self::folder::Folder;
use self::keyvalue::EmbeddedKeyValue;
use self::log::EmbeddedLog;
use self::tables::Tables;
use self::writer::Writer;
use crate::limits::{PARTITIONS_DEFAULT, PARTITIONS_MAX, SLED_CACHE_BYTES};
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
        let folder = Folder::open(data_dir, partitions)?;
        let blobs = Arc::new(FileBlobs::new(&folder));
        let (tables, sync) = Tables::open(folder, options.cache_bytes)?;
        let tables = Arc::new(tables);
        let (writer, newest) = Writer::start(Arc::clone(&tables), wrap_sync(sync), partitions, options.sabotage)?;
        let writer = Arc::new(writer);
        Ok(Self {
            log: Arc::new(EmbeddedLog::new(Arc::clone(&tables), Arc::clone(&writer), newest)),
            keyvalue: Arc::new(EmbeddedKeyValue::new(tables, Arc::clone(&writer))),
            writer,
            queue: Arc::default(),
            blobs,
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
