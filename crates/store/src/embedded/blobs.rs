//! Blobs as files: `blobs/<run id>/<key>.sealed`, sealed under the run's key, which is their checksum too. A file is
//! written whole elsewhere, put on disk, and renamed, so a name always has a whole value. Before runs had keys, a file was
//! the value itself and ended in `.blob`.

use async_trait::async_trait;
use bytes::Bytes;
use errand_domain::{BlobKey, RunId};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::task::spawn_blocking;

use super::folder::{Folder, create_private_dir, sync_dir, unless_missing, write_synced};
use super::tables::Tables;
use crate::blobs::{BlobError, Blobs};
use crate::limits::BLOB_BYTES_MAX;

/// Where blobs lie, and where they are written.
#[derive(Debug)]
pub(super) struct BlobPaths {
    blobs: PathBuf,
    unfinished: PathBuf,
}

impl BlobPaths {
    pub(super) fn of(folder: &Folder) -> Self {
        Self { blobs: folder.blobs(), unfinished: folder.unfinished() }
    }
}

#[derive(Debug)]
pub(super) struct FileBlobs {
    files: Arc<Files>,
}

#[derive(Debug)]
struct Files {
    tables: Arc<Tables>,
    blobs: PathBuf,
    unfinished: PathBuf,
    last_unfinished: AtomicU64,
}

impl FileBlobs {
    /// Removes what an earlier process left unfinished.
    pub(super) fn new(paths: BlobPaths, tables: Arc<Tables>) -> Self {
        let BlobPaths { blobs, unfinished } = paths;
        // What cannot be removed is only in the way of a file of the same name, which replaces it.
        for entry in fs::read_dir(&unfinished).into_iter().flatten().flatten() {
            let _ = fs::remove_file(entry.path());
        }
        Self { files: Arc::new(Files { tables, blobs, unfinished, last_unfinished: AtomicU64::new(0) }) }
    }

    async fn with_files<T: Send + 'static>(
        &self,
        call: impl FnOnce(&Files) -> Result<T, BlobError> + Send + 'static,
    ) -> Result<T, BlobError> {
        let files = Arc::clone(&self.files);
        let called = spawn_blocking(move || call(&files)).await;
        called.map_err(|_| BlobError::Unavailable { reason: "the call was cut short".to_owned() })?
    }
}

impl Files {
    fn run_dir(&self, run_id: &RunId) -> PathBuf {
        self.blobs.join(run_id.as_str())
    }

    /// The ending keeps keys such as `..` from being names of folders.
    fn blob_file(&self, run_id: &RunId, key: &BlobKey) -> PathBuf {
        self.run_dir(run_id).join(format!("{key}.sealed"))
    }

    fn unsealed_file(&self, run_id: &RunId, key: &BlobKey) -> PathBuf {
        self.run_dir(run_id).join(format!("{key}.blob"))
    }

    fn put(&self, run_id: &RunId, key: &BlobKey, value: &[u8]) -> io::Result<()> {
        let keys = self.tables.keys();
        let sealed = keys.seal(run_id, &place(run_id, key), value)?;
        keys.sync()?;
        let number = self.last_unfinished.fetch_add(1, Ordering::Relaxed);
        let unfinished = self.unfinished.join(number.to_string());
        write_synced(&unfinished, &sealed)?;
        let run_dir = self.run_dir(run_id);
        if !run_dir.is_dir() {
            create_private_dir(&run_dir)?;
            sync_dir(&self.blobs)?;
        }
        fs::rename(&unfinished, self.blob_file(run_id, key))?;
        sync_dir(&run_dir)
    }

    fn get(&self, run_id: &RunId, key: &BlobKey) -> Result<Option<Bytes>, BlobError> {
        let Some(sealed) = read_if_there(&self.blob_file(run_id, key)).map_err(unavailable)? else {
            return read_if_there(&self.unsealed_file(run_id, key)).map_err(unavailable);
        };
        let opened = self.tables.keys().open_sealed(run_id, &place(run_id, key), &sealed);
        let damaged = |_| BlobError::Corrupt { run_id: run_id.clone(), key: key.clone() };
        opened.map(|value| Some(Bytes::from(value))).map_err(damaged)
    }

    fn delete_run(&self, run_id: &RunId) -> io::Result<()> {
        if unless_missing(fs::remove_dir_all(self.run_dir(run_id)))?.is_some() {
            sync_dir(&self.blobs)?;
        }
        Ok(())
    }
}

fn read_if_there(path: &Path) -> io::Result<Option<Bytes>> {
    Ok(unless_missing(fs::read(path))?.map(Bytes::from))
}

/// What a blob is sealed for.
fn place(run_id: &RunId, key: &BlobKey) -> Vec<u8> {
    format!("blob/{run_id}/{key}").into_bytes()
}

fn unavailable(error: io::Error) -> BlobError {
    BlobError::Unavailable { reason: error.to_string() }
}

#[async_trait]
impl Blobs for FileBlobs {
    async fn put(&self, run_id: &RunId, key: &BlobKey, value: Bytes) -> Result<(), BlobError> {
        let bytes = value.len();
        if bytes > BLOB_BYTES_MAX {
            return Err(BlobError::TooLarge { bytes, max: BLOB_BYTES_MAX });
        }
        let (run_id, key) = (run_id.clone(), key.clone());
        self.with_files(move |files| files.put(&run_id, &key, &value).map_err(unavailable)).await
    }

    async fn get(&self, run_id: &RunId, key: &BlobKey) -> Result<Option<Bytes>, BlobError> {
        let (run_id, key) = (run_id.clone(), key.clone());
        self.with_files(move |files| files.get(&run_id, &key)).await
    }

    async fn delete_run(&self, run_id: &RunId) -> Result<(), BlobError> {
        let run_id = run_id.clone();
        self.with_files(move |files| files.delete_run(&run_id).map_err(unavailable)).await
    }
}
