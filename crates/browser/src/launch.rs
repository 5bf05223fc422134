//! Finds Chromium and starts it with a pipe instead of a port, so that it leaves by itself when this process dies.

use crate::connection::{CallError, Connection, Pumps};
use crate::limits::{LAUNCH_TIMEOUT, PIPE_BYTES};
use crate::process::Process;
use crate::profile::Profile;
use crate::protocol::GetVersion;
use crate::trust::{TrustError, trust};
use command_fds::{CommandFdExt, FdMapping};
use std::ffi::OsString;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use thiserror::Error;
use tokio::net::unix::pipe;
use tokio::process::Command;

/// Where and how to start the browser.
#[derive(Debug, Clone, Default)]
pub struct LaunchOptions {
    /// `None` looks for one, see [`find_executable`].
    pub executable: Option<PathBuf>,
    /// Added after our own arguments, so they win.
    pub extra_args: Vec<String>,
    /// Folder in which the throw-away profile is made; `None` is the system's for temporary files.
    pub profile_parent: Option<PathBuf>,
    /// PEM text of certificates that are trusted beside Chromium's own, where `certutil` is installed.
    pub extra_ca: Option<Arc<[u8]>>,
    /// Chromium's own sandbox; `None` turns it off only for root, for whom it does not start.
    pub sandbox: Option<bool>,
}

/// Why there is no browser.
#[derive(Debug, Error)]
pub enum LaunchError {
    #[error("no Chromium found: install chromium-headless-shell, or name one with ERRAND_CHROMIUM")]
    NotFound,
    #[error("cannot make the browser's profile folder")]
    Profile(#[source] io::Error),
    #[error("the browser cannot be made to trust the extra CA")]
    Trust(#[source] TrustError),
    #[error("cannot make the browser's pipes")]
    Pipe(#[source] io::Error),
    #[error("cannot start {executable}")]
    Spawn {
        executable: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("the browser did not answer within {} s", LAUNCH_TIMEOUT.as_secs())]
    Timeout { stderr: String },
    #[error("the browser ended at once")]
    Ended { stderr: String },
}

impl LaunchError {
    /// The last of the browser's standard error, at most 4 KiB; empty when it never ran. For whoever owns the machine:
    /// it may name paths and settings, so the error's text, which reaches clients, does not repeat it.
    #[must_use]
    pub fn stderr(&self) -> &str {
        match self {
            Self::Timeout { stderr } | Self::Ended { stderr } => stderr,
            Self::NotFound | Self::Profile(_) | Self::Trust(_) | Self::Pipe(_) | Self::Spawn { .. } => "",
        }
    }
}

/// The real executables come first: Debian's wrapper in `/usr/bin` does not replace itself by the browser.
const KNOWN_PATHS: [&str; 5] = [
    "/usr/lib/chromium/chromium-headless-shell",
    "/usr/lib/chromium/chromium",
    "/usr/lib64/chromium-browser/headless_shell",
    "/opt/google/chrome/chrome",
    "/headless-shell/headless-shell",
];
const KNOWN_NAMES: [&str; 7] = [
    "chromium-headless-shell",
    "headless-shell",
    "chrome-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome-stable",
    "google-chrome",
];

/// Looks for a browser in the known places, then in `PATH`.
#[must_use]
pub fn find_executable() -> Option<PathBuf> {
    let known = KNOWN_PATHS.iter().map(PathBuf::from).find(|path| path.is_file());
    known.or_else(|| KNOWN_NAMES.iter().find_map(|name| in_path(name)))
}

/// The file that a command's name means, if there is one.
pub(crate) fn in_path(name: &str) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders).map(|folder| folder.join(name)).find(|file| file.is_file())
}

/// Arguments that do not depend on the machine.
const ARGUMENTS: [&str; 24] = [
    "--headless",
    "--remote-debugging-pipe",
    "--no-startup-window",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-gpu",
    // A context's proxy sees TCP only: what would go round it is off.
    "--disable-quic",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    // The browser speaks to nobody on its own.
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-domain-reliability",
    "--disable-client-side-phishing-detection",
    "--metrics-recording-only",
    "--disable-breakpad",
    "--disable-extensions",
    // Pages of several runs are in front at once.
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    // Nobody is there to answer prompts, and nothing is gained by watching animations.
    "--deny-permission-prompts",
    "--force-prefers-reduced-motion",
    "--hide-scrollbars",
    "--mute-audio",
    "--password-store=basic",
];

/// What the browser may know of our environment; everything else (keys, proxies) stays here.
const INHERITED_VARIABLES: [&str; 8] =
    ["PATH", "LANG", "LC_ALL", "TZ", "FONTCONFIG_FILE", "FONTCONFIG_PATH", "LD_LIBRARY_PATH", "SSL_CERT_FILE"];

/// Starts a browser and waits for its first answer.
pub(crate) async fn launch(options: &LaunchOptions) -> Result<(Process, Connection, Pumps, String), LaunchError> {
    let executable = options.executable.clone().or_else(find_executable).ok_or(LaunchError::NotFound)?;
    let profile = make_profile(options.profile_parent.clone()).await.map_err(LaunchError::Profile)?;
    if let Some(pem) = &options.extra_ca {
        trust(profile.path(), pem).await.map_err(LaunchError::Trust)?;
    }
    let (commands, their_commands) = command_pipe().map_err(LaunchError::Pipe)?;
    let (answers, their_answers) = answer_pipe().map_err(LaunchError::Pipe)?;

    let mut command = Command::new(&executable);
    command.args(arguments(options, profile.path()));
    set_environment(&mut command, profile.path());
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    command.process_group(0).kill_on_drop(true);
    command
        .fd_mappings(vec![
            FdMapping { parent_fd: their_commands, child_fd: 3 },
            FdMapping { parent_fd: their_answers, child_fd: 4 },
        ])
        .map_err(|collision| LaunchError::Pipe(io::Error::other(collision)))?;
    let child = command.spawn().map_err(|source| LaunchError::Spawn { executable, source })?;
    // The command still holds the browser's ends; while they are open here, its death would not be seen.
    drop(command);

    let mut process = Process::new(child, profile);
    let (connection, pumps) = Connection::open(commands, answers);
    match connection.call_within(&None, &GetVersion {}, LAUNCH_TIMEOUT).await {
        Ok(version) => Ok((process, connection, pumps, version.product)),
        Err(error) => {
            let stderr = process.kill_and_explain().await;
            tracing::warn!(stderr, "browser did not start");
            Err(match error {
                CallError::Timeout { .. } => LaunchError::Timeout { stderr },
                CallError::Gone
                | CallError::TargetGone
                | CallError::Crashed
                | CallError::Refused { .. }
                | CallError::Malformed { .. } => LaunchError::Ended { stderr },
            })
        }
    }
}

async fn make_profile(parent: Option<PathBuf>) -> io::Result<Profile> {
    let making = tokio::task::spawn_blocking(move || Profile::make(parent.as_deref()));
    making.await.map_err(io::Error::other)?
}

fn arguments(options: &LaunchOptions, profile: &Path) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = ARGUMENTS.iter().map(OsString::from).collect();
    let mut user_data = OsString::from("--user-data-dir=");
    user_data.push(profile);
    arguments.push(user_data);
    let sandbox = options.sandbox.unwrap_or_else(|| !rustix::process::geteuid().is_root());
    if !sandbox {
        arguments.push("--no-sandbox".into());
    }
    arguments.extend(options.extra_args.iter().map(OsString::from));
    arguments
}

/// Nothing of our environment but what a browser may know; `home` is its profile.
pub(crate) fn set_environment(command: &mut Command, home: &Path) {
    command.env_clear();
    for name in INHERITED_VARIABLES {
        if let Some(value) = std::env::var_os(name) {
            command.env(name, value);
        }
    }
    command.env("HOME", home).env("TMPDIR", home);
}

fn command_pipe() -> io::Result<(pipe::Sender, OwnedFd)> {
    let (theirs, ours) = io::pipe()?;
    Ok((pipe::Sender::from_owned_fd(ours.into())?, theirs.into()))
}

fn answer_pipe() -> io::Result<(pipe::Receiver, OwnedFd)> {
    let (ours, theirs) = io::pipe()?;
    // Only speed depends on the size; a kernel that allows less keeps its own.
    let _ = rustix::pipe::fcntl_setpipe_size(&ours, PIPE_BYTES);
    Ok((pipe::Receiver::from_owned_fd(ours.into())?, theirs.into()))
}
