//! The work queue in memory, for one process.

use async_trait::async_trait;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

use crate::limits::QUEUE_JOBS_MAX;
use crate::queue::{Job, JobReceiver, QueueError, QueueName, WorkQueue};

/// Queues made on first use. A worker's own queue goes, with its jobs, when its last receiver goes.
#[derive(Debug, Default)]
pub struct MemoryQueue {
    queues: Arc<Queues>,
}

#[derive(Debug, Default)]
struct Queues(Mutex<BTreeMap<QueueName, Queue>>);

#[derive(Debug, Default)]
struct Queue {
    jobs: VecDeque<Job>,
    queued_ids: BTreeSet<String>,
    receivers: usize,
    published: Arc<Notify>,
}

#[derive(Debug)]
struct MemoryReceiver {
    queues: Arc<Queues>,
    name: QueueName,
    published: Arc<Notify>,
}

impl Queues {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<QueueName, Queue>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&self, name: &QueueName) -> Option<Job> {
        let mut queues = self.lock();
        let queue = queues.get_mut(name)?;
        let job = queue.jobs.pop_front()?;
        queue.queued_ids.remove(&job.id);
        if !queue.jobs.is_empty() {
            // Two jobs published before anybody waited leave one notice; pass it on.
            queue.published.notify_one();
        }
        Some(job)
    }
}

#[async_trait]
impl WorkQueue for MemoryQueue {
    async fn publish(&self, name: &QueueName, job: Job) -> Result<(), QueueError> {
        let mut queues = self.queues.lock();
        let has_receiver = queues.get(name).is_some_and(|queue| queue.receivers > 0);
        if name.is_own() && !has_receiver {
            return Err(QueueError::NoReceiver);
        }
        let queue = queues.entry(name.clone()).or_default();
        if queue.queued_ids.contains(&job.id) {
            return Ok(());
        }
        if queue.jobs.len() >= QUEUE_JOBS_MAX {
            return Err(QueueError::Full);
        }
        queue.queued_ids.insert(job.id.clone());
        queue.jobs.push_back(job);
        queue.published.notify_one();
        Ok(())
    }

    async fn receive(&self, name: &QueueName) -> Result<Box<dyn JobReceiver>, QueueError> {
        let mut queues = self.queues.lock();
        let queue = queues.entry(name.clone()).or_default();
        queue.receivers += 1;
        Ok(Box::new(MemoryReceiver {
            queues: Arc::clone(&self.queues),
            name: name.clone(),
            published: Arc::clone(&queue.published),
        }))
    }

    async fn depth(&self, name: &QueueName) -> Result<usize, QueueError> {
        Ok(self.queues.lock().get(name).map_or(0, |queue| queue.jobs.len()))
    }
}

#[async_trait]
impl JobReceiver for MemoryReceiver {
    async fn next(&mut self) -> Result<Job, QueueError> {
        loop {
            if let Some(job) = self.queues.take(&self.name) {
                return Ok(job);
            }
            self.published.notified().await;
        }
    }
}

impl Drop for MemoryReceiver {
    fn drop(&mut self) {
        let mut queues = self.queues.lock();
        let Some(queue) = queues.get_mut(&self.name) else {
            return;
        };
        queue.receivers -= 1;
        if queue.receivers == 0 && (self.name.is_own() || queue.jobs.is_empty()) {
            queues.remove(&self.name);
        }
    }
}
