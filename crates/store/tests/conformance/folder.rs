//! The embedded store's folder.

use bytes::Bytes;
use errand_domain::BlobKey;
use errand_store::TailFrom;
use errand_store::embedded::{EmbeddedError, EmbeddedOptions, EmbeddedStore};
use futures::StreamExt;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::under_test::{embedded_stores, entry, open, run, run_id};

fn options(partitions: u32) -> EmbeddedOptions {
    EmbeddedOptions { partitions, ..EmbeddedOptions::default() }
}

#[tokio::test]
async fn a_folder_in_use_is_refused_and_free_again_once_closed() {
    let dir = tempfile::tempdir().unwrap();
    let first = open(dir.path());
    let refused = EmbeddedStore::open(dir.path(), &options(4)).unwrap_err();
    assert!(matches!(refused, EmbeddedError::InUse { .. }));
    assert!(refused.to_string().ends_with("is in use by another process"));
    first.close().await;
    open(dir.path());
}

#[tokio::test]
async fn a_store_made_with_other_partitions_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    EmbeddedStore::open(dir.path(), &options(3)).unwrap().close().await;
    let refused = EmbeddedStore::open(dir.path(), &options(4)).unwrap_err();
    assert!(matches!(refused, EmbeddedError::Partitions { stored: 3, wanted: 4, .. }), "{refused:?}");
    EmbeddedStore::open(dir.path(), &options(3)).unwrap();
}

#[tokio::test]
async fn a_store_of_a_later_format_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    open(dir.path()).close().await;
    fs::write(dir.path().join("store.json"), r#"{"format":3,"partitions":4}"#).unwrap();
    let refused = EmbeddedStore::open(dir.path(), &options(4)).unwrap_err();
    assert!(matches!(refused, EmbeddedError::Format { stored: 3, known: 2, .. }), "{refused:?}");
}

#[test]
fn no_partitions_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let refused = EmbeddedStore::open(dir.path(), &options(0)).unwrap_err();
    assert!(matches!(refused, EmbeddedError::PartitionsOutOfRange { wanted: 0, .. }));
}

fn assert_private(folder: &Path) {
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(folder), 0o700, "{}", folder.display());
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            assert_private(&path);
        } else {
            assert_eq!(mode(&path), 0o600, "{}", path.display());
        }
    }
}

#[tokio::test]
async fn only_its_owner_can_look_into_anything_in_the_folder() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    let store = open(&data);
    let stores = embedded_stores(&store);
    stores.log.append(&run(1), None, entry(1)).await.unwrap();
    let key = BlobKey::parse("page-1").unwrap();
    stores.blobs.put(&run_id(1), &key, Bytes::from_static(b"page")).await.unwrap();
    assert_private(&data);
    drop(stores);
    store.close().await;
    // As an earlier version left it.
    for open_folder in [data.clone(), data.join("log"), data.join("log/blobs")] {
        fs::set_permissions(&open_folder, fs::Permissions::from_mode(0o755)).unwrap();
    }
    open(&data).close().await;
    assert_private(&data);
}

#[tokio::test]
async fn a_store_that_was_closed_is_found_again_with_its_tails() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let log = embedded_stores(&store).log;
    let mut head = None;
    for number in 0..50 {
        head = Some(log.append(&run(1), head, entry(number)).await.unwrap());
    }
    drop(log);
    store.close().await;
    let log = embedded_stores(&open(dir.path())).log;
    assert_eq!(log.last(&run(1)).await.unwrap().map(|record| record.position), head);
    let next = log.append(&run(1), head, entry(50)).await.unwrap();
    let partition = run(1).partition(log.partitions());
    let tail = log.tail(partition, TailFrom::Start).await.unwrap();
    let records: Vec<_> = tail.take(51).collect().await;
    assert_eq!(records[50].as_ref().unwrap().position, next);
}
