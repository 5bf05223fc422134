//! Key-value buckets in memory.

use async_trait::async_trait;
use bytes::Bytes;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::keyvalue::{Bucket, KeyValue, KeyValueEntry, KeyValueError, Revision};

/// One map for all buckets.
#[derive(Debug, Default)]
pub struct MemoryKeyValue {
    tables: Mutex<Tables>,
}

#[derive(Debug, Default)]
struct Tables {
    entries: BTreeMap<(Bucket, String), KeyValueEntry>,
    /// Shared by all keys, so that a key deleted and made again never has an old revision.
    last_revision: u64,
}

impl Tables {
    fn set(&mut self, bucket: Bucket, key: &str, value: Bytes) -> Revision {
        self.last_revision += 1;
        let revision = Revision(self.last_revision);
        self.entries.insert((bucket, key.to_owned()), KeyValueEntry { value, revision });
        revision
    }

    fn revision(&self, bucket: Bucket, key: &str) -> Option<Revision> {
        self.entries.get(&(bucket, key.to_owned())).map(|entry| entry.revision)
    }
}

impl MemoryKeyValue {
    fn lock(&self) -> MutexGuard<'_, Tables> {
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl KeyValue for MemoryKeyValue {
    async fn get(&self, bucket: Bucket, key: &str) -> Result<Option<KeyValueEntry>, KeyValueError> {
        Ok(self.lock().entries.get(&(bucket, key.to_owned())).cloned())
    }

    async fn create(&self, bucket: Bucket, key: &str, value: Bytes) -> Result<Revision, KeyValueError> {
        let mut tables = self.lock();
        match tables.revision(bucket, key) {
            Some(_) => Err(KeyValueError::Conflict),
            None => Ok(tables.set(bucket, key, value)),
        }
    }

    async fn put(&self, bucket: Bucket, key: &str, value: Bytes) -> Result<Revision, KeyValueError> {
        Ok(self.lock().set(bucket, key, value))
    }

    async fn update(
        &self,
        bucket: Bucket,
        key: &str,
        value: Bytes,
        expected: Revision,
    ) -> Result<Revision, KeyValueError> {
        let mut tables = self.lock();
        if tables.revision(bucket, key) != Some(expected) {
            return Err(KeyValueError::Conflict);
        }
        Ok(tables.set(bucket, key, value))
    }

    async fn delete(&self, bucket: Bucket, key: &str) -> Result<bool, KeyValueError> {
        Ok(self.lock().entries.remove(&(bucket, key.to_owned())).is_some())
    }

    async fn keys(&self, bucket: Bucket, prefix: &str) -> Result<Vec<String>, KeyValueError> {
        let tables = self.lock();
        let from = tables.entries.range((bucket, prefix.to_owned())..);
        let found = from.map(|((bucket, key), _)| (*bucket, key));
        Ok(found.take_while(|(b, key)| *b == bucket && key.starts_with(prefix)).map(|(_, key)| key.clone()).collect())
    }
}
