//! The worker's settings.

use errand_domain::WorkerId;
use errand_vault::MasterKey;
use std::sync::Arc;

use crate::limits;

/// What a worker is started with.
#[derive(Debug, Clone)]
pub struct WorkerConfig {
    /// Names this incarnation: a restarted process is another worker.
    pub worker: WorkerId,
    /// Browser contexts at a time.
    pub sessions_max: usize,
    /// Opens secrets, profiles and checkpoints.
    pub master_key: Arc<MasterKey>,
    /// How long a run that waits for a person keeps its browser session.
    pub waiting_grace_ms: u64,
    /// A claim older than this without a beat is not acted on: half of the scheduler's lease.
    pub act_within_ms: u64,
}

/// As many sessions as memory and cores carry, at least one.
#[must_use]
pub fn default_sessions(memory_bytes: u64, cores: usize) -> usize {
    let by_memory = usize::try_from(memory_bytes / limits::SESSION_MEMORY_BYTES).unwrap_or(usize::MAX);
    by_memory.min(cores.saturating_mul(limits::SESSIONS_PER_CORE)).max(1)
}
