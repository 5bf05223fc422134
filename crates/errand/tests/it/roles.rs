//! `errand doctor`, and the roles that this version cannot run alone.

use crate::command::{errand, output, refusal};

#[test]
fn a_role_alone_says_what_it_needs() {
    for role in ["gateway", "scheduler", "browser-worker", "notifier"] {
        let (code, said) = refusal(&output(&[role]));
        assert_eq!(code, 1, "{role}");
        assert!(said.contains("needs a NATS store") && said.contains("errand serve"), "{said}");
    }
}

#[test]
fn the_doctor_opens_a_page_and_finds_nothing_needed_missing() {
    let folder = tempfile::tempdir().unwrap();
    let ended =
        errand(&["doctor"]).env("ERRAND_DATA_DIR", folder.path()).env("ERRAND_LISTEN", "127.0.0.1:0").output().unwrap();
    let report = String::from_utf8_lossy(&ended.stdout).into_owned();
    assert_eq!(ended.status.code(), Some(0), "{report}");
    assert!(report.contains("starts and opens a page") && report.ends_with("ready to serve\n"), "{report}");
}

#[test]
fn the_doctor_names_what_is_missing_and_how_to_get_it() {
    let mut doctor = errand(&["doctor"]);
    doctor.env("ERRAND_CHROMIUM", "/nowhere/chromium").env("ERRAND_DATA_DIR", "/proc/errand");
    let ended = doctor.env("ERRAND_LISTEN", "127.0.0.1:0").output().unwrap();
    let report = String::from_utf8_lossy(&ended.stdout).into_owned();
    assert_eq!(ended.status.code(), Some(1), "{report}");
    for wanted in
        ["MISSING  Chromium", "apt-get install chromium-headless-shell", "MISSING  data folder", "ERRAND_DATA_DIR"]
    {
        assert!(report.contains(wanted), "{wanted}: {report}");
    }
}
