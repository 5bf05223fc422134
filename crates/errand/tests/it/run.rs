//! `errand run`, and `errand runs` on a run that waits.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::command::{Server, errand, json, output, refusal, send, serve};
use crate::site::Site;

const SUBSCRIBE: &str = "Fill in the form with name Ada Lovelace and email ada@example.com and submit it.";

#[test]
fn a_run_prints_its_progress_and_then_itself() {
    let site = Site::start();
    let schema = r#"{"name": "string", "price": "number"}"#;
    let ended =
        output(&["run", "Get the name and the price of the product.", "--url", &site.url("/lamp"), "--schema", schema]);
    let run = json(&ended);
    let progress = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert_eq!(ended.status.code(), Some(0), "{run:#} {progress}");
    assert_eq!(run["data"], json!({"name": "Brass desk lamp", "price": 89.95}));
    assert!(progress.starts_with("run brun_") && progress.ends_with("run succeeded (completed)\n"), "{progress}");
    assert!(!progress.contains('\x1b'), "{progress}");
}

#[test]
fn an_approval_that_nobody_can_give_stops_the_run_and_shows_the_pause() {
    let site = Site::start();
    let folder = tempfile::tempdir().unwrap();
    let kept = folder.path().join("kept");
    let ended = errand(&["run", SUBSCRIBE, "--url", &site.url("/form"), "--allowed-host", "127.0.0.1"])
        .arg("--keep-data")
        .arg(&kept)
        .output()
        .unwrap();
    let progress = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert_eq!(ended.status.code(), Some(4), "{progress}");
    assert!(
        progress.contains("waiting for a person (approval): ") && progress.contains("ada@example.com"),
        "{progress}"
    );
    let run = json(&ended);
    assert_eq!((&run["status"], &run["data"], site.posts()), (&json!("stopped"), &json!(null), 0));
    assert!(kept.join("log").is_dir(), "the data is kept");
}

#[test]
fn without_a_browser_nothing_is_begun() {
    let mut command = errand(&["run", SUBSCRIBE, "--url", "http://127.0.0.1:9/"]);
    let (code, said) = refusal(&command.env("ERRAND_CHROMIUM", "/nowhere/chromium").output().unwrap());
    assert_eq!(code, 1);
    assert!(said.starts_with("Error: there is no /nowhere/chromium") && said.contains("errand doctor"), "{said}");
}

#[test]
fn an_interrupt_stops_the_run_first() {
    let site = Site::start();
    let mut command = errand(&["run", SUBSCRIBE, "--url", &site.url("/form")]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut progress = BufReader::new(child.stderr.take().unwrap()).lines();
    progress.next().unwrap().unwrap();
    send(&child, Signal::INT);
    let ended = child.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(4));
    assert_eq!(json(&ended)["terminal_reason"], "stopped");
}

#[test]
fn a_waiting_run_is_answered_for_the_pause_that_was_seen_and_only_once() {
    let site = Site::start();
    let folder = tempfile::tempdir().unwrap();
    let mut server = Server::start_with(serve(&folder).env("ERRAND_ALLOW_NETWORKS", "127.0.0.0/8"));
    server.read_key();
    let body = json!({"goal": SUBSCRIBE, "start_url": site.url("/form")});
    let created = server.post("/v1/browser/runs", &body);
    let id = created["id"].as_str().unwrap();
    let waiting = json(&server.command(&["runs", "get", id, "--wait", "60"]).output().unwrap());
    assert_eq!(waiting["needs"]["kind"], "approval", "{waiting:#}");
    let (code, said) = refusal(&server.command(&["runs", "reply", id, "--answer", "42"]).output().unwrap());
    assert_eq!(code, 2, "{said}");
    assert!(server.command(&["runs", "reply", id, "--approve"]).output().unwrap().status.success());
    let followed = server.command(&["runs", "events", id, "--follow"]).output().unwrap();
    let lines = String::from_utf8(followed.stdout).unwrap();
    let events: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(
        (&events[0]["type"], &events[events.len() - 1]["type"]),
        (&json!("run.created"), &json!("run.finished"))
    );
    assert_eq!(site.posts(), 1);
    let (code, said) = refusal(&server.command(&["runs", "reply", id, "--approve"]).output().unwrap());
    assert_eq!((code, said.as_str()), (1, "Error: the run is not waiting for a person (it is succeeded)\n"));
    let list = json(&server.command(&["runs", "list", "--status", "succeeded"]).output().unwrap());
    assert_eq!(list["data"][0]["id"], id);
    let stopped = json(&server.command(&["runs", "stop", id]).output().unwrap());
    assert_eq!(stopped["status"], "succeeded", "a finished run is left as it is");
}
