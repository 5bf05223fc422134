//! Sends webhooks: each event at most once, in order within its run, signed (SPEC §6, DESIGN §8).
//!
//! POSTs per event are never more than one. They are exactly one unless the recorded outcome is `not_sent` (nothing was
//! written: the receiver could not be reached, or may not be) or `in_doubt` (a process died between the stored claim and
//! the stored result). The order is: connect, append the claim, write the request once, append the result.

mod config;
mod error;
mod exchange;
mod hosts;
pub mod limits;
mod look;
mod message;
mod partition;
mod plan;
mod record;
mod sabotaged;
mod snapshot;
mod step;
mod target;
mod transport;

pub use config::NotifierConfig;
pub use error::NotifierError;
pub use target::Target;
pub use transport::{ConnectFault, Connection, Transport};

use errand_store::Stores;
use std::sync::Arc;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::look::Notifier;

/// Runs one task per partition until `shutdown`; returns when all have ended and what was claimed is finished.
///
/// # Errors
/// When a partition's log cannot be used; what is transient is tried again.
pub async fn run(config: NotifierConfig, stores: Stores, shutdown: CancellationToken) -> Result<(), NotifierError> {
    let partition_count = stores.log.partitions();
    let exchanges = Arc::new(Semaphore::new(config.exchanges_max.clamp(1, Semaphore::MAX_PERMITS)));
    let notifier = Arc::new(Notifier::new(config, stores));
    let mut partitions = JoinSet::new();
    for partition in 0..partition_count {
        let (notifier, exchanges) = (Arc::clone(&notifier), Arc::clone(&exchanges));
        partitions.spawn(partition::run(partition, notifier, exchanges, shutdown.clone()));
    }
    let mut outcome = Ok(());
    while let Some(ended) = partitions.join_next().await {
        let result = ended.unwrap_or_else(|source| Err(NotifierError::Task { source }));
        if result.is_err() && outcome.is_ok() {
            shutdown.cancel();
            outcome = result;
        }
    }
    outcome
}
