//! One partition's loop: hold the lease, take up from the snapshot, follow the log, carry out what the plan orders.

use errand_domain::run::{self, Commit, Run, RunEvent};
use errand_domain::{RunId, Timestamp};
use errand_store::jobs::{Beat, beat_subject};
use errand_store::lease::Lease;
use errand_store::recent;
use errand_store::{LoadError, LogError, LogKind, Position, Record, RunLog, Stores, TailFrom, decode_run_record};
use futures::StreamExt;
use std::collections::BTreeSet;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

use crate::config::SchedulerConfig;
use crate::error::SchedulerError;
use crate::orders::carry_out;
use crate::plan::Plan;
use crate::snapshot::Snapshot;

/// Pause after a transient failure, so that a store that is down is not hammered.
const RETRY_PAUSE: Duration = Duration::from_millis(500);
/// The snapshot is saved after so many commits; a restart then replays at most as many.
const SNAPSHOT_EVERY_COMMITS: u64 = 1_000;
/// Without any timer due, the loop still wakes so often.
const IDLE_WAKE: Duration = Duration::from_secs(3_600);

/// Follows one partition until `shutdown`.
pub async fn run(
    partition: u32,
    config: SchedulerConfig,
    stores: Stores,
    shutdown: CancellationToken,
) -> Result<(), SchedulerError> {
    let mut lease =
        Lease::new(&stores, format!("scheduler-{partition}"), config.owner.clone(), config.partition_lease_ms);
    while !shutdown.is_cancelled() {
        let ended = match lease.hold().await {
            Ok(true) => own(partition, &config, &stores, &mut lease, &shutdown).await,
            Ok(false) => Ok(()),
            Err(error) => Err(error.into()),
        };
        match ended {
            Ok(()) => {}
            Err(error) if error.is_transient() => {
                let error: &dyn std::error::Error = &error;
                tracing::warn!(partition, error, "scheduler takes its partition up again");
            }
            Err(error) => return Err(error),
        }
        tokio::select! {
            biased;
            () = shutdown.cancelled() => break,
            () = tokio::time::sleep(RETRY_PAUSE) => {}
        }
    }
    Ok(())
}

struct Follower<'a> {
    partition: u32,
    stores: &'a Stores,
    runs: RunLog,
    plan: Plan,
    position: Option<Position>,
    unsaved_commits: u64,
}

/// Follows the log for as long as the lease is held.
async fn own(
    partition: u32,
    config: &SchedulerConfig,
    stores: &Stores,
    lease: &mut Lease,
    shutdown: &CancellationToken,
) -> Result<(), SchedulerError> {
    let mut beats = stores.signals.subscribe(&beat_subject(partition)).await?;
    let mut follower = Follower {
        partition,
        stores,
        runs: RunLog::new(stores),
        plan: Plan::new(config.clone()),
        position: None,
        unsaved_commits: 0,
    };
    follower.take_up().await?;
    let from = follower.position.map_or(TailFrom::Start, TailFrom::After);
    let mut tail = stores.log.tail(partition, from).await?;
    let mut renewal = tokio::time::interval(Duration::from_millis(config.partition_lease_ms / 3));
    loop {
        let wake = sleep_until_wake(&follower.plan, stores.clock.now());
        tokio::select! {
            biased;
            () = shutdown.cancelled() => return follower.save().await,
            _ = renewal.tick() => if !lease.hold().await? { return Ok(()) },
            record = tail.next() => {
                let interrupted = || LogError::Interrupted { reason: "the tail ended".to_owned() };
                follower.follow(&record.ok_or_else(interrupted)??).await?;
            }
            Some(beat) = beats.next() => follower.take_beat(&beat),
            () = wake => follower.wake().await,
        }
    }
}

async fn sleep_until_wake(plan: &Plan, now: Timestamp) {
    let wait = plan.wake_at().map_or(IDLE_WAKE, |at| Duration::from_millis(at.ms_since(now)));
    tokio::time::sleep(wait.min(IDLE_WAKE)).await;
}

impl Follower<'_> {
    /// Loads the runs that were open at the snapshot.
    async fn take_up(&mut self) -> Result<(), SchedulerError> {
        let Some(snapshot) = Snapshot::load(&*self.stores.keyvalue, self.partition).await? else { return Ok(()) };
        self.position = Some(snapshot.position());
        for run_id in &snapshot.open {
            self.load(run_id).await?;
        }
        Ok(())
    }

    async fn follow(&mut self, record: &Record) -> Result<(), SchedulerError> {
        if record.key.kind == LogKind::Run {
            self.follow_run(record).await?;
        }
        self.position = Some(record.position);
        self.unsaved_commits += 1;
        if self.unsaved_commits >= SNAPSHOT_EVERY_COMMITS {
            self.save().await?;
        }
        Ok(())
    }

    async fn follow_run(&mut self, record: &Record) -> Result<(), SchedulerError> {
        let commit = match decode_run_record(record) {
            Ok(commit) => commit,
            Err(error) => return self.skip(&record.key.run_id, error),
        };
        let known = self.plan.state(&commit.run_id);
        if known.is_some_and(|run| run.seq >= commit.seq) {
            return Ok(());
        }
        if let Some(RunEvent::Created { spec, .. }) = commit.events.first() {
            let added = BTreeSet::from([commit.run_id.clone()]);
            recent::add(&*self.stores.keyvalue, &spec.account, &added).await?;
        }
        let follows = known.map_or(0, |run| run.seq) + 1 == commit.seq;
        if follows { self.fold(known.cloned(), &commit).await } else { self.load(&commit.run_id).await }
    }

    async fn fold(&mut self, known: Option<Run>, commit: &Commit<RunEvent>) -> Result<(), SchedulerError> {
        match run::evolve(known, commit) {
            Ok(run) => self.observe(run).await,
            Err(error) => self.skip(&commit.run_id, error.into())?,
        }
        Ok(())
    }

    async fn load(&mut self, run_id: &RunId) -> Result<(), SchedulerError> {
        match self.runs.load(run_id).await {
            Ok(Some(loaded)) => self.observe(loaded.state).await,
            Ok(None) | Err(LoadError::Deleted { .. }) => {}
            Err(error) => self.skip(run_id, error)?,
        }
        Ok(())
    }

    /// Leaves a run alone whose history does not make sense: it must not hold up the others.
    fn skip(&mut self, run_id: &RunId, error: LoadError) -> Result<(), SchedulerError> {
        match error {
            LoadError::Log(
                error @ (LogError::Unavailable { .. } | LogError::Interrupted { .. } | LogError::Unusable { .. }),
            ) => return Err(error.into()),
            LoadError::Log(LogError::Corrupt { .. })
            | LoadError::Decode { .. }
            | LoadError::Deleted { .. }
            | LoadError::History(_)
            | LoadError::Deliveries(_) => {}
        }
        let error: &dyn std::error::Error = &error;
        tracing::error!(%run_id, error, "a run cannot be read and is skipped");
        metrics::counter!("errand_scheduler_skipped_total").increment(1);
        self.plan.forget(run_id);
        Ok(())
    }

    async fn observe(&mut self, run: Run) {
        let orders = self.plan.observe(run, self.stores.clock.now());
        carry_out(orders, self.stores, &self.runs).await;
        metrics::gauge!("errand_scheduler_open_runs", "partition" => self.partition.to_string())
            .set(self.plan.open_count() as f64);
    }

    fn take_beat(&mut self, bytes: &[u8]) {
        if let Some(beat) = Beat::from_bytes(bytes) {
            self.plan.beat(&beat, self.stores.clock.now());
        }
    }

    async fn wake(&mut self) {
        let orders = self.plan.wake(self.stores.clock.now());
        carry_out(orders, self.stores, &self.runs).await;
    }

    async fn save(&mut self) -> Result<(), SchedulerError> {
        let Some(position) = self.position else { return Ok(()) };
        let open = self.plan.open_runs().cloned().collect();
        Snapshot { position: position.0, open }.save(&*self.stores.keyvalue, self.partition).await?;
        self.unsaved_commits = 0;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use errand_domain::price::PriceTable;
    use errand_domain::run::RunRequest;
    use errand_domain::{AccountId, CommitId};
    use errand_store::memory::MemoryStore;
    use errand_store::{Entry, LogKey, RandomIds, SystemClock};
    use serde_json::json;
    use std::sync::Arc;

    async fn create(stores: &Stores, number: u64) -> RunId {
        let run_id = RunId::new(stores.clock.now(), number);
        let body = json!({"goal": "g", "start_url": "https://example.com/"});
        let request = RunRequest::parse(&body, AccountId::parse("a").unwrap(), String::new()).unwrap();
        let events = run::create(request.into_spec(), &PriceTable::default());
        RunLog::new(stores).create(&run_id, CommitId(number.into()), events).await.unwrap();
        run_id
    }

    async fn append_garbage(stores: &Stores, run_id: &RunId) {
        let key = LogKey::run(run_id);
        let last = stores.log.last(&key).await.unwrap().map(|record| record.position);
        let entry = Entry { commit_id: CommitId(99), payload: b"\xff not a commit".as_slice().into() };
        stores.log.append(&key, last, entry).await.unwrap();
    }

    #[tokio::test]
    async fn a_run_that_cannot_be_read_does_not_hold_up_the_others() {
        let stores = MemoryStore::new(1).stores(Arc::new(SystemClock), Arc::new(RandomIds));
        let (broken, later, good) =
            (create(&stores, 1).await, RunId::new(stores.clock.now(), 2), create(&stores, 3).await);
        append_garbage(&stores, &broken).await;
        append_garbage(&stores, &later).await;
        let mut follower = Follower {
            partition: 0,
            stores: &stores,
            runs: RunLog::new(&stores),
            plan: Plan::new(SchedulerConfig::new("test")),
            position: None,
            unsaved_commits: 0,
        };
        for run_id in [&broken, &later, &good] {
            for record in stores.log.read(&LogKey::run(run_id), None).await.unwrap() {
                follower.follow(&record).await.unwrap();
            }
        }
        assert_eq!(follower.plan.open_runs().collect::<Vec<_>>(), [&good]);
        Snapshot { position: 0, open: vec![broken, later, good.clone()] }.save(&*stores.keyvalue, 0).await.unwrap();
        follower.plan = Plan::new(SchedulerConfig::new("test"));
        follower.take_up().await.unwrap();
        assert_eq!(follower.plan.open_runs().collect::<Vec<_>>(), [&good]);
    }
}
