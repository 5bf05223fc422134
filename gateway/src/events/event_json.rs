//! The public form of events, version 1. It is a contract of its own, apart from the stored form: fields are added,
//! never changed. Data stands only in `run.finished`, where it was validated.

use errand_domain::action::Action;
use errand_domain::run::{
    ActionChosen, Commit, Ending, Finished, HumanAsked, PageRef, PauseKind, Reply, RunEvent, RunSpec, Status,
    StepFinished, StepOutcome, StepStarted,
};
use errand_domain::{BlobKey, RunId};
use serde_json::{Map, Value, json};

use crate::fault::Fault;

/// The version of this form, `v` in every event.
pub(super) const EVENT_VERSION: u32 = 1;

/// Every `type` that an event may have.
const EVENT_TYPES: [&str; 12] = [
    "run.created",
    "step.started",
    "action.chosen",
    "step.finished",
    "run.waiting",
    "run.replied",
    "run.stop_requested",
    "run.concluding",
    "worker.lost",
    "run.finished",
    "charge.settled",
    "run.deleted",
];

/// Types that a client asks for.
///
/// # Errors
/// When one of them is no event's.
pub(crate) fn read_types(names: &[&str]) -> Result<Vec<&'static str>, Fault> {
    let unknown = |name: &str| Fault::field("type", format!("\"type\" names an unknown type of event: \"{name}\""));
    let read = |name: &&str| EVENT_TYPES.into_iter().find(|known| known == name).ok_or_else(|| unknown(name));
    names.iter().map(read).collect()
}

/// What an event's JSON depends on besides its commit.
#[derive(Debug, Clone, Copy)]
pub(super) struct EventContext<'a> {
    /// The run's status after the event.
    pub status: Option<Status>,
    /// Data that was stored as a blob.
    pub data: Option<&'a Value>,
}

/// The event at `index` of a commit.
pub(super) fn event_json(
    commit: &Commit<RunEvent>,
    index: usize,
    event: &RunEvent,
    context: EventContext<'_>,
) -> Value {
    let mut object = Map::new();
    let mut put = |name: &str, value: Value| {
        object.insert(name.to_owned(), value);
    };
    put("v", json!(EVENT_VERSION));
    put("object", json!("event"));
    put("id", json!(event_id(commit.seq, index)));
    put("type", json!(event.name()));
    put("run_id", json!(commit.run_id));
    put("seq", json!(commit.seq));
    put("at", json!(commit.at.to_string()));
    put("status", json!(context.status.map(Status::as_str)));
    if let Value::Object(fields) = fields_of(&commit.run_id, event, context.data) {
        object.extend(fields);
    }
    Value::Object(object)
}

/// Names an event within its run, and is where a stream resumes.
pub(super) fn event_id(seq: u64, index: usize) -> String {
    format!("{seq}.{index}")
}

/// The run's status after an event; `None` when the event does not tell.
pub(super) fn status_after(event: &RunEvent) -> Option<Status> {
    match event {
        RunEvent::Created { .. }
        | RunEvent::StepStarted(_)
        | RunEvent::ActionChosen(_)
        | RunEvent::StepFinished(_)
        | RunEvent::HumanReplied { .. }
        | RunEvent::StopRequested
        | RunEvent::ConclusionStarted(_)
        | RunEvent::WorkerLost { .. } => Some(Status::Running),
        RunEvent::HumanAsked(_) => Some(Status::WaitingForHuman),
        RunEvent::Finished(finished) => Some(finished.status),
        RunEvent::ChargeSettled { .. } | RunEvent::Deleted => None,
    }
}

fn fields_of(run_id: &RunId, event: &RunEvent, data: Option<&Value>) -> Value {
    match event {
        RunEvent::Created { spec, reserved } => created(spec, reserved.as_usd()),
        RunEvent::StepStarted(started) => step_started(started),
        RunEvent::ActionChosen(chosen) => action_chosen(chosen),
        RunEvent::StepFinished(finished) => step_finished(run_id, finished),
        RunEvent::HumanAsked(asked) => waiting(run_id, asked),
        RunEvent::HumanReplied { pause, reply } => json!({"pause": pause, "reply": reply_json(reply)}),
        RunEvent::StopRequested | RunEvent::Deleted => json!({}),
        RunEvent::ConclusionStarted(ending) => concluding(ending),
        RunEvent::WorkerLost { step, attempt, worker } => {
            json!({"step": step, "attempt": attempt, "worker": worker})
        }
        RunEvent::Finished(finished) => run_finished(finished, data),
        RunEvent::ChargeSettled { charge } => json!({"charge_usd": charge.as_usd()}),
    }
}

fn created(spec: &RunSpec, reserved_usd: f64) -> Value {
    json!({
        "goal": spec.goal,
        "start_url": spec.start_url,
        "mode": spec.mode,
        "model": spec.model,
        "max_steps": spec.max_steps,
        "metadata": spec.metadata,
        "reserved_usd": reserved_usd,
    })
}

fn step_started(started: &StepStarted) -> Value {
    json!({"step": started.step, "attempt": started.attempt, "worker": started.worker})
}

fn action_chosen(chosen: &ActionChosen) -> Value {
    json!({
        "step": chosen.step,
        "attempt": chosen.attempt,
        "action": {"kind": action_kind(&chosen.action), "description": chosen.action.describe()},
        "committing": chosen.committing,
        "url": chosen.url,
        "usage": chosen.usage,
    })
}

fn action_kind(action: &Action) -> &'static str {
    match action {
        Action::Navigate { .. } => "navigate",
        Action::Click { .. } => "click",
        Action::Type { .. } => "type",
        Action::Select { .. } => "select",
        Action::Check { .. } => "check",
        Action::Scroll { .. } => "scroll",
        Action::Press { .. } => "press",
        Action::Back => "back",
        Action::Wait { .. } => "wait",
    }
}

fn step_finished(run_id: &RunId, finished: &StepFinished) -> Value {
    json!({
        "step": finished.step,
        "attempt": finished.attempt,
        "outcome": outcome_json(&finished.outcome),
        "url": finished.url,
        "pages": pages_json(&finished.pages),
        "screenshot": screenshot_url(run_id, finished.step, finished.screenshot.as_ref()),
        "usage": finished.usage,
    })
}

fn outcome_json(outcome: &StepOutcome) -> Value {
    match outcome {
        StepOutcome::Acted { result } => json!({"kind": "acted", "detail": result}),
        StepOutcome::NotActed { reason } => json!({"kind": "not_acted", "detail": reason}),
        StepOutcome::GoalReached => json!({"kind": "goal_reached", "detail": null}),
        StepOutcome::GaveUp { reason } => json!({"kind": "gave_up", "detail": reason}),
        StepOutcome::Fatal { reason, error } => {
            json!({"kind": "fatal", "detail": error, "terminal_reason": reason.as_str()})
        }
    }
}

fn pages_json(pages: &[PageRef]) -> Value {
    pages.iter().map(|page| json!({"url": page.url, "title": page.title})).collect()
}

fn screenshot_url(run_id: &RunId, step: u32, screenshot: Option<&BlobKey>) -> Option<String> {
    screenshot.map(|_| format!("/v1/browser/runs/{run_id}/screenshot?step={step}"))
}

fn waiting(run_id: &RunId, asked: &HumanAsked) -> Value {
    json!({
        "pause": asked.pause,
        "step": asked.step,
        "kind": pause_kind(asked.kind),
        "prompt": asked.prompt,
        "fields": asked.fields,
        "total": asked.stakes.total,
        "items": asked.stakes.items,
        "target": asked.stakes.target,
        "values": asked.stakes.values,
        "options": asked.options,
        "action": asked.proposal.as_ref().map(|proposal| &proposal.label),
        "url": asked.url,
        "screenshot": asked.screenshot.as_ref().map(|_| format!("/v1/browser/runs/{run_id}/screenshot")),
        "usage": asked.usage,
    })
}

fn pause_kind(kind: PauseKind) -> &'static str {
    match kind {
        PauseKind::Question => "question",
        PauseKind::Approval => "approval",
        PauseKind::Handoff => "handoff",
    }
}

fn reply_json(reply: &Reply) -> Value {
    match reply {
        Reply::Answer { answer } => json!({"answer": answer}),
        Reply::Approve => json!({"approve": true}),
        Reply::Refuse { note } => json!({"approve": false, "note": note}),
        Reply::Done => json!({"done": true}),
    }
}

fn concluding(ending: &Ending) -> Value {
    json!({"terminal_reason": ending.reason.as_str(), "error": ending.error})
}

fn run_finished(finished: &Finished, blob_data: Option<&Value>) -> Value {
    json!({
        "terminal_reason": finished.reason.as_str(),
        "answer": finished.answer,
        "data": blob_data.or(finished.data.as_ref()),
        "data_error": finished.data_error,
        "data_sources": finished.sources,
        "error": finished.error,
        "profile_saved": finished.profile_saved,
        "usage": finished.usage,
    })
}

#[cfg(test)]
mod tests;
