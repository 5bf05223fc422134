//! A child process in its own process group, with its output in files.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use tokio::process::{Child, Command};

use super::LOOK_INTERVAL;
use crate::client::http_builder;

/// Longest wait for one readiness answer; a server that is still starting refuses at once.
const READINESS_ANSWER: Duration = Duration::from_secs(2);

/// What to start.
#[derive(Debug, Clone)]
pub struct Launch {
    pub program: PathBuf,
    pub arguments: Vec<OsString>,
    /// Set on top of the environment of the test, from which every `ERRAND_` variable is taken away.
    pub environment: BTreeMap<String, String>,
}

impl Launch {
    /// A program without arguments or variables of its own.
    #[must_use]
    pub fn new(program: impl Into<PathBuf>) -> Self {
        Self { program: program.into(), arguments: Vec::new(), environment: BTreeMap::new() }
    }

    /// Adds an argument.
    #[must_use]
    pub fn arg(mut self, argument: impl Into<OsString>) -> Self {
        self.arguments.push(argument.into());
        self
    }

    /// Sets a variable.
    #[must_use]
    pub fn env(mut self, name: &str, value: impl Into<String>) -> Self {
        self.environment.insert(name.to_owned(), value.into());
        self
    }
}

/// A running child in its own process group; dropping it kills the group.
#[derive(Debug)]
pub struct ChildProcess {
    child: Child,
    pid: Pid,
    stdout: PathBuf,
    stderr: PathBuf,
}

impl ChildProcess {
    /// Starts `launch` with stdout and stderr appended to `<name>.out` and `<name>.err` in `log_dir`.
    ///
    /// # Errors
    /// When the program or the files cannot be opened.
    pub fn start(launch: &Launch, log_dir: &Path, name: &str) -> io::Result<Self> {
        let stdout = log_dir.join(format!("{name}.out"));
        let stderr = log_dir.join(format!("{name}.err"));
        let mut command = Command::new(&launch.program);
        for (variable, _) in std::env::vars_os().filter(|(variable, _)| variable.as_bytes().starts_with(b"ERRAND_")) {
            command.env_remove(variable);
        }
        let child = command
            .args(&launch.arguments)
            .envs(&launch.environment)
            .stdin(Stdio::null())
            .stdout(append(&stdout)?)
            .stderr(append(&stderr)?)
            .process_group(0)
            .kill_on_drop(true)
            .spawn()?;
        let pid = child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
        let pid = pid.ok_or_else(|| io::Error::other("the child has no process id"))?;
        Ok(Self { child, pid, stdout, stderr })
    }

    /// The child's process id.
    #[must_use]
    pub fn id(&self) -> i32 {
        self.pid.as_raw_nonzero().get()
    }

    /// What the child has written to stdout so far (and its predecessors under the same name).
    #[must_use]
    pub fn stdout(&self) -> String {
        read_lossy(&self.stdout)
    }

    /// What the child has written to stderr so far.
    #[must_use]
    pub fn stderr(&self) -> String {
        read_lossy(&self.stderr)
    }

    /// Waits for a line on stdout or stderr that contains `text`, and gives it.
    ///
    /// # Errors
    /// When the child ends or `deadline` passes before; the message holds the end of its output.
    pub async fn wait_for_line(&mut self, text: &str, deadline: Duration) -> anyhow::Result<String> {
        let ends_at = Instant::now() + deadline;
        loop {
            // Asked before the output is read: what a child wrote before it ended is then surely seen.
            let ended = self.child.try_wait()?;
            if let Some(line) = [self.stdout(), self.stderr()].iter().find_map(|output| line_with(output, text)) {
                return Ok(line);
            }
            self.go_on(ended, ends_at).with_context(|| format!("no line with {text:?} within {deadline:?}"))?;
            tokio::time::sleep(LOOK_INTERVAL).await;
        }
    }

    /// Waits until a GET of `url` is answered with a 2xx.
    ///
    /// # Errors
    /// When the child ends or `deadline` passes before.
    pub async fn wait_for_http(&mut self, url: &str, deadline: Duration) -> anyhow::Result<()> {
        let http = http_builder().timeout(READINESS_ANSWER).build()?;
        let ends_at = Instant::now() + deadline;
        loop {
            let ended = self.child.try_wait()?;
            if http.get(url).send().await.is_ok_and(|answer| answer.status().is_success()) {
                return Ok(());
            }
            self.go_on(ended, ends_at).with_context(|| format!("{url} was not ready within {deadline:?}"))?;
            tokio::time::sleep(LOOK_INTERVAL).await;
        }
    }

    /// SIGKILL to the child alone: what it started must notice by itself.
    ///
    /// # Errors
    /// When the signal cannot be sent or the child does not end.
    pub async fn kill(&mut self) -> anyhow::Result<()> {
        self.signal(Signal::KILL)?;
        self.child.wait().await.context("the killed child did not end")?;
        Ok(())
    }

    /// SIGTERM, then waits for the end.
    ///
    /// # Errors
    /// When the child has not ended after `deadline`.
    pub async fn terminate(&mut self, deadline: Duration) -> anyhow::Result<ExitStatus> {
        self.signal(Signal::TERM)?;
        self.wait(deadline).await
    }

    /// SIGSTOP: the child keeps its sockets and leases but does nothing.
    ///
    /// # Errors
    /// When the signal cannot be sent.
    pub fn pause(&self) -> io::Result<()> {
        self.signal(Signal::STOP)
    }

    /// SIGCONT after `pause`.
    ///
    /// # Errors
    /// When the signal cannot be sent.
    pub fn resume(&self) -> io::Result<()> {
        self.signal(Signal::CONT)
    }

    /// Waits for the child to end by itself.
    ///
    /// # Errors
    /// When it has not ended after `deadline`.
    pub async fn wait(&mut self, deadline: Duration) -> anyhow::Result<ExitStatus> {
        let ended = tokio::time::timeout(deadline, self.child.wait()).await;
        Ok(ended.with_context(|| format!("the child still runs after {deadline:?}"))??)
    }

    /// Whether the child still runs.
    pub fn is_running(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// Never signals a child that was reaped, whose number may belong to another process by now.
    fn signal(&self, signal: Signal) -> io::Result<()> {
        if self.child.id().is_none() {
            return Err(io::Error::new(io::ErrorKind::NotFound, "the child has ended"));
        }
        Ok(kill_process(self.pid, signal)?)
    }

    fn go_on(&self, ended: Option<ExitStatus>, ends_at: Instant) -> anyhow::Result<()> {
        let output = || format!("stdout: {}\nstderr: {}", last_lines(&self.stdout()), last_lines(&self.stderr()));
        if let Some(status) = ended {
            bail!("the child ended with {status}\n{}", output());
        }
        if Instant::now() >= ends_at {
            bail!("the child still runs\n{}", output());
        }
        Ok(())
    }
}

impl Drop for ChildProcess {
    fn drop(&mut self) {
        // The group outlives its leader while a member runs; when none is left the number is free and the call fails.
        let _none_left = kill_process_group(self.pid, Signal::KILL);
    }
}

fn append(path: &Path) -> io::Result<File> {
    File::options().create(true).append(true).open(path)
}

fn read_lossy(path: &Path) -> String {
    String::from_utf8_lossy(&fs::read(path).unwrap_or_default()).into_owned()
}

fn line_with(output: &str, text: &str) -> Option<String> {
    output.lines().find(|line| line.contains(text)).map(str::to_owned)
}

fn last_lines(output: &str) -> String {
    let lines: Vec<&str> = output.lines().collect();
    lines[lines.len().saturating_sub(20)..].join("\n")
}
