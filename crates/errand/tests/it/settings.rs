//! Faulty settings: all of them, at once, with status 2.

use crate::command::{errand, refusal, serve};

#[test]
fn all_faults_of_the_settings_are_reported_together() {
    let folder = tempfile::tempdir().unwrap();
    let no_key = folder.path().join("short.key");
    std::fs::write(&no_key, "0102").unwrap();
    let no_certificate = folder.path().join("ca.pem");
    std::fs::write(&no_certificate, "not PEM").unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    let faulty = [
        ("ERRAND_MASTER_KEY", no_key.to_str().unwrap(), "ERRAND_MASTER_KEY cannot be used: the master key "),
        ("ERRAND_EXTRA_CA", no_certificate.to_str().unwrap(), "ERRAND_EXTRA_CA cannot be used: the extra CA "),
        ("ERRAND_ALLOW_HOSTS", "*.*.example", "ERRAND_ALLOW_HOSTS must be a list of host names"),
        ("ERRAND_STORE", "nats://127.0.0.1:4222", "ERRAND_STORE must be \"embedded\""),
        ("ERRAND_DATA_DIR", file.to_str().unwrap(), "ERRAND_DATA_DIR must be a folder"),
        ("ERRAND_LISTEN", "here", "ERRAND_LISTEN must be an address"),
        ("ERRAND_LOG", "errand=loudly", "ERRAND_LOG: "),
        ("ERRAND_COLOUR", "red", "ERRAND_COLOUR is not a setting"),
    ];
    for words in [["serve"].as_slice(), &["doctor"], &["keys", "list"]] {
        let mut command = errand(words);
        command.envs(faulty.map(|(name, value, _)| (name, value)));
        let (code, said) = refusal(&command.output().unwrap());
        assert!(code == 2 && said.starts_with("Error: the settings have 8 fault(s):\n"), "{words:?}: {code} {said}");
        for (_, _, wanted) in faulty {
            assert!(said.contains(&format!("\n  {wanted}")), "{wanted} in {said}");
        }
    }
}

#[test]
fn files_that_settings_name_and_are_not_there_are_faults_and_a_mistyped_key_is_not_shown() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = serve(&folder);
    command.env("ERRAND_MASTER_KEY", "0".repeat(63)).env("ERRAND_EXTRA_CA", "/nowhere/ca.pem");
    let (code, said) = refusal(&command.output().unwrap());
    assert_eq!(code, 2, "{said}");
    assert!(said.contains("ERRAND_MASTER_KEY must be 64 hex digits or the name of a readable file: "), "{said}");
    assert!(said.contains("ERRAND_EXTRA_CA must be the name of a readable file, not \"/nowhere/ca.pem\": "), "{said}");
    assert!(!said.contains("000"), "{said}");
}

#[test]
fn a_folder_of_another_number_of_partitions_is_a_fault_of_the_settings() {
    let folder = tempfile::tempdir().unwrap();
    let keys = |partitions: &str| {
        let mut command = errand(&["keys", "create"]);
        command.env("ERRAND_DATA_DIR", folder.path()).env("ERRAND_PARTITIONS", partitions).output().unwrap()
    };
    assert!(keys("4").status.success());
    let (code, said) = refusal(&keys("8"));
    assert!(code == 2 && said.contains("was made with 4 partitions, not 8"), "{said}");
}

/// It used to end the process with a panic, whoever's variable it was.
#[test]
fn variables_that_are_no_unicode_are_left_alone_or_reported() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let value = OsStr::from_bytes(b"\xff");
    let (code, said) = refusal(&errand(&["keys", "list"]).env("OTHER", value).output().unwrap());
    assert!(code == 1 && said.contains("there is no data folder"), "{said}");
    let (code, said) = refusal(&errand(&["keys", "list"]).env("ERRAND_LISTEN", value).output().unwrap());
    assert!(code == 2 && said.contains("ERRAND_LISTEN must be an address"), "{said}");
}
