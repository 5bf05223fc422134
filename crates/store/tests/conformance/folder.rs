//! The embedded store's folder.

use errand_store::TailFrom;
use errand_store::embedded::{EmbeddedError, EmbeddedOptions, EmbeddedStore};
use futures::StreamExt;
use std::fs;
use std::os::unix::fs::PermissionsExt;

use crate::under_test::{embedded_stores, entry, open, run};

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
    fs::write(dir.path().join("store.json"), r#"{"format":2,"partitions":4,"more":true}"#).unwrap();
    let refused = EmbeddedStore::open(dir.path(), &options(4)).unwrap_err();
    assert!(matches!(refused, EmbeddedError::Format { stored: 2, known: 1, .. }), "{refused:?}");
}

#[test]
fn no_partitions_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let refused = EmbeddedStore::open(dir.path(), &options(0)).unwrap_err();
    assert!(matches!(refused, EmbeddedError::PartitionsOutOfRange { wanted: 0, .. }));
}

#[test]
fn only_its_owner_can_look_into_the_folder() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    drop(open(&data));
    for folder in [&data, &data.join("log"), &data.join("blobs")] {
        assert_eq!(fs::metadata(folder).unwrap().permissions().mode() & 0o777, 0o700);
    }
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
