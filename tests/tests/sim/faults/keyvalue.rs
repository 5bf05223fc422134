//! Key-value buckets over a bad network: a failed write may have been carried out.

use async_trait::async_trait;
use bytes::Bytes;
use errand_store::{Bucket, KeyValue, KeyValueEntry, KeyValueError, Revision};
use std::sync::Arc;

use super::reason;
use crate::process::Edge;

/// One process's way to the buckets.
#[derive(Debug)]
pub struct FaultyKeyValue {
    pub inner: Arc<dyn KeyValue>,
    pub edge: Edge,
    /// Every lease is granted to everybody: two owners of a partition, for as long as the simulation lasts.
    pub grants_every_lease: bool,
}

impl FaultyKeyValue {
    async fn before(&self) -> Result<(), KeyValueError> {
        self.edge.ask().await;
        self.fault()
    }

    async fn after<T>(&self, answer: Result<T, KeyValueError>) -> Result<T, KeyValueError> {
        self.edge.answer().await;
        self.fault()?;
        answer
    }

    fn fault(&self) -> Result<(), KeyValueError> {
        let fails = self.edge.chaos.strikes(|rates| rates.keyvalue_fails);
        if fails { Err(KeyValueError::Unavailable { reason: reason() }) } else { Ok(()) }
    }

    fn grants(&self, bucket: Bucket) -> bool {
        self.grants_every_lease && bucket == Bucket::Leases
    }
}

#[async_trait]
impl KeyValue for FaultyKeyValue {
    async fn get(&self, bucket: Bucket, key: &str) -> Result<Option<KeyValueEntry>, KeyValueError> {
        self.before().await?;
        if self.grants(bucket) {
            return Ok(None);
        }
        let entry = self.inner.get(bucket, key).await;
        self.after(entry).await
    }

    async fn create(&self, bucket: Bucket, key: &str, value: Bytes) -> Result<Revision, KeyValueError> {
        self.before().await?;
        if self.grants(bucket) {
            return Ok(Revision(1));
        }
        let created = self.inner.create(bucket, key, value).await;
        self.after(created).await
    }

    async fn put(&self, bucket: Bucket, key: &str, value: Bytes) -> Result<Revision, KeyValueError> {
        self.before().await?;
        let put = self.inner.put(bucket, key, value).await;
        self.after(put).await
    }

    async fn update(
        &self,
        bucket: Bucket,
        key: &str,
        value: Bytes,
        expected: Revision,
    ) -> Result<Revision, KeyValueError> {
        self.before().await?;
        if self.grants(bucket) {
            return Ok(Revision(1));
        }
        let updated = self.inner.update(bucket, key, value, expected).await;
        self.after(updated).await
    }

    async fn delete(&self, bucket: Bucket, key: &str) -> Result<bool, KeyValueError> {
        self.before().await?;
        let deleted = self.inner.delete(bucket, key).await;
        self.after(deleted).await
    }

    async fn keys(&self, bucket: Bucket, prefix: &str) -> Result<Vec<String>, KeyValueError> {
        self.before().await?;
        let keys = self.inner.keys(bucket, prefix).await;
        self.after(keys).await
    }
}
