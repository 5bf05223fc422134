//! Small durable values by key, with compare-and-set.

use async_trait::async_trait;
use bytes::Bytes;
use std::fmt;
use thiserror::Error;

/// What a key belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Bucket {
    /// API keys, by hash.
    Keys,
    /// Sealed secrets, by `account/name`.
    Secrets,
    Profiles,
    /// Idempotency keys, by `account/key`.
    Idempotency,
    /// Projected runs; may be lost.
    Views,
    /// Recent runs per account; may be lost.
    Recent,
    /// Who owns which partition. In the embedded store this lives in memory: the folder's lock keeps other processes out.
    Leases,
    /// What is true of the whole installation, by name.
    Facts,
}

impl Bucket {
    /// Every bucket. One that is missing here makes the embedded store take its values for damage.
    pub const ALL: [Self; 8] = [
        Self::Keys,
        Self::Secrets,
        Self::Profiles,
        Self::Idempotency,
        Self::Views,
        Self::Recent,
        Self::Leases,
        Self::Facts,
    ];

    /// Its name in storage.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Keys => "keys",
            Self::Secrets => "secrets",
            Self::Profiles => "profiles",
            Self::Idempotency => "idempotency",
            Self::Views => "views",
            Self::Recent => "recent",
            Self::Leases => "leases",
            Self::Facts => "facts",
        }
    }
}

/// Rises with every change of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Revision(pub u64);

/// A stored value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyValueEntry {
    pub value: Bytes,
    pub revision: Revision,
}

/// Why a call failed.
#[derive(Debug, Error)]
pub enum KeyValueError {
    /// Permanent for this attempt: the key has another revision, or exists.
    #[error("the key was changed meanwhile")]
    Conflict,
    /// Permanent.
    #[error("a value of {bytes} bytes is over the limit of {max}")]
    TooLarge { bytes: usize, max: usize },
    #[error("the key-value store is unavailable: {reason}")]
    Unavailable { reason: String },
    /// Permanent: what is stored is not what was written.
    #[error("the key-value store is damaged: {reason}")]
    Corrupt { reason: String },
}

/// Gets and sets. Acknowledged writes are on stable storage, except those of [`Bucket::Leases`].
#[async_trait]
pub trait KeyValue: Send + Sync + fmt::Debug {
    async fn get(&self, bucket: Bucket, key: &str) -> Result<Option<KeyValueEntry>, KeyValueError>;
    /// Sets a key that must not exist.
    async fn create(&self, bucket: Bucket, key: &str, value: Bytes) -> Result<Revision, KeyValueError>;
    /// Sets a key whatever it holds.
    async fn put(&self, bucket: Bucket, key: &str, value: Bytes) -> Result<Revision, KeyValueError>;
    /// Sets a key that must have this revision.
    async fn update(
        &self,
        bucket: Bucket,
        key: &str,
        value: Bytes,
        expected: Revision,
    ) -> Result<Revision, KeyValueError>;
    /// Removes a key; true when it was there.
    async fn delete(&self, bucket: Bucket, key: &str) -> Result<bool, KeyValueError>;
    /// Keys with a prefix, sorted.
    async fn keys(&self, bucket: Bucket, prefix: &str) -> Result<Vec<String>, KeyValueError>;
}
