//! Ownership of a partition for a while: a key that its owner renews and anybody may take over once it has run out.
//! A lease only spares work; what a stale owner appends is refused by the log.

use bytes::Bytes;
use errand_domain::Timestamp;
use std::sync::Arc;

use crate::keyvalue::{Bucket, KeyValue, KeyValueError, Revision};
use crate::{Clock, Stores};

/// One name to own, such as `scheduler-0`, and who wants it.
#[derive(Debug)]
pub struct Lease {
    keyvalue: Arc<dyn KeyValue>,
    clock: Arc<dyn Clock>,
    name: String,
    owner: String,
    lease_ms: u64,
    held: Option<Revision>,
}

impl Lease {
    #[must_use]
    pub fn new(stores: &Stores, name: impl Into<String>, owner: impl Into<String>, lease_ms: u64) -> Self {
        Self {
            keyvalue: Arc::clone(&stores.keyvalue),
            clock: Arc::clone(&stores.clock),
            name: name.into(),
            owner: owner.into(),
            lease_ms,
            held: None,
        }
    }

    /// Takes the lease, or renews it; true while it is held. To be called at least three times per lease time.
    ///
    /// # Errors
    /// When the store cannot be reached; the lease must then be taken as lost.
    pub async fn hold(&mut self) -> Result<bool, KeyValueError> {
        let now = self.clock.now();
        let value = Bytes::from(format!("{} {}", now.plus_ms(self.lease_ms).as_millis(), self.owner));
        let changed = match self.held {
            Some(revision) => self.keyvalue.update(Bucket::Leases, &self.name, value, revision).await,
            None => self.take(now, value).await,
        };
        match changed {
            Ok(revision) => {
                self.held = Some(revision);
                Ok(true)
            }
            Err(KeyValueError::Conflict) => {
                self.held = None;
                Ok(false)
            }
            Err(
                error @ (KeyValueError::TooLarge { .. }
                | KeyValueError::Unavailable { .. }
                | KeyValueError::Corrupt { .. }),
            ) => {
                self.held = None;
                Err(error)
            }
        }
    }

    async fn take(&self, now: Timestamp, value: Bytes) -> Result<Revision, KeyValueError> {
        let Some(entry) = self.keyvalue.get(Bucket::Leases, &self.name).await? else {
            return self.keyvalue.create(Bucket::Leases, &self.name, value).await;
        };
        let (expires_at, owner) = parse(&entry.value);
        if expires_at > now && owner != self.owner {
            return Err(KeyValueError::Conflict);
        }
        self.keyvalue.update(Bucket::Leases, &self.name, value, entry.revision).await
    }
}

/// Expiry and owner; a value that cannot be read has run out.
fn parse(value: &[u8]) -> (Timestamp, &str) {
    let text = std::str::from_utf8(value).unwrap_or_default();
    let (expires_at, owner) = text.split_once(' ').unwrap_or_default();
    (Timestamp::from_millis(expires_at.parse().unwrap_or_default()), owner)
}
