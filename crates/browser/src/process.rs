//! The browser's process: its group dies with this value, its standard error is read to the end, its profile is removed.

use crate::limits::STDERR_TAIL_BYTES_MAX;
use crate::profile::Profile;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::io::AsyncReadExt;
use tokio::process::{Child, ChildStderr};
use tokio::task::JoinHandle;

/// A killed browser is reaped within milliseconds; a process stuck in the kernel is not waited for.
const DEATH_WAIT_MAX: Duration = Duration::from_secs(5);

#[derive(Debug)]
pub(crate) struct Process {
    child: Child,
    group: Option<rustix::process::Pid>,
    profile: Option<Profile>,
    stderr: Arc<Mutex<VecDeque<u8>>>,
    drain: Option<JoinHandle<()>>,
}

impl Process {
    pub(crate) fn new(mut child: Child, profile: Profile) -> Self {
        let group = child.id().and_then(|id| i32::try_from(id).ok()).and_then(rustix::process::Pid::from_raw);
        let stderr = Arc::new(Mutex::new(VecDeque::new()));
        let drain = child.stderr.take().map(|pipe| tokio::spawn(drain(pipe, Arc::clone(&stderr))));
        Self { child, group, profile: Some(profile), stderr, drain }
    }

    /// Process id, while it runs.
    pub(crate) fn id(&self) -> Option<u32> {
        self.child.id()
    }

    /// Kills the browser and tells what it last said on standard error.
    pub(crate) async fn kill_and_explain(&mut self) -> String {
        self.kill().await;
        if let Some(drain) = self.drain.take() {
            let _ = tokio::time::timeout(DEATH_WAIT_MAX, drain).await;
        }
        let tail: Vec<u8> = self.stderr.lock().unwrap_or_else(PoisonError::into_inner).iter().copied().collect();
        String::from_utf8_lossy(&tail).trim().to_owned()
    }

    /// Kills the whole group, reaps the browser and removes its profile.
    pub(crate) async fn kill(&mut self) {
        self.kill_group();
        let _ = tokio::time::timeout(DEATH_WAIT_MAX, self.child.wait()).await;
        if let Some(profile) = self.profile.take() {
            let _ = tokio::task::spawn_blocking(move || drop(profile)).await;
        }
    }

    fn kill_group(&mut self) {
        // Once reaped, the number may belong to another process.
        if let (Some(group), Some(_)) = (self.group, self.child.id()) {
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // The profile goes after it, being a field.
        self.kill_group();
    }
}

async fn drain(mut pipe: ChildStderr, tail: Arc<Mutex<VecDeque<u8>>>) {
    let mut chunk = [0_u8; 4096];
    while let Ok(count @ 1..) = pipe.read(&mut chunk).await {
        let mut tail = tail.lock().unwrap_or_else(PoisonError::into_inner);
        tail.extend(&chunk[..count]);
        let excess = tail.len().saturating_sub(STDERR_TAIL_BYTES_MAX);
        tail.drain(..excess);
    }
}
