//! Bytes that were written once must decode for ever. A file in `tests/golden` is never changed: when the form changes, a
//! sample of a new name is added beside it. `UPDATE_GOLDEN=1 cargo test -p errand-proto golden` writes the files that are
//! missing and nothing else.

use std::path::{Path, PathBuf};

use errand_proto::{decode_delivery_commit, decode_run_commit, encode_delivery_commit, encode_run_commit};

use crate::samples;

/// Once a new form is meant, samples of the older ones are compared by decoding only.
const CHANGED_FORM: &str = "the stored form changed";

fn golden_file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(format!("{name}.bin"))
}

/// The stored bytes of a sample; writes the file when it is missing and that was asked for.
fn golden_bytes(name: &str, encoded_now: &[u8]) -> Vec<u8> {
    let file = golden_file(name);
    let may_write = std::env::var_os("UPDATE_GOLDEN").is_some_and(|value| value == "1");
    if !file.exists() && may_write {
        std::fs::write(&file, encoded_now).unwrap();
    }
    std::fs::read(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

#[test]
fn golden_run_commits_still_decode() {
    for (name, commit) in samples::run_commits() {
        let encoded_now = encode_run_commit(&commit);
        let golden = golden_bytes(name, &encoded_now);
        assert_eq!(decode_run_commit(&golden).unwrap(), commit, "{name}");
        assert_eq!(encoded_now, golden, "{CHANGED_FORM}: {name}");
    }
}

#[test]
fn golden_delivery_commits_still_decode() {
    for (name, commit) in samples::delivery_commits() {
        let encoded_now = encode_delivery_commit(&commit);
        let golden = golden_bytes(name, &encoded_now);
        assert_eq!(decode_delivery_commit(&golden).unwrap(), commit, "{name}");
        assert_eq!(encoded_now, golden, "{CHANGED_FORM}: {name}");
    }
}

#[test]
fn every_golden_file_belongs_to_a_sample() {
    let run_names = samples::run_commits().into_iter().map(|(name, _)| name);
    let delivery_names = samples::delivery_commits().into_iter().map(|(name, _)| name);
    let known: Vec<PathBuf> = run_names.chain(delivery_names).map(golden_file).collect();
    for entry in std::fs::read_dir(golden_file("x").parent().unwrap()).unwrap() {
        let path = entry.unwrap().path();
        assert!(known.contains(&path), "{} has no sample that it is compared with", path.display());
    }
}
