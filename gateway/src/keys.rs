//! API keys in the store: only hashes, with the account that each opens (SPEC §1).

use errand_domain::{AccountId, Timestamp};
use errand_store::{Bucket, KeyValue, KeyValueError};
use errand_vault::{ApiKey, hash_api_key};
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::limits::KEY_LABEL_CHARS_MAX;

/// Hex digits of a key's hash that name it to people.
const KEY_ID_DIGITS: usize = 12;

/// What a key opens.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyRecord {
    pub account: AccountId,
    /// Sees all accounts.
    pub operator: bool,
    /// What the key is for, in its maker's words.
    pub label: String,
    /// Milliseconds since the Unix epoch.
    pub created_at_ms: i64,
}

/// A stored key, without the key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StoredKey {
    /// The first 12 hex digits of its hash.
    pub id: String,
    #[serde(flatten)]
    pub record: KeyRecord,
}

/// Why a call about keys failed.
#[derive(Debug, Error)]
pub enum KeyError {
    #[error("a label has at most {KEY_LABEL_CHARS_MAX} characters")]
    Label,
    /// Revoking needs one key.
    #[error("{count} keys have an id that begins with \"{id}\"")]
    Ambiguous { id: String, count: usize },
    /// Transient.
    #[error("the keys could not be reached")]
    Store(#[from] KeyValueError),
}

/// Makes a key; it is never seen again.
///
/// # Errors
/// When the label is too long or the store cannot be reached.
pub async fn create_key(keyvalue: &dyn KeyValue, record: KeyRecord) -> Result<ApiKey, KeyError> {
    let key = ApiKey::generate(&mut rand::rng());
    store(keyvalue, key.secret(), &record).await?;
    Ok(key)
}

/// Makes sure that a given key opens an account; one that exists already is left as it is.
///
/// # Errors
/// When the store cannot be reached.
pub async fn ensure_key(keyvalue: &dyn KeyValue, key: &SecretString, record: KeyRecord) -> Result<(), KeyError> {
    match store(keyvalue, key, &record).await {
        Err(KeyError::Store(KeyValueError::Conflict)) => Ok(()),
        stored => stored,
    }
}

/// All keys, by id.
///
/// # Errors
/// When the store cannot be reached.
pub async fn list_keys(keyvalue: &dyn KeyValue) -> Result<Vec<StoredKey>, KeyError> {
    let mut found = Vec::new();
    for hash in keyvalue.keys(Bucket::Keys, "").await? {
        let record = load(keyvalue, &hash).await?;
        found.extend(record.map(|record| StoredKey { id: hash.chars().take(KEY_ID_DIGITS).collect(), record }));
    }
    Ok(found)
}

/// Revokes the key whose id begins with `id`; true when there was one.
///
/// # Errors
/// When several keys fit, or the store cannot be reached.
pub async fn revoke_key(keyvalue: &dyn KeyValue, id: &str) -> Result<bool, KeyError> {
    let hashes = keyvalue.keys(Bucket::Keys, id).await?;
    match hashes.as_slice() {
        [] => Ok(false),
        [hash] => Ok(keyvalue.delete(Bucket::Keys, hash).await?),
        several => Err(KeyError::Ambiguous { id: id.to_owned(), count: several.len() }),
    }
}

/// A record for a new key.
#[must_use]
pub fn key_record(account: AccountId, operator: bool, label: &str, now: Timestamp) -> KeyRecord {
    KeyRecord { account, operator, label: label.to_owned(), created_at_ms: now.as_millis() }
}

/// What a presented key opens, if anything.
pub(crate) async fn find(keyvalue: &dyn KeyValue, key: &str) -> Result<Option<KeyRecord>, KeyValueError> {
    load(keyvalue, &hash_api_key(key).to_string()).await
}

async fn load(keyvalue: &dyn KeyValue, hash: &str) -> Result<Option<KeyRecord>, KeyValueError> {
    let entry = keyvalue.get(Bucket::Keys, hash).await?;
    Ok(entry.and_then(|entry| serde_json::from_slice(&entry.value).ok()))
}

async fn store(keyvalue: &dyn KeyValue, key: &SecretString, record: &KeyRecord) -> Result<(), KeyError> {
    if record.label.chars().count() > KEY_LABEL_CHARS_MAX {
        return Err(KeyError::Label);
    }
    let hash = hash_api_key(key.expose_secret()).to_string();
    // Strings, numbers and a flag: serialising them cannot fail.
    let value = serde_json::to_vec(record).unwrap_or_default();
    keyvalue.create(Bucket::Keys, &hash, value.into()).await?;
    Ok(())
}
