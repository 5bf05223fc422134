//! Why and how a run ends.

use errand_domain::ground::Source;
use errand_domain::run::{Ending, Finished, Status, TerminalReason};
use serde_json::Value;
use std::collections::BTreeMap;

use crate::error::DecodeError;
use crate::field::{enumeration, optional_blob, optional_json, unspecified};
use crate::page::{read_usage, write_usage};
use crate::wire;

impl From<&Ending> for wire::ConclusionStarted {
    fn from(ending: &Ending) -> Self {
        Self { reason: write_reason(ending.reason), error: ending.error.clone() }
    }
}

pub(crate) fn read_ending(ending: wire::ConclusionStarted) -> Result<Ending, DecodeError> {
    Ok(Ending { reason: read_reason(ending.reason, "conclusion_started.reason")?, error: ending.error })
}

impl From<&Finished> for wire::Finished {
    fn from(finished: &Finished) -> Self {
        Self {
            status: wire::Status::from(finished.status).into(),
            reason: write_reason(finished.reason),
            answer: finished.answer.clone(),
            data_json: finished.data.as_ref().map(Value::to_string),
            data_blob: finished.data_blob.as_ref().map(|blob| blob.as_str().to_owned()),
            data_error: finished.data_error.clone(),
            sources: write_sources(&finished.sources),
            error: finished.error.clone(),
            profile_saved: finished.profile_saved.clone(),
            usage: write_usage(finished.usage),
        }
    }
}

pub(crate) fn read_finished(finished: wire::Finished) -> Result<Finished, DecodeError> {
    Ok(Finished {
        status: read_status(finished.status)?,
        reason: read_reason(finished.reason, "finished.reason")?,
        answer: finished.answer,
        data: optional_json(finished.data_json.as_ref(), "finished.data_json")?,
        data_blob: optional_blob(finished.data_blob.as_ref(), "finished.data_blob")?,
        data_error: finished.data_error,
        sources: read_sources(finished.sources),
        error: finished.error,
        profile_saved: finished.profile_saved,
        usage: read_usage(finished.usage),
    })
}

fn write_sources(sources: &BTreeMap<String, Source>) -> BTreeMap<String, wire::Source> {
    let write = |(pointer, source): (&String, &Source)| {
        let source = wire::Source { url: source.url.clone(), place: source.place.clone() };
        (pointer.clone(), source)
    };
    sources.iter().map(write).collect()
}

fn read_sources(sources: BTreeMap<String, wire::Source>) -> BTreeMap<String, Source> {
    let read = |(pointer, source): (String, wire::Source)| {
        let source = Source { url: source.url, place: source.place };
        (pointer, source)
    };
    sources.into_iter().map(read).collect()
}

fn read_status(status: i32) -> Result<Status, DecodeError> {
    match enumeration(status, "finished.status")? {
        wire::Status::Unspecified => Err(unspecified("finished.status")),
        wire::Status::Running => Ok(Status::Running),
        wire::Status::WaitingForHuman => Ok(Status::WaitingForHuman),
        wire::Status::Succeeded => Ok(Status::Succeeded),
        wire::Status::Failed => Ok(Status::Failed),
        wire::Status::TimedOut => Ok(Status::TimedOut),
        wire::Status::Stopped => Ok(Status::Stopped),
    }
}

impl From<Status> for wire::Status {
    fn from(status: Status) -> Self {
        match status {
            Status::Running => Self::Running,
            Status::WaitingForHuman => Self::WaitingForHuman,
            Status::Succeeded => Self::Succeeded,
            Status::Failed => Self::Failed,
            Status::TimedOut => Self::TimedOut,
            Status::Stopped => Self::Stopped,
        }
    }
}

/// The stored number of a reason.
pub(crate) fn write_reason(reason: TerminalReason) -> i32 {
    let reason = match reason {
        TerminalReason::Completed => wire::TerminalReason::Completed,
        TerminalReason::MaxSteps => wire::TerminalReason::MaxSteps,
        TerminalReason::GoalNotReached => wire::TerminalReason::GoalNotReached,
        TerminalReason::ModelError => wire::TerminalReason::ModelError,
        TerminalReason::NavigationError => wire::TerminalReason::NavigationError,
        TerminalReason::BrowserError => wire::TerminalReason::BrowserError,
        TerminalReason::RejectedByHuman => wire::TerminalReason::RejectedByHuman,
        TerminalReason::ActionInDoubt => wire::TerminalReason::ActionInDoubt,
        TerminalReason::WorkerLost => wire::TerminalReason::WorkerLost,
        TerminalReason::BudgetExhausted => wire::TerminalReason::BudgetExhausted,
        TerminalReason::Timeout => wire::TerminalReason::Timeout,
        TerminalReason::HumanTimeout => wire::TerminalReason::HumanTimeout,
        TerminalReason::Stopped => wire::TerminalReason::Stopped,
    };
    reason.into()
}

/// Reads the number of a reason that stands in `field`.
pub(crate) fn read_reason(reason: i32, field: &'static str) -> Result<TerminalReason, DecodeError> {
    let reason = match enumeration(reason, field)? {
        wire::TerminalReason::Unspecified => return Err(unspecified(field)),
        wire::TerminalReason::Completed => TerminalReason::Completed,
        wire::TerminalReason::MaxSteps => TerminalReason::MaxSteps,
        wire::TerminalReason::GoalNotReached => TerminalReason::GoalNotReached,
        wire::TerminalReason::ModelError => TerminalReason::ModelError,
        wire::TerminalReason::NavigationError => TerminalReason::NavigationError,
        wire::TerminalReason::BrowserError => TerminalReason::BrowserError,
        wire::TerminalReason::RejectedByHuman => TerminalReason::RejectedByHuman,
        wire::TerminalReason::ActionInDoubt => TerminalReason::ActionInDoubt,
        wire::TerminalReason::WorkerLost => TerminalReason::WorkerLost,
        wire::TerminalReason::BudgetExhausted => TerminalReason::BudgetExhausted,
        wire::TerminalReason::Timeout => TerminalReason::Timeout,
        wire::TerminalReason::HumanTimeout => TerminalReason::HumanTimeout,
        wire::TerminalReason::Stopped => TerminalReason::Stopped,
    };
    Ok(reason)
}
