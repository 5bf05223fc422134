//! `errand serve`, and the commands that speak to it.

use serde_json::json;

use crate::command::{Server, json, output_with, refusal, serve};

#[test]
fn the_first_key_is_printed_once_and_sigterm_drains_to_0() {
    let folder = tempfile::tempdir().unwrap();
    let first = Server::start_new(&folder);
    let key = first.key.clone();
    let (status, rest) = first.terminate();
    assert_eq!((status.code(), rest.as_str()), (Some(0), ""));
    let mut second = Server::start(&folder);
    second.key = key;
    let list = json(&second.command(&["runs", "list"]).output().unwrap());
    assert_eq!(list, json!({"object": "list", "data": [], "next_cursor": null}));
    let (status, rest) = second.terminate();
    assert_eq!((status.code(), rest.as_str()), (Some(0), ""), "no key is printed again");
}

#[test]
fn all_faults_of_the_settings_are_told_together() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("errand.toml");
    std::fs::write(&file, "retention_days = 0\nlog_format = \"loud\"\ncolour = \"red\"\n").unwrap();
    let ended = serve(&folder).arg("--config").arg(&file).env("ERRAND_LISTEN", "here").output().unwrap();
    let (code, said) = refusal(&ended);
    assert_eq!(code, 2);
    for fault in ["\"retention_days\" must be", "\"log_format\" must be", "\"colour\" is not", "ERRAND_LISTEN must be"]
    {
        assert!(said.contains(fault), "{fault}: {said}");
    }
}

#[test]
fn a_second_server_on_the_folder_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let _server = Server::start_new(&folder);
    let (code, said) = refusal(&serve(&folder).output().unwrap());
    assert_eq!(code, 1);
    assert!(said.contains("is in use by another process"), "{said}");
}

#[test]
fn a_secret_goes_in_from_stdin_and_never_comes_out() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start_new(&folder);
    let put = server.command(&["secrets", "put", "shop-password", "--host", "shop.example.com"]);
    let stored = json(&output_with(put, "correct horse\n"));
    assert_eq!((&stored["name"], &stored["hosts"]), (&json!("shop-password"), &json!(["shop.example.com"])));
    let list = server.command(&["secrets", "list"]).output().unwrap();
    assert_eq!(json(&list)["data"][0]["name"], "shop-password");
    assert!(!String::from_utf8_lossy(&list.stdout).contains("correct horse"));
    let (code, said) = refusal(&output_with(server.command(&["secrets", "put", "empty"]), "\n"));
    assert_eq!((code, said.as_str()), (2, "Error: the value is empty: give it on stdin or with --from-file\n"));
    assert_eq!(json(&server.command(&["secrets", "delete", "shop-password"]).output().unwrap())["deleted"], true);
    let (code, said) = refusal(&server.command(&["secrets", "delete", "shop-password"]).output().unwrap());
    assert_eq!((code, said.as_str()), (1, "Error: there is no such secret\n"));
}

#[test]
fn calls_about_runs_say_what_is_wrong() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start_new(&folder);
    let (code, said) = refusal(&server.command(&["runs", "get", "brun_000000000000000000000000"]).output().unwrap());
    assert_eq!((code, said.as_str()), (1, "Error: there is no such run\n"));
    let (code, said) = refusal(&server.command(&["runs", "list", "--limit", "51"]).output().unwrap());
    assert_eq!((code, said.as_str()), (2, "Error: \"limit\" must be an integer from 1 to 50\n"));
    let (code, said) = refusal(&server.command(&["runs", "list"]).env("ERRAND_API_KEY", "").output().unwrap());
    assert_eq!((code, said.as_str()), (2, "Error: an API key is needed: give --key or set ERRAND_API_KEY\n"));
    let (code, said) = refusal(&server.command(&["runs", "list", "--key", "erk_wrong"]).output().unwrap());
    assert_eq!((code, said.as_str()), (1, "Error: the API key is not known\n"));
}
