//! What this machine has.

use errand_gateway::limits::CONNECTIONS_MAX;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Four times the connections that are ever taken.
const OPEN_FILES_WANTED: u64 = 16_384;
/// With fewer, nothing is left to serve with.
const CONNECTIONS_LEAST: usize = 16;

/// Memory in bytes, from `/proc/meminfo`; 4 GiB where it cannot be read.
#[must_use]
pub fn memory_bytes() -> u64 {
    const UNKNOWN: u64 = 4 * 1024 * 1024 * 1024;
    let read = || {
        let text = std::fs::read_to_string("/proc/meminfo").ok()?;
        let line = text.lines().find(|line| line.starts_with("MemTotal:"))?;
        let kib: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
        Some(kib * 1024)
    };
    read().unwrap_or(UNKNOWN)
}

/// Files and sockets that this process may have open: its own limit, raised as far as the machine lets it, within reason.
#[must_use]
pub fn open_files() -> usize {
    let mut limit = getrlimit(Resource::Nofile);
    let wanted = limit.maximum.unwrap_or(OPEN_FILES_WANTED).min(OPEN_FILES_WANTED);
    if limit.current.is_some_and(|current| current < wanted) {
        let raised = Rlimit { current: Some(wanted), ..limit };
        match setrlimit(Resource::Nofile, raised) {
            Ok(()) => limit = raised,
            Err(error) => tracing::warn!(%error, "the limit of open files cannot be raised"),
        }
    }
    limit.current.and_then(|current| usize::try_from(current).ok()).unwrap_or(usize::MAX)
}

/// Connections that may be open at once: half of the files; the other half is for the store, the browsers and their
/// proxies.
#[must_use]
pub fn connections_max(open_files: usize) -> usize {
    (open_files / 2).clamp(CONNECTIONS_LEAST, CONNECTIONS_MAX)
}

/// Cores that this process may use.
#[must_use]
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_leave_files_to_the_store_and_the_browsers() {
        assert_eq!([96, 256, 1_024, 1 << 20].map(connections_max), [48, 128, 512, CONNECTIONS_MAX]);
    }
}
