//! The unit of the log: the events of one decision, in one message.

use serde::{Deserialize, Serialize};

use crate::ids::{CommitId, RunId};
use crate::time::Timestamp;

/// Which kind of service appended a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Writer {
    Gateway,
    Worker,
    Scheduler,
    Notifier,
}

/// One decision's events. `seq` is dense within its run or delivery log: 1, 2, 3 …
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Commit<E> {
    pub id: CommitId,
    pub run_id: RunId,
    pub seq: u64,
    pub prev: Option<CommitId>,
    pub at: Timestamp,
    pub writer: Writer,
    pub events: Vec<E>,
}
