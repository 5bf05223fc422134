//! Why a worker's task ended early. None of these loses anything: the scheduler offers the step again.

use errand_domain::ids::InvalidId;
use errand_egress::InvalidOriginRule;
use errand_store::{BlobError, CommandError, KeyValueError, LoadError, QueueError};
use errand_vault::{OpenError, RecordError};
use thiserror::Error;

use crate::driver::SessionLost;

/// A step or conclusion that did not come to its end.
#[derive(Debug, Error)]
pub enum TaskError {
    /// The log has moved on: another attempt, a stop, a timeout. Nothing is wrong.
    #[error("the claim is no longer held")]
    Fenced(#[source] CommandError),
    #[error("a commit could not be stored")]
    Command(#[source] CommandError),
    #[error("the run could not be loaded")]
    Load(#[from] LoadError),
    #[error("a blob could not be stored or read")]
    Blob(#[from] BlobError),
    #[error("a blob name could not be made")]
    BlobName(#[from] InvalidId),
    /// Its own message is left out: it may quote the page.
    #[error("the reading of a page died")]
    Reading,
    #[error("a secret could not be read")]
    Secret(#[from] SecretError),
    #[error(transparent)]
    Session(#[from] SessionLost),
    #[error("the claim is too old to act on: {age_ms} ms without a beat")]
    Stale { age_ms: u64 },
}

/// Why a run's secrets could not be opened.
#[derive(Debug, Error)]
pub enum SecretError {
    #[error("secret {name:?} no longer exists")]
    Missing { name: String },
    #[error("secret {name:?} is not readable")]
    Unreadable { name: String },
    #[error("secret {name:?} cannot be opened")]
    Sealed {
        name: String,
        #[source]
        source: RecordError,
    },
    #[error("secret {name:?} holds no TOTP seed")]
    Totp { name: String },
    #[error("secret {name:?} may not be typed into pages of {origin:?}")]
    OtherOrigin { name: String, origin: String },
    /// Sandboxed, or not sent by a server.
    #[error("secret {name:?} may not be typed into a frame that has no origin of its own")]
    NoOrigin { name: String },
    #[error("secret {name:?} may not be sent to {destination:?} without approval, and the run asks nobody")]
    OtherDestination { name: String, destination: String },
    #[error("secret {name:?} names hosts that cannot be read")]
    Hosts {
        name: String,
        #[source]
        source: InvalidOriginRule,
    },
    #[error("the secret store could not be reached")]
    Store(#[from] KeyValueError),
    #[error("a checkpoint cannot be opened")]
    Checkpoint(#[source] OpenError),
}

impl From<CommandError> for TaskError {
    fn from(error: CommandError) -> Self {
        if error.is_rejection() { Self::Fenced(error) } else { Self::Command(error) }
    }
}

/// Why the worker as a whole stopped.
#[derive(Debug, Error)]
pub enum WorkerError {
    #[error("the work queue could not be opened")]
    Queue(#[from] QueueError),
}
