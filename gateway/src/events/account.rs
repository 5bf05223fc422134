//! All events that a caller may see, over all runs and partitions: from the hub while it keeps up, from the log when a
//! client resumes or falls behind. No event is left out or sent twice within one stream.

use axum::response::Response;
use errand_domain::AccountId;
use errand_domain::run::{Commit, RunEvent, Status};
use errand_store::{LoadError, LogKind, Position, TailFrom, TailStream, decode_run_record};
use futures::{StreamExt, stream};
use std::collections::VecDeque;
use std::sync::Arc;
use tokio::sync::OwnedSemaphorePermit;
use tokio::sync::broadcast::{Receiver, error::RecvError};

use super::cursor::{Cursor, Reached};
use super::event_json::status_after;
use super::run::describe;
use super::sse::{StreamItem, respond};
use crate::app::App;
use crate::fault::Fault;
use crate::hub::LiveCommit;
use crate::rest::Caller;
use crate::tombstones;

/// What narrows a stream; an empty list lets all pass.
#[derive(Debug)]
pub(crate) struct AccountFilter {
    pub types: Vec<String>,
    /// The run's status after the event.
    pub statuses: Vec<Status>,
}

impl AccountFilter {
    fn lets_pass(&self, event: &RunEvent, status: Option<Status>) -> bool {
        let has_type = self.types.is_empty() || self.types.iter().any(|name| name == event.name());
        let has_status = self.statuses.is_empty() || status.is_some_and(|status| self.statuses.contains(&status));
        has_type && has_status
    }
}

/// Streams events from now, or from after `last_event_id`.
///
/// # Errors
/// 400 for an id that is no cursor, 503 when there are too many streams.
pub(crate) fn account_stream(
    app: &Arc<App>,
    caller: Caller,
    filter: AccountFilter,
    last_event_id: Option<&str>,
) -> Result<Response, Fault> {
    let partitions = app.stores.log.partitions();
    // Before the positions are looked at: what comes later is received.
    let live = app.hub.live();
    let cursor = match last_event_id {
        Some(text) => Cursor::parse(text, partitions)?,
        None => Cursor { since: app.stores.clock.now(), partitions: now(app, partitions) },
    };
    let feed = AccountFeed {
        app: Arc::clone(app),
        caller,
        filter,
        cursor,
        live,
        stale: (0..partitions).collect(),
        replay: None,
        queue: VecDeque::new(),
        _permit: app.take_stream()?,
    };
    Ok(respond(stream::unfold(feed, |mut feed| async move {
        let item = feed.next().await?;
        Some((item, feed))
    })))
}

fn now(app: &App, partitions: u32) -> Vec<Reached> {
    (0..partitions).map(|partition| Reached { position: app.hub.mark(partition).last, events: 0 }).collect()
}

struct Replay {
    partition: u32,
    up_to: Position,
    records: TailStream,
}

/// Its methods take `&mut self` even to look: a log's tail may be sent between threads, but not shared.
struct AccountFeed {
    app: Arc<App>,
    caller: Caller,
    filter: AccountFilter,
    cursor: Cursor,
    live: Receiver<Arc<LiveCommit>>,
    /// Partitions that may have records that the live channel did not bring.
    stale: VecDeque<u32>,
    replay: Option<Replay>,
    queue: VecDeque<StreamItem>,
    _permit: OwnedSemaphorePermit,
}

impl AccountFeed {
    async fn next(&mut self) -> Option<StreamItem> {
        let shutdown = self.app.shutdown.clone();
        // On a failure the stream ends; the client comes back with the last id.
        shutdown.run_until_cancelled(self.next_item()).await?.ok()
    }

    async fn next_item(&mut self) -> Result<StreamItem, Fault> {
        loop {
            if let Some(item) = self.queue.pop_front() {
                return Ok(item);
            }
            if self.replay.is_some() {
                self.replay_one().await?;
            } else if let Some(partition) = self.stale.pop_front() {
                self.replay = self.catch_up(partition).await?;
            } else {
                self.receive_one().await?;
            }
        }
    }

    async fn receive_one(&mut self) -> Result<(), Fault> {
        match self.live.recv().await {
            Ok(live) => self.take(live.partition, live.position, &live.commit).await,
            Err(RecvError::Lagged(_)) => {
                self.stale = (0..self.app.stores.log.partitions()).collect();
                Ok(())
            }
            Err(RecvError::Closed) => Err(Fault::unavailable()),
        }
    }

    /// What lies between the cursor and the newest record that the hub has seen.
    async fn catch_up(&mut self, partition: u32) -> Result<Option<Replay>, Fault> {
        let mark = self.app.hub.mark(partition);
        let reached = self.cursor.partitions.get(partition as usize).copied().unwrap_or_default();
        let Some(up_to) = mark.last.filter(|last| reached.position.is_none_or(|reached| reached < *last)) else {
            return Ok(None);
        };
        let seen_by_hub = mark.first.filter(|_| self.cursor.since >= mark.since);
        let from = match (reached.position, seen_by_hub) {
            (Some(position), _) => TailFrom::After(position),
            (None, Some(first)) => TailFrom::After(Position(first.0.saturating_sub(1))),
            // The cursor is of another process, or of a time before this one: only the log knows.
            (None, None) => TailFrom::Start,
        };
        let records = self.app.stores.log.tail(partition, from).await?;
        Ok(Some(Replay { partition, up_to, records }))
    }

    async fn replay_one(&mut self) -> Result<(), Fault> {
        let Some(replay) = &mut self.replay else { return Ok(()) };
        let partition = replay.partition;
        let record = replay.records.next().await.ok_or_else(Fault::unavailable)??;
        // A purge removes only records before a later one, so the end is always reached.
        if record.position >= replay.up_to {
            self.replay = None;
        }
        if record.key.kind == LogKind::Run {
            self.take(partition, record.position, &decode_run_record(&record)?).await?;
        }
        Ok(())
    }

    /// Queues the commit's events that were not sent before.
    async fn take(&mut self, partition: u32, position: Position, commit: &Commit<RunEvent>) -> Result<(), Fault> {
        let place = partition as usize;
        let reached = self.cursor.partitions.get(place).copied().unwrap_or_default();
        if reached.position.is_some_and(|reached| position <= reached) {
            return Ok(());
        }
        let is_before = reached.position.is_none() && reached.events == 0 && commit.at < self.cursor.since;
        if !is_before && self.is_visible(commit).await? {
            self.queue_events(place, position, commit, reached.events).await?;
        }
        self.cursor.partitions[place] = Reached { position: Some(position), events: 0 };
        Ok(())
    }

    async fn queue_events(
        &mut self,
        place: usize,
        position: Position,
        commit: &Commit<RunEvent>,
        sent_before: usize,
    ) -> Result<(), Fault> {
        for (index, event) in commit.events.iter().enumerate().skip(sent_before) {
            let status = match status_after(event) {
                Some(status) => Some(status),
                None => self.last_status(commit).await?,
            };
            if !self.filter.lets_pass(event, status) {
                continue;
            }
            let is_last = index + 1 == commit.events.len();
            self.cursor.partitions[place] = if is_last {
                Reached { position: Some(position), events: 0 }
            } else {
                Reached { position: Some(Position(position.0.saturating_sub(1))), events: index + 1 }
            };
            let json = describe(&self.app, commit, index, event, status).await?;
            self.queue.push_back(StreamItem { resume_id: self.cursor.write(), json });
        }
        Ok(())
    }

    /// For events after the end, which do not tell how the run ended.
    async fn last_status(&mut self, commit: &Commit<RunEvent>) -> Result<Option<Status>, Fault> {
        match self.app.runs.load(&commit.run_id).await {
            Ok(loaded) => Ok(loaded.map(|loaded| loaded.state.status())),
            Err(LoadError::Deleted { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    async fn is_visible(&mut self, commit: &Commit<RunEvent>) -> Result<bool, Fault> {
        if self.caller.operator {
            return Ok(true);
        }
        Ok(self.owner(commit).await?.is_some_and(|account| self.caller.may_see(&account)))
    }

    async fn owner(&mut self, commit: &Commit<RunEvent>) -> Result<Option<AccountId>, Fault> {
        if let Some(RunEvent::Created { spec, .. }) = commit.events.first() {
            return Ok(Some(spec.account.clone()));
        }
        if let Some(account) = self.app.owners.get(&commit.run_id) {
            return Ok(Some(account));
        }
        let account = match self.app.runs.load(&commit.run_id).await {
            Ok(loaded) => loaded.map(|loaded| loaded.state.spec.account),
            Err(LoadError::Deleted { .. }) => tombstones::owner(&*self.app.stores.keyvalue, &commit.run_id).await?,
            Err(error) => return Err(error.into()),
        };
        if let Some(account) = &account {
            self.app.owners.put(&commit.run_id, account);
        }
        Ok(account)
    }
}
