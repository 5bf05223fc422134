//! One run's events: the whole list, or a stream that follows the run to its end.

use axum::response::{IntoResponse, Response};
use errand_domain::RunId;
use errand_domain::run::{Commit, Run, RunEvent, Status};
use errand_store::{LogKey, Position, decode_run_record};
use futures::stream;
use http::StatusCode;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::sync::Arc;

use tokio::time::Instant;

use super::event_json::{EventContext, event_id, event_json, status_after};
use super::sse::{StreamItem, respond};
use crate::app::{App, StreamPlace};
use crate::fault::Fault;
use crate::hub::RunWatch;
use crate::limits::{RECHECK, STREAM_AFTER_END};
use crate::rest::Caller;
use crate::runs::outcome_data;

/// `{"object": "list", "data": [...]}`, oldest first.
///
/// # Errors
/// 404, 410, or what the store said.
pub(crate) async fn run_events(app: &App, caller: &Caller, id: &str) -> Result<Value, Fault> {
    let run = app.visible_run(caller, id).await?.state;
    let mut status = Some(Status::Running);
    let mut data = Vec::new();
    for (_, commit) in app.runs.history(&run.id).await? {
        for (index, event) in commit.events.iter().enumerate() {
            status = status_after(event).or(status);
            data.push(describe(app, &commit, index, event, status).await?);
        }
    }
    Ok(json!({"object": "list", "data": data}))
}

/// An event's JSON, with data from wherever it is stored.
pub(super) async fn describe(
    app: &App,
    commit: &Commit<RunEvent>,
    index: usize,
    event: &RunEvent,
    status: Option<Status>,
) -> Result<Value, Fault> {
    let data = match event {
        RunEvent::Finished(finished) => outcome_data(app, &commit.run_id, finished).await?,
        RunEvent::Created { .. }
        | RunEvent::StepStarted(_)
        | RunEvent::ActionChosen(_)
        | RunEvent::StepFinished(_)
        | RunEvent::HumanAsked(_)
        | RunEvent::HumanReplied { .. }
        | RunEvent::StopRequested
        | RunEvent::ConclusionStarted(_)
        | RunEvent::WorkerLost { .. }
        | RunEvent::ChargeSettled { .. }
        | RunEvent::Deleted => None,
    };
    Ok(event_json(commit, index, event, EventContext { status, data: data.as_ref() }))
}

/// Streams the run's events after `last_event_id`, then each as it happens; ends some seconds after the run, when its
/// charge is settled. 204 when `last_event_id` is the last event that there will ever be.
///
/// # Errors
/// 400 for an id that no event has, 404, 410, 503 when there are too many streams.
pub(crate) async fn run_stream(
    app: &Arc<App>,
    caller: &Caller,
    id: &str,
    last_event_id: Option<&str>,
) -> Result<Response, Fault> {
    let after = last_event_id.map(read_event_id).transpose()?;
    let run = app.visible_run(caller, id).await?.state;
    if let Some(after) = after
        && is_at_end(app, &run, after).await?
    {
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    let feed = RunFeed::new(app, &run, after, app.take_stream(&caller.account)?);
    Ok(respond(stream::unfold(feed, |mut feed| async move {
        let item = feed.next().await?;
        Some((item, feed))
    })))
}

fn unknown_event() -> Fault {
    Fault::field("Last-Event-ID", "\"Last-Event-ID\" must be the id of an event of this run")
}

fn read_event_id(text: &str) -> Result<(u64, usize), Fault> {
    let parts = text.split_once('.').and_then(|(seq, index)| Some((seq.parse().ok()?, index.parse().ok()?)));
    parts.filter(|(seq, index)| event_id(*seq, *index) == text).ok_or_else(unknown_event)
}

/// Whether `after` is the last event that the run will ever have: a client that comes back with it need not come again.
async fn is_at_end(app: &App, run: &Run, after: (u64, usize)) -> Result<bool, Fault> {
    let history = app.runs.history(&run.id).await?;
    let of_event = history.iter().find(|(_, commit)| commit.seq == after.0);
    let event = of_event.and_then(|(_, commit)| commit.events.get(after.1)).ok_or_else(unknown_event)?;
    let last = history.last().map(|(_, commit)| (commit.seq, commit.events.len().saturating_sub(1)));
    Ok(last == Some(after) && is_the_end(event))
}

/// Nothing follows a settled charge but the run's deletion.
fn is_the_end(event: &RunEvent) -> bool {
    match event {
        RunEvent::ChargeSettled { .. } | RunEvent::Deleted => true,
        RunEvent::Created { .. }
        | RunEvent::StepStarted(_)
        | RunEvent::ActionChosen(_)
        | RunEvent::StepFinished(_)
        | RunEvent::HumanAsked(_)
        | RunEvent::HumanReplied { .. }
        | RunEvent::StopRequested
        | RunEvent::ConclusionStarted(_)
        | RunEvent::WorkerLost { .. }
        | RunEvent::Finished(_) => false,
    }
}

struct RunFeed {
    app: Arc<App>,
    run_id: RunId,
    watch: RunWatch,
    /// Events up to this one were sent before.
    after: Option<(u64, usize)>,
    read_up_to: Option<Position>,
    queue: VecDeque<StreamItem>,
    status: Option<Status>,
    /// When a run that has finished is no longer waited for.
    closes_at: Option<Instant>,
    is_complete: bool,
    _permit: StreamPlace,
}

impl RunFeed {
    fn new(app: &Arc<App>, run: &Run, after: Option<(u64, usize)>, permit: StreamPlace) -> Self {
        Self {
            app: Arc::clone(app),
            run_id: run.id.clone(),
            watch: app.hub.watch(&run.id),
            after,
            read_up_to: None,
            queue: VecDeque::new(),
            status: Some(Status::Running),
            closes_at: None,
            is_complete: false,
            _permit: permit,
        }
    }

    async fn next(&mut self) -> Option<StreamItem> {
        loop {
            if let Some(item) = self.queue.pop_front() {
                return Some(item);
            }
            let is_over = self.closes_at.is_some_and(|at| Instant::now() >= at);
            if self.is_complete || is_over || self.app.shutdown.is_cancelled() {
                return None;
            }
            // On a failure the stream ends; the client comes back with the last id.
            self.read().await.ok()?;
            if self.queue.is_empty() && !self.is_complete {
                self.wait().await;
            }
        }
    }

    async fn wait(&mut self) {
        let recheck = Instant::now() + RECHECK;
        let until = self.closes_at.map_or(recheck, |at| at.min(recheck));
        tokio::select! {
            () = self.watch.changed() => {}
            () = tokio::time::sleep_until(until) => {}
            () = self.app.shutdown.cancelled() => {}
        }
    }

    async fn read(&mut self) -> Result<(), Fault> {
        let records = self.app.stores.log.read(&LogKey::run(&self.run_id), self.read_up_to).await?;
        for record in &records {
            let commit = decode_run_record(record)?;
            self.read_up_to = Some(record.position);
            self.take(&commit).await?;
        }
        Ok(())
    }

    async fn take(&mut self, commit: &Commit<RunEvent>) -> Result<(), Fault> {
        for (index, event) in commit.events.iter().enumerate() {
            self.status = status_after(event).or(self.status);
            self.note_end(event);
            if self.after.is_some_and(|after| (commit.seq, index) <= after) {
                continue;
            }
            let json = describe(&self.app, commit, index, event, self.status).await?;
            self.queue.push_back(StreamItem { resume_id: event_id(commit.seq, index), json });
        }
        Ok(())
    }

    fn note_end(&mut self, event: &RunEvent) {
        if let RunEvent::Finished(_) = event {
            self.closes_at = Some(Instant::now() + STREAM_AFTER_END);
        }
        self.is_complete |= is_the_end(event);
    }
}
