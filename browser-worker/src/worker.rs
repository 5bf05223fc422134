//! The worker's loop: takes jobs while it has places for sessions, carries each out in a task of its own, and lets go of
//! sessions that are no longer needed.

use errand_domain::RunId;
use errand_domain::run::{Phase, StepStarted};
use errand_store::jobs::{RunJob, Task, shared_queue, worker_queue};
use errand_store::{Job, JobReceiver, LoadError, QueueError};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::conclude::conclude;
use crate::context::Context;
use crate::error::{TaskError, WorkerError};
use crate::limits::{DRAIN_DEADLINE, RETRY_PAUSE, SWEEP_EVERY};
use crate::step;

/// A place that a job may use for a new session; a job of a held session needs none.
type Place = Option<OwnedSemaphorePermit>;

/// Works until `shutdown`, then finishes the steps it holds, closes all sessions and ends the browser.
///
/// # Errors
/// When the queues cannot be opened; errors after that are tried again.
pub async fn work(context: Arc<Context>, shutdown: CancellationToken) -> Result<(), WorkerError> {
    let queue = &context.stores.queue;
    let mut own = queue.receive(&worker_queue(&context.config.worker)).await?;
    let mut shared = queue.receive(&shared_queue()).await?;
    let mut tasks = JoinSet::new();
    let mut sweep = tokio::time::interval(SWEEP_EVERY);
    loop {
        tokio::select! {
            biased;
            () = shutdown.cancelled() => break,
            Some(ended) = tasks.join_next(), if !tasks.is_empty() => log_end(ended),
            job = own.next() => start(&mut tasks, &context, job, None, &shutdown).await,
            (place, job) = next_shared(context.sessions.places(), &mut *shared) => {
                start(&mut tasks, &context, job, place, &shutdown).await;
            }
            _ = sweep.tick() => let_go_of_idle(&context).await,
        }
    }
    drain(&context, tasks).await;
    Ok(())
}

/// Finishes the steps that are held. What hangs beyond the deadline is given up: its claim is lost, and the next worker
/// takes the run up from its checkpoint.
async fn drain(context: &Context, mut tasks: JoinSet<Result<(), TaskError>>) {
    let finishing = async {
        while let Some(ended) = tasks.join_next().await {
            log_end(ended);
        }
    };
    if tokio::time::timeout(DRAIN_DEADLINE, finishing).await.is_err() {
        tracing::warn!("steps that did not end in time are given up");
    }
    tasks.shutdown().await;
    for session in context.sessions.take_all() {
        session.close().await;
    }
    context.driver.shutdown().await;
}

/// Waits for a place first: a worker that is full leaves shared jobs to others.
async fn next_shared(places: Arc<Semaphore>, shared: &mut dyn JobReceiver) -> (Place, Result<Job, QueueError>) {
    let place = places.acquire_owned().await.ok();
    (place, shared.next().await)
}

async fn start(
    tasks: &mut JoinSet<Result<(), TaskError>>,
    context: &Arc<Context>,
    job: Result<Job, QueueError>,
    place: Place,
    shutdown: &CancellationToken,
) {
    let job = match job {
        Ok(job) => job,
        Err(error) => {
            tracing::warn!(%error, "job could not be received");
            tokio::time::sleep(RETRY_PAUSE).await;
            return;
        }
    };
    let Some(job) = RunJob::from_job(&job) else {
        tracing::warn!(job_id = job.id, "job cannot be read");
        return;
    };
    tasks.spawn(carry_out(Arc::clone(context), job, place, shutdown.clone()));
}

async fn carry_out(
    context: Arc<Context>,
    job: RunJob,
    place: Place,
    shutdown: CancellationToken,
) -> Result<(), TaskError> {
    let run_id = job.run_id;
    let ended = match job.task {
        Task::Conclude => conclude(&context, &run_id).await,
        Task::Step { step, attempt } => {
            let place = tokio::select! {
                biased;
                // The job is left to another worker.
                () = shutdown.cancelled() => return Ok(()),
                place = place_for(&context, &run_id, place) => place,
            };
            let worker = context.config.worker.clone();
            step::attempt(&context, &run_id, StepStarted { step, attempt, worker }, place).await
        }
    };
    if ended.is_err() {
        clean_after_deletion(&context, &run_id).await?;
    }
    ended
}

/// What a step stored while its run was deleted is removed again.
async fn clean_after_deletion(context: &Context, run_id: &RunId) -> Result<(), TaskError> {
    let is_deleted = match context.runs.load(run_id).await {
        Ok(loaded) => loaded.is_some_and(|loaded| loaded.state.is_deleted()),
        Err(LoadError::Deleted { .. }) => true,
        Err(error) => return Err(error.into()),
    };
    if is_deleted {
        context.stores.blobs.delete_run(run_id).await?;
    }
    Ok(())
}

/// A held session keeps its own place, so its job waits for none; a spare one is given back with the permit's end.
async fn place_for(context: &Context, run_id: &RunId, place: Place) -> Place {
    if context.sessions.holds(run_id) || place.is_some() {
        return place;
    }
    context.sessions.places().acquire_owned().await.ok()
}

/// Closes the sessions of runs that finished elsewhere, or that wait for a person longer than the grace; when every place
/// is taken, of all that wait. They are restored from their checkpoints.
async fn let_go_of_idle(context: &Context) {
    let grace = Duration::from_millis(context.config.waiting_grace_ms);
    let is_full = context.sessions.is_full();
    for (run_id, used_at) in context.sessions.idle() {
        if is_needed(context, &run_id, used_at, grace, is_full).await {
            continue;
        }
        if let Some(session) = context.sessions.take(&run_id) {
            tracing::debug!(%run_id, "browser session let go");
            session.close().await;
        }
    }
}

async fn is_needed(context: &Context, run_id: &RunId, used_at: Instant, grace: Duration, is_full: bool) -> bool {
    let run = match context.runs.load(run_id).await {
        Ok(Some(loaded)) => loaded.state,
        Ok(None) | Err(LoadError::Deleted { .. }) => return false,
        Err(error) => {
            tracing::warn!(%run_id, %error, "run of an idle session cannot be loaded");
            return true;
        }
    };
    match &run.phase {
        Phase::Ready { .. } => run.session_worker.as_ref() == Some(&context.config.worker),
        Phase::Stepping { worker, .. } => *worker == context.config.worker,
        Phase::Waiting { .. } => !is_full && used_at.elapsed() < grace,
        Phase::Concluding { .. } => true,
        Phase::Finished { .. } | Phase::Deleted => false,
    }
}

fn log_end(ended: Result<Result<(), TaskError>, tokio::task::JoinError>) {
    match ended {
        Ok(Ok(())) => {}
        Ok(Err(TaskError::Fenced(error))) => tracing::debug!(%error, "task was fenced"),
        Ok(Err(error)) => {
            let error: &dyn std::error::Error = &error;
            tracing::warn!(error, "task ended early");
        }
        // The message of a panic may quote the page.
        Err(error) => tracing::error!(task_id = %error.id(), is_panic = error.is_panic(), "task died"),
    }
}
