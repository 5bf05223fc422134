//! What this machine has.

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

/// Cores that this process may use.
#[must_use]
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}
