//! Key-value buckets in sled; leases stay in memory, since the folder's lock keeps other processes out.

use async_trait::async_trait;
use bytes::Bytes;
use std::sync::Arc;
use tokio::sync::oneshot;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use super::group::{Expected, Request, value_error};
use super::tables::{TableError, Tables};
use super::writer::{Unanswered, Writer};
use crate::keyvalue::{Bucket, KeyValue, KeyValueEntry, KeyValueError, Revision};
use crate::limits::{CALL_DEADLINE, VALUE_BYTES_MAX};
use crate::memory::MemoryKeyValue;

#[derive(Debug)]
pub(super) struct EmbeddedKeyValue {
    tables: Arc<Tables>,
    writer: Arc<Writer>,
    leases: MemoryKeyValue,
}

fn unavailable(reason: impl Into<String>) -> KeyValueError {
    KeyValueError::Unavailable { reason: reason.into() }
}

impl EmbeddedKeyValue {
    pub(super) fn new(tables: Arc<Tables>, writer: Arc<Writer>) -> Self {
        Self { tables, writer, leases: MemoryKeyValue::default() }
    }

    async fn ask<T>(
        &self,
        request: impl FnOnce(oneshot::Sender<Result<T, KeyValueError>>) -> Request,
    ) -> Result<T, KeyValueError> {
        match timeout(CALL_DEADLINE, self.writer.ask(request)).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(Unanswered::NotTaken | Unanswered::Unknown)) => Err(unavailable("the store is closed")),
            Err(_) => Err(unavailable("the disk did not answer in time")),
        }
    }

    async fn set(
        &self,
        bucket: Bucket,
        key: &str,
        value: Bytes,
        expected: Expected,
    ) -> Result<Revision, KeyValueError> {
        if value.len() > VALUE_BYTES_MAX {
            return Err(KeyValueError::TooLarge { bytes: value.len(), max: VALUE_BYTES_MAX });
        }
        let key = key.to_owned();
        self.ask(|answer| Request::SetValue { bucket, key, value, expected, answer }).await
    }

    async fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Tables) -> Result<T, TableError> + Send + 'static,
    ) -> Result<T, KeyValueError> {
        let tables = Arc::clone(&self.tables);
        let found = spawn_blocking(move || read(&tables)).await;
        found.map_err(|_| unavailable("reading was cut short"))?.map_err(value_error)
    }
}

#[async_trait]
impl KeyValue for EmbeddedKeyValue {
    async fn get(&self, bucket: Bucket, key: &str) -> Result<Option<KeyValueEntry>, KeyValueError> {
        if bucket == Bucket::Leases {
            return self.leases.get(bucket, key).await;
        }
        let key = key.to_owned();
        self.read(move |tables| tables.value(bucket, &key)).await
    }

    async fn create(&self, bucket: Bucket, key: &str, value: Bytes) -> Result<Revision, KeyValueError> {
        if bucket == Bucket::Leases {
            return self.leases.create(bucket, key, value).await;
        }
        self.set(bucket, key, value, Expected::Nothing).await
    }

    async fn put(&self, bucket: Bucket, key: &str, value: Bytes) -> Result<Revision, KeyValueError> {
        if bucket == Bucket::Leases {
            return self.leases.put(bucket, key, value).await;
        }
        self.set(bucket, key, value, Expected::Anything).await
    }

    async fn update(
        &self,
        bucket: Bucket,
        key: &str,
        value: Bytes,
        expected: Revision,
    ) -> Result<Revision, KeyValueError> {
        if bucket == Bucket::Leases {
            return self.leases.update(bucket, key, value, expected).await;
        }
        self.set(bucket, key, value, Expected::Revision(expected)).await
    }

    async fn delete(&self, bucket: Bucket, key: &str) -> Result<bool, KeyValueError> {
        if bucket == Bucket::Leases {
            return self.leases.delete(bucket, key).await;
        }
        let key = key.to_owned();
        self.ask(|answer| Request::RemoveValue { bucket, key, answer }).await
    }

    async fn keys(&self, bucket: Bucket, prefix: &str) -> Result<Vec<String>, KeyValueError> {
        if bucket == Bucket::Leases {
            return self.leases.keys(bucket, prefix).await;
        }
        let prefix = prefix.to_owned();
        self.read(move |tables| tables.value_keys(bucket, &prefix)).await
    }
}
