//! A store of the first format: made by the first release, before values had checksums and runs had keys. Stored bytes
//! live for ever.

use bytes::Bytes;
use errand_domain::BlobKey;
use errand_store::{Bucket, LogKey, Stores};
use std::fs;
use std::path::{Path, PathBuf};

use crate::under_test::{embedded_stores, open, run, run_id};

fn fixture() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/format-1")
}

fn copy_files(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy_files(&path, &target);
        } else {
            fs::copy(&path, target).unwrap();
        }
    }
}

async fn assert_all_is_there(stores: &Stores) {
    for number in 1..=3 {
        let records = stores.log.read(&run(number), None).await.unwrap();
        let payloads: Vec<&[u8]> = records.iter().map(|record| &record.payload[..]).collect();
        let [first, second, third, fourth] = [0, 1, 2, 3].map(|index| format!("run {number} commit {index}"));
        let long = format!("run {number} ").repeat(1_200);
        assert_eq!(payloads, [first.as_bytes(), second.as_bytes(), long.as_bytes(), fourth.as_bytes()], "{third}");
        let delivery = stores.log.last(&LogKey::delivery(&run_id(number))).await.unwrap().unwrap();
        assert_eq!(delivery.payload, format!("delivery {number}"));
    }
    let value = |bucket, key| stores.keyvalue.get(bucket, key);
    assert_eq!(value(Bucket::Secrets, "default/shop").await.unwrap().unwrap().value, "sealed");
    assert_eq!(value(Bucket::Profiles, "default/big").await.unwrap().unwrap().value, vec![7; 9_000]);
    assert!(value(Bucket::Keys, "gone").await.unwrap().is_none());
    let blob = stores.blobs.get(&run_id(1), &BlobKey::parse("page-1").unwrap()).await.unwrap();
    assert_eq!(blob.unwrap(), Bytes::from_static(b"<p>old"));
}

#[tokio::test]
async fn a_store_of_the_first_release_opens_with_everything_and_is_checked_from_then_on() {
    let dir = tempfile::tempdir().unwrap();
    copy_files(&fixture(), dir.path());
    for _ in 0..2 {
        let store = open(dir.path());
        assert_all_is_there(&embedded_stores(&store)).await;
        store.close().await;
    }
    let text = b"run 1 commit 3";
    let database = fs::read(dir.path().join("log/db")).unwrap();
    assert!(!database.windows(text.len()).any(|window| window == text), "the old bytes are still there");
    let mut names: Vec<_> = fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["blobs", "lock", "log", "mark", "run.keys", "store.json", "unfinished"]);
}

#[tokio::test]
async fn a_migration_that_broke_off_starts_again() {
    let dir = tempfile::tempdir().unwrap();
    copy_files(&fixture(), dir.path());
    // The new database has its place and is half written; the format still says the old one.
    fs::rename(dir.path().join("log"), dir.path().join("log.last")).unwrap();
    fs::create_dir_all(dir.path().join("log")).unwrap();
    fs::write(dir.path().join("log/db"), b"half").unwrap();
    let store = open(dir.path());
    assert_all_is_there(&embedded_stores(&store)).await;
    store.close().await;
    assert!(!dir.path().join("log.last").exists());
}
