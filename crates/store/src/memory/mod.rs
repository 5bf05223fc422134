//! All stores in the memory of one process: for tests and simulations, and what of the embedded store need not outlive
//! its process. Nothing here reads a clock or hashes with a random seed, so the same calls give the same answers.

mod blobs;
mod keyvalue;
mod log;
mod queue;
mod signals;
pub(crate) mod tail;

use std::sync::Arc;

use crate::{Clock, IdSource, Stores};

pub use blobs::MemoryBlobs;
pub use keyvalue::MemoryKeyValue;
pub use log::MemoryLog;
pub use queue::MemoryQueue;
pub use signals::MemorySignals;

/// One set of stores; clones share it, as processes share a cluster.
#[derive(Debug, Clone)]
pub struct MemoryStore {
    log: Arc<MemoryLog>,
    queue: Arc<MemoryQueue>,
    keyvalue: Arc<MemoryKeyValue>,
    blobs: Arc<MemoryBlobs>,
    signals: Arc<MemorySignals>,
}

impl MemoryStore {
    /// Empty stores; no partitions count as one.
    #[must_use]
    pub fn new(partitions: u32) -> Self {
        Self {
            log: Arc::new(MemoryLog::new(partitions)),
            queue: Arc::default(),
            keyvalue: Arc::default(),
            blobs: Arc::default(),
            signals: Arc::default(),
        }
    }

    /// The stores as a service gets them.
    #[must_use]
    pub fn stores(&self, clock: Arc<dyn Clock>, ids: Arc<dyn IdSource>) -> Stores {
        Stores {
            log: Arc::clone(&self.log) as _,
            queue: Arc::clone(&self.queue) as _,
            keyvalue: Arc::clone(&self.keyvalue) as _,
            blobs: Arc::clone(&self.blobs) as _,
            signals: Arc::clone(&self.signals) as _,
            clock,
            ids,
        }
    }
}
