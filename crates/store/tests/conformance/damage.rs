//! A store whose files were changed while nobody looked: it opens with everything that was acknowledged, or not at all.

use bytes::Bytes;
use errand_domain::CommitId;
use errand_store::embedded::{Damage, EmbeddedError, EmbeddedOptions, EmbeddedStore};
use errand_store::{Bucket, Entry, LogKey, Stores};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

use crate::under_test::{embedded_stores, open, run, run_id};

const RUNS: u64 = 12;
const COMMITS: u64 = 6;

fn payload(run: u64, commit: u64) -> Bytes {
    let repeats = if commit == 3 { 600 } else { 10 };
    Bytes::from(format!("run {run} commit {commit} ").repeat(repeats))
}

async fn fill(stores: &Stores) {
    for number in 0..RUNS {
        let mut head = None;
        for commit in 0..COMMITS {
            let entry = Entry { commit_id: CommitId(u128::from(commit)), payload: payload(number, commit) };
            head = Some(stores.log.append(&run(number), head, entry).await.unwrap());
        }
        let entry = Entry { commit_id: CommitId(1), payload: payload(number, 9) };
        stores.log.append(&LogKey::delivery(&run_id(number)), None, entry).await.unwrap();
        let key = format!("default/{number}");
        stores.keyvalue.put(Bucket::Secrets, &key, payload(number, 7)).await.unwrap();
    }
}

/// A store that was closed in order.
async fn closed_store() -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    fill(&embedded_stores(&store)).await;
    store.close().await;
    dir
}

/// What is not there of what was acknowledged.
async fn first_missing(stores: &Stores) -> Option<String> {
    for number in 0..RUNS {
        let records = stores.log.read(&run(number), None).await.unwrap();
        let expected: Vec<Bytes> = (0..COMMITS).map(|commit| payload(number, commit)).collect();
        if records.iter().map(|record| record.payload.clone()).collect::<Vec<_>>() != expected {
            return Some(format!("run {number} has {} of {COMMITS} commits", records.len()));
        }
        let delivery = stores.log.last(&LogKey::delivery(&run_id(number))).await.unwrap();
        if delivery.map(|record| record.payload) != Some(payload(number, 9)) {
            return Some(format!("the delivery of run {number}"));
        }
        let secret = stores.keyvalue.get(Bucket::Secrets, &format!("default/{number}")).await.unwrap();
        if secret.map(|entry| entry.value) != Some(payload(number, 7)) {
            return Some(format!("secret {number}"));
        }
    }
    None
}

fn copy_of(from: &Path) -> TempDir {
    let to = tempfile::tempdir().unwrap();
    copy_files(from, to.path());
    to
}

fn copy_files(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            fs::create_dir_all(&target).unwrap();
            copy_files(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), &target).unwrap();
        }
    }
}

/// Opens; either everything is there, or the store says why it is refused. True when it was refused.
async fn is_refused_or_whole(folder: &Path, what: &str) -> bool {
    let database = fs::read(folder.join("log/db")).ok();
    match EmbeddedStore::open(folder, &EmbeddedOptions::default()) {
        Ok(store) => {
            let missing = first_missing(&embedded_stores(&store)).await;
            store.close().await;
            assert_eq!(missing, None, "{what}: lost without a word");
            false
        }
        Err(EmbeddedError::Damaged { .. } | EmbeddedError::FormatFile { .. }) => {
            assert_eq!(fs::read(folder.join("log/db")).ok(), database, "{what}: what could be saved was changed");
            true
        }
        Err(other) => panic!("{what}: {other:?}"),
    }
}

fn damage_of(folder: &Path) -> Damage {
    match EmbeddedStore::open(folder, &EmbeddedOptions::default()).unwrap_err() {
        EmbeddedError::Damaged { damage, .. } => damage,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_flipped_bit_anywhere_is_refused_or_harmless() {
    let original = closed_store().await;
    let mut random = StdRng::seed_from_u64(1);
    let mut refused = 0;
    for number in 0..24 {
        let copy = copy_of(original.path());
        let file = copy.path().join(["log/db", "log/db", "log/db", "mark", "run.keys", "store.json"][number % 6]);
        let mut bytes = fs::read(&file).unwrap();
        let bit = random.random_range(0..bytes.len() * 8);
        bytes[bit / 8] ^= 1 << (bit % 8);
        fs::write(&file, bytes).unwrap();
        refused += u32::from(is_refused_or_whole(copy.path(), &format!("bit {bit} of {}", file.display())).await);
    }
    assert!(refused > 8, "{refused} refused: the flips hit nothing");
}

#[tokio::test]
async fn a_log_that_was_cut_is_refused() {
    let original = closed_store().await;
    let whole = fs::metadata(original.path().join("log/db")).unwrap().len();
    let mut random = StdRng::seed_from_u64(2);
    for cut in [0, 100, 4_096, whole / 2, random.random_range(0..whole), random.random_range(0..whole)] {
        let copy = copy_of(original.path());
        let file = fs::OpenOptions::new().write(true).open(copy.path().join("log/db")).unwrap();
        file.set_len(cut).unwrap();
        is_refused_or_whole(copy.path(), &format!("cut to {cut} of {whole}")).await;
    }
}

#[tokio::test]
async fn a_part_that_is_missing_is_named() {
    let original = closed_store().await;
    let without = |part: &str| {
        let copy = copy_of(original.path());
        let path = copy.path().join(part);
        if path.is_dir() {
            fs::remove_dir_all(path).unwrap()
        } else {
            fs::remove_file(path).unwrap()
        }
        copy
    };
    assert!(matches!(damage_of(without("log/db").path()), Damage::NoDatabase { acknowledged } if acknowledged > 0));
    assert!(matches!(damage_of(without("log").path()), Damage::NoDatabase { .. }));
    assert_eq!(damage_of(without("mark").path()), Damage::NoMark);
    assert_eq!(damage_of(without("store.json").path()), Damage::NoParameters);
    assert!(
        matches!(damage_of(without("run.keys").path()), Damage::RunKeys { bad_slots: 0, missing } if missing.len() == 12)
    );
    let told = EmbeddedStore::open(without("log").path(), &EmbeddedOptions::default()).unwrap_err().to_string();
    assert!(told.contains("log/db is missing") && told.contains("errand doctor --salvage"), "{told}");
}

/// Changes the database through sled, so that sled's own checksums are right.
fn change_tree(folder: &Path, change: impl FnOnce(&sled::Tree)) {
    let database = sled::open(folder.join("log")).unwrap();
    change(&database.open_tree("tables").unwrap());
    database.flush().unwrap();
}

#[tokio::test]
async fn a_record_that_is_not_what_was_written_is_refused_by_name() {
    let dir = closed_store().await;
    change_tree(dir.path(), |tree| {
        let (key, stored) = tree.scan_prefix(b"r").next().unwrap().unwrap();
        let mut changed = stored.to_vec();
        *changed.last_mut().unwrap() ^= 1;
        tree.insert(key, changed).unwrap();
    });
    let damage = damage_of(dir.path());
    let Damage::BadRecords { first, count: 1 } = &damage else { panic!("{damage:?}") };
    assert!(first.contains("run brun_"), "{first}");
}

#[tokio::test]
async fn a_record_that_is_gone_between_others_is_refused() {
    let dir = closed_store().await;
    change_tree(dir.path(), |tree| {
        let (key, _) = tree.scan_prefix(b"r").nth(20).unwrap().unwrap();
        tree.remove(key).unwrap();
    });
    let damage = damage_of(dir.path());
    assert!(matches!(damage, Damage::Holes { expected, found } if found + 1 == expected), "{damage:?}");
}

#[tokio::test]
async fn an_older_log_beside_the_mark_of_a_newer_one_is_refused() {
    let dir = closed_store().await;
    let backup = copy_of(dir.path());
    let store = open(dir.path());
    let stores = embedded_stores(&store);
    let entry = Entry { commit_id: CommitId(1), payload: payload(99, 0) };
    stores.log.append(&run(99), None, entry).await.unwrap();
    drop(stores);
    store.close().await;
    fs::remove_dir_all(dir.path().join("log")).unwrap();
    copy_files(backup.path(), &dir.path().join("restored"));
    fs::rename(dir.path().join("restored/log"), dir.path().join("log")).unwrap();
    let damage = damage_of(dir.path());
    assert!(matches!(damage, Damage::Shorter { acknowledged, found, .. } if found < acknowledged), "{damage:?}");
}
