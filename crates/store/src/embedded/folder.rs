//! The data folder: who holds it, and what it was made with.

use serde::{Deserialize, Serialize};
use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use super::EmbeddedError;

const FORMAT: u32 = 1;
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
    pub(super) fn open(path: &Path, partitions: u32) -> Result<Self, EmbeddedError> {
        create_private_dir(path).map_err(file_error(path))?;
        let lock = lock(path, LOCK_PATIENCE)?;
        let folder = Self { path: path.to_owned(), lock };
        folder.check_parameters(partitions)?;
        for part in [folder.database(), folder.blobs(), folder.unfinished()] {
            create_private_dir(&part).map_err(file_error(&part))?;
        }
        sync_dir(path).map_err(file_error(path))?;
        Ok(folder)
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

    fn check_parameters(&self, partitions: u32) -> Result<(), EmbeddedError> {
        let file = self.path.join(FORMAT_FILE);
        let stored = match fs::read(&file) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return self.write_parameters(&file, partitions),
            Err(source) => return Err(EmbeddedError::File { path: file, source }),
        };
        let stored: Parameters =
            serde_json::from_slice(&stored).map_err(|source| EmbeddedError::FormatFile { file, source })?;
        let folder = || self.path.clone();
        if stored.format != FORMAT {
            return Err(EmbeddedError::Format { folder: folder(), stored: stored.format, known: FORMAT });
        }
        if stored.partitions != partitions {
            return Err(EmbeddedError::Partitions { folder: folder(), stored: stored.partitions, wanted: partitions });
        }
        Ok(())
    }

    fn write_parameters(&self, file: &Path, partitions: u32) -> Result<(), EmbeddedError> {
        let text = format!("{{\"format\":{FORMAT},\"partitions\":{partitions}}}\n");
        let unfinished = file.with_extension("unfinished");
        write_synced(&unfinished, text.as_bytes())
            .and_then(|()| fs::rename(&unfinished, file))
            .and_then(|()| sync_dir(&self.path))
            .map_err(file_error(file))
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
        let folder = Folder::open(dir.path(), 1).unwrap();
        // What a child has between fork and exec: the same open file.
        let inherited = folder.lock.try_clone().unwrap();
        drop(folder);
        Folder::open(dir.path(), 1).unwrap();
        drop(inherited);
    }

    #[test]
    fn a_folder_is_waited_for_while_its_holder_goes() {
        let dir = tempfile::tempdir().unwrap();
        let folder = Folder::open(dir.path(), 1).unwrap();
        assert!(matches!(lock(dir.path(), Duration::ZERO), Err(EmbeddedError::InUse { .. })));
        let path = dir.path().to_owned();
        let waiting = thread::spawn(move || lock(&path, Duration::from_secs(60)));
        drop(folder);
        waiting.join().unwrap().unwrap();
    }
}
