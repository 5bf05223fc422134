//! Blobs.

use bytes::Bytes;
use errand_domain::BlobKey;
use errand_store::limits::BLOB_BYTES_MAX;
use errand_store::{BlobError, Stores};

use crate::under_test::{embedded_stores, on_every_store, open, run_id};

on_every_store!(
    a_blob_is_found_under_its_run_and_key,
    a_blob_written_again_is_replaced_whole,
    deleting_a_run_takes_all_its_blobs_and_no_others,
    a_blob_over_the_limit_is_refused,
    keys_that_mean_folders_elsewhere_are_names_here,
);

fn key(text: &str) -> BlobKey {
    BlobKey::parse(text).unwrap()
}

async fn a_blob_is_found_under_its_run_and_key(stores: &Stores) {
    let value = Bytes::from(vec![3; 2_000_000]);
    stores.blobs.put(&run_id(1), &key("page-1"), value.clone()).await.unwrap();
    stores.blobs.put(&run_id(1), &key("page-2"), Bytes::new()).await.unwrap();
    assert_eq!(stores.blobs.get(&run_id(1), &key("page-1")).await.unwrap(), Some(value));
    assert_eq!(stores.blobs.get(&run_id(1), &key("page-2")).await.unwrap(), Some(Bytes::new()));
    assert_eq!(stores.blobs.get(&run_id(1), &key("page-3")).await.unwrap(), None);
    assert_eq!(stores.blobs.get(&run_id(2), &key("page-1")).await.unwrap(), None);
}

async fn a_blob_written_again_is_replaced_whole(stores: &Stores) {
    for size in [100, 10, 1_000] {
        let value = Bytes::from(vec![1; size]);
        stores.blobs.put(&run_id(1), &key("checkpoint"), value.clone()).await.unwrap();
        assert_eq!(stores.blobs.get(&run_id(1), &key("checkpoint")).await.unwrap(), Some(value));
    }
}

async fn deleting_a_run_takes_all_its_blobs_and_no_others(stores: &Stores) {
    for (run, name) in [(1, "a"), (1, "b"), (2, "a")] {
        stores.blobs.put(&run_id(run), &key(name), Bytes::from_static(b"x")).await.unwrap();
    }
    stores.blobs.delete_run(&run_id(1)).await.unwrap();
    stores.blobs.delete_run(&run_id(1)).await.unwrap();
    assert_eq!(stores.blobs.get(&run_id(1), &key("a")).await.unwrap(), None);
    assert_eq!(stores.blobs.get(&run_id(1), &key("b")).await.unwrap(), None);
    assert!(stores.blobs.get(&run_id(2), &key("a")).await.unwrap().is_some());
}

async fn a_blob_over_the_limit_is_refused(stores: &Stores) {
    let too_large = Bytes::from(vec![0; BLOB_BYTES_MAX + 1]);
    let answer = stores.blobs.put(&run_id(1), &key("a"), too_large).await;
    assert!(matches!(answer, Err(BlobError::TooLarge { .. })));
}

async fn keys_that_mean_folders_elsewhere_are_names_here(stores: &Stores) {
    for name in ["..", ".", ".hidden", "a..b"] {
        stores.blobs.put(&run_id(1), &key(name), Bytes::from(name)).await.unwrap();
    }
    for name in ["..", ".", ".hidden", "a..b"] {
        assert_eq!(stores.blobs.get(&run_id(1), &key(name)).await.unwrap(), Some(Bytes::from(name)));
    }
}

#[tokio::test]
async fn blobs_outlive_the_process_and_what_was_unfinished_is_removed() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let stores = embedded_stores(&store);
    stores.blobs.put(&run_id(1), &key("a"), Bytes::from_static(b"kept")).await.unwrap();
    drop(stores);
    store.close().await;
    let unfinished = dir.path().join("unfinished");
    std::fs::write(unfinished.join("7"), b"half").unwrap();
    let stores = embedded_stores(&open(dir.path()));
    assert_eq!(stores.blobs.get(&run_id(1), &key("a")).await.unwrap(), Some(Bytes::from_static(b"kept")));
    assert_eq!(std::fs::read_dir(unfinished).unwrap().count(), 0);
}
