//! What is left on the disk of a run that was deleted.

use bytes::Bytes;
use errand_domain::{BlobKey, CommitId};
use errand_store::{Entry, LogKey};
use std::fs;
use std::path::Path;

use crate::under_test::{embedded_stores, entry, open, run, run_id};

const GOAL: &str = "the goal that nobody may read any more";
const PAGE: &str = "the page that nobody may read any more";

fn files_under(folder: &Path) -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { found.extend(files_under(&path)) } else { found.push(fs::read(path).unwrap()) }
    }
    found
}

fn holds(folder: &Path, text: &[u8]) -> bool {
    files_under(folder).iter().any(|file| file.windows(text.len()).any(|window| window == text))
}

#[tokio::test]
async fn a_deleted_run_leaves_nothing_that_can_be_read() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let stores = embedded_stores(&store);
    let page = BlobKey::parse("page-1").unwrap();
    for number in [1, 2] {
        let goal = Entry { commit_id: CommitId(number.into()), payload: Bytes::from(GOAL) };
        let first = stores.log.append(&run(number), None, goal).await.unwrap();
        stores.log.append(&LogKey::delivery(&run_id(number)), None, entry(5)).await.unwrap();
        stores.blobs.put(&run_id(number), &page, Bytes::from(PAGE)).await.unwrap();
        stores.log.append(&run(number), Some(first), entry(6)).await.unwrap();
    }
    let keys_before = fs::read(dir.path().join("run.keys")).unwrap();
    let tombstone = stores.log.last(&run(1)).await.unwrap().unwrap().position;
    stores.blobs.delete_run(&run_id(1)).await.unwrap();
    stores.log.purge(&LogKey::delivery(&run_id(1)), tombstone).await.unwrap();
    stores.log.purge(&run(1), tombstone).await.unwrap();
    drop(stores);
    store.close().await;

    for text in [GOAL, PAGE] {
        assert!(!holds(dir.path(), text.as_bytes()), "{text}");
    }
    let id = run_id(1).as_str().as_bytes().to_vec();
    let at = keys_before.windows(id.len()).position(|window| window == id).unwrap();
    let key = &keys_before[at + id.len()..][..32];
    assert!(!holds(dir.path(), key), "the run's key is still on the disk");

    let stores = embedded_stores(&open(dir.path()));
    assert_eq!(stores.log.read(&run(1), None).await.unwrap().len(), 1, "the tombstone is read without the key");
    assert_eq!(&stores.log.last(&LogKey::delivery(&run_id(1))).await.unwrap().unwrap().payload[..], b"5");
    assert_eq!(&stores.log.read(&run(2), None).await.unwrap()[0].payload[..], GOAL.as_bytes());
    assert_eq!(stores.blobs.get(&run_id(2), &page).await.unwrap().unwrap(), PAGE);
}
