//! What schedulers and workers tell each other besides the log: jobs and beats. Hints in JSON; losing one costs time,
//! never correctness.

use bytes::Bytes;
use errand_domain::{RunId, WorkerId};
use serde::{Deserialize, Serialize};

use crate::queue::{Job, QueueName};

/// What a worker is asked to do for a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Task {
    /// Claim and carry out one attempt at a step.
    Step { step: u32, attempt: u32 },
    /// Write answer and data.
    Conclude,
}

/// A job. One whose `expected_seq` is past is dropped: the log has moved on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunJob {
    pub run_id: RunId,
    pub expected_seq: u64,
    pub task: Task,
}

impl RunJob {
    /// Equal for every dispatch of the same thing.
    #[must_use]
    pub fn id(&self) -> String {
        match self.task {
            Task::Step { step, attempt } => format!("{}:{step}:{attempt}", self.run_id),
            Task::Conclude => format!("{}:conclude:{}", self.run_id, self.expected_seq),
        }
    }

    /// The job as it is queued.
    #[must_use]
    pub fn to_job(&self) -> Job {
        Job { id: self.id(), payload: to_json(self) }
    }

    /// Reads a queued job; `None` when it is not one of ours.
    #[must_use]
    pub fn from_job(job: &Job) -> Option<Self> {
        serde_json::from_slice(&job.payload).ok()
    }
}

/// Sent by a worker's step loop itself while a claim makes progress.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Beat {
    pub run_id: RunId,
    pub worker: WorkerId,
    pub step: u32,
    pub attempt: u32,
}

impl Beat {
    #[must_use]
    pub fn to_bytes(&self) -> Bytes {
        to_json(self)
    }

    /// Reads a signal; `None` when it is not a beat.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        serde_json::from_slice(bytes).ok()
    }
}

fn to_json(value: &impl Serialize) -> Bytes {
    // Strings, numbers and enums: serialising them cannot fail.
    serde_json::to_vec(value).unwrap_or_default().into()
}

/// Where any worker looks for jobs.
#[must_use]
pub fn shared_queue() -> QueueName {
    QueueName("steps".to_owned())
}

/// Where one worker looks for the runs whose browser sessions it holds.
#[must_use]
pub fn worker_queue(worker: &WorkerId) -> QueueName {
    QueueName::of_worker(worker)
}

/// Where beats for the runs of a partition are sent.
#[must_use]
pub fn beat_subject(partition: u32) -> String {
    format!("beats.{partition}")
}
