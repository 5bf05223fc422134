//! Why a notifier stopped. Everything transient is tried again inside, and a fault of one run stays with that run.

use errand_store::{KeyValueError, LogError};
use thiserror::Error;

/// See [`NotifierError::is_transient`].
#[derive(Debug, Error)]
pub enum NotifierError {
    #[error("the log could not be followed")]
    Log(#[from] LogError),
    #[error("the snapshot or lease could not be kept")]
    KeyValue(#[from] KeyValueError),
    #[error("a partition's task died")]
    Task {
        #[source]
        source: tokio::task::JoinError,
    },
}

impl NotifierError {
    /// Whether the partition should be taken up again from its last position.
    #[must_use]
    pub fn is_transient(&self) -> bool {
        match self {
            Self::Log(LogError::Unavailable { .. } | LogError::Interrupted { .. }) | Self::KeyValue(_) => true,
            Self::Log(LogError::Corrupt { .. } | LogError::Unusable { .. }) | Self::Task { .. } => false,
        }
    }
}
