//! One group of requests: each is carried out in turn, and all are answered once the disk has them.

use bytes::Bytes;
use errand_domain::RunId;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use tokio::sync::oneshot;

use super::ledger::Change;
use super::tables::{Purged, TableError, Tables};
use crate::keyvalue::{Bucket, KeyValueError, Revision};
use crate::limits::{GROUP_COMMIT_BYTES_MAX, GROUP_COMMIT_MAX};
use crate::log::{AppendError, LogError, LogKey, Position, Record};
use crate::sabotage::Sabotage;

/// What the writer is asked for. Answers are in the order of requests.
#[derive(Debug)]
pub(super) enum Request {
    Append {
        key: LogKey,
        expected: Option<Position>,
        payload: Bytes,
        answer: oneshot::Sender<Result<Position, AppendError>>,
    },
    /// Goes through the writer, so that it sees every append that was asked for before it.
    Last {
        key: LogKey,
        answer: oneshot::Sender<Result<Option<Record>, LogError>>,
    },
    Purge {
        key: LogKey,
        before: Position,
        answer: oneshot::Sender<Result<(), LogError>>,
    },
    SetValue {
        bucket: Bucket,
        key: String,
        value: Bytes,
        expected: Expected,
        answer: oneshot::Sender<Result<Revision, KeyValueError>>,
    },
    RemoveValue {
        bucket: Bucket,
        key: String,
        answer: oneshot::Sender<Result<bool, KeyValueError>>,
    },
    /// Ends the writer once everything before it is done.
    Close,
}

/// What a key must hold to be set.
#[derive(Debug, Clone, Copy)]
pub(super) enum Expected {
    Anything,
    Nothing,
    Revision(Revision),
}

/// Called when the group is on disk, or with the reason why that is not known.
type Answer = Box<dyn FnOnce(Result<(), &str>) + Send>;

#[derive(Default)]
pub(super) struct Group {
    answers: Vec<Answer>,
    payload_bytes: usize,
    /// New records that sled has not been given yet: one batch costs far less than many.
    appends: Option<Change>,
    /// The last record of each log in `appends`.
    heads: BTreeMap<LogKey, Position>,
    /// Whether anybody was promised stable storage.
    pub(super) needs_sync: bool,
    /// The newest position of each partition that got one.
    pub(super) newest: BTreeMap<u32, Position>,
    /// Runs of which nothing sealed is left once the group is on disk.
    pub(super) erased: Vec<RunId>,
    pub(super) is_last: bool,
    /// Why sled did not take something; nothing more must be written then.
    pub(super) failure: Option<String>,
}

impl fmt::Debug for Group {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Group").field("answers", &self.answers.len()).finish_non_exhaustive()
    }
}

/// Carries out requests on the tables.
#[derive(Debug)]
pub(super) struct Applier {
    pub(super) tables: Arc<Tables>,
    /// The last position given in each partition.
    pub(super) positions: Vec<Position>,
    pub(super) sabotage: Option<Sabotage>,
}

impl Group {
    pub(super) fn has_room(&self) -> bool {
        let is_open = self.failure.is_none() && !self.is_last;
        is_open && self.answers.len() < GROUP_COMMIT_MAX && self.payload_bytes < GROUP_COMMIT_BYTES_MAX
    }

    /// Answers everything.
    pub(super) fn answer(self, outcome: Result<(), &str>) {
        for answer in self.answers {
            answer(outcome);
        }
    }

    fn note(&mut self, error: &TableError) {
        self.failure = Some(error.to_string());
    }

    fn log_answer<T: Send + 'static>(&mut self, to: oneshot::Sender<Result<T, LogError>>, done: Result<T, LogError>) {
        self.answers.push(Box::new(move |outcome| {
            let unknown = |reason: &str| LogError::Unavailable { reason: reason.to_owned() };
            // Nobody waiting any more is not an error.
            let _ = to.send(outcome.map_err(unknown).and(done));
        }));
    }

    fn value_answer<T: Send + 'static>(
        &mut self,
        to: oneshot::Sender<Result<T, KeyValueError>>,
        done: Result<T, KeyValueError>,
    ) {
        self.answers.push(Box::new(move |outcome| {
            let unknown = |reason: &str| KeyValueError::Unavailable { reason: reason.to_owned() };
            let _ = to.send(outcome.map_err(unknown).and(done));
        }));
    }
}

/// Answers a request that is not carried out.
pub(super) fn refuse(request: Request, reason: &str) {
    let log_error = || LogError::Unavailable { reason: reason.to_owned() };
    let value_error = || KeyValueError::Unavailable { reason: reason.to_owned() };
    match request {
        Request::Append { answer, .. } => drop(answer.send(Err(AppendError::NotStored(log_error())))),
        Request::Last { answer, .. } => drop(answer.send(Err(log_error()))),
        Request::Purge { answer, .. } => drop(answer.send(Err(log_error()))),
        Request::SetValue { answer, .. } => drop(answer.send(Err(value_error()))),
        Request::RemoveValue { answer, .. } => drop(answer.send(Err(value_error()))),
        Request::Close => {}
    }
}

impl Applier {
    pub(super) fn apply(&mut self, request: Request, group: &mut Group) {
        match request {
            Request::Append { key, expected, payload, answer } => {
                group.payload_bytes += payload.len();
                let done = self.append(&key, expected, &payload, group);
                group.answers.push(Box::new(move |outcome| {
                    let unknown =
                        |reason: &str| AppendError::Unknown(LogError::Unavailable { reason: reason.to_owned() });
                    let _ = answer.send(outcome.map_err(unknown).and(done));
                }));
            }
            Request::Last { key, answer } => {
                self.store_appends(group);
                let last = self.tables.last(&key).map_err(LogError::from);
                group.log_answer(answer, last);
            }
            Request::Purge { key, before, answer } => {
                self.store_appends(group);
                let partition = key.partition(self.positions.len() as u32);
                let purged = self.tables.purge(&key, partition, before);
                group.needs_sync = true;
                let purged = purged.inspect_err(|error| group.note(error)).map_err(LogError::from);
                if let Ok(Purged::KeyNotNeeded) = purged {
                    group.erased.push(key.run_id);
                }
                group.log_answer(answer, purged.map(|_| ()));
            }
            Request::SetValue { bucket, key, value, expected, answer } => {
                group.payload_bytes += value.len();
                let set = self.set_value(bucket, &key, &value, expected, group);
                group.value_answer(answer, set);
            }
            Request::RemoveValue { bucket, key, answer } => {
                group.needs_sync |= is_durable(bucket);
                let removed = self.tables.remove_value(bucket, &key).inspect_err(|error| group.note(error));
                group.value_answer(answer, removed.map_err(value_error));
            }
            Request::Close => group.is_last = true,
        }
    }

    /// Gives sled the group's new records.
    pub(super) fn store_appends(&self, group: &mut Group) {
        if group.heads.is_empty() {
            return;
        }
        group.heads.clear();
        let Some(appends) = group.appends.take() else { return };
        if let Err(error) = self.tables.store(appends) {
            group.note(&error);
        }
    }

    fn append(
        &mut self,
        key: &LogKey,
        expected: Option<Position>,
        payload: &[u8],
        group: &mut Group,
    ) -> Result<Position, AppendError> {
        let head = match group.heads.get(key) {
            Some(head) => Some(*head),
            None => self.tables.head(key).map_err(|error| AppendError::NotStored(error.into()))?,
        };
        if head != expected && self.sabotage != Some(Sabotage::DropExpected) {
            return Err(AppendError::Conflict);
        }
        let partition = key.partition(self.positions.len() as u32);
        let newest = &mut self.positions[partition as usize];
        let position = Position(newest.0 + 1);
        let appends = group.appends.get_or_insert_with(|| self.tables.begin());
        let added = self.tables.add_record(appends, key, partition, position, payload);
        added.map_err(|error| AppendError::NotStored(error.into()))?;
        group.heads.insert(key.clone(), position);
        *newest = position;
        group.newest.insert(partition, position);
        group.needs_sync = true;
        Ok(position)
    }

    fn set_value(
        &mut self,
        bucket: Bucket,
        key: &str,
        value: &Bytes,
        expected: Expected,
        group: &mut Group,
    ) -> Result<Revision, KeyValueError> {
        let stored = self.tables.value(bucket, key).map_err(value_error)?.map(|entry| entry.revision);
        let fits = match expected {
            Expected::Anything => true,
            Expected::Nothing => stored.is_none(),
            Expected::Revision(revision) => stored == Some(revision),
        };
        if !fits {
            return Err(KeyValueError::Conflict);
        }
        group.needs_sync |= is_durable(bucket);
        self.tables.set_value(bucket, key, value).inspect_err(|error| group.note(error)).map_err(value_error)
    }
}

/// What can be made again from the log need not wait for the disk.
fn is_durable(bucket: Bucket) -> bool {
    match bucket {
        Bucket::Keys | Bucket::Secrets | Bucket::Profiles | Bucket::Idempotency | Bucket::Facts => true,
        Bucket::Views | Bucket::Recent | Bucket::Leases => false,
    }
}

/// As a caller of the key-value store is told.
pub(super) fn value_error(error: TableError) -> KeyValueError {
    let reason = error.to_string();
    if error.is_damage() { KeyValueError::Corrupt { reason } } else { KeyValueError::Unavailable { reason } }
}
