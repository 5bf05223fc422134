//! A step from its claim to its end.

use errand_domain::ids::{BlobKey, WorkerId};
use errand_domain::run::{ActionChosen, RunEvent, StepFinished, StepOutcome, StepStarted};
use wire::step_outcome::Kind;

use crate::ending::{read_reason, write_reason};
use crate::error::DecodeError;
use crate::field::{id, kind, optional_blob, required};
use crate::page::{read_pages, read_usage, write_pages, write_usage};
use crate::wire;

impl From<&StepStarted> for wire::StepStarted {
    fn from(started: &StepStarted) -> Self {
        Self { step: started.step, attempt: started.attempt, worker: started.worker.as_str().to_owned() }
    }
}

pub(crate) fn read_started(started: wire::StepStarted) -> Result<StepStarted, DecodeError> {
    Ok(StepStarted {
        step: started.step,
        attempt: started.attempt,
        worker: id(&started.worker, WorkerId::parse, "step_started.worker")?,
    })
}

pub(crate) fn read_lost(lost: &wire::WorkerLost) -> Result<RunEvent, DecodeError> {
    Ok(RunEvent::WorkerLost {
        step: lost.step,
        attempt: lost.attempt,
        worker: id(&lost.worker, WorkerId::parse, "worker_lost.worker")?,
    })
}

impl From<&ActionChosen> for wire::ActionChosen {
    fn from(chosen: &ActionChosen) -> Self {
        Self {
            step: chosen.step,
            attempt: chosen.attempt,
            action: Some((&chosen.action).into()),
            committing: chosen.committing,
            url: chosen.url.clone(),
            digest: chosen.digest.clone(),
            pages: write_pages(&chosen.pages),
            usage: write_usage(chosen.usage),
        }
    }
}

pub(crate) fn read_chosen(chosen: wire::ActionChosen) -> Result<ActionChosen, DecodeError> {
    Ok(ActionChosen {
        step: chosen.step,
        attempt: chosen.attempt,
        action: required(chosen.action, "action_chosen.action")?.try_into()?,
        committing: chosen.committing,
        url: chosen.url,
        digest: chosen.digest,
        pages: read_pages(chosen.pages)?,
        usage: read_usage(chosen.usage),
    })
}

impl From<&StepFinished> for wire::StepFinished {
    fn from(finished: &StepFinished) -> Self {
        let blob_text = |blob: &BlobKey| blob.as_str().to_owned();
        Self {
            step: finished.step,
            attempt: finished.attempt,
            outcome: Some((&finished.outcome).into()),
            url: finished.url.clone(),
            pages: write_pages(&finished.pages),
            screenshot: finished.screenshot.as_ref().map(blob_text),
            checkpoint: finished.checkpoint.as_ref().map(blob_text),
            usage: write_usage(finished.usage),
        }
    }
}

pub(crate) fn read_finished(finished: wire::StepFinished) -> Result<StepFinished, DecodeError> {
    let screenshot = finished.screenshot.as_ref();
    let checkpoint = finished.checkpoint.as_ref();
    Ok(StepFinished {
        step: finished.step,
        attempt: finished.attempt,
        outcome: required(finished.outcome, "step_finished.outcome")?.try_into()?,
        url: finished.url,
        screenshot: optional_blob(screenshot, "step_finished.screenshot")?,
        checkpoint: optional_blob(checkpoint, "step_finished.checkpoint")?,
        pages: read_pages(finished.pages)?,
        usage: read_usage(finished.usage),
    })
}

impl From<&StepOutcome> for wire::StepOutcome {
    fn from(outcome: &StepOutcome) -> Self {
        let kind = match outcome {
            StepOutcome::Acted { result } => Kind::Acted(wire::Acted { result: result.clone() }),
            StepOutcome::NotActed { reason } => Kind::NotActed(wire::NotActed { reason: reason.clone() }),
            StepOutcome::GoalReached => Kind::GoalReached(wire::GoalReached {}),
            StepOutcome::GaveUp { reason } => Kind::GaveUp(wire::GaveUp { reason: reason.clone() }),
            StepOutcome::Fatal { reason, error } => {
                Kind::Fatal(wire::Fatal { reason: write_reason(*reason), error: error.clone() })
            }
        };
        Self { kind: Some(kind) }
    }
}

impl TryFrom<wire::StepOutcome> for StepOutcome {
    type Error = DecodeError;

    fn try_from(outcome: wire::StepOutcome) -> Result<Self, DecodeError> {
        let outcome = match kind(outcome.kind, "step_finished.outcome.kind")? {
            Kind::Acted(acted) => Self::Acted { result: acted.result },
            Kind::NotActed(not_acted) => Self::NotActed { reason: not_acted.reason },
            Kind::GoalReached(wire::GoalReached {}) => Self::GoalReached,
            Kind::GaveUp(gave_up) => Self::GaveUp { reason: gave_up.reason },
            Kind::Fatal(fatal) => Self::Fatal {
                reason: read_reason(fatal.reason, "step_finished.outcome.fatal.reason")?,
                error: fatal.error,
            },
        };
        Ok(outcome)
    }
}
