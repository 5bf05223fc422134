//! What happened to a run, in the past tense. Events hold facts, never blobs.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

use super::pause::{PauseKind, Proposal, Reply};
use super::spec::RunSpec;
use super::stakes::Stakes;
use super::state::{Status, TerminalReason};
use crate::action::Action;
use crate::ground::Source;
use crate::ids::{BlobKey, WorkerId};
use crate::price::MicroUsd;

/// Planner decisions of any kind, and calls to a model among them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Usage {
    pub decision_calls: u32,
    pub llm_calls: u32,
}

impl Usage {
    /// Both counts added.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            decision_calls: self.decision_calls.saturating_add(other.decision_calls),
            llm_calls: self.llm_calls.saturating_add(other.llm_calls),
        }
    }
}

/// A page that was stored before the browser left it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageRef {
    pub url: String,
    pub title: String,
    /// Where its snapshot is.
    pub blob: BlobKey,
}

/// How a step ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum StepOutcome {
    /// The action was carried out; `result` says what was seen of it.
    Acted { result: String },
    /// The action could not be carried out and had no effect; the planner looks again.
    NotActed { reason: String },
    /// The planner says that the goal is reached.
    GoalReached,
    /// The planner says that it cannot be reached.
    GaveUp { reason: String },
    /// The run cannot go on.
    Fatal { reason: TerminalReason, error: String },
}

/// Why and how a run is ending.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ending {
    pub reason: TerminalReason,
    pub error: Option<String>,
}

/// A worker claimed a step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepStarted {
    pub step: u32,
    pub attempt: u32,
    pub worker: WorkerId,
}

/// Written before the side effect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActionChosen {
    pub step: u32,
    pub attempt: u32,
    pub action: Action,
    /// It commits something: when its outcome is unknown it is never repeated.
    pub committing: bool,
    /// The page it was chosen on.
    pub url: String,
    pub digest: String,
    /// Pages stored before the action, which may leave them.
    pub pages: Vec<PageRef>,
    pub usage: Usage,
}

/// Written after the side effect, or when there was none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepFinished {
    pub step: u32,
    pub attempt: u32,
    pub outcome: StepOutcome,
    pub url: Option<String>,
    /// Pages stored in this step, oldest first.
    pub pages: Vec<PageRef>,
    pub screenshot: Option<BlobKey>,
    pub checkpoint: Option<BlobKey>,
    pub usage: Usage,
}

/// The run began to wait for a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HumanAsked {
    /// 1, 2, 3 … within the run.
    pub pause: u32,
    pub step: u32,
    pub attempt: u32,
    pub kind: PauseKind,
    pub prompt: String,
    pub fields: Vec<String>,
    #[serde(default)]
    pub stakes: Stakes,
    pub options: Vec<String>,
    /// What an approval is for.
    pub proposal: Option<Proposal>,
    pub url: Option<String>,
    pub pages: Vec<PageRef>,
    pub screenshot: Option<BlobKey>,
    pub checkpoint: Option<BlobKey>,
    pub usage: Usage,
}

/// The run's last state.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Finished {
    pub status: Status,
    pub reason: TerminalReason,
    pub answer: Option<String>,
    pub data: Option<Value>,
    /// Data over [`crate::limits::INLINE_DATA_BYTES_MAX`] is here instead.
    pub data_blob: Option<BlobKey>,
    pub data_error: Option<String>,
    /// JSON pointer → where the value stood.
    pub sources: BTreeMap<String, Source>,
    pub error: Option<String>,
    pub profile_saved: Option<String>,
    pub usage: Usage,
}

/// Everything that can happen to a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum RunEvent {
    Created { spec: Box<RunSpec>, reserved: MicroUsd },
    StepStarted(StepStarted),
    ActionChosen(ActionChosen),
    StepFinished(StepFinished),
    HumanAsked(Box<HumanAsked>),
    HumanReplied { pause: u32, reply: Reply },
    StopRequested,
    ConclusionStarted(Ending),
    WorkerLost { step: u32, attempt: u32, worker: WorkerId },
    Finished(Box<Finished>),
    ChargeSettled { charge: MicroUsd },
    Deleted,
}

impl RunEvent {
    /// The event's public name (event JSON, SPEC §7).
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Created { .. } => "run.created",
            Self::StepStarted(_) => "step.started",
            Self::ActionChosen(_) => "action.chosen",
            Self::StepFinished(_) => "step.finished",
            Self::HumanAsked(_) => "run.waiting",
            Self::HumanReplied { .. } => "run.replied",
            Self::StopRequested => "run.stop_requested",
            Self::ConclusionStarted(_) => "run.concluding",
            Self::WorkerLost { .. } => "worker.lost",
            Self::Finished(_) => "run.finished",
            Self::ChargeSettled { .. } => "charge.settled",
            Self::Deleted => "run.deleted",
        }
    }
}
