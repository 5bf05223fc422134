//! Blobs over a bad network: a failed write may have been carried out.

use async_trait::async_trait;
use bytes::Bytes;
use errand_domain::{BlobKey, RunId};
use errand_store::{BlobError, Blobs};
use std::sync::Arc;

use super::reason;
use crate::process::Edge;

/// One process's way to the blobs.
#[derive(Debug)]
pub struct FaultyBlobs {
    pub inner: Arc<dyn Blobs>,
    pub edge: Edge,
}

impl FaultyBlobs {
    fn fault(&self) -> Result<(), BlobError> {
        let fails = self.edge.chaos.strikes(|rates| rates.blob_fails);
        if fails { Err(BlobError::Unavailable { reason: reason() }) } else { Ok(()) }
    }
}

#[async_trait]
impl Blobs for FaultyBlobs {
    async fn put(&self, run_id: &RunId, key: &BlobKey, value: Bytes) -> Result<(), BlobError> {
        self.edge.ask().await;
        self.fault()?;
        let put = self.inner.put(run_id, key, value).await;
        self.edge.answer().await;
        self.fault()?;
        put
    }

    async fn get(&self, run_id: &RunId, key: &BlobKey) -> Result<Option<Bytes>, BlobError> {
        self.edge.ask().await;
        self.fault()?;
        let blob = self.inner.get(run_id, key).await;
        self.edge.answer().await;
        blob
    }

    async fn delete_run(&self, run_id: &RunId) -> Result<(), BlobError> {
        self.edge.ask().await;
        self.fault()?;
        self.inner.delete_run(run_id).await
    }
}
