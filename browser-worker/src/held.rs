//! What becomes of a request that the browser's guard held back while an action ran that was judged safe: a person is asked
//! whether the action may send it, or it is dropped and the run says so. Pure.

use errand_browser::{Commits, HeldRequest};
use errand_domain::action::Action;
use errand_domain::limits::PAUSE_VALUES_MAX;
use errand_domain::run::{
    ApprovePolicy, Grant, PauseKind, Phase, Proposal, Reply, Run, SentValue, Stakes, StepOutcome, StepRecord,
};
use errand_planner::Observation;
use errand_planner::goal::{Commitment, Goal};
use errand_planner::risk::judge;

use crate::limits::APPROVALS_PER_REQUEST_MAX;
use crate::turn::{self, PauseRequest};

/// Whether a run's pages may do nothing that no person approved, or that its goal forbids.
#[must_use]
pub fn holds(run: &Run) -> bool {
    run.spec.approve != ApprovePolicy::Never || is_forbidden(run)
}

fn is_forbidden(run: &Run) -> bool {
    Goal::read(&run.spec.goal).commitment == Commitment::Forbidden
}

/// What this attempt's action may send.
#[must_use]
pub fn permission(run: &Run, committing: bool, action: &Action, observation: &Observation) -> Commits {
    if !committing {
        return submitted_form(action, observation).unwrap_or_default();
    }
    let request = granted(run).and_then(|grant| grant.pause.proposal.as_ref()?.request.clone());
    request.map_or(Commits::Any, Commits::Only)
}

/// The request of the form that an action submits, which was judged with it.
fn submitted_form(action: &Action, observation: &Observation) -> Option<Commits> {
    let target = match action {
        Action::Click { target } | Action::Press { target: Some(target), .. } => target,
        Action::Navigate { .. }
        | Action::Type { .. }
        | Action::Select { .. }
        | Action::Check { .. }
        | Action::Scroll { .. }
        | Action::Press { target: None, .. }
        | Action::Back
        | Action::Wait { .. } => return None,
    };
    let element = observation.elements.iter().find(|element| element.reference == target.element)?;
    let form = observation.forms.get(element.form?)?;
    Some(Commits::Form { method: form.method.clone(), url: form.action.clone() })
}

fn granted(run: &Run) -> Option<&Grant> {
    match &run.phase {
        Phase::Stepping { grant, .. } => grant.as_ref().filter(|grant| grant.reply == Reply::Approve),
        Phase::Ready { .. }
        | Phase::Waiting { .. }
        | Phase::Concluding { .. }
        | Phase::Finished { .. }
        | Phase::Deleted => None,
    }
}

/// The action that a request came from which was held back since: the last that was carried out.
#[must_use]
pub fn last_action(run: &Run) -> Option<&Action> {
    match run.history.last()? {
        StepRecord::Acted { chosen, outcome: StepOutcome::Acted { .. }, .. } => Some(&chosen.action),
        StepRecord::Acted { .. } | StepRecord::Replied { .. } => None,
    }
}

/// Asks whether `action` may send the first of the requests that is worth a question; `None`: they are dropped.
#[must_use]
pub fn question(run: &Run, action: &Action, held: &[HeldRequest], observation: &Observation) -> Option<PauseRequest> {
    if run.spec.approve == ApprovePolicy::Never || is_forbidden(run) {
        return None;
    }
    let request = held.iter().find(|request| may_ask(run, request))?;
    // Gone or doubled, the element could not be used again.
    let action = turn::on_this_page(action, observation)?;
    let risk = judge(&action, observation);
    let proposal = Proposal {
        label: risk.label,
        url: observation.url.clone(),
        digest: turn::approval_digest(&action, observation),
        in_doubt: false,
        request: Some(request.digest.clone()),
        action: action.clone(),
    };
    let values = request.values.iter().map(|(name, value)| format!("{name}: {value:?}")).collect();
    let what = format!("{} {}{}", request.method, request.target, request.path);
    Some(PauseRequest {
        kind: PauseKind::Approval,
        prompt: format!("Approve: {} on {}? It would send {what}", action.describe(), observation.title),
        fields: turn::fields_to_show(run, values),
        stakes: stakes_of(request, risk.stakes),
        options: Vec::new(),
        proposal: Some(proposal),
    })
}

/// What the request itself says counts more than what the page lets expect.
fn stakes_of(request: &HeldRequest, of_page: Stakes) -> Stakes {
    let value =
        |(name, value): &(String, String)| SentValue { name: name.clone(), label: String::new(), value: value.clone() };
    let values = request.values.iter().take(PAUSE_VALUES_MAX).map(value).collect();
    Stakes { target: Some(request.target.clone()), values, ..of_page }
}

/// Neither refused before, nor approved again and again without having been sent.
fn may_ask(run: &Run, request: &HeldRequest) -> bool {
    let replies = run.history.iter().filter_map(|record| match record {
        StepRecord::Replied { pause, reply } => {
            let proposal = pause.proposal.as_ref()?;
            (proposal.request.as_ref() == Some(&request.digest)).then_some(reply)
        }
        StepRecord::Acted { .. } => None,
    });
    let (refused, approved): (Vec<&Reply>, Vec<&Reply>) =
        replies.partition(|reply| matches!(reply, Reply::Refuse { .. }));
    refused.is_empty() && approved.len() < APPROVALS_PER_REQUEST_MAX
}

#[cfg(test)]
mod tests;
