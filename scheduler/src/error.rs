//! Why a scheduler stopped. Everything transient is tried again inside, and a run that cannot be read is skipped.

use errand_store::{KeyValueError, LogError, SignalError};
use thiserror::Error;

/// Each variant but `Task` may be transient; see [`SchedulerError::is_transient`].
#[derive(Debug, Error)]
pub enum SchedulerError {
    #[error("the log could not be followed")]
    Log(#[from] LogError),
    #[error("the snapshot or lease could not be kept")]
    KeyValue(#[from] KeyValueError),
    #[error("beats could not be awaited")]
    Signals(#[from] SignalError),
    #[error("a partition's task died")]
    Task {
        #[source]
        source: tokio::task::JoinError,
    },
}

impl SchedulerError {
    /// Whether the partition should be taken up again from its last position.
    #[must_use]
    pub fn is_transient(&self) -> bool {
        match self {
            Self::Log(error) => match error {
                LogError::Unavailable { .. } | LogError::Interrupted { .. } => true,
                LogError::Corrupt { .. } | LogError::Unusable { .. } => false,
            },
            Self::KeyValue(_) | Self::Signals(_) => true,
            Self::Task { .. } => false,
        }
    }
}
