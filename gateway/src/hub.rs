//! One tail per partition, from now, that wakes long polls and feeds live streams. A hint for whoever waits: what they
//! then show is read from the log.

use errand_domain::run::{Commit, RunEvent};
use errand_domain::{RunId, Timestamp};
use errand_store::{EventLog, LogError, LogKind, Position, Record, Stores, TailFrom, TailStream, decode_run_record};
use futures::StreamExt;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{broadcast, watch};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::fresh::FreshRuns;
use crate::limits::{LIVE_BUFFER, TAIL_PAUSE};

/// A run's commit as a tail brought it.
#[derive(Debug)]
pub(crate) struct LiveCommit {
    pub partition: u32,
    pub position: Position,
    pub commit: Commit<RunEvent>,
}

/// What the tail of one partition has seen.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Mark {
    /// Since then nothing was missed.
    pub since: Timestamp,
    /// The first and the last record since then.
    pub first: Option<Position>,
    pub last: Option<Position>,
}

/// Wakes and feeds.
#[derive(Debug)]
pub(crate) struct Hub {
    waiting: Mutex<BTreeMap<RunId, watch::Sender<()>>>,
    live: broadcast::Sender<Option<Arc<LiveCommit>>>,
    marks: Mutex<Vec<Mark>>,
    pub fresh: FreshRuns,
}

/// Wakes when the run has a new commit, and sometimes for nothing.
#[derive(Debug)]
pub(crate) struct RunWatch {
    hub: Arc<Hub>,
    run_id: RunId,
    changed: watch::Receiver<()>,
}

impl RunWatch {
    /// Waits for a commit after the last wait (or after the watch was made).
    pub(crate) async fn changed(&mut self) {
        // The hub outlives the watch, so its sender is there.
        let _ = self.changed.changed().await;
    }
}

impl Drop for RunWatch {
    fn drop(&mut self) {
        let mut waiting = lock(&self.hub.waiting);
        // This receiver still counts.
        if waiting.get(&self.run_id).is_some_and(|sender| sender.receiver_count() <= 1) {
            waiting.remove(&self.run_id);
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Hub {
    pub(crate) fn new(partitions: u32) -> Arc<Self> {
        Arc::new(Self {
            waiting: Mutex::default(),
            live: broadcast::Sender::new(LIVE_BUFFER),
            marks: Mutex::new(vec![Mark::default(); partitions as usize]),
            fresh: FreshRuns::default(),
        })
    }

    /// Waits for commits of one run. Watch first, then load: no commit falls between.
    pub(crate) fn watch(self: &Arc<Self>, run_id: &RunId) -> RunWatch {
        let mut waiting = lock(&self.waiting);
        let sender = waiting.entry(run_id.clone()).or_insert_with(|| watch::Sender::new(()));
        RunWatch { hub: Arc::clone(self), run_id: run_id.clone(), changed: sender.subscribe() }
    }

    /// All commits from now on. `None`, as a receiver that lags, means: something may be missing, read the log.
    pub(crate) fn live(&self) -> broadcast::Receiver<Option<Arc<LiveCommit>>> {
        self.live.subscribe()
    }

    pub(crate) fn mark(&self, partition: u32) -> Mark {
        lock(&self.marks).get(partition as usize).copied().unwrap_or_default()
    }

    fn begin(&self, partition: u32, since: Timestamp) {
        if let Some(mark) = lock(&self.marks).get_mut(partition as usize) {
            *mark = Mark { since, first: None, last: None };
        }
        // Whoever waits may have missed something while there was no tail.
        lock(&self.waiting).values().for_each(|sender| sender.send_modify(|()| {}));
        let _ = self.live.send(None);
    }

    fn publish(&self, commit: LiveCommit) {
        if let Some(mark) = lock(&self.marks).get_mut(commit.partition as usize) {
            mark.first = mark.first.or(Some(commit.position));
            mark.last = Some(commit.position);
        }
        if let Some(RunEvent::Created { spec, .. }) = commit.commit.events.first() {
            self.fresh.add(&commit.commit.run_id, &spec.account);
        }
        if let Some(sender) = lock(&self.waiting).get(&commit.commit.run_id) {
            sender.send_modify(|()| {});
        }
        // Nobody listening is not an error.
        let _ = self.live.send(Some(Arc::new(commit)));
    }
}

/// The tails that feed a hub.
#[derive(Debug)]
pub(crate) struct HubTails(JoinSet<()>);

impl HubTails {
    /// Tails every partition; when this returns, no later commit is missed.
    ///
    /// # Errors
    /// When a partition cannot be tailed.
    pub(crate) async fn start(hub: &Arc<Hub>, stores: &Stores, shutdown: &CancellationToken) -> Result<Self, LogError> {
        let mut tails = JoinSet::new();
        for partition in 0..stores.log.partitions() {
            let since = stores.clock.now();
            let stream = stores.log.tail(partition, TailFrom::Now).await?;
            hub.begin(partition, since);
            let follower = Follower { partition, hub: Arc::clone(hub), stores: stores.clone(), last: None };
            let shutdown = shutdown.clone();
            tails.spawn(async move {
                let _ = shutdown.run_until_cancelled(follower.follow(stream)).await;
            });
        }
        Ok(Self(tails))
    }

    /// Waits until all tails have ended.
    pub(crate) async fn ended(mut self) {
        while self.0.join_next().await.is_some() {}
    }
}

struct Follower {
    partition: u32,
    hub: Arc<Hub>,
    stores: Stores,
    last: Option<Position>,
}

impl Follower {
    /// Follows for ever; a tail that breaks is taken up again after its last record.
    async fn follow(mut self, mut stream: TailStream) {
        loop {
            match stream.next().await {
                Some(Ok(record)) => self.take(&record),
                Some(Err(error)) => stream = self.take_up_again(Some(&error)).await,
                None => stream = self.take_up_again(None).await,
            }
        }
    }

    fn take(&mut self, record: &Record) {
        self.last = Some(record.position);
        if record.key.kind != LogKind::Run {
            return;
        }
        match decode_run_record(record) {
            Ok(commit) => {
                self.hub.publish(LiveCommit { partition: self.partition, position: record.position, commit });
            }
            Err(error) => {
                let error: &dyn std::error::Error = &error;
                tracing::error!(error, partition = self.partition, "commit in the log cannot be read");
            }
        }
    }

    async fn take_up_again(&self, error: Option<&LogError>) -> TailStream {
        let partition = self.partition;
        tracing::warn!(error = error.map(|error| error as &dyn std::error::Error), partition, "tail ended");
        loop {
            tokio::time::sleep(TAIL_PAUSE).await;
            let since = self.stores.clock.now();
            let from = self.last.map_or(TailFrom::Now, TailFrom::After);
            match tail(&*self.stores.log, partition, from).await {
                Ok(stream) => {
                    if self.last.is_none() {
                        self.hub.begin(partition, since);
                    }
                    return stream;
                }
                Err(error) => {
                    let error: &dyn std::error::Error = &error;
                    tracing::warn!(error, partition, "partition cannot be tailed");
                }
            }
        }
    }
}

async fn tail(log: &dyn EventLog, partition: u32, from: TailFrom) -> Result<TailStream, LogError> {
    log.tail(partition, from).await
}
