//! Keeps every run in motion: follows the log, dispatches jobs, supervises claims, keeps deadlines and settles charges.
//! All it holds is derived from the log; a second scheduler, or the same one restarted, computes the same effects.

mod config;
mod error;
mod orders;
mod partition;
mod plan;
mod snapshot;

pub use config::SchedulerConfig;
pub use error::SchedulerError;
pub use plan::{Order, Plan};

use errand_store::Stores;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// Runs one task per partition until `shutdown`; returns when all have ended.
///
/// # Errors
/// When a partition's log is corrupt or cannot be used; what is transient is tried again, and a single run that cannot
/// be read is skipped.
pub async fn run(config: SchedulerConfig, stores: Stores, shutdown: CancellationToken) -> Result<(), SchedulerError> {
    let mut partitions = JoinSet::new();
    for partition in 0..stores.log.partitions() {
        partitions.spawn(partition::run(partition, config.clone(), stores.clone(), shutdown.clone()));
    }
    let mut outcome = Ok(());
    while let Some(ended) = partitions.join_next().await {
        let result = ended.unwrap_or_else(|source| Err(SchedulerError::Task { source }));
        if result.is_err() && outcome.is_ok() {
            shutdown.cancel();
            outcome = result;
        }
    }
    outcome
}
