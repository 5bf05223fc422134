//! `errand keys` on the data folder.

use std::process::Command;

use tempfile::TempDir;

use crate::command::{Server, errand, json, refusal};

fn keys(folder: &TempDir, words: &[&str]) -> Command {
    let mut command = errand(&[&["keys"], words].concat());
    command.env("ERRAND_DATA_DIR", folder.path());
    command
}

#[test]
fn a_key_that_was_made_opens_its_account_until_it_is_revoked() {
    let folder = tempfile::tempdir().unwrap();
    let made = keys(&folder, &["create", "--account", "shop", "--label", "nightly"]).output().unwrap();
    let key = String::from_utf8(made.stdout).unwrap().trim().to_owned();
    assert!(key.starts_with("erk_"), "{key}");
    let list = json(&keys(&folder, &["list"]).output().unwrap());
    assert_eq!((&list["data"][0]["account"], &list["data"][0]["label"]), (&"shop".into(), &"nightly".into()));
    assert!(!list.to_string().contains(&key));
    let mut server = Server::start(&folder);
    server.key = Some(key);
    assert!(server.command(&["runs", "list"]).output().unwrap().status.success());
    let (code, said) = refusal(&keys(&folder, &["list"]).output().unwrap());
    assert_eq!(code, 1);
    assert!(said.starts_with("Error: a running server holds the data folder; stop it"), "{said}");
    server.terminate();
    let id = list["data"][0]["id"].as_str().unwrap();
    assert!(keys(&folder, &["revoke", id]).output().unwrap().status.success());
    let (code, said) = refusal(&keys(&folder, &["revoke", id]).output().unwrap());
    assert_eq!((code, said), (1, format!("Error: there is no key with the id \"{id}\"\n")));
}
