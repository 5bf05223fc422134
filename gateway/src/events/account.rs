//! All events that a caller may see, over all runs and partitions: from the hub while it keeps up, from the log when a
//! client resumes or falls behind. No event is left out or sent twice within one stream.

use axum::response::Response;
use errand_domain::run::{Commit, RunEvent, Status};
use errand_domain::{AccountId, Timestamp};
use errand_store::{LoadError, LogError, LogKind, Position, Record, TailFrom, TailStream, decode_run_record};
use futures::{StreamExt, stream};
use std::collections::VecDeque;
use std::sync::Arc;

use tokio::sync::broadcast::{Receiver, error::RecvError};
use tokio_stream::StreamMap;

use super::cursor::{Cursor, Reached};
use super::event_json::status_after;
use super::run::describe;
use super::sse::{StreamItem, respond};
use crate::app::{App, StreamPlace};
use crate::fault::Fault;
use crate::hub::{LiveCommit, Mark};
use crate::rest::Caller;
use crate::tombstones;

/// What narrows a stream; an empty list lets all pass.
#[derive(Debug)]
pub(crate) struct AccountFilter {
    pub types: Vec<&'static str>,
    /// The run's status after the event.
    pub statuses: Vec<Status>,
}

impl AccountFilter {
    fn lets_pass(&self, event: &RunEvent, status: Option<Status>) -> bool {
        let has_type = self.types.is_empty() || self.types.iter().any(|name| *name == event.name());
        let has_status = self.statuses.is_empty() || status.is_some_and(|status| self.statuses.contains(&status));
        has_type && has_status
    }
}

/// Streams events from now, or from after `last_event_id`.
///
/// # Errors
/// 400 for an id that is no cursor, 503 when there are too many streams.
pub(crate) async fn account_stream(
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
    let permit = app.take_stream(&caller.account)?;
    let mut feed = AccountFeed {
        app: Arc::clone(app),
        caller,
        filter,
        cursor,
        live,
        behind: StreamMap::new(),
        queue: VecDeque::new(),
        _permit: permit,
    };
    feed.look_behind().await?;
    Ok(respond(stream::unfold(feed, |mut feed| async move {
        let item = feed.next().await?;
        Some((item, feed))
    })))
}

fn now(app: &App, partitions: u32) -> Vec<Reached> {
    (0..partitions).map(|partition| Reached { position: app.hub.mark(partition).last, events: 0 }).collect()
}

/// Its methods take `&mut self` even to look: a log's tail may be sent between threads, but not shared.
struct AccountFeed {
    app: Arc<App>,
    caller: Caller,
    filter: AccountFilter,
    cursor: Cursor,
    live: Receiver<Option<Arc<LiveCommit>>>,
    /// Tails of the partitions where the hub may not have seen all that this stream still has to send.
    behind: StreamMap<u32, TailStream>,
    queue: VecDeque<StreamItem>,
    _permit: StreamPlace,
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
            tokio::select! {
                Some((partition, record)) = self.behind.next() => self.take_record(partition, &record?).await?,
                received = self.live.recv() => self.receive(received).await?,
            }
        }
    }

    async fn receive(&mut self, received: Result<Option<Arc<LiveCommit>>, RecvError>) -> Result<(), Fault> {
        match received {
            // A partition's own tail brings the commit in its turn.
            Ok(Some(live)) if self.behind.contains_key(&live.partition) => Ok(()),
            Ok(Some(live)) => self.take(live.partition, live.position, &live.commit).await,
            Ok(None) | Err(RecvError::Lagged(_)) => self.look_behind().await,
            Err(RecvError::Closed) => Err(Fault::unavailable()),
        }
    }

    /// Tails the partitions where the live channel may have missed something after the cursor.
    async fn look_behind(&mut self) -> Result<(), Fault> {
        for partition in 0..self.app.stores.log.partitions() {
            let reached = self.cursor.partitions.get(partition as usize).copied().unwrap_or_default();
            let from = missed_from(reached, self.cursor.since, self.app.hub.mark(partition));
            if let Some(from) = from.filter(|_| !self.behind.contains_key(&partition)) {
                let records = self.app.stores.log.tail(partition, from).await?;
                let ended = LogError::Interrupted { reason: "the tail ended".to_owned() };
                self.behind.insert(partition, records.chain(stream::iter([Err(ended)])).boxed());
            }
        }
        Ok(())
    }

    async fn take_record(&mut self, partition: u32, record: &Record) -> Result<(), Fault> {
        if record.key.kind == LogKind::Run {
            self.take(partition, record.position, &decode_run_record(record)?).await?;
        }
        // The hub has published nothing after this record yet: what it will publish is received.
        if self.app.hub.mark(partition).last.is_some_and(|last| last <= record.position) {
            self.behind.remove(&partition);
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

/// Where to read a partition's log from; `None` when all that is missing comes through the hub.
fn missed_from(reached: Reached, since: Timestamp, mark: Mark) -> Option<TailFrom> {
    // Whether the hub's tail began before the place to resume from.
    let is_of_this_tail = since >= mark.since;
    match (reached.position, mark.last) {
        (Some(position), Some(last)) if position >= last => None,
        (Some(position), _) => Some(TailFrom::After(position)),
        (None, None) if is_of_this_tail => None,
        (None, _) if is_of_this_tail => mark.first.map(|first| TailFrom::After(Position(first.0.saturating_sub(1)))),
        (None, _) => Some(TailFrom::Start),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reached(position: Option<u64>) -> Reached {
        Reached { position: position.map(Position), events: 0 }
    }

    fn mark(seen: Option<(u64, u64)>) -> Mark {
        let since = Timestamp::from_millis(100);
        Mark { since, first: seen.map(|seen| Position(seen.0)), last: seen.map(|seen| Position(seen.1)) }
    }

    #[test]
    fn the_log_is_read_unless_the_hub_has_seen_everything_after_the_cursor() {
        let (before, after) = (Timestamp::from_millis(99), Timestamp::from_millis(100));
        let cases = [
            (reached(Some(7)), after, mark(Some((5, 7))), None),
            (reached(Some(6)), after, mark(Some((5, 7))), Some(TailFrom::After(Position(6)))),
            (reached(Some(6)), before, mark(None), Some(TailFrom::After(Position(6)))),
            (reached(None), after, mark(None), None),
            (reached(None), after, mark(Some((5, 7))), Some(TailFrom::After(Position(4)))),
            (reached(None), before, mark(None), Some(TailFrom::Start)),
            (reached(None), before, mark(Some((5, 7))), Some(TailFrom::Start)),
        ];
        for (reached, since, mark, from) in cases {
            assert_eq!(missed_from(reached, since, mark), from, "{reached:?} {since} {mark:?}");
        }
    }
}
