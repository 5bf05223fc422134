//! A run as the log tells it.

use serde::{Deserialize, Serialize};

use super::event::{Ending, Finished, PageRef, StepOutcome, Usage};
use super::pause::{Pause, Reply};
use super::spec::RunSpec;
use crate::action::Action;
use crate::ids::{BlobKey, CommitId, RunId, WorkerId};
use crate::price::MicroUsd;
use crate::time::Timestamp;

/// The public status (SPEC §1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    Running,
    WaitingForHuman,
    Succeeded,
    Failed,
    TimedOut,
    Stopped,
}

impl Status {
    /// As the API writes it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::WaitingForHuman => "waiting_for_human",
            Self::Succeeded => "succeeded",
            Self::Failed => "failed",
            Self::TimedOut => "timed_out",
            Self::Stopped => "stopped",
        }
    }

    /// Neither running nor waiting.
    #[must_use]
    pub fn is_final(self) -> bool {
        match self {
            Self::Running | Self::WaitingForHuman => false,
            Self::Succeeded | Self::Failed | Self::TimedOut | Self::Stopped => true,
        }
    }
}

/// Why a run ended (SPEC §1, `terminal_reason`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TerminalReason {
    Completed,
    MaxSteps,
    GoalNotReached,
    ModelError,
    NavigationError,
    BrowserError,
    RejectedByHuman,
    ActionInDoubt,
    WorkerLost,
    BudgetExhausted,
    Timeout,
    HumanTimeout,
    Stopped,
}

impl TerminalReason {
    /// The status that goes with the reason.
    #[must_use]
    pub fn status(self) -> Status {
        match self {
            Self::Completed => Status::Succeeded,
            Self::MaxSteps
            | Self::GoalNotReached
            | Self::ModelError
            | Self::NavigationError
            | Self::BrowserError
            | Self::RejectedByHuman
            | Self::ActionInDoubt
            | Self::WorkerLost
            | Self::BudgetExhausted => Status::Failed,
            Self::Timeout | Self::HumanTimeout => Status::TimedOut,
            Self::Stopped => Status::Stopped,
        }
    }

    /// As the API writes it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::MaxSteps => "max_steps",
            Self::GoalNotReached => "goal_not_reached",
            Self::ModelError => "model_error",
            Self::NavigationError => "navigation_error",
            Self::BrowserError => "browser_error",
            Self::RejectedByHuman => "rejected_by_human",
            Self::ActionInDoubt => "action_in_doubt",
            Self::WorkerLost => "worker_lost",
            Self::BudgetExhausted => "budget_exhausted",
            Self::Timeout => "timeout",
            Self::HumanTimeout => "human_timeout",
            Self::Stopped => "stopped",
        }
    }
}

/// An action recorded before it was carried out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChosenAction {
    pub action: Action,
    pub committing: bool,
    pub url: String,
    pub digest: String,
}

/// What the next attempt at a step knows from a reply.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grant {
    pub pause: Pause,
    pub reply: Reply,
}

/// Where a run is in its life.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[expect(clippy::large_enum_variant, reason = "a run spends most of its life in the large variants")]
pub enum Phase {
    /// The next step waits for a worker's claim.
    Ready {
        attempt: u32,
        grant: Option<Grant>,
        in_doubt: Option<ChosenAction>,
    },
    /// A worker holds the claim.
    Stepping {
        attempt: u32,
        worker: WorkerId,
        since: Timestamp,
        grant: Option<Grant>,
        in_doubt: Option<ChosenAction>,
        chosen: Option<ChosenAction>,
    },
    /// A person is asked.
    Waiting {
        attempt: u32,
        pause: Pause,
        in_doubt: Option<ChosenAction>,
    },
    /// Answer and data are being written from the stored pages.
    Concluding {
        ending: Ending,
        since: Timestamp,
    },
    Finished {
        at: Timestamp,
    },
    Deleted,
}

/// One thing that happened, as the planner is told it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum StepRecord {
    Acted { step: u32, chosen: Box<ChosenAction>, outcome: StepOutcome },
    Replied { pause: Box<Pause>, reply: Reply },
}

/// The folded state of one run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    pub id: RunId,
    pub spec: RunSpec,
    pub reserved: MicroUsd,
    pub created_at: Timestamp,
    /// `seq`, `id` and `at` of the last commit.
    pub seq: u64,
    pub last_commit: CommitId,
    pub last_at: Timestamp,
    pub phase: Phase,
    /// Finished steps; the current one, if any, is the next.
    pub steps: u32,
    /// Workers lost in the current step.
    pub losses: u32,
    pub pauses: u32,
    /// Run time of closed claims in milliseconds; an open claim's comes on top.
    pub run_ms: u64,
    pub current_url: Option<String>,
    pub usage: Usage,
    /// The pages that grounding looks at, oldest first.
    pub pages: Vec<PageRef>,
    /// Latest screenshot, and each step's.
    pub screenshot: Option<BlobKey>,
    pub step_screenshots: Vec<(u32, BlobKey)>,
    pub checkpoint: Option<BlobKey>,
    /// The worker that held the last claim: it has the browser session.
    pub session_worker: Option<WorkerId>,
    pub history: Vec<StepRecord>,
    pub outcome: Option<Finished>,
    pub charge: Option<MicroUsd>,
}

impl Run {
    /// The public status.
    #[must_use]
    pub fn status(&self) -> Status {
        match &self.phase {
            Phase::Ready { .. } | Phase::Stepping { .. } | Phase::Concluding { .. } => Status::Running,
            Phase::Waiting { .. } => Status::WaitingForHuman,
            Phase::Finished { .. } | Phase::Deleted => {
                self.outcome.as_ref().map_or(Status::Stopped, |outcome| outcome.status)
            }
        }
    }

    /// Steps that are paid for: none of a run that opened no page, whoever was to blame.
    #[must_use]
    pub fn charged_steps(&self) -> u32 {
        if self.pages.is_empty() { 0 } else { self.steps }
    }

    /// The current pause, while the run waits.
    #[must_use]
    pub fn pause(&self) -> Option<&Pause> {
        match &self.phase {
            Phase::Waiting { pause, .. } => Some(pause),
            Phase::Ready { .. }
            | Phase::Stepping { .. }
            | Phase::Concluding { .. }
            | Phase::Finished { .. }
            | Phase::Deleted => None,
        }
    }

    /// When the run finished.
    #[must_use]
    pub fn finished_at(&self) -> Option<Timestamp> {
        match &self.phase {
            Phase::Finished { at } => Some(*at),
            Phase::Ready { .. }
            | Phase::Stepping { .. }
            | Phase::Waiting { .. }
            | Phase::Concluding { .. }
            | Phase::Deleted => None,
        }
    }

    /// Run time so far, in milliseconds: time under a claim, without queueing and waiting for a person (SPEC §1).
    #[must_use]
    pub fn run_ms_at(&self, now: Timestamp) -> u64 {
        match &self.phase {
            Phase::Stepping { since, .. } => self.run_ms.saturating_add(now.ms_since(*since)),
            Phase::Ready { .. }
            | Phase::Waiting { .. }
            | Phase::Concluding { .. }
            | Phase::Finished { .. }
            | Phase::Deleted => self.run_ms,
        }
    }

    /// A committing action that was recorded and whose outcome the log does not know.
    #[must_use]
    pub fn unresolved_action(&self) -> Option<&ChosenAction> {
        match &self.phase {
            Phase::Stepping { chosen: Some(chosen), .. } if chosen.committing => Some(chosen),
            Phase::Stepping { in_doubt, .. } | Phase::Ready { in_doubt, .. } | Phase::Waiting { in_doubt, .. } => {
                in_doubt.as_ref()
            }
            Phase::Concluding { .. } | Phase::Finished { .. } | Phase::Deleted => None,
        }
    }

    /// Why a run ended, with its action of unknown outcome, if there is one.
    #[must_use]
    pub fn with_unresolved(&self, error: String) -> String {
        match self.unresolved_error() {
            Some(unresolved) => format!("{error}; {unresolved}"),
            None => error,
        }
    }

    pub(crate) fn unresolved_error(&self) -> Option<String> {
        self.unresolved_action().map(|chosen| format!("outcome unknown: {}", chosen.action.describe()))
    }

    /// Whether a person refused an action in this run.
    #[must_use]
    pub fn was_refused(&self) -> bool {
        self.history.iter().any(|record| matches!(record, StepRecord::Replied { reply: Reply::Refuse { .. }, .. }))
    }
}
