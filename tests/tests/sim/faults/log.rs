//! The event log over a bad network: requests and answers get lost, appends arrive late, tails break off.

use async_trait::async_trait;
use errand_store::{AppendError, Entry, EventLog, LogError, LogKey, Position, Record, TailFrom, TailStream};
use futures::{FutureExt, StreamExt, stream};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::reason;
use crate::history::{RecordedLog, StoredCommit};
use crate::process::Edge;

/// What writers were told is stored.
#[derive(Debug, Default)]
pub struct Acknowledged(Mutex<Vec<(LogKey, Position, Entry)>>);

impl Acknowledged {
    fn add(&self, key: &LogKey, position: Position, entry: Entry) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push((key.clone(), position, entry));
    }

    /// The first acknowledged commit that is not where its writer was told, if any.
    pub fn first_missing(&self, stored: &[StoredCommit]) -> Option<(LogKey, Position)> {
        let acknowledged = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_stored = |(key, position, entry): &&(LogKey, Position, Entry)| {
            let found = stored.iter().find(|commit| commit.position == *position);
            found.is_some_and(|commit| commit.key == *key && commit.commit_id == entry.commit_id)
        };
        let missing = acknowledged.iter().find(|told| !is_stored(told));
        missing.map(|(key, position, _)| (key.clone(), *position))
    }
}

/// One process's way to the log.
#[derive(Debug)]
pub struct FaultyLog {
    pub inner: Arc<dyn EventLog>,
    pub recorded: Arc<RecordedLog>,
    pub acknowledged: Arc<Acknowledged>,
    pub edge: Edge,
}

fn unavailable() -> LogError {
    LogError::Unavailable { reason: reason() }
}

impl FaultyLog {
    fn append_delay(&self) -> Duration {
        let chaos = &self.edge.chaos;
        if chaos.strikes(|rates| rates.append_slow) { chaos.ms(500..15_000) } else { chaos.ms(1..10) }
    }

    async fn read_fault(&self) -> Result<(), LogError> {
        self.edge.ask().await;
        if self.edge.chaos.strikes(|rates| rates.read_fails) { Err(unavailable()) } else { Ok(()) }
    }
}

#[async_trait]
impl EventLog for FaultyLog {
    fn partitions(&self) -> u32 {
        self.inner.partitions()
    }

    /// Once sent, the request goes its way, whatever becomes of its sender.
    async fn append(&self, key: &LogKey, expected: Option<Position>, entry: Entry) -> Result<Position, AppendError> {
        let chaos = &self.edge.chaos;
        self.edge.process.gate().await;
        if chaos.strikes(|rates| rates.append_not_stored) {
            self.edge.answer().await;
            return Err(AppendError::NotStored(unavailable()));
        }
        let delay = self.append_delay();
        let is_request_lost = chaos.strikes(|rates| rates.append_lost);
        let is_answer_lost = chaos.strikes(|rates| rates.append_answer_lost);
        let (inner, sent_key, sent_entry) = (Arc::clone(&self.inner), key.clone(), entry.clone());
        let travelling = tokio::spawn(async move {
            tokio::time::sleep(delay).await;
            if is_request_lost { None } else { Some(inner.append(&sent_key, expected, sent_entry).await) }
        });
        let stored = travelling.await.ok().flatten();
        self.edge.answer().await;
        let answer = stored.filter(|_| !is_answer_lost).ok_or_else(|| AppendError::Unknown(unavailable()))?;
        if let Ok(position) = &answer {
            self.acknowledged.add(key, *position, entry);
        }
        answer
    }

    async fn last(&self, key: &LogKey) -> Result<Option<Record>, LogError> {
        self.read_fault().await?;
        let last = self.inner.last(key).await;
        self.edge.answer().await;
        last
    }

    async fn read(&self, key: &LogKey, after: Option<Position>) -> Result<Vec<Record>, LogError> {
        self.read_fault().await?;
        let records = self.inner.read(key, after).await;
        self.edge.answer().await;
        records
    }

    async fn tail(&self, partition: u32, from: TailFrom) -> Result<TailStream, LogError> {
        self.read_fault().await?;
        let inner = self.inner.tail(partition, from).await?;
        let tail = Tail { inner, recorded: Arc::clone(&self.recorded), edge: self.edge.clone(), is_broken: false };
        let records = stream::unfold(tail, |mut tail| async move {
            let item = tail.next().await?;
            Some((item, tail))
        });
        Ok(records.boxed())
    }

    async fn purge(&self, key: &LogKey, before: Position) -> Result<(), LogError> {
        self.read_fault().await?;
        self.inner.purge(key, before).await
    }
}

struct Tail {
    inner: TailStream,
    recorded: Arc<RecordedLog>,
    edge: Edge,
    is_broken: bool,
}

impl Tail {
    async fn next(&mut self) -> Option<Result<Record, LogError>> {
        if self.is_broken {
            return None;
        }
        loop {
            let appended = self.recorded.appended.notified();
            let Some(item) = self.inner.next().now_or_never() else {
                appended.await;
                continue;
            };
            self.edge.answer().await;
            if self.edge.chaos.strikes(|rates| rates.tail_interrupted) {
                self.is_broken = true;
                return Some(Err(LogError::Interrupted { reason: reason() }));
            }
            return item;
        }
    }
}
