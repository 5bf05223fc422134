//! Getting what sled has accepted onto the disk.

use std::fmt;
use std::fs::File;
use std::io;

/// Puts everything written so far on stable storage. A seam, so that a test can see and delay it.
pub(super) trait DiskSync: Send + fmt::Debug {
    fn sync(&mut self) -> io::Result<()>;
}

/// sled's own flush, then `fdatasync` of its file: the flush ends with `sync_file_range`, which leaves the file's length
/// and the disk's cache alone.
#[derive(Debug)]
pub(super) struct SledSync {
    database: sled::Db,
    file: File,
}

impl SledSync {
    /// `file` is sled's own; syncing through another descriptor syncs the same pages.
    pub(super) fn new(database: sled::Db, file: File) -> Self {
        Self { database, file }
    }
}

impl DiskSync for SledSync {
    fn sync(&mut self) -> io::Result<()> {
        self.database.flush()?;
        self.file.sync_data()
    }
}
