//! Key-value buckets.

use bytes::Bytes;
use errand_store::{Bucket, KeyValueError, Revision, Stores};
use futures::future::join_all;
use std::sync::Arc;

use crate::under_test::{embedded_stores, on_every_store, open};

on_every_store!(
    a_key_is_created_once,
    an_update_must_know_the_revision,
    a_key_made_again_has_no_revision_of_its_past,
    buckets_and_keys_are_apart,
    a_large_value_is_replaced_whole,
    of_many_creators_one_wins,
);

fn value(text: &'static str) -> Bytes {
    Bytes::from_static(text.as_bytes())
}

fn is_conflict<T>(answer: Result<T, KeyValueError>) -> bool {
    matches!(answer, Err(KeyValueError::Conflict))
}

const BUCKETS: [Bucket; 8] = [
    Bucket::Keys,
    Bucket::Secrets,
    Bucket::Profiles,
    Bucket::Idempotency,
    Bucket::Views,
    Bucket::Recent,
    Bucket::Leases,
    Bucket::Facts,
];

async fn a_key_is_created_once(stores: &Stores) {
    for bucket in BUCKETS {
        let revision = stores.keyvalue.create(bucket, "a", value("1")).await.unwrap();
        assert!(is_conflict(stores.keyvalue.create(bucket, "a", value("2")).await));
        let entry = stores.keyvalue.get(bucket, "a").await.unwrap().unwrap();
        assert_eq!((entry.value, entry.revision), (value("1"), revision));
    }
}

async fn an_update_must_know_the_revision(stores: &Stores) {
    for bucket in BUCKETS {
        let keyvalue = &stores.keyvalue;
        assert!(is_conflict(keyvalue.update(bucket, "a", value("0"), Revision(1)).await));
        let first = keyvalue.put(bucket, "a", value("1")).await.unwrap();
        let second = keyvalue.update(bucket, "a", value("2"), first).await.unwrap();
        assert!(second > first);
        assert!(is_conflict(keyvalue.update(bucket, "a", value("3"), first).await));
        let third = keyvalue.put(bucket, "a", value("4")).await.unwrap();
        assert!(third > second);
        assert_eq!(keyvalue.get(bucket, "a").await.unwrap().unwrap().value, value("4"));
    }
}

async fn a_key_made_again_has_no_revision_of_its_past(stores: &Stores) {
    let keyvalue = &stores.keyvalue;
    let before = keyvalue.create(Bucket::Secrets, "a", value("1")).await.unwrap();
    assert!(keyvalue.delete(Bucket::Secrets, "a").await.unwrap());
    assert!(!keyvalue.delete(Bucket::Secrets, "a").await.unwrap());
    assert!(keyvalue.get(Bucket::Secrets, "a").await.unwrap().is_none());
    let after = keyvalue.create(Bucket::Secrets, "a", value("2")).await.unwrap();
    assert!(after > before);
    assert!(is_conflict(keyvalue.update(Bucket::Secrets, "a", value("3"), before).await));
}

async fn buckets_and_keys_are_apart(stores: &Stores) {
    let keyvalue = &stores.keyvalue;
    for key in ["acme/b", "acme/a", "acme", "acme/a\0\0\0\0", "acmé/c", "acmf"] {
        keyvalue.put(Bucket::Secrets, key, value("x")).await.unwrap();
    }
    keyvalue.put(Bucket::Keys, "acme/z", value("x")).await.unwrap();
    assert_eq!(keyvalue.keys(Bucket::Secrets, "acme/").await.unwrap(), ["acme/a", "acme/a\0\0\0\0", "acme/b"]);
    assert_eq!(keyvalue.keys(Bucket::Secrets, "acme/a\0").await.unwrap(), ["acme/a\0\0\0\0"]);
    assert_eq!(keyvalue.keys(Bucket::Secrets, "").await.unwrap().len(), 6);
    assert_eq!(keyvalue.keys(Bucket::Keys, "").await.unwrap(), ["acme/z"]);
    assert!(keyvalue.keys(Bucket::Views, "").await.unwrap().is_empty());
    keyvalue.delete(Bucket::Secrets, "acme/a").await.unwrap();
    assert!(keyvalue.get(Bucket::Secrets, "acme/a\0\0\0\0").await.unwrap().is_some());
}

async fn a_large_value_is_replaced_whole(stores: &Stores) {
    let keyvalue = &stores.keyvalue;
    let sizes = [1_000_000, 4_096, 4_095, 8_192, 0, 12_345, 1];
    for (index, bytes) in sizes.into_iter().enumerate() {
        let value = Bytes::from(vec![index as u8; bytes]);
        keyvalue.put(Bucket::Profiles, "acme/shop", value.clone()).await.unwrap();
        assert_eq!(keyvalue.get(Bucket::Profiles, "acme/shop").await.unwrap().unwrap().value, value);
    }
    assert_eq!(keyvalue.keys(Bucket::Profiles, "").await.unwrap(), ["acme/shop"]);
}

async fn of_many_creators_one_wins(stores: &Stores) {
    let tries = (0..100).map(|_| {
        let keyvalue = Arc::clone(&stores.keyvalue);
        tokio::spawn(async move { keyvalue.create(Bucket::Idempotency, "acme/1", value("x")).await.is_ok() })
    });
    let won = join_all(tries).await.into_iter().map(Result::unwrap).filter(|won| *won).count();
    assert_eq!(won, 1);
}

#[tokio::test]
async fn values_and_revisions_outlive_the_process_and_leases_do_not() {
    let dir = tempfile::tempdir().unwrap();
    let before = {
        let store = open(dir.path());
        let keyvalue = embedded_stores(&store).keyvalue;
        keyvalue.put(Bucket::Leases, "scheduler-0", value("x")).await.unwrap();
        keyvalue.put(Bucket::Keys, "b", value("2")).await.unwrap();
        let revision = keyvalue.put(Bucket::Keys, "a", value("1")).await.unwrap();
        drop(keyvalue);
        store.close().await;
        revision
    };
    let keyvalue = embedded_stores(&open(dir.path())).keyvalue;
    let entry = keyvalue.get(Bucket::Keys, "a").await.unwrap().unwrap();
    assert_eq!((entry.value, entry.revision), (value("1"), before));
    assert!(keyvalue.update(Bucket::Keys, "a", value("3"), before).await.unwrap() > before);
    assert!(keyvalue.get(Bucket::Leases, "scheduler-0").await.unwrap().is_none());
}
