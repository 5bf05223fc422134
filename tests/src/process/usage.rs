//! What a process uses of the machine: memory and processor time, from /proc.

use std::fs;
use std::io;
use std::time::{Duration, Instant};

use anyhow::bail;

/// Between two looks at a process's time.
const SAMPLE: Duration = Duration::from_millis(500);
/// Clock ticks (of 10 ms) that an idle process may use in one sample: a fifth of a core.
const IDLE_TICKS_MAX: u64 = 10;

/// The most memory that a process has had resident so far, in MiB.
///
/// # Errors
/// When there is no such process.
pub fn peak_memory_mib(process_id: i32) -> io::Result<u64> {
    let status = fs::read_to_string(format!("/proc/{process_id}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|rest| rest.split_whitespace().next()?.parse::<u64>().ok());
    kib.map(|kib| kib / 1024).ok_or_else(|| io::Error::other("no VmHWM"))
}

/// Processor time used so far, in clock ticks.
///
/// # Errors
/// When there is no such process.
pub fn cpu_ticks(process_id: i32) -> io::Result<u64> {
    let stat = fs::read_to_string(format!("/proc/{process_id}/stat"))?;
    // The name, in parentheses, may hold spaces; user and system time are the 12th and 13th fields after it.
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let fields: Vec<u64> =
        after_name.split_whitespace().skip(11).take(2).filter_map(|field| field.parse().ok()).collect();
    Ok(fields.iter().sum())
}

/// Waits until a process does next to nothing.
///
/// # Errors
/// When it still works after `deadline`.
pub async fn wait_idle(process_id: i32, deadline: Duration) -> anyhow::Result<()> {
    let ends_at = Instant::now() + deadline;
    let mut before = cpu_ticks(process_id)?;
    loop {
        tokio::time::sleep(SAMPLE).await;
        let now = cpu_ticks(process_id)?;
        if now - before <= IDLE_TICKS_MAX {
            return Ok(());
        }
        if Instant::now() >= ends_at {
            bail!("process {process_id} still uses {} ticks in {SAMPLE:?}", now - before);
        }
        before = now;
    }
}
