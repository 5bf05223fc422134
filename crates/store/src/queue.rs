//! Jobs for whichever worker is free. A job is a hint derived from the log: it may be lost, arrive late or twice, and its
//! receiver checks it against the log.

use async_trait::async_trait;
use bytes::Bytes;
use errand_domain::WorkerId;
use std::fmt;
use thiserror::Error;

/// A queue's name: the shared one, or one worker's own.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct QueueName(pub String);

impl QueueName {
    /// Jobs for one worker only. They are dropped when it is gone; [`QueueError::NoReceiver`] may tell their publisher.
    #[must_use]
    pub fn of_worker(worker_id: &WorkerId) -> Self {
        Self(format!("{OWN_QUEUE_PREFIX}{worker_id}"))
    }

    /// Whether this is one worker's own queue.
    #[must_use]
    pub fn is_own(&self) -> bool {
        self.0.starts_with(OWN_QUEUE_PREFIX)
    }
}

const OWN_QUEUE_PREFIX: &str = "worker.";

/// One job as it is received.
#[derive(Debug, Clone)]
pub struct Job {
    /// By which a job dispatched twice is dropped while the first is still queued.
    pub id: String,
    pub payload: Bytes,
}

/// Why a queue call failed; transient.
#[derive(Debug, Error)]
pub enum QueueError {
    #[error("the queue is full")]
    Full,
    /// A worker's own queue that nobody receives from: the worker is gone, its jobs go to another one. A store that
    /// cannot tell accepts and drops the job.
    #[error("nobody receives from the queue")]
    NoReceiver,
    #[error("the queue is unavailable: {reason}")]
    Unavailable { reason: String },
}

/// Receives jobs, one at a time, until the queue is closed.
#[async_trait]
pub trait JobReceiver: Send + fmt::Debug {
    /// Waits for the next job; cancelling the wait loses nothing.
    async fn next(&mut self) -> Result<Job, QueueError>;
}

/// Offers jobs.
#[async_trait]
pub trait WorkQueue: Send + Sync + fmt::Debug {
    async fn publish(&self, queue: &QueueName, job: Job) -> Result<(), QueueError>;
    /// Any number of receivers share one queue; each job goes to one of them.
    async fn receive(&self, queue: &QueueName) -> Result<Box<dyn JobReceiver>, QueueError>;
    /// Jobs waiting, for metrics.
    async fn depth(&self, queue: &QueueName) -> Result<usize, QueueError>;
}
