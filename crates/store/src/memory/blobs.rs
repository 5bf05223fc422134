//! Blobs in memory.

use async_trait::async_trait;
use bytes::Bytes;
use errand_domain::{BlobKey, RunId};
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::blobs::{BlobError, Blobs};
use crate::limits::BLOB_BYTES_MAX;

type BlobsByRun = BTreeMap<RunId, BTreeMap<BlobKey, Bytes>>;

/// One map of values per run.
#[derive(Debug, Default)]
pub struct MemoryBlobs {
    runs: Mutex<BlobsByRun>,
}

impl MemoryBlobs {
    fn lock(&self) -> MutexGuard<'_, BlobsByRun> {
        self.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Blobs for MemoryBlobs {
    async fn put(&self, run_id: &RunId, key: &BlobKey, value: Bytes) -> Result<(), BlobError> {
        let bytes = value.len();
        if bytes > BLOB_BYTES_MAX {
            return Err(BlobError::TooLarge { bytes, max: BLOB_BYTES_MAX });
        }
        self.lock().entry(run_id.clone()).or_default().insert(key.clone(), value);
        Ok(())
    }

    async fn get(&self, run_id: &RunId, key: &BlobKey) -> Result<Option<Bytes>, BlobError> {
        Ok(self.lock().get(run_id).and_then(|blobs| blobs.get(key)).cloned())
    }

    async fn delete_run(&self, run_id: &RunId) -> Result<(), BlobError> {
        self.lock().remove(run_id);
        Ok(())
    }
}
