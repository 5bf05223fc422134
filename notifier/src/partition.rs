//! One partition's loop: hold the lease, take up from the snapshot, follow the log, look at the runs that are due.

use errand_domain::{RunId, Timestamp};
use errand_store::lease::Lease;
use errand_store::{LogError, LogKind, Position, Record, TailFrom, decode_run_record};
use futures::StreamExt;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::{Id, JoinError, JoinSet};
use tokio_util::sync::CancellationToken;

use crate::error::NotifierError;
use crate::limits;
use crate::look::Notifier;
use crate::plan::{Next, Plan};
use crate::snapshot::Snapshot;

/// Pause after a transient failure, so that a store that is down is not hammered.
const RETRY_PAUSE: Duration = Duration::from_millis(500);
/// The snapshot is saved after so many commits; a restart then replays at most as many.
const SNAPSHOT_EVERY_COMMITS: u64 = 1_000;
/// Without any run due, the loop still wakes so often.
const IDLE_WAKE: Duration = Duration::from_secs(3_600);

/// Follows one partition until `shutdown`.
pub async fn run(
    partition: u32,
    notifier: Arc<Notifier>,
    exchanges: Arc<Semaphore>,
    shutdown: CancellationToken,
) -> Result<(), NotifierError> {
    let config = &notifier.config;
    let name = format!("notifier-{partition}");
    let mut lease = Lease::new(&notifier.stores, name, config.owner.clone(), config.partition_lease_ms);
    while !shutdown.is_cancelled() {
        let ended = match lease.hold().await {
            Ok(true) => own(partition, &notifier, &exchanges, &mut lease, &shutdown).await,
            Ok(false) => Ok(()),
            Err(error) => Err(error.into()),
        };
        match ended {
            Ok(()) => {}
            Err(error) if error.is_transient() => {
                let error: &dyn std::error::Error = &error;
                tracing::warn!(partition, error, "notifier takes its partition up again");
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

/// Owns the partition for as long as the lease is held, then finishes what was claimed.
async fn own(
    partition: u32,
    notifier: &Arc<Notifier>,
    exchanges: &Arc<Semaphore>,
    lease: &mut Lease,
    shutdown: &CancellationToken,
) -> Result<(), NotifierError> {
    let mut owner = Owner {
        partition,
        notifier,
        plan: Plan::default(),
        position: None,
        unsaved_commits: 0,
        looks: JoinSet::new(),
        looked_at: HashMap::new(),
        stop: CancellationToken::new(),
    };
    owner.take_up().await?;
    let ended = owner.follow(exchanges, lease, shutdown).await;
    owner.drain().await;
    ended?;
    owner.save().await
}

struct Owner<'a> {
    partition: u32,
    notifier: &'a Arc<Notifier>,
    plan: Plan,
    position: Option<Position>,
    unsaved_commits: u64,
    looks: JoinSet<Next>,
    looked_at: HashMap<Id, RunId>,
    /// Tells looks that nothing more is to be claimed.
    stop: CancellationToken,
}

impl Owner<'_> {
    async fn take_up(&mut self) -> Result<(), NotifierError> {
        let keyvalue = &*self.notifier.stores.keyvalue;
        let Some(snapshot) = Snapshot::load(keyvalue, self.partition).await? else { return Ok(()) };
        self.position = Some(snapshot.position());
        for run_id in &snapshot.runs {
            self.plan.watch(run_id);
        }
        Ok(())
    }

    /// Until `shutdown`, the loss of the lease, or a failure. The log comes before runs that are due: a backlog tells of
    /// deliveries that were made already.
    async fn follow(
        &mut self,
        exchanges: &Arc<Semaphore>,
        lease: &mut Lease,
        shutdown: &CancellationToken,
    ) -> Result<(), NotifierError> {
        let from = self.position.map_or(TailFrom::Start, TailFrom::After);
        let mut tail = self.notifier.stores.log.tail(self.partition, from).await?;
        let mut renewal =
            tokio::time::interval(Duration::from_millis((self.notifier.config.partition_lease_ms / 3).max(1)));
        let mut releases = self.notifier.hosts.releases();
        loop {
            let wait = self.wait(self.notifier.stores.clock.now());
            tokio::select! {
                biased;
                () = shutdown.cancelled() => return Ok(()),
                _ = renewal.tick() => if !lease.hold().await? { return Ok(()) },
                Some(look) = self.looks.join_next_with_id() => self.take_look(look),
                record = tail.next() => {
                    let interrupted = || LogError::Interrupted { reason: "the tail ended".to_owned() };
                    self.observe(&record.ok_or_else(interrupted)??).await?;
                }
                Ok(()) = releases.changed() => self.unpark(),
                Ok(permit) = Arc::clone(exchanges).acquire_owned(), if wait.is_zero() => self.look_at_next(permit),
                () = tokio::time::sleep(wait), if !wait.is_zero() => {}
            }
        }
    }

    fn wait(&self, now: Timestamp) -> Duration {
        let wait = self.plan.wake_at().map_or(IDLE_WAKE, |at| Duration::from_millis(at.ms_since(now)));
        wait.min(IDLE_WAKE)
    }

    async fn observe(&mut self, record: &Record) -> Result<(), NotifierError> {
        let run_id = &record.key.run_id;
        let observed = match record.key.kind {
            LogKind::Run => decode_run_record(record).map(|commit| self.plan.observe_run(&commit)).is_ok(),
            LogKind::Delivery => errand_proto::decode_delivery_commit(&record.payload)
                .map(|commit| self.plan.observe_delivery(&commit))
                .is_ok(),
        };
        if !observed {
            // Its logs are read as a whole then, which says what is wrong and keeps the run until it can be read.
            tracing::error!(%run_id, position = %record.position, "notifier met a commit that cannot be read");
            self.plan.watch(run_id);
        }
        self.position = Some(record.position);
        self.unsaved_commits += 1;
        if self.unsaved_commits >= SNAPSHOT_EVERY_COMMITS {
            self.save().await?;
        }
        Ok(())
    }

    fn look_at_next(&mut self, permit: OwnedSemaphorePermit) {
        let Some(run_id) = self.plan.start(self.notifier.stores.clock.now()) else { return };
        let (notifier, stop, looked_at) = (Arc::clone(self.notifier), self.stop.clone(), run_id.clone());
        let look = self.looks.spawn(async move {
            let _permit = permit;
            notifier.look(&looked_at, &stop).await
        });
        self.looked_at.insert(look.id(), run_id);
        self.gauge();
    }

    /// A look that panicked holds back only its own run.
    fn take_look(&mut self, look: Result<(Id, Next), JoinError>) {
        let (id, next) = match look {
            Ok((id, next)) => (id, next),
            Err(error) => {
                tracing::error!(partition = self.partition, %error, "a look at a run's webhooks died");
                let again_at = self.notifier.stores.clock.now().plus_ms(limits::UNREADABLE_RETRY_MS);
                (error.id(), Next::At(again_at))
            }
        };
        if let Some(run_id) = self.looked_at.remove(&id) {
            self.plan.report(&run_id, next);
        }
        // A slot may have been given back before its look was parked for one.
        self.unpark();
        self.gauge();
    }

    fn unpark(&mut self) {
        self.plan.unpark(|host| self.notifier.hosts.free(host));
    }

    fn gauge(&self) {
        let partition = self.partition.to_string();
        metrics::gauge!("errand_notifier_runs", "partition" => partition.clone()).set(self.plan.tracked().len() as f64);
        metrics::gauge!("errand_notifier_looks", "partition" => partition).set(self.looks.len() as f64);
    }

    /// Looks that have claimed something finish it; the others end at once. A look that is cut off after the limit
    /// leaves its claim, which is then in doubt.
    async fn drain(&mut self) {
        self.stop.cancel();
        let finishing = async {
            while let Some(look) = self.looks.join_next_with_id().await {
                self.take_look(look);
            }
        };
        if tokio::time::timeout(limits::DRAIN_MAX, finishing).await.is_err() {
            tracing::warn!(partition = self.partition, cut_off = self.looks.len(), "notifier stops within deliveries");
            self.looks.shutdown().await;
        }
    }

    async fn save(&mut self) -> Result<(), NotifierError> {
        let Some(position) = self.position else { return Ok(()) };
        let runs = self.plan.tracked().cloned().collect();
        Snapshot { position: position.0, runs }.save(&*self.notifier.stores.keyvalue, self.partition).await?;
        self.unsaved_commits = 0;
        Ok(())
    }
}
