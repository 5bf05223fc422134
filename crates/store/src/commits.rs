//! How every writer appends (DESIGN §4): load, decide, append with the expected last record, evolve. A conflict means
//! decide again; an unknown outcome is read back before anything else.

use errand_domain::RunId;
use errand_domain::delivery::{CorruptDeliveries, DeliveryRejection};
use errand_domain::run::{Commit, CorruptHistory, Rejection};
use errand_proto::DecodeError;
use thiserror::Error;

mod append;
mod cache;
mod deliveries;
mod runs;

pub use deliveries::DeliveryLog;
pub use runs::{RunLog, decode_run_record};

use crate::log::{AppendError, LogError, Position};

/// A folded state and the position of its last record.
#[derive(Debug, Clone)]
pub struct Loaded<S> {
    pub state: S,
    pub head: Position,
}

/// What a command did.
#[derive(Debug, Clone)]
pub struct Committed<S, E> {
    pub state: S,
    pub head: Position,
    pub commit: Commit<E>,
}

/// Why a log could not be loaded.
#[derive(Debug, Error)]
pub enum LoadError {
    #[error(transparent)]
    Log(#[from] LogError),
    #[error("run {run_id}: a stored commit cannot be read")]
    Decode {
        run_id: RunId,
        #[source]
        source: DecodeError,
    },
    /// Only the tombstone is left.
    #[error("run {run_id} was deleted")]
    Deleted { run_id: RunId },
    #[error(transparent)]
    History(#[from] CorruptHistory),
    #[error(transparent)]
    Deliveries(#[from] CorruptDeliveries),
}

/// Why a command had no effect.
#[derive(Debug, Error)]
pub enum CommandError {
    #[error("run {run_id} does not exist")]
    NotFound { run_id: RunId },
    #[error("run {run_id} exists")]
    Exists { run_id: RunId },
    #[error(transparent)]
    Rejected(#[from] Rejection),
    #[error(transparent)]
    DeliveryRejected(#[from] DeliveryRejection),
    #[error("the log could not be read")]
    Load(#[from] LoadError),
    /// Permanent: over the size limit. Transient otherwise; nothing was stored.
    #[error("the log did not take the commit")]
    Append(#[source] AppendError),
    /// Unknown: whether the commit is stored could not be read back.
    #[error("whether the commit was stored is not known")]
    Unknown(#[source] LogError),
    #[error("run {run_id}: {tries} decisions in a row met a newer commit")]
    Contended { run_id: RunId, tries: u32 },
}
