//! Logs that are broken on purpose, to prove that the checks would notice.

use async_trait::async_trait;
use errand_domain::run::RunEvent;
use errand_store::{AppendError, Entry, EventLog, LogError, LogKey, LogKind, Position, Record, TailFrom, TailStream};
use std::sync::Arc;

/// A safeguard to leave out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Break {
    /// The log appends whatever record the writer expects to be the last.
    IgnoreExpected,
    /// No committing action is recorded as one, so an attempt after a lost worker carries it out again.
    ForgetDoubt,
    /// The notifier sends again what may have been sent.
    ResendInDoubt,
    /// The notifier sends before its claim is stored.
    ClaimAfterSend,
}

/// The log as the broken safeguard leaves it.
pub fn broken(log: Arc<dyn EventLog>, sabotage: Option<Break>) -> Arc<dyn EventLog> {
    match sabotage {
        Some(sabotage @ (Break::IgnoreExpected | Break::ForgetDoubt)) => Arc::new(BrokenLog { inner: log, sabotage }),
        Some(Break::ResendInDoubt | Break::ClaimAfterSend) | None => log,
    }
}

#[derive(Debug)]
struct BrokenLog {
    inner: Arc<dyn EventLog>,
    sabotage: Break,
}

#[async_trait]
impl EventLog for BrokenLog {
    fn partitions(&self) -> u32 {
        self.inner.partitions()
    }

    async fn append(&self, key: &LogKey, expected: Option<Position>, entry: Entry) -> Result<Position, AppendError> {
        if self.sabotage == Break::IgnoreExpected {
            let last = self.inner.last(key).await.map_err(AppendError::NotStored)?;
            return self.inner.append(key, last.map(|record| record.position), entry).await;
        }
        let entry = if key.kind == LogKind::Run { without_commitment(entry) } else { entry };
        self.inner.append(key, expected, entry).await
    }

    async fn last(&self, key: &LogKey) -> Result<Option<Record>, LogError> {
        self.inner.last(key).await
    }

    async fn read(&self, key: &LogKey, after: Option<Position>) -> Result<Vec<Record>, LogError> {
        self.inner.read(key, after).await
    }

    async fn tail(&self, partition: u32, from: TailFrom) -> Result<TailStream, LogError> {
        self.inner.tail(partition, from).await
    }

    async fn purge(&self, key: &LogKey, before: Position) -> Result<(), LogError> {
        self.inner.purge(key, before).await
    }
}

fn without_commitment(entry: Entry) -> Entry {
    let Ok(mut commit) = errand_proto::decode_run_commit(&entry.payload) else { return entry };
    for event in &mut commit.events {
        if let RunEvent::ActionChosen(chosen) = event {
            chosen.committing = false;
        }
    }
    Entry { payload: errand_proto::encode_run_commit(&commit), ..entry }
}
