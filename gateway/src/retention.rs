//! Removes runs that finished longer ago than they are kept (SPEC §1), as DELETE does. Each partition's log is gone
//! through from the oldest run that is still kept; several gateways may do so at once, since a deletion that meets
//! another one changes nothing.

use errand_domain::Timestamp;
use errand_store::{Bucket, KeyValue, KeyValueError, LogKind, Position, Record, TailFrom, decode_run_record};
use futures::StreamExt;
use std::sync::Arc;

use crate::app::App;
use crate::fault::{Fault, FaultKind};
use crate::limits::{RETENTION_IDLE, RETENTION_SWEEP};
use crate::runs::delete_expired;

/// Sweeps now and then, until the shutdown.
pub(crate) async fn run(app: Arc<App>) {
    let shutdown = app.shutdown.clone();
    let sweeps = async {
        loop {
            tokio::time::sleep(RETENTION_SWEEP).await;
            for partition in 0..app.stores.log.partitions() {
                if let Err(fault) = sweep(&app, partition).await {
                    tracing::warn!(%fault, partition, "runs past their retention were not all removed");
                }
            }
        }
    };
    shutdown.run_until_cancelled(sweeps).await;
}

/// Removes one partition's runs that are past their retention.
async fn sweep(app: &App, partition: u32) -> Result<(), Fault> {
    let retention_ms = i64::try_from(app.config.retention.as_millis()).unwrap_or(i64::MAX);
    let cutoff = Timestamp::from_millis(app.stores.clock.now().as_millis().saturating_sub(retention_ms));
    let cursor = load_cursor(&*app.stores.keyvalue, partition).await?;
    let from = cursor.map_or(TailFrom::Start, TailFrom::After);
    let mut records = app.stores.log.tail(partition, from).await?;
    let mut cleared = cursor;
    let mut keeps_all = true;
    // A tail has no end: one that brings nothing for a while has brought all.
    while let Ok(Some(record)) = tokio::time::timeout(RETENTION_IDLE, records.next()).await {
        let record = record?;
        match look_at(app, &record, cutoff).await {
            Ok(Found::TooYoung) => break,
            Ok(Found::Kept) => keeps_all = false,
            Ok(Found::Nothing) if keeps_all => cleared = Some(record.position),
            Ok(Found::Nothing) => {}
            // One run that cannot be read or removed must not keep the others; the next sweep looks at it again.
            Err(fault) if fault.kind == FaultKind::Internal => {
                tracing::error!(run_id = %record.key.run_id, %fault, "a run past its retention was not removed");
                keeps_all = false;
            }
            Err(fault) => return Err(fault),
        }
    }
    if cleared != cursor {
        save_cursor(&*app.stores.keyvalue, partition, cleared).await?;
    }
    Ok(())
}

enum Found {
    /// Neither this record nor any after it belongs to a run that is past its retention.
    TooYoung,
    /// The first commit of a run that is not to be removed yet.
    Kept,
    /// Nothing that a later sweep would have to look at.
    Nothing,
}

async fn look_at(app: &App, record: &Record, cutoff: Timestamp) -> Result<Found, Fault> {
    if record.key.kind != LogKind::Run {
        return Ok(Found::Nothing);
    }
    let commit = decode_run_record(record)?;
    if commit.at > cutoff {
        return Ok(Found::TooYoung);
    }
    if commit.seq > 1 || delete_expired(app, &commit.run_id, cutoff).await? {
        return Ok(Found::Nothing);
    }
    Ok(Found::Kept)
}

fn cursor_key(partition: u32) -> String {
    format!("retention-{partition}")
}

/// Only a head start: without it the log is gone through from its first record.
async fn load_cursor(keyvalue: &dyn KeyValue, partition: u32) -> Result<Option<Position>, KeyValueError> {
    let entry = keyvalue.get(Bucket::Views, &cursor_key(partition)).await?;
    Ok(entry.and_then(|entry| std::str::from_utf8(&entry.value).ok()?.parse().ok()).map(Position))
}

async fn save_cursor(keyvalue: &dyn KeyValue, partition: u32, cursor: Option<Position>) -> Result<(), KeyValueError> {
    let Some(position) = cursor else { return Ok(()) };
    keyvalue.put(Bucket::Views, &cursor_key(partition), position.to_string().into()).await.map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{create, sample_app, settle, stop};
    use errand_domain::CommitId;
    use errand_store::{Entry, LogKey};
    use std::time::Duration;

    async fn sweep_all(app: &App) {
        for partition in 0..app.stores.log.partitions() {
            sweep(app, partition).await.unwrap();
        }
    }

    #[tokio::test(start_paused = true)]
    async fn only_settled_runs_past_their_retention_are_removed() {
        let mut app = sample_app();
        app.config.retention = Duration::ZERO;
        let (open, unsettled, done) = (create(&app).await, create(&app).await, create(&app).await);
        stop(&app, &unsettled).await;
        stop(&app, &done).await;
        settle(&app, &done).await;
        sweep_all(&app).await;
        assert!(app.runs.load(&open).await.unwrap().is_some());
        assert!(app.runs.load(&unsettled).await.unwrap().is_some());
        assert!(app.runs.load(&done).await.is_err(), "only the tombstone is left");
        settle(&app, &unsettled).await;
        sweep_all(&app).await;
        assert!(app.runs.load(&unsettled).await.is_err(), "a run that was kept is looked at again");
    }

    #[tokio::test(start_paused = true)]
    async fn a_run_is_kept_for_its_retention() {
        let app = sample_app();
        let done = create(&app).await;
        stop(&app, &done).await;
        settle(&app, &done).await;
        sweep_all(&app).await;
        assert!(app.runs.load(&done).await.unwrap().is_some());
    }

    #[tokio::test(start_paused = true)]
    async fn a_run_that_cannot_be_read_does_not_keep_the_others() {
        let mut app = sample_app();
        app.config.retention = Duration::ZERO;
        let (broken, done) = (create(&app).await, create(&app).await);
        stop(&app, &done).await;
        settle(&app, &done).await;
        let key = LogKey::run(&broken);
        let last = app.stores.log.last(&key).await.unwrap().map(|record| record.position);
        let entry = Entry { commit_id: CommitId(99), payload: b"\xff not a commit".as_slice().into() };
        app.stores.log.append(&key, last, entry).await.unwrap();
        sweep_all(&app).await;
        assert!(app.runs.load(&done).await.is_err(), "only the tombstone is left");
        assert_eq!(app.stores.log.read(&key, None).await.unwrap().len(), 2, "the broken one is left for a person");
    }
}
