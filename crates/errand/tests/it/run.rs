//! `errand run`, and `errand runs` on a run that waits.

use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

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

/// Begins a run on a page that never answers; gives it once the page was asked for.
fn run_on_silence(more: &[&str]) -> (Child, Site) {
    let site = Site::start();
    let url = site.url("/silent");
    let words: Vec<&str> = ["run", "Read the page.", "--url", &url].into_iter().chain(more.iter().copied()).collect();
    let child = errand(&words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    (child, site)
}

/// Processes that this command has started: its browser.
fn browsers_below(child: u32) -> usize {
    let is_child = |pid: &str| {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let after_name = stat.rsplit(") ").next().unwrap_or_default();
        after_name.split(' ').nth(1) == Some(&child.to_string())
    };
    let pids = std::fs::read_dir("/proc").unwrap().filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    pids.filter(|pid| pid.bytes().all(|byte| byte.is_ascii_digit()) && is_child(pid)).count()
}

#[test]
fn an_interrupt_ends_the_command_within_two_seconds_though_the_page_is_silent() {
    let (mut child, _site) = run_on_silence(&[]);
    let mut progress = BufReader::new(child.stderr.take().unwrap()).lines();
    progress.next().unwrap().unwrap();
    let deadline = Instant::now() + Duration::from_secs(30);
    while browsers_below(child.id()) == 0 && Instant::now() < deadline {
        std::thread::yield_now();
    }
    send(&child, Signal::INT);
    let began = Instant::now();
    let ended = child.wait_with_output().unwrap();
    assert!(began.elapsed() < Duration::from_secs(2), "{:?}", began.elapsed());
    assert_eq!((ended.status.code(), &json(&ended)["terminal_reason"]), (Some(4), &json!("stopped")));
}

#[test]
fn a_run_out_of_time_ends_soon_though_the_page_is_silent() {
    let began = Instant::now();
    let (child, _site) = run_on_silence(&["--timeout-s", "2"]);
    let ended = child.wait_with_output().unwrap();
    assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
    assert_eq!((ended.status.code(), &json(&ended)["terminal_reason"]), (Some(3), &json!("timeout")));
}

#[test]
fn a_run_takes_secrets_and_metadata_and_shows_no_value() {
    let site = Site::start();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mail");
    std::fs::write(&file, "ada.lovelace@example.com\n").unwrap();
    let goal = "Fill in the form with name [secret:name] and email [secret:mail] and submit it.";
    let mail = format!("mail=@{}", file.display());
    let words =
        ["run", goal, "--url", &site.url("/form"), "--approve", "never", "--secret", &mail, "--secret", "name=env:WHO"];
    let ended =
        errand(&words).args(["--metadata", "order=7", "--metadata", "by=a=b"]).env("WHO", "Countess Ada").output();
    let ended = ended.unwrap();
    let run = json(&ended);
    assert_eq!((&run["status"], site.posts()), (&json!("succeeded"), 1), "{run:#}");
    assert_eq!(run["metadata"], json!({"order": "7", "by": "a=b"}));
    let told = String::from_utf8_lossy(&ended.stderr).into_owned() + &run.to_string();
    assert!(!told.contains("lovelace") && !told.contains("Countess"), "{told}");
}

#[test]
fn options_that_cannot_be_used_are_named_before_anything_begins() {
    let cases = [
        (vec!["--secret", "pw=hunter2"], "--secret \"pw=…\" must be NAME, NAME=@FILE or NAME=env:VARIABLE"),
        (vec!["--secret", "pw"], "--secret pw: there is no terminal to ask on"),
        (vec!["--secret", "pw=env:ERRAND_TEST_NOWHERE"], "--secret pw: ERRAND_TEST_NOWHERE is not set"),
        (vec!["--metadata", "order"], "--metadata \"order\" must be KEY=VALUE"),
        (vec!["--webhook", "http://hooks.example/"], "\"webhook\" must be an https URL"),
    ];
    for (more, wanted) in cases {
        let words: Vec<&str> = ["run", "Read it.", "--url", "http://127.0.0.1:9/"].into_iter().chain(more).collect();
        let (code, said) = refusal(&output(&words));
        assert!(code == 2 && said.starts_with(&format!("Error: {wanted}")), "{said}");
        assert!(!said.contains("hunter2"), "{said}");
    }
}

#[test]
fn another_server_and_none_are_told_apart_from_errand() {
    let site = Site::start();
    let list = |address: &str| {
        let mut command = errand(&["runs", "list"]);
        refusal(&command.env("ERRAND_SERVER", address).env("ERRAND_API_KEY", "a-key").output().unwrap())
    };
    let wanted =
        format!("Error: what answers at {} (HTTP 404) is not Errand: is `errand serve` running there?\n", site.url(""));
    assert_eq!(list(&site.url("")), (1, wanted));
    let nobody = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let wanted = format!("Error: no server answers at http://{nobody}: is `errand serve` running there?\n");
    assert_eq!(list(&format!("http://{nobody}")), (1, wanted));
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
