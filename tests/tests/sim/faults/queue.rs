//! The work queue over a bad network: jobs get lost, arrive late, or twice.

use async_trait::async_trait;
use errand_store::{Job, JobReceiver, QueueError, QueueName, WorkQueue};
use std::ops::Range;
use std::sync::Arc;

use super::reason;
use crate::process::Edge;

const SOON_MS: Range<u64> = 1..10;
const LATE_MS: Range<u64> = 100..20_000;

/// One process's way to the queue.
#[derive(Debug)]
pub struct FaultyQueue {
    pub inner: Arc<dyn WorkQueue>,
    pub edge: Edge,
}

impl FaultyQueue {
    /// A copy that arrives after so many milliseconds.
    fn send_late(&self, queue: &QueueName, job: &Job, after_ms: Range<u64>) {
        let (inner, queue, job) = (Arc::clone(&self.inner), queue.clone(), job.clone());
        let delay = self.edge.chaos.ms(after_ms);
        tokio::spawn(async move {
            tokio::time::sleep(delay).await;
            // A worker that is gone by then has no queue.
            let _ = inner.publish(&queue, job).await;
        });
    }
}

#[async_trait]
impl WorkQueue for FaultyQueue {
    async fn publish(&self, queue: &QueueName, job: Job) -> Result<(), QueueError> {
        let chaos = &self.edge.chaos;
        self.edge.ask().await;
        if chaos.strikes(|rates| rates.job_lost) {
            // Whether the sender notices is chance too.
            return if chaos.below(2) == 0 { Ok(()) } else { Err(QueueError::Unavailable { reason: reason() }) };
        }
        if chaos.strikes(|rates| rates.job_late) {
            self.send_late(queue, &job, LATE_MS);
            return Ok(());
        }
        if chaos.strikes(|rates| rates.job_twice) {
            // Before the first one was claimed, or long after.
            let after_ms = if chaos.below(2) == 0 { SOON_MS } else { LATE_MS };
            self.send_late(queue, &job, after_ms);
        }
        self.inner.publish(queue, job).await
    }

    async fn receive(&self, queue: &QueueName) -> Result<Box<dyn JobReceiver>, QueueError> {
        self.edge.ask().await;
        let inner = self.inner.receive(queue).await?;
        Ok(Box::new(FaultyReceiver { inner, edge: self.edge.clone(), arrived: None }))
    }

    async fn depth(&self, queue: &QueueName) -> Result<usize, QueueError> {
        self.inner.depth(queue).await
    }
}

#[derive(Debug)]
struct FaultyReceiver {
    inner: Box<dyn JobReceiver>,
    edge: Edge,
    /// Taken from the queue; kept here so that a cancelled wait loses nothing.
    arrived: Option<Job>,
}

#[async_trait]
impl JobReceiver for FaultyReceiver {
    async fn next(&mut self) -> Result<Job, QueueError> {
        self.edge.process.gate().await;
        if self.arrived.is_none() {
            self.arrived = Some(self.inner.next().await?);
        }
        self.edge.process.gate().await;
        self.arrived.take().ok_or_else(|| QueueError::Unavailable { reason: reason() })
    }
}
