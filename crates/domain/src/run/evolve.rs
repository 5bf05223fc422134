//! Folds commits into a run. The log is checked on the way: a hole, a fork or an event that cannot follow is an error
//! that is reported, never served.

use thiserror::Error;

use super::commit::Commit;
use super::event::{ActionChosen, Finished, HumanAsked, RunEvent, StepFinished, StepOutcome, StepStarted};
use super::pause::{Pause, Reply};
use super::spec::RunSpec;
use super::state::{ChosenAction, Grant, Phase, Run, StepRecord};
use crate::ids::RunId;
use crate::limits;
use crate::price::MicroUsd;
use crate::time::Timestamp;

/// A history that no sequence of decisions can have written.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum CorruptHistory {
    #[error("run {run_id}: commit {found} follows commit {last}")]
    Hole { run_id: RunId, last: u64, found: u64 },
    #[error("run {run_id}: commit {seq} does not name the one before it")]
    Fork { run_id: RunId, seq: u64 },
    #[error("run {run_id}: commit {seq} belongs to run {found}")]
    OtherRun { run_id: RunId, seq: u64, found: RunId },
    #[error("run {run_id}: {event} in commit {seq} cannot follow")]
    Impossible { run_id: RunId, seq: u64, event: &'static str },
    #[error("run {run_id}: commit {seq} has no events")]
    Empty { run_id: RunId, seq: u64 },
}

/// Folds a whole history, oldest commit first; `None` when there is none.
///
/// # Errors
/// When the history is corrupt.
pub fn fold<'a>(commits: impl IntoIterator<Item = &'a Commit<RunEvent>>) -> Result<Option<Run>, CorruptHistory> {
    commits.into_iter().try_fold(None, |run, commit| evolve(run, commit).map(Some))
}

/// The state after one more commit.
///
/// # Errors
/// When the commit cannot follow.
pub fn evolve(run: Option<Run>, commit: &Commit<RunEvent>) -> Result<Run, CorruptHistory> {
    check_place(run.as_ref(), commit)?;
    let mut run = run;
    for event in &commit.events {
        run = Some(apply(run, event, commit)?);
    }
    let mut run = run.ok_or_else(|| CorruptHistory::Empty { run_id: commit.run_id.clone(), seq: commit.seq })?;
    run.seq = commit.seq;
    run.last_commit = commit.id;
    run.last_at = commit.at;
    Ok(run)
}

fn check_place(run: Option<&Run>, commit: &Commit<RunEvent>) -> Result<(), CorruptHistory> {
    let run_id = run.map_or(&commit.run_id, |run| &run.id);
    let last = run.map_or(0, |run| run.seq);
    if *run_id != commit.run_id {
        let found = commit.run_id.clone();
        return Err(CorruptHistory::OtherRun { run_id: run_id.clone(), seq: commit.seq, found });
    }
    if commit.seq != last + 1 {
        return Err(CorruptHistory::Hole { run_id: run_id.clone(), last, found: commit.seq });
    }
    if commit.prev != run.map(|run| run.last_commit) {
        return Err(CorruptHistory::Fork { run_id: run_id.clone(), seq: commit.seq });
    }
    if commit.events.is_empty() {
        return Err(CorruptHistory::Empty { run_id: run_id.clone(), seq: commit.seq });
    }
    Ok(())
}

fn apply(run: Option<Run>, event: &RunEvent, commit: &Commit<RunEvent>) -> Result<Run, CorruptHistory> {
    let impossible =
        || CorruptHistory::Impossible { run_id: commit.run_id.clone(), seq: commit.seq, event: event.name() };
    let Some(run) = run else {
        let RunEvent::Created { spec, reserved } = event else { return Err(impossible()) };
        return Ok(created(commit, spec, *reserved));
    };
    let applied = match event {
        RunEvent::Created { .. } => None,
        RunEvent::StepStarted(started) => start_step(run, started, commit.at),
        RunEvent::ActionChosen(chosen) => choose_action(run, chosen),
        RunEvent::StepFinished(finished) => finish_step(run, finished, commit.at),
        RunEvent::HumanAsked(asked) => ask_human(run, asked, commit.at),
        RunEvent::HumanReplied { pause, reply } => take_reply(run, *pause, reply),
        RunEvent::StopRequested => is_open(&run).then_some(run),
        RunEvent::ConclusionStarted(ending) => is_open(&run).then(|| {
            let mut run = close_claim(run, commit.at);
            run.phase = Phase::Concluding { ending: ending.clone(), since: commit.at };
            run
        }),
        RunEvent::WorkerLost { attempt, .. } => lose_worker(run, *attempt),
        RunEvent::Finished(finished) => finish_run(run, finished, commit.at),
        RunEvent::ChargeSettled { charge } => settle(run, *charge),
        RunEvent::Deleted => run.finished_at().is_some().then(|| Run { phase: Phase::Deleted, ..run }),
    };
    applied.ok_or_else(impossible)
}

fn created(commit: &Commit<RunEvent>, spec: &RunSpec, reserved: MicroUsd) -> Run {
    Run {
        id: commit.run_id.clone(),
        spec: spec.clone(),
        reserved,
        created_at: commit.at,
        seq: commit.seq,
        last_commit: commit.id,
        last_at: commit.at,
        phase: Phase::Ready { attempt: 1, grant: None, in_doubt: None },
        steps: 0,
        losses: 0,
        pauses: 0,
        run_ms: 0,
        current_url: None,
        usage: super::event::Usage::default(),
        pages: Vec::new(),
        screenshot: None,
        step_screenshots: Vec::new(),
        checkpoint: None,
        session_worker: None,
        history: Vec::new(),
        outcome: None,
        charge: None,
    }
}

fn is_open(run: &Run) -> bool {
    match run.phase {
        Phase::Ready { .. } | Phase::Stepping { .. } | Phase::Waiting { .. } | Phase::Concluding { .. } => true,
        Phase::Finished { .. } | Phase::Deleted => false,
    }
}

/// Adds an open claim's time to the run time.
fn close_claim(mut run: Run, at: Timestamp) -> Run {
    run.run_ms = run.run_ms_at(at);
    run
}

fn start_step(mut run: Run, started: &StepStarted, at: Timestamp) -> Option<Run> {
    let Phase::Ready { attempt, grant, in_doubt } = run.phase else { return None };
    if started.attempt != attempt || started.step != run.steps + 1 {
        return None;
    }
    run.phase = Phase::Stepping { attempt, worker: started.worker.clone(), since: at, grant, in_doubt, chosen: None };
    run.session_worker = Some(started.worker.clone());
    Some(run)
}

fn choose_action(mut run: Run, event: &ActionChosen) -> Option<Run> {
    let Phase::Stepping { attempt, chosen, .. } = &mut run.phase else { return None };
    if *attempt != event.attempt || chosen.is_some() || event.step != run.steps + 1 {
        return None;
    }
    *chosen = Some(ChosenAction {
        action: event.action.clone(),
        committing: event.committing,
        url: event.url.clone(),
        digest: event.digest.clone(),
    });
    run.usage = run.usage.plus(event.usage);
    run.current_url = Some(event.url.clone());
    remember_pages(&mut run.pages, &event.pages);
    Some(run)
}

fn finish_step(run: Run, finished: &StepFinished, at: Timestamp) -> Option<Run> {
    let mut run = close_claim(run, at);
    let Phase::Stepping { attempt, chosen, grant, in_doubt, .. } = run.phase else { return None };
    if attempt != finished.attempt || finished.step != run.steps + 1 {
        return None;
    }
    run.steps = finished.step;
    run.losses = 0;
    run.usage = run.usage.plus(finished.usage);
    remember_page_facts(&mut run.current_url, &mut run.checkpoint, finished.url.as_ref(), finished.checkpoint.as_ref());
    remember_pages(&mut run.pages, &finished.pages);
    if let Some(shot) = &finished.screenshot {
        run.screenshot = Some(shot.clone());
        run.step_screenshots.push((finished.step, shot.clone()));
    }
    if let Some(chosen) = chosen {
        let outcome = finished.outcome.clone();
        run.history.push(StepRecord::Acted { step: finished.step, chosen: Box::new(chosen), outcome });
    }
    // A step that could not act settles nothing: an older doubt stays, and so does what the person did by hand. An
    // approval was for the element that was shown, which is no longer there.
    let (grant, in_doubt) = match finished.outcome {
        StepOutcome::NotActed { .. } => (grant.filter(|grant| matches!(grant.reply, Reply::Done)), in_doubt),
        StepOutcome::Acted { .. }
        | StepOutcome::GoalReached
        | StepOutcome::GaveUp { .. }
        | StepOutcome::Fatal { .. } => (None, None),
    };
    run.phase = Phase::Ready { attempt: 1, grant, in_doubt };
    Some(run)
}

fn remember_page_facts(
    current_url: &mut Option<String>,
    checkpoint: &mut Option<crate::ids::BlobKey>,
    url: Option<&String>,
    new_checkpoint: Option<&crate::ids::BlobKey>,
) {
    if let Some(url) = url {
        *current_url = Some(url.clone());
    }
    if let Some(new_checkpoint) = new_checkpoint {
        *checkpoint = Some(new_checkpoint.clone());
    }
}

fn remember_pages(pages: &mut Vec<super::event::PageRef>, new: &[super::event::PageRef]) {
    for page in new {
        // The last look at a URL replaces an earlier look at it that directly precedes: the same page, later.
        if pages.last().is_some_and(|last| last.url == page.url) {
            pages.pop();
        }
        pages.push(page.clone());
    }
    let excess = pages.len().saturating_sub(limits::GROUNDING_PAGES_MAX);
    pages.drain(..excess);
}

fn ask_human(run: Run, asked: &HumanAsked, at: Timestamp) -> Option<Run> {
    let mut run = close_claim(run, at);
    let Phase::Stepping { attempt, in_doubt, chosen, .. } = run.phase else { return None };
    if attempt != asked.attempt || asked.pause != run.pauses + 1 {
        return None;
    }
    run.pauses = asked.pause;
    run.usage = run.usage.plus(asked.usage);
    remember_page_facts(&mut run.current_url, &mut run.checkpoint, asked.url.as_ref(), asked.checkpoint.as_ref());
    remember_pages(&mut run.pages, &asked.pages);
    if let Some(shot) = &asked.screenshot {
        run.screenshot = Some(shot.clone());
    }
    let pause = Pause {
        number: asked.pause,
        kind: asked.kind,
        prompt: asked.prompt.clone(),
        fields: asked.fields.clone(),
        stakes: asked.stakes.clone(),
        options: asked.options.clone(),
        proposal: asked.proposal.clone(),
        screenshot: asked.screenshot.clone(),
        since: at,
    };
    // Asked instead of finishing the step: whether the recorded action happened is not known.
    let newly_in_doubt = chosen.filter(|chosen| chosen.committing);
    run.phase = Phase::Waiting { attempt, pause, in_doubt: newly_in_doubt.or(in_doubt) };
    Some(run)
}

fn take_reply(mut run: Run, number: u32, reply: &Reply) -> Option<Run> {
    let Phase::Waiting { attempt, pause, in_doubt } = run.phase else { return None };
    if pause.number != number {
        return None;
    }
    run.history.push(StepRecord::Replied { pause: Box::new(pause.clone()), reply: reply.clone() });
    // A person who answered a pause about an action in doubt has resolved the doubt.
    let was_about_doubt = pause.proposal.as_ref().is_some_and(|proposal| proposal.in_doubt);
    let in_doubt = in_doubt.filter(|_| !was_about_doubt);
    let grant = Some(Grant { pause, reply: reply.clone() });
    run.phase = Phase::Ready { attempt: attempt + 1, grant, in_doubt };
    Some(run)
}

/// The lost claim's time counts up to its last event: what came after that is the outage, in which nobody worked and the
/// clock may have been set.
fn lose_worker(run: Run, lost_attempt: u32) -> Option<Run> {
    let last_sign = run.last_at;
    let mut run = close_claim(run, last_sign);
    let Phase::Stepping { attempt, grant, in_doubt, chosen, .. } = run.phase else { return None };
    if attempt != lost_attempt {
        return None;
    }
    run.losses += 1;
    run.session_worker = None;
    let newly_in_doubt = chosen.filter(|chosen| chosen.committing);
    // An approval is for one execution: once the action was begun, it is used up.
    let grant = grant.filter(|_| newly_in_doubt.is_none());
    run.phase = Phase::Ready { attempt: attempt + 1, grant, in_doubt: newly_in_doubt.or(in_doubt) };
    Some(run)
}

fn finish_run(run: Run, finished: &Finished, at: Timestamp) -> Option<Run> {
    if !is_open(&run) {
        return None;
    }
    let mut run = close_claim(run, at);
    run.usage = run.usage.plus(finished.usage);
    run.phase = Phase::Finished { at };
    run.outcome = Some(finished.clone());
    Some(run)
}

fn settle(mut run: Run, charge: MicroUsd) -> Option<Run> {
    if run.finished_at().is_none() || run.charge.is_some() {
        return None;
    }
    run.charge = Some(charge);
    Some(run)
}
