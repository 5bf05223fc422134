//! Idempotency keys (SPEC §1): a key is stored before the run that it stands for, so that a retry, here or through
//! another gateway, drives the same run.

use errand_domain::{AccountId, CommitId, RunId, Timestamp, limits};
use errand_store::{Bucket, KeyValue, KeyValueError, Stores};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

use crate::fault::{Fault, FaultKind};
use crate::limits::{IDEMPOTENCY_MS, IDEMPOTENCY_SWEEP, IDEMPOTENCY_TRIES_MAX};

/// What a key stands for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Reservation {
    pub run_id: RunId,
    /// The commit that creates the run, whoever appends it.
    pub commit_id: CommitId,
    body_sha256: String,
    created_at_ms: i64,
}

/// One client's key and the body it came with.
#[derive(Debug)]
pub(crate) struct IdempotencyKey {
    place: String,
    body_sha256: String,
}

impl IdempotencyKey {
    /// # Errors
    /// When the header is not 1 to 255 visible ASCII characters.
    pub(crate) fn new(account: &AccountId, key: &str, body: &Value) -> Result<Self, Fault> {
        let max = limits::IDEMPOTENCY_KEY_CHARS_MAX;
        if !(1..=max).contains(&key.len()) || !key.bytes().all(|b| b.is_ascii_graphic()) {
            let message = format!("\"Idempotency-Key\" must have 1 to {max} visible ASCII characters");
            return Err(Fault::field("Idempotency-Key", message));
        }
        // Hashed: a key may hold characters that a bucket's keys may not.
        let place = format!("{account}/{}", hex::encode(Sha256::digest(key.as_bytes())));
        Ok(Self { place, body_sha256: hex::encode(Sha256::digest(canonical(body).to_string().as_bytes())) })
    }

    /// The key's reservation, when it has one that still counts.
    ///
    /// # Errors
    /// 409 when it came with another body.
    pub(crate) async fn find(&self, keyvalue: &dyn KeyValue, now: Timestamp) -> Result<Option<Reservation>, Fault> {
        let Some(entry) = keyvalue.get(Bucket::Idempotency, &self.place).await? else { return Ok(None) };
        read(&entry.value, now).map(|reservation| self.check(reservation)).transpose()
    }

    /// Reserves a run for the key, or finds the one that somebody else has reserved meanwhile.
    ///
    /// # Errors
    /// 409 when it came with another body.
    pub(crate) async fn reserve(
        &self,
        keyvalue: &dyn KeyValue,
        run_id: RunId,
        commit_id: CommitId,
        now: Timestamp,
    ) -> Result<Reservation, Fault> {
        let body_sha256 = self.body_sha256.clone();
        let ours = Reservation { run_id, commit_id, body_sha256, created_at_ms: now.as_millis() };
        // Strings and numbers: serialising them cannot fail.
        let value = bytes::Bytes::from(serde_json::to_vec(&ours).unwrap_or_default());
        for _ in 0..IDEMPOTENCY_TRIES_MAX {
            let written = match keyvalue.get(Bucket::Idempotency, &self.place).await? {
                None => keyvalue.create(Bucket::Idempotency, &self.place, value.clone()).await,
                Some(entry) => match read(&entry.value, now) {
                    Some(theirs) => return self.check(theirs),
                    None => keyvalue.update(Bucket::Idempotency, &self.place, value.clone(), entry.revision).await,
                },
            };
            match written {
                Ok(_) => return Ok(ours),
                Err(KeyValueError::Conflict) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Err(Fault::unavailable())
    }

    fn check(&self, reservation: Reservation) -> Result<Reservation, Fault> {
        if reservation.body_sha256 == self.body_sha256 {
            return Ok(reservation);
        }
        let message = "\"Idempotency-Key\" was used before with another body";
        let fault = Fault::new(FaultKind::Conflict, "idempotency_key_reused", message);
        Err(Fault { param: Some("Idempotency-Key".to_owned()), ..fault })
    }
}

/// A stored reservation that has not expired.
fn read(value: &[u8], now: Timestamp) -> Option<Reservation> {
    let reservation: Reservation = serde_json::from_slice(value).ok()?;
    let age_ms = now.ms_since(Timestamp::from_millis(reservation.created_at_ms));
    (age_ms < IDEMPOTENCY_MS).then_some(reservation)
}

/// The same value with sorted fields: a client's serialiser may order them as it likes.
fn canonical(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let mut sorted: Vec<(&String, &Value)> = fields.iter().collect();
            sorted.sort_by_key(|(name, _)| *name);
            sorted.into_iter().map(|(name, value)| (name.clone(), canonical(value))).collect()
        }
        Value::Array(items) => items.iter().map(canonical).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}

/// Removes expired keys now and then, until `shutdown`. Two gateways that sweep at once do no harm.
pub(crate) async fn sweep(stores: Stores, shutdown: CancellationToken) {
    while shutdown.run_until_cancelled(tokio::time::sleep(IDEMPOTENCY_SWEEP)).await.is_some() {
        if let Err(error) = sweep_once(&*stores.keyvalue, stores.clock.now()).await {
            let error: &dyn std::error::Error = &error;
            tracing::warn!(error, "expired idempotency keys were not removed");
        }
    }
}

/// Only what expired a whole keeping time ago goes, so that a key is never removed under a client that renews it.
async fn sweep_once(keyvalue: &dyn KeyValue, now: Timestamp) -> Result<(), KeyValueError> {
    let long_ago = Timestamp::from_millis(now.as_millis().saturating_sub(IDEMPOTENCY_MS as i64));
    for key in keyvalue.keys(Bucket::Idempotency, "").await? {
        let entry = keyvalue.get(Bucket::Idempotency, &key).await?;
        if entry.is_some_and(|entry| read(&entry.value, long_ago).is_none()) {
            keyvalue.delete(Bucket::Idempotency, &key).await?;
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use errand_store::memory::MemoryKeyValue;
    use serde_json::json;

    fn key(body: &Value) -> IdempotencyKey {
        IdempotencyKey::new(&AccountId::parse("a").unwrap(), "k", body).unwrap()
    }

    fn run(n: u64) -> RunId {
        RunId::new(Timestamp::from_millis(0), n)
    }

    #[test]
    fn the_order_of_fields_does_not_make_another_body() {
        assert_eq!(key(&json!({"a": {"c": 1, "d": 2}, "b": 1})).body_sha256, {
            let other: Value = serde_json::from_str(r#"{"b":1,"a":{"d":2,"c":1}}"#).unwrap();
            key(&other).body_sha256
        });
        assert_ne!(key(&json!({"a": [1, 2]})).body_sha256, key(&json!({"a": [2, 1]})).body_sha256);
    }

    #[test]
    fn a_key_with_a_blank_or_too_long_is_refused() {
        let account = AccountId::parse("a").unwrap();
        for bad in ["", "a b", "ü", &"k".repeat(256)] {
            assert!(IdempotencyKey::new(&account, bad, &Value::Null).is_err(), "{bad}");
        }
        assert!(IdempotencyKey::new(&account, &"k".repeat(255), &Value::Null).is_ok());
    }

    #[tokio::test]
    async fn an_expired_key_is_taken_over_and_a_live_one_kept() {
        let store = MemoryKeyValue::default();
        let at = |ms| Timestamp::from_millis(ms);
        let key = key(&json!({}));
        let first = key.reserve(&store, run(1), CommitId(1), at(0)).await.unwrap();
        assert_eq!(key.reserve(&store, run(2), CommitId(2), at(5)).await.unwrap(), first);
        let late = at(IDEMPOTENCY_MS as i64);
        assert_eq!(key.reserve(&store, run(3), CommitId(3), late).await.unwrap().run_id, run(3));
    }

    #[tokio::test]
    async fn the_sweep_removes_only_what_expired_long_ago() {
        let store = MemoryKeyValue::default();
        let at = |ms| Timestamp::from_millis(ms);
        key(&json!({})).reserve(&store, run(1), CommitId(1), at(0)).await.unwrap();
        sweep_once(&store, at(IDEMPOTENCY_MS as i64 + 1)).await.unwrap();
        assert_eq!(store.keys(Bucket::Idempotency, "").await.unwrap().len(), 1);
        sweep_once(&store, at(2 * IDEMPOTENCY_MS as i64)).await.unwrap();
        assert!(store.keys(Bucket::Idempotency, "").await.unwrap().is_empty());
    }
}
