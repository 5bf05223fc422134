use std::time::{Duration, Instant};

use super::{ChildProcess, DataDir, Launch, browsers_under, wait_for_no_browsers};

const DEADLINE: Duration = Duration::from_secs(10);

fn shell(script: &str) -> Launch {
    Launch::new("/bin/sh").arg("-c").arg(script)
}

#[tokio::test]
async fn line_is_awaited_and_environment_is_set() {
    let dir = DataDir::new().unwrap();
    let launch = shell("echo starting; echo \"ready on $PORT\" >&2; exec sleep 60").env("PORT", "8123");
    let mut child = ChildProcess::start(&launch, &dir.logs(), "child").unwrap();
    assert_eq!(child.wait_for_line("ready on", DEADLINE).await.unwrap(), "ready on 8123");
    assert!(child.is_running());
}

#[tokio::test]
async fn waiting_for_a_line_of_a_dead_child_ends_at_once_with_its_output() {
    let dir = DataDir::new().unwrap();
    let mut child = ChildProcess::start(&shell("echo no such key >&2; exit 3"), &dir.logs(), "child").unwrap();
    let before = Instant::now();
    let failure = format!("{:#}", child.wait_for_line("ready", Duration::from_secs(60)).await.unwrap_err());
    assert!(before.elapsed() < DEADLINE);
    assert!(failure.contains("no such key") && failure.contains("3"), "{failure}");
}

#[tokio::test]
async fn termination_is_awaited_and_its_status_told() {
    let dir = DataDir::new().unwrap();
    let launch = shell("trap 'exit 7' TERM; echo up; while :; do sleep 0.05; done");
    let mut child = ChildProcess::start(&launch, &dir.logs(), "child").unwrap();
    child.wait_for_line("up", DEADLINE).await.unwrap();
    assert_eq!(child.terminate(DEADLINE).await.unwrap().code(), Some(7));
}

/// The child's child has the argument that browsers have, so that the count is tested with it.
#[tokio::test]
async fn drop_kills_the_group_and_kill_only_the_child() {
    let dir = DataDir::new().unwrap();
    let profile = dir.path("profile");
    let script =
        format!("sh -c 'echo up; while :; do sleep 0.05; done' x --user-data-dir={} & wait", profile.display());
    let mut child = ChildProcess::start(&shell(&script), &dir.logs(), "child").unwrap();
    child.wait_for_line("up", DEADLINE).await.unwrap();
    assert!(!browsers_under(&profile).unwrap().is_empty());
    child.kill().await.unwrap();
    assert!(!browsers_under(&profile).unwrap().is_empty());
    drop(child);
    wait_for_no_browsers(&profile, DEADLINE).await.unwrap();
}

#[tokio::test]
async fn http_readiness_is_awaited() {
    let site = crate::site::FixtureSite::start(1).await;
    let dir = DataDir::new().unwrap();
    let mut child = ChildProcess::start(&shell("exec sleep 60"), &dir.logs(), "child").unwrap();
    child.wait_for_http(&site.url("/news"), DEADLINE).await.unwrap();
    let refused = child.wait_for_http(&site.url("/pages/failing"), Duration::from_millis(100)).await;
    assert!(refused.is_err());
}
