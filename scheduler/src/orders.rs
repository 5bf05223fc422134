//! Carries out what the plan orders. Orders may be repeated: queues drop a job that is still queued, and the log refuses
//! a command that no longer fits.

use errand_store::jobs::{shared_queue, worker_queue};
use errand_store::{QueueError, RunLog, Stores};

use crate::plan::Order;

/// A failure is logged and left: the plan orders again what is still wanted.
pub async fn carry_out(orders: Vec<Order>, stores: &Stores, runs: &RunLog) {
    for order in orders {
        match order {
            Order::Dispatch { job, route } => {
                let queue = route.as_ref().map_or_else(shared_queue, worker_queue);
                let routed = stores.queue.publish(&queue, job.to_job()).await;
                let queued = match routed {
                    // The worker is gone: any other may take the run up from its checkpoint.
                    Err(_) if route.is_some() => stores.queue.publish(&shared_queue(), job.to_job()).await,
                    answer => answer,
                };
                log_queue_error(&job.id(), queued);
            }
            Order::Execute { run_id, command } => match runs.execute(&run_id, command.clone()).await {
                Ok(committed) => {
                    tracing::debug!(%run_id, seq = committed.commit.seq, ?command, "scheduler command stored");
                }
                Err(error) if error.is_rejection() => {
                    tracing::debug!(%run_id, ?command, %error, "scheduler command no longer fits");
                }
                Err(error) => {
                    let error: &dyn std::error::Error = &error;
                    tracing::warn!(%run_id, ?command, error, "scheduler command failed");
                }
            },
        }
    }
}

fn log_queue_error(job_id: &str, queued: Result<(), QueueError>) {
    if let Err(error) = queued {
        tracing::warn!(job_id, %error, "job could not be queued");
    }
}
