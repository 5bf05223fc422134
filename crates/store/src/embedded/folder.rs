//! The data folder: who holds it, what it was made with, and what lies where in it.

use serde::{Deserialize, Serialize};
use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use super::EmbeddedError;

/// 1: values as they are, in one tree. 2: framed pieces with a ledger, runs sealed under keys of their own, a mark.
pub(super) const FORMAT: u32 = 2;
pub(super) const FORMAT_UNCHECKED: u32 = 1;
const FORMAT_FILE: &str = "store.json";

/// How long a folder that is in use is waited for: a killed process holds it until it has gone, and so does a child that
/// the process had begun to start, until that child runs its own program. Both take milliseconds.
const LOCK_PATIENCE: Duration = Duration::from_secs(1);
const LOCK_RETRY: Duration = Duration::from_millis(10);

/// What is fixed when a store is made.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Parameters {
    format: u32,
    partitions: u32,
}

/// What a folder held when it was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Found {
    Nothing,
    Format(u32),
}

/// A data folder with its lock, which ends with this value or with the process.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    lock: File,
}

impl Drop for Folder {
    fn drop(&mut self) {
        // Closing the file is not enough: a child that is being started has it open too, until it runs its own program.
        let _ = self.lock.unlock();
    }
}

impl Folder {
    /// Takes a folder, which is made when it is not there. Nothing in it is changed yet.
    pub(super) fn open(path: &Path, partitions: Option<u32>) -> Result<(Self, Found), EmbeddedError> {
        create_private_dir(path).and_then(|()| keep_private(path, 0o700)).map_err(file_error(path))?;
        let lock = lock(path, LOCK_PATIENCE)?;
        let folder = Self { path: path.to_owned(), lock };
        let found = folder.check_parameters(partitions)?;
        Ok((folder, found))
    }

    /// Makes what is missing of the folders within.
    pub(super) fn complete(&self) -> Result<(), EmbeddedError> {
        for part in [self.database(), self.blobs(), self.unfinished()] {
            create_private_dir(&part).map_err(file_error(&part))?;
        }
        make_private(&self.path).and_then(|()| sync_dir(&self.path)).map_err(file_error(&self.path))
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn database(&self) -> PathBuf {
        self.path.join("log")
    }

    pub(super) fn blobs(&self) -> PathBuf {
        self.path.join("blobs")
    }

    /// Blobs on their way; on the same file system, so that they can be renamed.
    pub(super) fn unfinished(&self) -> PathBuf {
        self.path.join("unfinished")
    }

    /// The mark beside the database.
    pub(super) fn mark(&self) -> PathBuf {
        self.path.join("mark")
    }

    /// The runs' keys.
    pub(super) fn run_keys(&self) -> PathBuf {
        self.path.join("run.keys")
    }

    /// A copy of the database that is looked at: opening a database changes it, and a damaged one loses by that what
    /// could still be saved.
    pub(super) fn copy(&self) -> PathBuf {
        self.path.join("log.copy")
    }

    /// A database that is being made from one of an older format.
    pub(super) fn next_database(&self) -> PathBuf {
        self.path.join("log.next")
    }

    /// The database of an older format, until the new one has its place.
    pub(super) fn last_database(&self) -> PathBuf {
        self.path.join("log.last")
    }

    fn check_parameters(&self, partitions: Option<u32>) -> Result<Found, EmbeddedError> {
        let file = self.path.join(FORMAT_FILE);
        let stored = match fs::read(&file) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Found::Nothing),
            Err(source) => return Err(EmbeddedError::File { path: file, source }),
        };
        let stored: Parameters =
            serde_json::from_slice(&stored).map_err(|source| EmbeddedError::FormatFile { file, source })?;
        let folder = || self.path.clone();
        if ![FORMAT, FORMAT_UNCHECKED].contains(&stored.format) {
            return Err(EmbeddedError::Format { folder: folder(), stored: stored.format, known: FORMAT });
        }
        if let Some(wanted) = partitions.filter(|wanted| *wanted != stored.partitions) {
            return Err(EmbeddedError::Partitions { folder: folder(), stored: stored.partitions, wanted });
        }
        Ok(Found::Format(stored.format))
    }

    /// How many partitions the store was made with; `None` when that cannot be read.
    pub(super) fn partitions(&self) -> Option<u32> {
        let stored = fs::read(self.path.join(FORMAT_FILE)).ok()?;
        serde_json::from_slice::<Parameters>(&stored).ok().map(|stored| stored.partitions)
    }

    /// Says what the store is made with, once all that this promises is there.
    pub(super) fn write_parameters(&self, partitions: u32) -> Result<(), EmbeddedError> {
        let text = format!("{{\"format\":{FORMAT},\"partitions\":{partitions}}}\n");
        let file = self.path.join(FORMAT_FILE);
        let unfinished = file.with_extension("unfinished");
        write_synced(&unfinished, text.as_bytes())
            .and_then(|()| fs::rename(&unfinished, &file))
            .and_then(|()| sync_dir(&self.path))
            .map_err(file_error(&file))
    }
}

fn lock(folder: &Path, patience: Duration) -> Result<File, EmbeddedError> {
    let path = folder.join("lock");
    let mut options = OpenOptions::new();
    let opened = options.create(true).truncate(false).write(true).mode(0o600).open(&path);
    let file = opened.map_err(file_error(&path))?;
    let give_up_at = Instant::now() + patience;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) if Instant::now() < give_up_at => thread::sleep(LOCK_RETRY),
            Err(TryLockError::WouldBlock) => return Err(EmbeddedError::InUse { folder: folder.to_owned() }),
            Err(TryLockError::Error(source)) => return Err(EmbeddedError::File { path, source }),
        }
    }
}

/// Makes a folder that only its owner can read, when it is not there.
pub(super) fn create_private_dir(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// Takes everything in a folder from everybody but its owner, as far as an earlier version or a library left it open.
pub(super) fn make_private(path: &Path) -> io::Result<()> {
    keep_private(path, 0o700)?;
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        if kind.is_dir() {
            keep_private(&entry.path(), 0o700)?;
        } else if kind.is_file() {
            keep_private(&entry.path(), 0o600)?;
        }
    }
    Ok(())
}

fn keep_private(path: &Path, mode: u32) -> io::Result<()> {
    let permissions = fs::metadata(path)?.permissions();
    if permissions.mode() & 0o077 == 0 {
        return Ok(());
    }
    match fs::set_permissions(path, fs::Permissions::from_mode(mode)) {
        // A mounted volume that belongs to somebody else: its owner has decided who may read it.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            tracing::warn!(path = %path.display(), "others may read a part of the data folder");
            Ok(())
        }
        changed => changed,
    }
}

/// Removes a folder with everything in it, if it is there.
pub(super) fn remove_dir(path: &Path) -> io::Result<()> {
    unless_missing(fs::remove_dir_all(path)).map(|_| ())
}

pub(super) fn unless_missing<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Copies a folder's files and the folders within, for its owner only.
pub(super) fn copy_dir(from: &Path, to: &Path) -> io::Result<()> {
    create_private_dir(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_dir(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), &target)?;
        }
    }
    Ok(())
}

/// Writes a new file that only its owner can read, to the disk.
pub(super) fn write_synced(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new().create(true).truncate(true).write(true).mode(0o600).open(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// Puts a folder's names on the disk.
pub(super) fn sync_dir(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

pub(super) fn file_error(path: &Path) -> impl FnOnce(io::Error) -> EmbeddedError {
    let path = path.to_owned();
    move |source| EmbeddedError::File { path, source }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_that_is_being_started_does_not_keep_the_folder() {
        let dir = tempfile::tempdir().unwrap();
        let folder = Folder::open(dir.path(), Some(1)).unwrap().0;
        // What a child has between fork and exec: the same open file.
        let inherited = folder.lock.try_clone().unwrap();
        drop(folder);
        Folder::open(dir.path(), Some(1)).unwrap();
        drop(inherited);
    }

    #[test]
    fn a_folder_is_waited_for_while_its_holder_goes() {
        let dir = tempfile::tempdir().unwrap();
        let folder = Folder::open(dir.path(), Some(1)).unwrap().0;
        assert!(matches!(lock(dir.path(), Duration::ZERO), Err(EmbeddedError::InUse { .. })));
        let path = dir.path().to_owned();
        let waiting = thread::spawn(move || lock(&path, Duration::from_secs(60)));
        drop(folder);
        waiting.join().unwrap().unwrap();
    }
}
