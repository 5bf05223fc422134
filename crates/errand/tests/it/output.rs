//! Output that nobody reads, and output that cannot be written.

use std::fs::OpenOptions;
use std::process::{Command, Stdio};

use serde_json::json;
use tempfile::TempDir;

use crate::command::{Server, errand, refusal, serve};
use crate::site::Site;

/// A pipe whose reader has gone, as after `| head -1`.
fn closed() -> Stdio {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    writer.into()
}

fn full() -> Stdio {
    OpenOptions::new().write(true).open("/dev/full").unwrap().into()
}

fn ended(command: &mut Command, stdout: Stdio) -> (i32, String) {
    let output = command.stdout(stdout).stderr(Stdio::piped()).spawn().unwrap().wait_with_output().unwrap();
    refusal(&output)
}

fn in_folder(folder: &TempDir, words: &[&str]) -> Command {
    let mut command = errand(words);
    command.env("ERRAND_DATA_DIR", folder.path()).env("ERRAND_LISTEN", "127.0.0.1:0");
    command
}

const FULL: &str = "Error: cannot write to stdout: No space left on device (os error 28)\n";

#[test]
fn every_command_without_a_server_ends_quietly_when_nobody_reads_and_says_when_it_cannot_write() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("page.html");
    std::fs::write(&page, "<title>Saved</title><h1>A saved page</h1>").unwrap();
    let page = page.to_str().unwrap();
    assert!(in_folder(&folder, &["keys", "create"]).output().unwrap().status.success());
    let commands: [&[&str]; 7] = [
        &["--help"],
        &["--version"],
        &["help", "read"],
        &["read", page],
        &["read", page, "--json", "--schema", r#"{"name": "string"}"#, "--explain"],
        &["keys", "list"],
        &["doctor"],
    ];
    for words in commands {
        assert_eq!(ended(&mut in_folder(&folder, words), closed()), (0, String::new()), "{words:?}");
        assert_eq!(ended(&mut in_folder(&folder, words), full()), (1, FULL.to_owned()), "{words:?}");
    }
}

#[test]
fn every_command_of_a_server_ends_quietly_when_nobody_reads_and_says_when_it_cannot_write() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start_new(&folder);
    let run = server.post("/v1/browser/runs", &json!({"goal": "Read it.", "start_url": "http://127.0.0.1:9/"}));
    let id = run["id"].as_str().unwrap();
    let commands: [&[&str]; 6] = [
        &["runs", "list"],
        &["runs", "get", id],
        &["runs", "stop", id],
        &["runs", "events", id],
        &["runs", "events", id, "--follow"],
        &["secrets", "list"],
    ];
    for words in commands {
        assert_eq!(ended(&mut server.command(words), closed()), (0, String::new()), "{words:?}");
        assert_eq!(ended(&mut server.command(words), full()), (1, FULL.to_owned()), "{words:?}");
    }
}

#[test]
fn a_run_whose_result_nobody_reads_still_tells_how_it_ended() {
    let site = Site::start();
    let url = site.url("/lamp");
    let words = ["run", "Get the name of the product.", "--url", &url, "--max-steps", "3"];
    let (code, said) = ended(&mut errand(&words), closed());
    assert!(code == 0 && said.ends_with("run succeeded (completed)\n"), "{code} {said}");
    let (code, said) = ended(&mut errand(&words), full());
    assert!(code == 1 && said.ends_with(FULL), "{code} {said}");
}

#[test]
fn a_key_that_nobody_saw_is_not_passed_over() {
    let folder = tempfile::tempdir().unwrap();
    for stdout in [closed(), full()] {
        let (code, said) = ended(&mut in_folder(&folder, &["keys", "create"]), stdout);
        assert!(code == 1 && said.starts_with("Error: a key was made and not shown; revoke it"), "{code} {said}");
    }
    let folder = tempfile::tempdir().unwrap();
    let (code, said) = ended(&mut serve(&folder), closed());
    assert!(code == 1 && said.contains("Error: the first API key was made and not shown; make another"), "{said}");
    let folder = tempfile::tempdir().unwrap();
    let (code, said) = ended(&mut serve(&folder), full());
    assert!(code == 1 && said.ends_with(FULL), "{said}");
}

#[test]
fn an_error_that_nobody_reads_keeps_its_status() {
    for words in [["read", "no-such-file.html"], ["read", "--nonsense"]] {
        for stderr in [closed(), full()] {
            let status = errand(&words).stdout(Stdio::null()).stderr(stderr).status().unwrap();
            assert_eq!(status.code(), Some(2), "{words:?}");
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("page.html");
    std::fs::write(&page, "<title>Saved</title>").unwrap();
    // The log's level makes it write; that it cannot must not matter.
    let mut command = errand(&["read", page.to_str().unwrap()]);
    let status = command.env("ERRAND_LOG", "trace").stdout(Stdio::null()).stderr(closed()).status().unwrap();
    assert_eq!(status.code(), Some(0));
}
