//! The stores that the cases run on, and how a case is run on each.

use bytes::Bytes;
use errand_domain::{CommitId, RunId, Timestamp};
use errand_store::embedded::{EmbeddedOptions, EmbeddedStore};
use errand_store::jetstream::{JetStreamLog, JetStreamOptions};
use errand_store::memory::MemoryStore;
use errand_store::{Entry, LogKey, RandomIds, Stores, SystemClock};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tempfile::TempDir;

use crate::nats_server::NatsServer;

/// Far longer than anything takes; only a hang meets it.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// Stores and what they live on.
pub struct UnderTest {
    pub stores: Stores,
    _kept: Kept,
}

#[expect(dead_code, reason = "held for their drop")]
enum Kept {
    Nothing,
    Folder(TempDir),
    Server(NatsServer),
}

pub async fn memory() -> UnderTest {
    UnderTest { stores: memory_stores(), _kept: Kept::Nothing }
}

pub async fn embedded() -> UnderTest {
    let dir = tempfile::tempdir().unwrap();
    UnderTest { stores: embedded_stores(&open(dir.path())), _kept: Kept::Folder(dir) }
}

pub async fn jetstream() -> UnderTest {
    let server = NatsServer::start();
    let log = JetStreamLog::open(server.connect().await, &JetStreamOptions::default()).await.unwrap();
    let stores = Stores { log: Arc::new(log), ..memory_stores() };
    UnderTest { stores, _kept: Kept::Server(server) }
}

pub fn memory_stores() -> Stores {
    MemoryStore::new(4).stores(Arc::new(SystemClock), Arc::new(RandomIds))
}

pub fn open(folder: &Path) -> EmbeddedStore {
    EmbeddedStore::open(folder, &EmbeddedOptions::default()).unwrap()
}

pub fn embedded_stores(store: &EmbeddedStore) -> Stores {
    store.stores(Arc::new(SystemClock), Arc::new(RandomIds))
}

/// The log of a run with this number; number and partition have nothing to do with each other.
pub fn run(number: u64) -> LogKey {
    LogKey::run(&run_id(number))
}

pub fn run_id(number: u64) -> RunId {
    RunId::new(Timestamp::from_millis(1_700_000_000_000), number)
}

/// An entry with a number as payload, and a commit id of its own.
pub fn entry(number: u64) -> Entry {
    static LAST_ID: AtomicU64 = AtomicU64::new(0);
    let id = LAST_ID.fetch_add(1, Ordering::Relaxed);
    Entry { commit_id: CommitId(u128::from(id)), payload: Bytes::from(number.to_string()) }
}

/// Makes a test of each case for each log.
macro_rules! on_every_log {
    ($($case:ident),+ $(,)?) => {
        $crate::under_test::on_store!(memory: $($case),+);
        $crate::under_test::on_store!(embedded: $($case),+);
        $crate::under_test::on_store!(jetstream: $($case),+);
    };
}

/// Makes a test of each case for the stores that have all traits.
macro_rules! on_every_store {
    ($($case:ident),+ $(,)?) => {
        $crate::under_test::on_store!(memory: $($case),+);
        $crate::under_test::on_store!(embedded: $($case),+);
    };
}

macro_rules! on_store {
    ($store:ident: $($case:ident),+) => {
        mod $store {
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $case() {
                    let under_test = $crate::under_test::$store().await;
                    let case = super::$case(&under_test.stores);
                    tokio::time::timeout($crate::under_test::PATIENCE, case).await.unwrap();
                }
            )+
        }
    };
}

pub(crate) use {on_every_log, on_every_store, on_store};
