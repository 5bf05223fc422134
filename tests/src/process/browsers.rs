//! Finds browsers that were started with a profile folder of a test, whoever started them.

use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::bail;

use super::LOOK_INTERVAL;

/// Ids of living processes with an argument `--user-data-dir=` under `prefix`: browsers and their helpers.
///
/// # Errors
/// When /proc cannot be read.
pub fn browsers_under(prefix: &Path) -> io::Result<Vec<i32>> {
    let wanted = [b"--user-data-dir=", prefix.as_os_str().as_bytes()].concat();
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc")? {
        let entry = entry?;
        let Some(id) = entry.file_name().to_str().and_then(|name| name.parse::<i32>().ok()) else {
            continue;
        };
        // A process that ended meanwhile, or a zombie, has no command line.
        let command_line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        if command_line.split(|byte| *byte == 0).any(|argument| argument.starts_with(&wanted)) {
            found.push(id);
        }
    }
    found.sort_unstable();
    Ok(found)
}

/// Waits until no browser under `prefix` is left.
///
/// # Errors
/// When some are left after `deadline`; the message names them.
pub async fn wait_for_no_browsers(prefix: &Path, deadline: Duration) -> anyhow::Result<()> {
    let ends_at = Instant::now() + deadline;
    loop {
        let left = browsers_under(prefix)?;
        if left.is_empty() {
            return Ok(());
        }
        if Instant::now() >= ends_at {
            bail!("{} browser processes are left after {deadline:?}: {left:?}", left.len());
        }
        tokio::time::sleep(LOOK_INTERVAL).await;
    }
}
