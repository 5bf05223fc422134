//! The event log: ordered records per run and per delivery log, in partitions, appended only when the writer has seen
//! the last one.

use async_trait::async_trait;
use bytes::Bytes;
use errand_domain::{CommitId, RunId};
use futures::stream::BoxStream;
use std::fmt;
use thiserror::Error;

/// Which of a run's two logs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LogKind {
    Run,
    Delivery,
}

/// Names one log: a run's events, or its deliveries. Both lie in the run's partition.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LogKey {
    pub kind: LogKind,
    pub run_id: RunId,
}

impl LogKey {
    #[must_use]
    pub fn run(run_id: &RunId) -> Self {
        Self { kind: LogKind::Run, run_id: run_id.clone() }
    }

    #[must_use]
    pub fn delivery(run_id: &RunId) -> Self {
        Self { kind: LogKind::Delivery, run_id: run_id.clone() }
    }

    /// The partition of a run: FNV-1a (64 bit) of its id, modulo the number of partitions. Fixed for ever: stored
    /// records are found by it.
    #[must_use]
    pub fn partition(&self, partitions: u32) -> u32 {
        const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
        const PRIME: u64 = 0x0000_0100_0000_01b3;
        let hash = self.run_id.as_str().bytes().fold(OFFSET, |hash, b| (hash ^ u64::from(b)).wrapping_mul(PRIME));
        (hash % u64::from(partitions.max(1))) as u32
    }
}

/// A record's place in its partition: rising, not dense, given by the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position(pub u64);

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// What is appended: an encoded commit and its id, by which a retry is recognised.
#[derive(Debug, Clone)]
pub struct Entry {
    pub commit_id: CommitId,
    pub payload: Bytes,
}

/// What was stored.
#[derive(Debug, Clone)]
pub struct Record {
    pub key: LogKey,
    pub position: Position,
    pub payload: Bytes,
}

/// Where a tail starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TailFrom {
    Start,
    After(Position),
    Now,
}

/// Records of one partition in order, first the stored ones, then each as it is appended. After an error the stream ends;
/// the reader tails again after its last position.
pub type TailStream = BoxStream<'static, Result<Record, LogError>>;

/// Why an append did not succeed.
#[derive(Debug, Error)]
pub enum AppendError {
    /// Permanent for this decision: the log has moved on. Load, decide again.
    #[error("the log's last record is not the expected one")]
    Conflict,
    /// The outcome is not known: read back what followed the expected record before anything else.
    #[error("the outcome of the append is not known")]
    Unknown(#[source] LogError),
    /// Nothing was stored; it may be tried again.
    #[error("the append was not carried out")]
    NotStored(#[source] LogError),
    /// Permanent.
    #[error("a record of {bytes} bytes is over the limit of {max}")]
    TooLarge { bytes: usize, max: usize },
}

/// Why a call to the log failed.
#[derive(Debug, Error)]
pub enum LogError {
    /// Transient: the store cannot be reached, or did not answer in time.
    #[error("the log is unavailable: {reason}")]
    Unavailable { reason: String },
    /// Transient: the reader was too slow, or its subscription broke; tail again.
    #[error("the tail was interrupted: {reason}")]
    Interrupted { reason: String },
    /// Permanent: what is stored does not make sense.
    #[error("the log is corrupt: {reason}")]
    Corrupt { reason: String },
    /// Permanent: the store was made with other parameters, or lacks a feature.
    #[error("the log cannot be used: {reason}")]
    Unusable { reason: String },
}

/// Appends and reads. An acknowledged append is on stable storage.
#[async_trait]
pub trait EventLog: Send + Sync + fmt::Debug {
    /// How many partitions there are; fixed when the store was made.
    fn partitions(&self) -> u32;

    /// Appends when the log's last record is at `expected`; `None` expects an empty log. Idempotent by commit id only
    /// as far as [`AppendError::Unknown`] is read back.
    async fn append(&self, key: &LogKey, expected: Option<Position>, entry: Entry) -> Result<Position, AppendError>;

    /// The log's last record, from whoever decides about appends: never stale.
    async fn last(&self, key: &LogKey) -> Result<Option<Record>, LogError>;

    /// All records after a position (`None`: from the first), oldest first; never stale.
    async fn read(&self, key: &LogKey, after: Option<Position>) -> Result<Vec<Record>, LogError>;

    /// Follows one partition, both kinds of log.
    async fn tail(&self, partition: u32, from: TailFrom) -> Result<TailStream, LogError>;

    /// Removes the log's records before `position` for good; the record there stays (a tombstone).
    async fn purge(&self, key: &LogKey, before: Position) -> Result<(), LogError>;
}
