//! Decides what one attempt at a step does with the page in front of it. Pure: the step's loop awaits, this decides.

use errand_domain::action::{Action, Target, TypedText};
use errand_domain::limits;
use errand_domain::page::is_error_status;
use errand_domain::run::{
    ApprovePolicy, ChosenAction, Grant, Pause, PauseKind, Phase, Proposal, Reply, Run, Stakes, StepOutcome, StepRecord,
    TerminalReason,
};
use errand_planner::risk::{self, Risk, judge};
use errand_planner::{Decision, Observation, PastStep};
use sha2::{Digest, Sha256};

use crate::error::SecretError;
use crate::secret_place::{self, Leave, SecretOrigins};

/// What to do.
#[derive(Debug, Clone, PartialEq)]
pub enum Turn {
    Act {
        action: Action,
        committing: bool,
    },
    /// Not done, and the reason goes into the run's history.
    Refuse {
        action: Action,
        reason: String,
    },
    Pause(Box<PauseRequest>),
    Finish,
    GiveUp {
        reason: String,
    },
    Fail {
        reason: TerminalReason,
        error: String,
    },
}

/// What a person is asked.
#[derive(Debug, Clone, PartialEq)]
pub struct PauseRequest {
    pub kind: PauseKind,
    pub prompt: String,
    pub fields: Vec<String>,
    pub stakes: Stakes,
    pub options: Vec<String>,
    pub proposal: Option<Proposal>,
}

/// What the state alone decides, before the planner is asked: an action in doubt, or one that was approved.
/// `is_complete` says that the page shows everything that is wanted.
#[must_use]
pub fn before_planning(run: &Run, observation: &Observation, is_complete: bool) -> Option<Turn> {
    let Phase::Stepping { grant, in_doubt, .. } = &run.phase else { return None };
    if let Some(chosen) = in_doubt {
        return if is_complete { Some(Turn::Finish) } else { Some(settle_doubt(run, chosen, observation)) };
    }
    grant.as_ref().and_then(|grant| use_approval(run, grant, observation))
}

/// The page cannot tell whether the action happened: a person can.
fn settle_doubt(run: &Run, chosen: &ChosenAction, observation: &Observation) -> Turn {
    let what = chosen.action.describe();
    if run.spec.approve == ApprovePolicy::Never {
        let error = format!("outcome unknown: {what}; it was not seen to end");
        return Turn::Fail { reason: TerminalReason::ActionInDoubt, error };
    }
    let risk = judge(&chosen.action, observation);
    let proposal = Proposal {
        action: chosen.action.clone(),
        label: risk.label,
        url: observation.url.clone(),
        digest: approval_digest(&chosen.action, observation),
        in_doubt: true,
        request: None,
    };
    let prompt = format!("It may already have happened: {what}. Approve only if it has not and should be done now");
    Turn::Pause(Box::new(PauseRequest {
        kind: PauseKind::Approval,
        prompt,
        fields: fields_to_show(run, risk.fields),
        stakes: risk.stakes,
        options: Vec::new(),
        proposal: Some(proposal),
    }))
}

/// An approved action is executed on the element that was shown; if that changed, the planner looks again.
fn use_approval(run: &Run, grant: &Grant, observation: &Observation) -> Option<Turn> {
    let proposal = grant.pause.proposal.as_ref().filter(|_| grant.reply == Reply::Approve)?;
    let action = on_this_page(&proposal.action, observation)?;
    let digest = approval_digest(&action, observation);
    let is_same = !digest.is_empty() && digest == proposal.digest;
    let committing = proposal.request.is_some() || is_committing(run, &action, observation);
    is_same.then_some(Turn::Act { action, committing })
}

/// How a run ends whose step was lost with its page or browser for the last time that it is tried; `None`: another attempt
/// follows. An action in doubt is named, and decides where nobody may be asked.
#[must_use]
pub fn after_loss(run: &Run, reason: &str) -> Option<StepOutcome> {
    if run.losses + 1 < limits::LOSSES_PER_STEP_MAX {
        return None;
    }
    let error = run.with_unresolved(reason.to_owned());
    let reason = match run.spec.approve {
        ApprovePolicy::Never if run.unresolved_action().is_some() => TerminalReason::ActionInDoubt,
        ApprovePolicy::Never | ApprovePolicy::Risky | ApprovePolicy::Always => TerminalReason::BrowserError,
    };
    Some(StepOutcome::Fatal { reason, error })
}

fn is_committing(run: &Run, action: &Action, observation: &Observation) -> bool {
    let needs_approval = run.spec.approve == ApprovePolicy::Always;
    needs_approval && changes_page(action) || judge(action, observation).committing
}

/// The same action with its target as this observation refers to it.
pub(crate) fn on_this_page(action: &Action, observation: &Observation) -> Option<Action> {
    let Some(wanted) = action.target() else { return Some(action.clone()) };
    let mut same = observation.elements.iter().filter(|element| {
        element.fingerprint == wanted.fingerprint && element.name == wanted.name && element.role == wanted.role
    });
    let found = same.next()?.target();
    // Two alike: which one was approved cannot be said.
    if same.next().is_some() { None } else { Some(with_target(action, found)) }
}

fn with_target(action: &Action, target: Target) -> Action {
    match action {
        Action::Click { .. } => Action::Click { target },
        Action::Type { text, .. } => Action::Type { target, text: text.clone() },
        Action::Select { option, .. } => Action::Select { target, option: option.clone() },
        Action::Check { checked, .. } => Action::Check { target, checked: *checked },
        Action::Press { key, .. } => Action::Press { key: key.clone(), target: Some(target) },
        Action::Navigate { .. } | Action::Scroll { .. } | Action::Back | Action::Wait { .. } => action.clone(),
    }
}

/// What an approval holds for: the page's address, the element, where its request goes and how, all that it sends, and what
/// the page says round it. Empty when the page does not tell all of that, so that no approval holds.
#[must_use]
pub fn approval_digest(action: &Action, observation: &Observation) -> String {
    let address = observation.url.split('#').next().unwrap_or_default();
    let target = action.target().map(|target| format!("{}\n{}\n{}", target.role, target.name, target.fingerprint));
    let Some(held) = risk::held(action, observation) else { return String::new() };
    let mut hash = Sha256::new();
    let secret = secret_place::place_of(action, observation);
    let held = held.iter().map(String::as_str).chain(secret.as_deref());
    for part in [address, &target.unwrap_or_default()].into_iter().chain(held) {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part.as_bytes());
    }
    hex::encode(hash.finalize())
}

/// What the planner's decision means under the run's approval policy. A page that the server calls an error is not what the
/// run was to reach.
#[must_use]
pub fn after_planning(run: &Run, observation: &Observation, decision: Decision, secrets: &SecretOrigins) -> Turn {
    let error_status = observation.http_status.filter(|status| is_error_status(*status));
    match decision {
        Decision::Act(action) => act(run, observation, action, secrets),
        Decision::Ask { prompt, options } => Turn::Pause(Box::new(plain_pause(PauseKind::Question, prompt, options))),
        Decision::HandOff { prompt } => Turn::Pause(Box::new(plain_pause(PauseKind::Handoff, prompt, Vec::new()))),
        Decision::Finish => match error_status {
            Some(status) => Turn::GiveUp { reason: answered_with(status) },
            None => Turn::Finish,
        },
        Decision::GiveUp { reason } => Turn::GiveUp { reason: error_status.map_or(reason, answered_with) },
    }
}

fn act(run: &Run, observation: &Observation, action: Action, secrets: &SecretOrigins) -> Turn {
    let risk = judge(&action, observation);
    match (secrets.judge(&action, observation), run.spec.approve) {
        (Leave::Refused(error), _) => Turn::Refuse { action, reason: error.to_string() },
        (Leave::Asks { name, destination }, ApprovePolicy::Never) => {
            let error = SecretError::OtherDestination { name: name.to_string(), destination };
            Turn::Refuse { action, reason: error.to_string() }
        }
        (Leave::Asks { .. }, ApprovePolicy::Risky | ApprovePolicy::Always) => {
            ask_approval(run, action, risk, observation)
        }
        (Leave::Free, ApprovePolicy::Risky) if risk.committing => ask_approval(run, action, risk, observation),
        (Leave::Free, ApprovePolicy::Always) if changes_page(&action) => ask_approval(run, action, risk, observation),
        (Leave::Free, ApprovePolicy::Risky | ApprovePolicy::Always | ApprovePolicy::Never) => {
            Turn::Act { action, committing: risk.committing }
        }
    }
}

fn answered_with(status: u16) -> String {
    format!("the page answered with HTTP status {status}")
}

/// Looking around needs no approval, whatever the policy.
fn changes_page(action: &Action) -> bool {
    match action {
        Action::Click { .. }
        | Action::Type { .. }
        | Action::Select { .. }
        | Action::Check { .. }
        | Action::Press { .. } => true,
        Action::Navigate { .. } | Action::Scroll { .. } | Action::Back | Action::Wait { .. } => false,
    }
}

fn plain_pause(kind: PauseKind, prompt: String, options: Vec<String>) -> PauseRequest {
    PauseRequest { kind, prompt, fields: Vec::new(), stakes: Stakes::default(), options, proposal: None }
}

fn ask_approval(run: &Run, action: Action, risk: Risk, observation: &Observation) -> Turn {
    let overtaken = overtaken_approvals(run, &action);
    if overtaken.len() >= OVERTAKEN_APPROVALS_MAX {
        let reason = format!("what was approved changed each time before it could be done: {}", action.describe());
        return Turn::GiveUp { reason };
    }
    let prompt = overtaken.last().map_or(risk.prompt.clone(), |before| asked_again(&before.stakes, &risk));
    let digest = approval_digest(&action, observation);
    let proposal =
        Proposal { action, label: risk.label, url: observation.url.clone(), digest, in_doubt: false, request: None };
    Turn::Pause(Box::new(PauseRequest {
        kind: PauseKind::Approval,
        prompt,
        fields: fields_to_show(run, risk.fields),
        stakes: risk.stakes,
        options: Vec::new(),
        proposal: Some(proposal),
    }))
}

/// A page that changes what it would send by itself makes nobody approve for ever.
const OVERTAKEN_APPROVALS_MAX: usize = 3;

/// Approvals of this action that the page has overtaken, oldest first: it was not done since.
fn overtaken_approvals<'a>(run: &'a Run, action: &Action) -> Vec<&'a Pause> {
    let is_same = |other: &Action| match (other.target(), action.target()) {
        (Some(one), Some(other)) => one.role == other.role && one.name == other.name,
        (None, None) => other == action,
        (Some(_), None) | (None, Some(_)) => false,
    };
    let mut overtaken = Vec::new();
    for record in &run.history {
        match record {
            StepRecord::Acted { chosen, .. } if is_same(&chosen.action) => overtaken.clear(),
            StepRecord::Replied { pause, reply: Reply::Approve }
                if pause.proposal.as_ref().is_some_and(|proposal| is_same(&proposal.action)) =>
            {
                overtaken.push(&**pause);
            }
            StepRecord::Acted { .. } | StepRecord::Replied { .. } => {}
        }
    }
    overtaken
}

fn asked_again(before: &Stakes, risk: &Risk) -> String {
    let changes = risk::changes(before, &risk.stakes);
    let what = if changes.is_empty() { "what the page says".to_owned() } else { changes.join("; ") };
    format!("{} It changed since it was approved: {what}", risk.prompt)
}

/// The form's fields; when it shows none, what the run has entered so far.
pub(crate) fn fields_to_show(run: &Run, fields: Vec<String>) -> Vec<String> {
    let mut shown = if fields.is_empty() { entered_so_far(run) } else { fields };
    shown.truncate(limits::PAUSE_FIELDS_MAX);
    shown
}

fn entered_so_far(run: &Run) -> Vec<String> {
    let entered = run.history.iter().filter_map(|record| match record {
        StepRecord::Acted { chosen, outcome: StepOutcome::Acted { .. }, .. } => entered_line(&chosen.action),
        StepRecord::Acted { .. } | StepRecord::Replied { .. } => None,
    });
    entered.collect()
}

fn entered_line(action: &Action) -> Option<String> {
    match action {
        Action::Type { target, text: TypedText::Plain(text) } => Some(format!("{}: {text:?}", target.name)),
        Action::Type { target, text: TypedText::Secret(name) } => Some(format!("{}: [secret:{name}]", target.name)),
        Action::Select { target, option } => Some(format!("{}: {option:?}", target.name)),
        Action::Check { target, checked } => Some(format!("{}: {}", target.name, if *checked { "yes" } else { "no" })),
        Action::Navigate { .. }
        | Action::Click { .. }
        | Action::Scroll { .. }
        | Action::Press { .. }
        | Action::Back
        | Action::Wait { .. } => None,
    }
}

/// The run's history as planners are told it.
#[must_use]
pub fn past_steps(run: &Run) -> Vec<PastStep> {
    // Under this policy every change of the page is recorded as one that needs approval.
    let is_told = run.spec.approve != ApprovePolicy::Always;
    run.history.iter().filter_map(|record| past_step(record, is_told)).collect()
}

fn past_step(record: &StepRecord, is_told: bool) -> Option<PastStep> {
    match record {
        StepRecord::Acted { chosen, outcome, .. } => {
            let outcome = match outcome {
                StepOutcome::Acted { result } => result.clone(),
                StepOutcome::NotActed { reason } => format!("not done: {reason}"),
                StepOutcome::GoalReached | StepOutcome::GaveUp { .. } | StepOutcome::Fatal { .. } => return None,
            };
            let ChosenAction { action, url, digest, committing, .. } = chosen.as_ref().clone();
            let committing = committing && is_told;
            Some(PastStep::Acted { action, committing, url, digest, outcome })
        }
        StepRecord::Replied { pause, reply } => match reply {
            Reply::Answer { answer } => {
                Some(PastStep::Answered { question: pause.prompt.clone(), answer: answer.clone() })
            }
            Reply::Refuse { note } => pause
                .proposal
                .as_ref()
                .map(|proposal| PastStep::Refused { action: proposal.action.clone(), note: note.clone() }),
            Reply::Done => Some(PastStep::HandedBack { prompt: pause.prompt.clone() }),
            // The approved action itself follows in the history, once it was carried out.
            Reply::Approve => None,
        },
    }
}

#[cfg(test)]
mod tests;
