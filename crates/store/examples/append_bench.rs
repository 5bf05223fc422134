//! How many durable appends a second the embedded log takes, beside sled alone with a batch per sync.
//!
//! `cargo run --release -p errand-store --example append_bench -- [seconds]`

use bytes::Bytes;
use errand_domain::{CommitId, RunId, Timestamp};
use errand_store::embedded::{EmbeddedOptions, EmbeddedStore};
use errand_store::{Entry, EventLog, LogKey, RandomIds, SystemClock};
use std::error::Error;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

const PAYLOAD_BYTES: usize = 1024;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let seconds = std::env::args().nth(1).map_or(Ok(3), |text| text.parse())?;
    let time = Duration::from_secs(seconds);
    println!(
        "{:<44} {:>10} {:>9} {:>9}",
        "1 KiB records, each on disk when acknowledged", "records/s", "p50 ms", "p99 ms"
    );
    for batch in [1, 32, 256] {
        let dir = tempfile::tempdir()?;
        print_line(&format!("sled alone, {batch} a sync"), sled_alone(dir.path(), batch, time)?);
    }
    for writers in [1, 32, 256] {
        let dir = tempfile::tempdir()?;
        print_line(&format!("event log, {writers} writers"), event_log(dir.path(), writers, time).await?);
    }
    Ok(())
}

/// What was measured.
struct Measured {
    records: usize,
    elapsed: Duration,
    waits: Vec<Duration>,
}

fn print_line(what: &str, mut measured: Measured) {
    measured.waits.sort_unstable();
    let at = |share: f64| {
        let index = (measured.waits.len() as f64 * share) as usize;
        measured.waits.get(index).map_or(0.0, |wait| wait.as_secs_f64() * 1_000.0)
    };
    let rate = measured.records as f64 / measured.elapsed.as_secs_f64();
    println!("{what:<44} {rate:>10.0} {:>9.2} {:>9.2}", at(0.5), at(0.99));
}

fn sled_alone(folder: &Path, batch_records: usize, time: Duration) -> Result<Measured, Box<dyn Error>> {
    let database = sled::Config::new().path(folder).cache_capacity(16 << 20).flush_every_ms(None).open()?;
    let file = File::open(folder.join("db"))?;
    let value = vec![7; PAYLOAD_BYTES];
    let mut measured = Measured { records: 0, elapsed: time, waits: Vec::new() };
    let started = Instant::now();
    while started.elapsed() < time {
        let asked = Instant::now();
        let mut batch = sled::Batch::default();
        for _ in 0..batch_records {
            batch.insert(&(measured.records as u64).to_be_bytes(), &value[..]);
            measured.records += 1;
        }
        database.apply_batch(batch)?;
        database.flush()?;
        file.sync_data()?;
        measured.waits.push(asked.elapsed());
    }
    measured.elapsed = started.elapsed();
    Ok(measured)
}

async fn event_log(folder: &Path, writers: u64, time: Duration) -> Result<Measured, Box<dyn Error>> {
    let store = EmbeddedStore::open(folder, &EmbeddedOptions::default())?;
    let log = store.stores(Arc::new(SystemClock), Arc::new(RandomIds)).log;
    let started = Instant::now();
    let mut tasks = tokio::task::JoinSet::new();
    for writer in 0..writers {
        tasks.spawn(append_for(Arc::clone(&log), writer, started + time));
    }
    let waits: Vec<Duration> = tasks.join_all().await.into_iter().flatten().collect();
    let measured = Measured { records: waits.len(), elapsed: started.elapsed(), waits };
    drop(log);
    store.close().await;
    Ok(measured)
}

/// Runs of 64 commits, one commit at a time, as a worker writes them.
async fn append_for(log: Arc<dyn EventLog>, writer: u64, until: Instant) -> Vec<Duration> {
    let payload = Bytes::from(vec![7; PAYLOAD_BYTES]);
    let mut waits = Vec::new();
    for number in 0.. {
        let key = LogKey::run(&RunId::new(Timestamp::from_millis(1_700_000_000_000 + number), writer));
        let mut head = None;
        for _ in 0..64 {
            if Instant::now() >= until {
                return waits;
            }
            let asked = Instant::now();
            let entry = Entry { commit_id: CommitId(0), payload: payload.clone() };
            match log.append(&key, head, entry).await {
                Ok(position) => head = Some(position),
                Err(error) => panic!("{error}"),
            }
            waits.push(asked.elapsed());
        }
    }
    waits
}
