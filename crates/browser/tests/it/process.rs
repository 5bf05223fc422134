//! The browser's process: it starts, it explains why not, and it never outlives its owner.

use crate::support::launch;
use errand_browser::{Browser, LaunchError, LaunchOptions, SessionOptions};
use rustix::process::{Pid, Signal, kill_process};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(10);
/// A second test process and its browser start on a loaded machine.
const LAUNCH_PATIENCE: Duration = Duration::from_secs(30);
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// Processes that run with the text in their arguments.
fn processes_with(argument: &str) -> Vec<u32> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let Some(id) = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else { continue };
        let Ok(command_line) = std::fs::read(entry.path().join("cmdline")) else { continue };
        if String::from_utf8_lossy(&command_line).contains(argument) {
            found.push(id);
        }
    }
    found
}

/// Waits until something outside this process is so; nothing tells when, so it is asked for now and then.
async fn comes_true(patience: Duration, is_so: impl Fn() -> bool) -> bool {
    let asking = async {
        while !is_so() {
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    };
    tokio::time::timeout(patience, asking).await.is_ok()
}

async fn is_gone(profile_parent: &Path) -> bool {
    let argument = format!("--user-data-dir={}", profile_parent.display());
    comes_true(PATIENCE, || processes_with(&argument).is_empty()).await
}

fn in_folder(parent: &Path) -> LaunchOptions {
    LaunchOptions { profile_parent: Some(parent.to_owned()), ..LaunchOptions::default() }
}

#[tokio::test]
async fn dropped_browser_leaves_no_process_and_no_profile() {
    let parent = tempfile::tempdir().unwrap();
    let browser = Browser::launch(in_folder(parent.path())).await.unwrap();
    let session = browser.new_session(SessionOptions::default()).await.unwrap();
    session.goto("about:blank").await.unwrap();
    assert!(!processes_with(&format!("--user-data-dir={}", parent.path().display())).is_empty());
    drop(browser);
    assert!(is_gone(parent.path()).await);
    assert_eq!(std::fs::read_dir(parent.path()).unwrap().count(), 0);
    assert!(session.observe().await.is_err());
}

#[tokio::test]
async fn shut_down_browser_leaves_nothing() {
    let parent = tempfile::tempdir().unwrap();
    let browser = Browser::launch(in_folder(parent.path())).await.unwrap();
    browser.shutdown().await;
    assert!(is_gone(parent.path()).await);
    assert_eq!(std::fs::read_dir(parent.path()).unwrap().count(), 0);
}

/// Started again by the test below, in a process that is then killed.
#[tokio::test]
#[ignore = "only as the killed process of another test"]
async fn hold_a_browser_until_killed() {
    let parent = PathBuf::from(std::env::var_os("ERRAND_TEST_PROFILE_PARENT").unwrap());
    let browser = Browser::launch(in_folder(&parent)).await.unwrap();
    let session = browser.new_session(SessionOptions::default()).await.unwrap();
    session.goto("about:blank").await.unwrap();
    std::fs::write(parent.join("ready"), "").unwrap();
    browser.gone().await;
}

#[tokio::test]
async fn killed_worker_leaves_no_browser_behind() {
    let parent = tempfile::tempdir().unwrap();
    let mut worker = Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "process::hold_a_browser_until_killed"])
        .env("ERRAND_TEST_PROFILE_PARENT", parent.path())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let ready = parent.path().join("ready");
    assert!(comes_true(LAUNCH_PATIENCE, || ready.exists()).await, "the worker holds no browser");
    worker.kill().unwrap();
    worker.wait().unwrap();
    assert!(is_gone(parent.path()).await);
}

#[tokio::test]
async fn program_that_is_no_browser_is_explained() {
    let options = LaunchOptions { executable: Some("/bin/ls".into()), ..LaunchOptions::default() };
    let Err(error) = Browser::launch(options).await else { panic!("it started") };
    assert!(matches!(error, LaunchError::Ended { .. }) && error.stderr().contains("ls:"), "{error:?}");
    assert_eq!(error.to_string(), "the browser ended at once", "what it said is not for clients");
    let options = LaunchOptions { executable: Some("/no/such/file".into()), ..LaunchOptions::default() };
    assert!(matches!(Browser::launch(options).await, Err(LaunchError::Spawn { .. })));
}

#[tokio::test]
async fn killed_browser_is_noticed_at_once() {
    let browser = launch().await;
    let session = browser.new_session(SessionOptions::default()).await.unwrap();
    let id = Pid::from_raw(browser.process_id().unwrap().cast_signed()).unwrap();
    kill_process(id, Signal::KILL).unwrap();
    tokio::time::timeout(PATIENCE, browser.gone()).await.expect("its end is noticed");
    assert!(!browser.is_alive());
    assert!(session.observe().await.is_err());
}
