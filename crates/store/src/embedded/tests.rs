//! What happens on the way to the disk, seen through the sync that the store calls.

#![allow(clippy::unwrap_used, reason = "a test that meets an absent value has failed")]

use bytes::Bytes;
use errand_domain::{CommitId, RunId, Timestamp};
use futures::{FutureExt, StreamExt};
use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc;
use std::time::Duration;
use tempfile::TempDir;
use tokio::sync::mpsc as async_mpsc;
use tokio::time::timeout;

use super::disk::{DiskSync, SledSync};
use super::{EmbeddedOptions, EmbeddedStore};
use crate::log::{AppendError, Entry, LogKey, Position, TailFrom};
use crate::{RandomIds, Stores, SystemClock};

/// Far longer than a sync takes; only a missing one meets it.
const PATIENCE: Duration = Duration::from_secs(20);

fn stores(store: &EmbeddedStore) -> Stores {
    store.stores(Arc::new(SystemClock), Arc::new(RandomIds))
}

fn run(number: u64) -> LogKey {
    LogKey::run(&RunId::new(Timestamp::from_millis(1), number))
}

fn entry(payload: &'static str) -> Entry {
    Entry { commit_id: CommitId(1), payload: Bytes::from_static(payload.as_bytes()) }
}

/// Tells when the store wants a sync, and carries it out when it is told to.
#[derive(Debug)]
struct HeldSync {
    inner: SledSync,
    wanted: async_mpsc::UnboundedSender<()>,
    allowed: mpsc::Receiver<()>,
}

impl DiskSync for HeldSync {
    fn sync(&mut self) -> io::Result<()> {
        let _ = self.wanted.send(());
        self.allowed.recv().map_err(io::Error::other)?;
        self.inner.sync()
    }
}

struct Held {
    store: EmbeddedStore,
    wanted: async_mpsc::UnboundedReceiver<()>,
    allow: mpsc::Sender<()>,
    _dir: TempDir,
}

impl Held {
    /// Waits until the store wants a sync.
    async fn sync_wanted(&mut self) {
        timeout(PATIENCE, self.wanted.recv()).await.unwrap().unwrap();
    }
}

fn held_store() -> Held {
    let dir = tempfile::tempdir().unwrap();
    let (wanted_sender, wanted) = async_mpsc::unbounded_channel();
    let (allow, allowed) = mpsc::channel();
    let wrap = |inner| Box::new(HeldSync { inner, wanted: wanted_sender, allowed }) as Box<dyn DiskSync>;
    let store = EmbeddedStore::open_with(dir.path(), &EmbeddedOptions::default(), wrap).unwrap();
    Held { store, wanted, allow, _dir: dir }
}

#[tokio::test]
async fn an_append_is_acknowledged_and_seen_only_after_the_sync() {
    let mut held = held_store();
    let log = stores(&held.store).log;
    let key = run(1);
    let mut tail = log.tail(key.partition(log.partitions()), TailFrom::Start).await.unwrap();
    let append = log.append(&key, None, entry("one"));
    tokio::pin!(append);
    tokio::select! {
        biased;
        _ = &mut append => panic!("acknowledged before the sync was even asked for"),
        wanted = held.wanted.recv() => assert!(wanted.is_some()),
    }
    // The sync was asked for and is under way.
    assert!((&mut append).now_or_never().is_none());
    assert!(log.read(&key, None).await.unwrap().is_empty(), "a reader sees what a power cut may take back");
    assert!(tail.next().now_or_never().is_none());
    held.allow.send(()).unwrap();
    let position = append.await.unwrap();
    assert_eq!(log.read(&key, None).await.unwrap().len(), 1);
    assert_eq!(tail.next().await.unwrap().unwrap().position, position);
}

#[tokio::test]
async fn appends_that_wait_together_share_one_sync() {
    let mut held = held_store();
    let log = stores(&held.store).log;
    let first_key = run(0);
    let first = log.append(&first_key, None, entry("first"));
    tokio::pin!(first);
    assert!((&mut first).now_or_never().is_none());
    held.sync_wanted().await;
    // These queue up while the first one's sync is held.
    let keys: Vec<LogKey> = (1..=100).map(run).collect();
    let mut others: Vec<_> = keys.iter().map(|key| log.append(key, None, entry("other"))).collect();
    for other in &mut others {
        assert!(other.now_or_never().is_none());
    }
    held.allow.send(()).unwrap();
    first.await.unwrap();
    held.sync_wanted().await;
    held.allow.send(()).unwrap();
    for other in others {
        other.await.unwrap();
    }
    assert!(held.wanted.try_recv().is_err(), "a hundred appends needed more than one sync");
}

#[derive(Debug)]
struct FailingSync;

impl DiskSync for FailingSync {
    fn sync(&mut self) -> io::Result<()> {
        Err(io::Error::other("the disk is gone"))
    }
}

#[tokio::test]
async fn after_a_failed_sync_the_outcome_is_unknown_and_nothing_more_is_taken() {
    let dir = tempfile::tempdir().unwrap();
    let store = EmbeddedStore::open_with(dir.path(), &EmbeddedOptions::default(), |_| Box::new(FailingSync)).unwrap();
    let log = stores(&store).log;
    let key = run(1);
    assert!(matches!(log.append(&key, None, entry("one")).await, Err(AppendError::Unknown(_))));
    assert!(log.read(&key, None).await.unwrap().is_empty());
    assert!(log.last(&key).await.is_err(), "the read-back cannot know either");
    assert!(matches!(log.append(&key, None, entry("two")).await, Err(AppendError::NotStored(_))));
    // Whoever runs the process is told, so that it can be started anew.
    tokio::time::timeout(Duration::from_secs(5), store.failed()).await.unwrap();
}

#[tokio::test]
async fn a_store_that_was_closed_did_not_fail() {
    let dir = tempfile::tempdir().unwrap();
    let store = EmbeddedStore::open(dir.path(), &EmbeddedOptions::default()).unwrap();
    store.writer.close().await;
    assert!(tokio::time::timeout(Duration::from_millis(50), store.failed()).await.is_err());
}

#[tokio::test]
async fn what_was_acknowledged_is_in_the_files_while_the_store_is_still_open() {
    let dir = tempfile::tempdir().unwrap();
    let store = EmbeddedStore::open(dir.path(), &EmbeddedOptions::default()).unwrap();
    let log = stores(&store).log;
    let large = Bytes::from(vec![7; 300_000]);
    let mut head = None;
    for number in 0..40 {
        let payload = if number % 8 == 0 { large.clone() } else { Bytes::from(format!("commit {number}")) };
        head = Some(log.append(&run(1), head, Entry { commit_id: CommitId(number), payload }).await.unwrap());
    }
    // What a crash at this very moment would leave.
    let copy = tempfile::tempdir().unwrap();
    copy_files(dir.path(), copy.path());
    let recovered = EmbeddedStore::open(copy.path(), &EmbeddedOptions::default()).unwrap();
    let records = stores(&recovered).log.read(&run(1), None).await.unwrap();
    assert_eq!(records.len(), 40);
    assert_eq!(records[32].payload, large);
    assert_eq!(records.last().map(|record| record.position), head);
}

#[tokio::test]
async fn sled_keeps_no_file_of_its_own_for_a_large_value() {
    let dir = tempfile::tempdir().unwrap();
    let store = EmbeddedStore::open(dir.path(), &EmbeddedOptions::default()).unwrap();
    let log = stores(&store).log;
    let large = Bytes::from(vec![7; errand_domain::limits::COMMIT_BYTES_MAX]);
    let mut head = None;
    for number in 0..8 {
        let entry = Entry { commit_id: CommitId(number), payload: large.clone() };
        head = Some(log.append(&run(1), head, entry).await.unwrap());
    }
    let unsynced = fs::read_dir(dir.path().join("log/blobs")).unwrap().count();
    assert_eq!(unsynced, 0, "sled does not sync these files");
}

#[tokio::test]
async fn closing_answers_what_was_accepted_and_refuses_what_comes_later() {
    let dir = tempfile::tempdir().unwrap();
    let store = EmbeddedStore::open(dir.path(), &EmbeddedOptions::default()).unwrap();
    let log = stores(&store).log;
    let accepted_key = run(1);
    let accepted = log.append(&accepted_key, None, entry("one"));
    tokio::pin!(accepted);
    let early = (&mut accepted).now_or_never();
    let mut tail = log.tail(0, TailFrom::After(Position(1_000))).await.unwrap();
    store.close().await;
    let accepted = match early {
        Some(answer) => answer,
        None => accepted.await,
    };
    assert!(accepted.is_ok());
    assert!(matches!(log.append(&run(2), None, entry("two")).await, Err(AppendError::NotStored(_))));
    assert!(tail.next().await.unwrap().is_err());
    assert!(tail.next().await.is_none());
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
