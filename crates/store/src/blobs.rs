//! Large values of a run: pages, screenshots, checkpoints, big data.

use async_trait::async_trait;
use bytes::Bytes;
use errand_domain::{BlobKey, RunId};
use std::fmt;
use thiserror::Error;

/// Why a call failed.
#[derive(Debug, Error)]
pub enum BlobError {
    #[error("a blob of {bytes} bytes is over the limit of {max}")]
    TooLarge { bytes: usize, max: usize },
    #[error("the blob store is unavailable: {reason}")]
    Unavailable { reason: String },
    /// Permanent: what is stored is not what was written, or its run's key is gone.
    #[error("the blob {key} of run {run_id} is damaged")]
    Corrupt { run_id: RunId, key: BlobKey },
}

/// Puts and gets. An acknowledged put is on stable storage. A key is written once; writing it again replaces it whole.
#[async_trait]
pub trait Blobs: Send + Sync + fmt::Debug {
    async fn put(&self, run_id: &RunId, key: &BlobKey, value: Bytes) -> Result<(), BlobError>;
    async fn get(&self, run_id: &RunId, key: &BlobKey) -> Result<Option<Bytes>, BlobError>;
    /// Removes all of a run's blobs.
    async fn delete_run(&self, run_id: &RunId) -> Result<(), BlobError>;
}
