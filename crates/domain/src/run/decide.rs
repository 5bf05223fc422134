//! Decides a command against a run's state. Pure and total: every command on every state gives events or a rejection.

use super::command::{Command, Conclusion, GatewayCommand, SchedulerCommand, WorkerCommand};
use super::event::{ActionChosen, Ending, Finished, HumanAsked, RunEvent, StepFinished, StepOutcome, StepStarted};
use super::pause::{Pause, PauseKind, Reply};
use super::rejection::Rejection;
use super::spec::RunSpec;
use super::state::{Phase, Run, TerminalReason};
use crate::ids::WorkerId;
use crate::limits;
use crate::price::{MicroUsd, PriceTable};
use crate::time::Timestamp;

/// The events that create a run.
#[must_use]
pub fn create(spec: RunSpec, prices: &PriceTable) -> Vec<RunEvent> {
    let reserved = prices.reserve(spec.mode, spec.max_steps);
    vec![RunEvent::Created { spec: Box::new(spec), reserved }]
}

/// Decides `command` at `now`.
///
/// # Errors
/// When the command does not fit the run's state.
pub fn decide(run: &Run, command: Command, now: Timestamp) -> Result<Vec<RunEvent>, Rejection> {
    if matches!(run.phase, Phase::Deleted) {
        return Err(Rejection::Deleted);
    }
    match command {
        Command::Gateway(GatewayCommand::Reply { pause, reply }) => decide_reply(run, pause, reply),
        Command::Gateway(GatewayCommand::Stop) => decide_stop(run),
        Command::Gateway(GatewayCommand::Delete) => decide_delete(run),
        Command::Worker(WorkerCommand::StartStep(started)) => decide_start(run, started),
        Command::Worker(WorkerCommand::ChooseAction(chosen)) => decide_action(run, chosen),
        Command::Worker(WorkerCommand::FinishStep(finished)) => decide_finish(run, finished),
        Command::Worker(WorkerCommand::AskHuman(asked)) => decide_ask(run, asked),
        Command::Worker(WorkerCommand::AbandonStep { step, attempt, worker }) => {
            decide_loss(run, step, attempt, worker)
        }
        Command::Worker(WorkerCommand::Conclude(conclusion)) => decide_conclude(run, *conclusion),
        Command::Scheduler(SchedulerCommand::LoseWorker { step, attempt, worker }) => {
            decide_loss(run, step, attempt, worker)
        }
        Command::Scheduler(SchedulerCommand::ExpireRun) => decide_expiry(run, now),
        Command::Scheduler(SchedulerCommand::ExpirePause { pause }) => decide_pause_expiry(run, pause),
        Command::Scheduler(SchedulerCommand::SettleCharge { charge }) => decide_charge(run, charge),
    }
}

fn current_pause(run: &Run) -> Result<&Pause, Rejection> {
    run.pause().ok_or(match run.phase {
        Phase::Finished { .. } => Rejection::Finished,
        Phase::Ready { .. }
        | Phase::Stepping { .. }
        | Phase::Waiting { .. }
        | Phase::Concluding { .. }
        | Phase::Deleted => Rejection::NotWaiting,
    })
}

fn decide_reply(run: &Run, given: Option<u32>, reply: Reply) -> Result<Vec<RunEvent>, Rejection> {
    let pause = current_pause(run)?;
    if let Some(given) = given.filter(|given| *given != pause.number) {
        return Err(Rejection::OtherPause { given, current: pause.number });
    }
    let fits = match (&reply, pause.kind) {
        (Reply::Answer { answer }, PauseKind::Question) => pause.options.is_empty() || pause.options.contains(answer),
        (Reply::Approve | Reply::Refuse { .. }, PauseKind::Approval) | (Reply::Done, PauseKind::Handoff) => true,
        (Reply::Answer { .. } | Reply::Approve | Reply::Refuse { .. } | Reply::Done, _) => false,
    };
    if !fits {
        return Err(Rejection::ReplyDoesNotFit);
    }
    Ok(vec![RunEvent::HumanReplied { pause: pause.number, reply }])
}

fn decide_stop(run: &Run) -> Result<Vec<RunEvent>, Rejection> {
    if matches!(run.phase, Phase::Finished { .. }) {
        return Err(Rejection::Finished);
    }
    let error = match &run.phase {
        // The ending that was under way has named what is unresolved.
        Phase::Concluding { ending, .. } => ending.error.clone(),
        Phase::Ready { .. }
        | Phase::Stepping { .. }
        | Phase::Waiting { .. }
        | Phase::Finished { .. }
        | Phase::Deleted => run.unresolved_error(),
    };
    let ending = Ending { reason: TerminalReason::Stopped, error };
    let finished = finish(ending, Conclusion::default());
    Ok(vec![RunEvent::StopRequested, finished])
}

fn decide_delete(run: &Run) -> Result<Vec<RunEvent>, Rejection> {
    match run.phase {
        // The account's ledger takes the charge from the settlement; a run deleted before would stay held for ever.
        Phase::Finished { .. } if run.charge.is_none() => Err(Rejection::NotSettled),
        Phase::Finished { .. } => Ok(vec![RunEvent::Deleted]),
        Phase::Ready { .. }
        | Phase::Stepping { .. }
        | Phase::Waiting { .. }
        | Phase::Concluding { .. }
        | Phase::Deleted => Err(Rejection::NotFinished),
    }
}

fn decide_start(run: &Run, started: StepStarted) -> Result<Vec<RunEvent>, Rejection> {
    let Phase::Ready { attempt, .. } = &run.phase else {
        return Err(Rejection::LostClaim);
    };
    if started.step != run.steps + 1 || started.attempt != *attempt {
        return Err(Rejection::LostClaim);
    }
    Ok(vec![RunEvent::StepStarted(started)])
}

fn check_claim(run: &Run, step: u32, attempt: u32) -> Result<(), Rejection> {
    match &run.phase {
        Phase::Stepping { attempt: current, .. } if *current == attempt && step == run.steps + 1 => Ok(()),
        Phase::Finished { .. } => Err(Rejection::Finished),
        Phase::Stepping { .. }
        | Phase::Ready { .. }
        | Phase::Waiting { .. }
        | Phase::Concluding { .. }
        | Phase::Deleted => Err(Rejection::LostClaim),
    }
}

fn decide_action(run: &Run, chosen: ActionChosen) -> Result<Vec<RunEvent>, Rejection> {
    check_claim(run, chosen.step, chosen.attempt)?;
    match &run.phase {
        Phase::Stepping { chosen: None, .. } => Ok(vec![RunEvent::ActionChosen(chosen)]),
        // One action a step: a second one would be a side effect that no step accounts for.
        _ => Err(Rejection::LostClaim),
    }
}

fn decide_finish(run: &Run, finished: StepFinished) -> Result<Vec<RunEvent>, Rejection> {
    check_claim(run, finished.step, finished.attempt)?;
    let ending = ending_after(run, &finished);
    let mut events = vec![RunEvent::StepFinished(finished)];
    events.extend(ending.map(RunEvent::ConclusionStarted));
    Ok(events)
}

fn ending_after(run: &Run, finished: &StepFinished) -> Option<Ending> {
    match &finished.outcome {
        StepOutcome::GoalReached => Some(Ending { reason: TerminalReason::Completed, error: None }),
        StepOutcome::GaveUp { reason } => {
            let terminal =
                if run.was_refused() { TerminalReason::RejectedByHuman } else { TerminalReason::GoalNotReached };
            Some(Ending { reason: terminal, error: Some(reason.clone()) })
        }
        StepOutcome::Fatal { reason, error } => Some(Ending { reason: *reason, error: Some(error.clone()) }),
        StepOutcome::Acted { .. } | StepOutcome::NotActed { .. } => {
            let limit = run.spec.max_steps;
            (finished.step >= limit).then(|| Ending {
                reason: TerminalReason::MaxSteps,
                error: Some(format!("reached the step limit ({limit})")),
            })
        }
    }
}

fn decide_ask(run: &Run, asked: Box<HumanAsked>) -> Result<Vec<RunEvent>, Rejection> {
    check_claim(run, asked.step, asked.attempt)?;
    if asked.pause != run.pauses + 1 {
        return Err(Rejection::OtherPause { given: asked.pause, current: run.pauses + 1 });
    }
    Ok(vec![RunEvent::HumanAsked(asked)])
}

fn decide_conclude(run: &Run, conclusion: Conclusion) -> Result<Vec<RunEvent>, Rejection> {
    match &run.phase {
        Phase::Concluding { ending, .. } => Ok(vec![finish(ending.clone(), conclusion)]),
        Phase::Finished { .. } => Err(Rejection::Finished),
        Phase::Ready { .. } | Phase::Stepping { .. } | Phase::Waiting { .. } | Phase::Deleted => {
            Err(Rejection::NotConcluding)
        }
    }
}

fn finish(ending: Ending, conclusion: Conclusion) -> RunEvent {
    RunEvent::Finished(Box::new(Finished {
        status: ending.reason.status(),
        reason: ending.reason,
        answer: conclusion.answer,
        data: conclusion.data,
        data_blob: conclusion.data_blob,
        data_error: conclusion.data_error,
        sources: conclusion.sources,
        error: ending.error,
        profile_saved: conclusion.profile_saved,
        usage: conclusion.usage,
    }))
}

fn decide_loss(run: &Run, step: u32, attempt: u32, worker: WorkerId) -> Result<Vec<RunEvent>, Rejection> {
    check_claim(run, step, attempt)?;
    let is_last = run.losses + 1 >= limits::LOSSES_PER_STEP_MAX;
    let lost = RunEvent::WorkerLost { step, attempt, worker };
    if !is_last {
        return Ok(vec![lost]);
    }
    let error = format!("step {step} was lost with its worker {} times", limits::LOSSES_PER_STEP_MAX);
    let error = run.with_unresolved(error);
    let ending = Ending { reason: TerminalReason::WorkerLost, error: Some(error) };
    Ok(vec![lost, RunEvent::ConclusionStarted(ending)])
}

fn decide_expiry(run: &Run, now: Timestamp) -> Result<Vec<RunEvent>, Rejection> {
    match &run.phase {
        Phase::Stepping { .. } => {
            let limit_s = run.spec.timeout_s;
            if run.run_ms_at(now) < u64::from(limit_s) * 1_000 {
                return Err(Rejection::NotExpired);
            }
            let error = run.with_unresolved(format!("reached the time limit ({limit_s} s)"));
            Ok(vec![RunEvent::ConclusionStarted(Ending { reason: TerminalReason::Timeout, error: Some(error) })])
        }
        Phase::Concluding { ending, since } => {
            if now.ms_since(*since) < limits::CONCLUDE_MS {
                return Err(Rejection::NotExpired);
            }
            Ok(vec![finish(ending.clone(), Conclusion::default())])
        }
        Phase::Finished { .. } => Err(Rejection::Finished),
        Phase::Ready { .. } | Phase::Waiting { .. } | Phase::Deleted => Err(Rejection::NotExpired),
    }
}

fn decide_pause_expiry(run: &Run, pause: u32) -> Result<Vec<RunEvent>, Rejection> {
    let current = current_pause(run)?;
    if current.number != pause {
        return Err(Rejection::OtherPause { given: pause, current: current.number });
    }
    let error = run.with_unresolved(format!("nobody replied within {} s", run.spec.human_timeout_s));
    Ok(vec![RunEvent::ConclusionStarted(Ending { reason: TerminalReason::HumanTimeout, error: Some(error) })])
}

fn decide_charge(run: &Run, charge: MicroUsd) -> Result<Vec<RunEvent>, Rejection> {
    if !matches!(run.phase, Phase::Finished { .. }) {
        return Err(Rejection::NotFinished);
    }
    if run.charge.is_some() {
        return Err(Rejection::AlreadySettled);
    }
    Ok(vec![RunEvent::ChargeSettled { charge }])
}
