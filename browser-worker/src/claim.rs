//! A claimed step: appends under the claim, shows progress while something is awaited, and knows when it is too old to
//! act on.

use errand_domain::RunId;
use errand_domain::run::{Run, StepStarted, WorkerCommand};
use errand_store::jobs::{Beat, beat_subject};
use errand_store::{CommandError, LogKey, RunLog, Stores};
use std::future::Future;
use std::time::Duration;
use tokio::time::Instant;

use crate::error::TaskError;
use crate::limits::BEAT_EVERY;

/// Held from `StepStarted` to the step's end. What a fenced claim appends is refused by the log; real input is fenced
/// only by [`Claim::check_fresh`], since a log fences writes, not clicks.
#[derive(Debug)]
pub struct Claim<'a> {
    stores: &'a Stores,
    runs: &'a RunLog,
    beat: Beat,
    subject: String,
    confirmed_at: Instant,
    act_within: Duration,
    pub run: Run,
}

impl<'a> Claim<'a> {
    /// Claims a step.
    ///
    /// # Errors
    /// [`TaskError::Fenced`] when somebody else has it, or the run has moved on.
    pub async fn take(
        stores: &'a Stores,
        runs: &'a RunLog,
        run_id: &RunId,
        started: StepStarted,
        act_within_ms: u64,
    ) -> Result<Self, TaskError> {
        let subject = beat_subject(LogKey::run(run_id).partition(stores.log.partitions()));
        let StepStarted { step, attempt, worker } = started.clone();
        let confirmed_at = Instant::now();
        let committed = runs.execute(run_id, WorkerCommand::StartStep(started)).await?;
        let beat = Beat { run_id: run_id.clone(), worker, step, attempt };
        let act_within = Duration::from_millis(act_within_ms);
        Ok(Self { stores, runs, beat, subject, confirmed_at, act_within, run: committed.state })
    }

    #[must_use]
    pub fn step(&self) -> u32 {
        self.beat.step
    }

    #[must_use]
    pub fn attempt(&self) -> u32 {
        self.beat.attempt
    }

    /// Appends a command's events under the claim.
    ///
    /// # Errors
    /// [`TaskError::Fenced`] when the claim is lost.
    pub async fn append(&mut self, command: WorkerCommand) -> Result<(), TaskError> {
        let asked_at = Instant::now();
        let committed = self.runs.execute(&self.beat.run_id, command).await?;
        self.confirmed_at = asked_at;
        self.run = committed.state;
        Ok(())
    }

    /// Awaits something that has a deadline of its own, showing progress meanwhile. The beats come from this very loop:
    /// a step that hangs elsewhere shows none.
    pub async fn while_beating<T>(&mut self, work: impl Future<Output = T>) -> T {
        let mut work = std::pin::pin!(work);
        loop {
            tokio::select! {
                biased;
                done = &mut work => return done,
                () = tokio::time::sleep(BEAT_EVERY) => self.beat().await,
            }
        }
    }

    async fn beat(&mut self) {
        let asked_at = Instant::now();
        match self.stores.signals.publish(&self.subject, self.beat.to_bytes()).await {
            Ok(()) => self.confirmed_at = asked_at,
            Err(error) => tracing::warn!(run_id = %self.beat.run_id, %error, "beat could not be sent"),
        }
    }

    /// To be called right before real input.
    ///
    /// # Errors
    /// When the claim has shown no progress for so long that its scheduler may have given it to another worker.
    pub fn check_fresh(&self) -> Result<(), TaskError> {
        let age = self.confirmed_at.elapsed();
        if age <= self.act_within {
            return Ok(());
        }
        Err(TaskError::Stale { age_ms: u64::try_from(age.as_millis()).unwrap_or(u64::MAX) })
    }

    /// Gives the claim up, so that another attempt can start at once.
    pub async fn abandon(self) {
        let Beat { run_id, worker, step, attempt } = self.beat;
        match self.runs.execute(&run_id, WorkerCommand::AbandonStep { step, attempt, worker }).await {
            Ok(_) => {}
            Err(error) if error.is_rejection() => {}
            // The scheduler will notice that no more beats come.
            Err(error) => log_abandon_error(&run_id, &error),
        }
    }
}

fn log_abandon_error(run_id: &RunId, error: &CommandError) {
    tracing::warn!(%run_id, %error, "claim could not be given up");
}
