//! An event log that does what broken networks and dying processes do, at a chosen delivery commit.

use async_trait::async_trait;
use errand_domain::delivery::DeliveryEvent;
use errand_store::{
    AppendError, Entry, EventLog, LogError, LogKey, LogKind, Position, Record, Stores, TailFrom, TailStream,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::Semaphore;

use super::world::DEADLINE;

/// Which commit is hit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum At {
    Claim,
    Result,
}

/// What happens to its append.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// It is not carried out until [`FaultyLog::go_on`].
    HeldBefore,
    /// It is stored, and its answer is held until [`FaultyLog::go_on`].
    HeldAfter,
    /// It is stored, and its answer is lost.
    AnswerLost,
    /// As `AnswerLost`, and delivery logs cannot be read until [`FaultyLog::go_on`].
    AnswerLostAndDown,
}

#[derive(Debug)]
pub struct FaultyLog {
    inner: Arc<dyn EventLog>,
    at: At,
    fault: Fault,
    is_armed: AtomicBool,
    is_down: AtomicBool,
    hit: Semaphore,
    released: Semaphore,
}

impl FaultyLog {
    /// The stores with a log that fails once.
    pub fn over(stores: &Stores, at: At, fault: Fault) -> (Stores, Arc<Self>) {
        let log = Arc::new(Self {
            inner: Arc::clone(&stores.log),
            at,
            fault,
            is_armed: AtomicBool::new(true),
            is_down: AtomicBool::new(false),
            hit: Semaphore::new(0),
            released: Semaphore::new(0),
        });
        (Stores { log: Arc::clone(&log) as _, ..stores.clone() }, log)
    }

    /// Waits until the fault has struck.
    pub async fn struck(&self) {
        tokio::time::timeout(DEADLINE, self.hit.acquire()).await.unwrap().unwrap().forget();
    }

    pub fn go_on(&self) {
        self.is_down.store(false, Ordering::SeqCst);
        self.released.add_permits(1);
    }

    fn strikes(&self, key: &LogKey, entry: &Entry) -> bool {
        if key.kind != LogKind::Delivery {
            return false;
        }
        let commit = errand_proto::decode_delivery_commit(&entry.payload).unwrap();
        let at = match commit.events[0] {
            DeliveryEvent::Claimed(_) => At::Claim,
            DeliveryEvent::Resolved(_) => At::Result,
        };
        at == self.at && self.is_armed.swap(false, Ordering::SeqCst)
    }

    async fn hold(&self) {
        self.hit.add_permits(1);
        self.released.acquire().await.unwrap().forget();
    }

    fn check_up(&self, key: &LogKey) -> Result<(), LogError> {
        let is_hit = key.kind == LogKind::Delivery && self.is_down.load(Ordering::SeqCst);
        if is_hit { Err(LogError::Unavailable { reason: "down".to_owned() }) } else { Ok(()) }
    }
}

#[async_trait]
impl EventLog for FaultyLog {
    fn partitions(&self) -> u32 {
        self.inner.partitions()
    }

    async fn append(&self, key: &LogKey, expected: Option<Position>, entry: Entry) -> Result<Position, AppendError> {
        if !self.strikes(key, &entry) {
            return self.inner.append(key, expected, entry).await;
        }
        if self.fault == Fault::HeldBefore {
            self.hold().await;
            return self.inner.append(key, expected, entry).await;
        }
        let position = self.inner.append(key, expected, entry).await?;
        if self.fault == Fault::HeldAfter {
            self.hold().await;
            return Ok(position);
        }
        self.is_down.store(self.fault == Fault::AnswerLostAndDown, Ordering::SeqCst);
        self.hit.add_permits(1);
        Err(AppendError::Unknown(LogError::Unavailable { reason: "the answer was lost".to_owned() }))
    }

    async fn last(&self, key: &LogKey) -> Result<Option<Record>, LogError> {
        self.check_up(key)?;
        self.inner.last(key).await
    }

    async fn read(&self, key: &LogKey, after: Option<Position>) -> Result<Vec<Record>, LogError> {
        self.check_up(key)?;
        self.inner.read(key, after).await
    }

    async fn tail(&self, partition: u32, from: TailFrom) -> Result<TailStream, LogError> {
        self.inner.tail(partition, from).await
    }

    async fn purge(&self, key: &LogKey, before: Position) -> Result<(), LogError> {
        self.inner.purge(key, before).await
    }
}
