//! What should be in motion for a run in this state. A function of the state alone, not of the last event: a scheduler
//! that restarts, or a second one, computes the same effects.

use super::state::{Phase, Run};
use crate::ids::WorkerId;
use crate::limits;
use crate::time::Timestamp;

/// Something to keep in motion until the state changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// Offer the next step to workers; to `route` first, which holds the browser session.
    DispatchStep { step: u32, attempt: u32, expected_seq: u64, route: Option<WorkerId> },
    /// Offer the conclusion to workers.
    DispatchConclusion { expected_seq: u64 },
    /// Watch the claim's progress; without any, the worker is lost.
    Supervise { step: u32, attempt: u32, worker: WorkerId },
    /// At `at`, expire the run (or its conclusion).
    ExpireRunAt { at: Timestamp },
    /// At `at`, expire the pause.
    ExpirePauseAt { pause: u32, at: Timestamp },
    /// At `at`, settle the charge.
    SettleAt { at: Timestamp },
}

/// The effects of a state.
#[must_use]
pub fn next(run: &Run) -> Vec<Effect> {
    match &run.phase {
        Phase::Ready { attempt, .. } => vec![Effect::DispatchStep {
            step: run.steps + 1,
            attempt: *attempt,
            expected_seq: run.seq,
            route: run.session_worker.clone(),
        }],
        Phase::Stepping { attempt, worker, since, .. } => {
            let limit_ms = u64::from(run.spec.timeout_s) * 1_000;
            let left_ms = limit_ms.saturating_sub(run.run_ms);
            vec![
                Effect::Supervise { step: run.steps + 1, attempt: *attempt, worker: worker.clone() },
                Effect::ExpireRunAt { at: since.plus_ms(left_ms) },
            ]
        }
        Phase::Waiting { pause, .. } => {
            let at = pause.since.plus_ms(u64::from(run.spec.human_timeout_s) * 1_000);
            vec![Effect::ExpirePauseAt { pause: pause.number, at }]
        }
        Phase::Concluding { since, .. } => vec![
            Effect::DispatchConclusion { expected_seq: run.seq },
            Effect::ExpireRunAt { at: since.plus_ms(limits::CONCLUDE_MS) },
        ],
        Phase::Finished { at } if run.charge.is_none() => vec![Effect::SettleAt { at: at.plus_ms(limits::SETTLE_MS) }],
        Phase::Finished { .. } | Phase::Deleted => Vec::new(),
    }
}
