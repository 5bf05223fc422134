//! Child processes of tests: output in files, bounded waits, signals, and nothing left running when the test ends.

mod browsers;
mod child;
mod data_dir;
mod usage;

use std::time::Duration;

pub use browsers::{browsers_under, wait_for_no_browsers};
pub use child::{ChildProcess, Launch};
pub use data_dir::DataDir;
pub use usage::{cpu_ticks, peak_memory_mib, wait_idle};

/// How often a state outside this process (a file, a port, /proc) is looked at.
const LOOK_INTERVAL: Duration = Duration::from_millis(20);

#[cfg(test)]
mod tests;
