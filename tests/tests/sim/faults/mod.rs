//! The stores as one process sees them: over a network that loses, delays and repeats.

mod blobs;
mod keyvalue;
mod log;
mod queue;
mod signals;

pub use blobs::FaultyBlobs;
pub use keyvalue::FaultyKeyValue;
pub use log::{Acknowledged, FaultyLog};
pub use queue::FaultyQueue;
pub use signals::FaultySignals;

/// Why a call did not succeed.
fn reason() -> String {
    "the simulated network failed".to_owned()
}
