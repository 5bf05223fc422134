//! Loads delivery logs and carries out their commands.

use errand_domain::delivery::{self, Deliveries, DeliveryCommand, DeliveryEvent};
use errand_domain::run::{Commit, Writer};
use errand_domain::{CommitId, RunId};
use std::sync::Arc;

use super::append::{Appended, append};
use super::{CommandError, Committed, LoadError, Loaded};
use crate::limits::APPEND_TRIES_MAX;
use crate::log::{Entry, EventLog, LogKey, Record};
use crate::{Clock, IdSource, Stores};

/// The delivery logs. They are short and seldom read, so nothing is cached.
#[derive(Debug, Clone)]
pub struct DeliveryLog {
    log: Arc<dyn EventLog>,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn IdSource>,
}

fn commit_id_of(payload: &[u8]) -> Option<CommitId> {
    errand_proto::decode_delivery_commit(payload).ok().map(|commit| commit.id)
}

fn decode(run_id: &RunId, record: &Record) -> Result<Commit<DeliveryEvent>, LoadError> {
    errand_proto::decode_delivery_commit(&record.payload)
        .map_err(|source| LoadError::Decode { run_id: run_id.clone(), source })
}

impl DeliveryLog {
    #[must_use]
    pub fn new(stores: &Stores) -> Self {
        Self { log: Arc::clone(&stores.log), clock: Arc::clone(&stores.clock), ids: Arc::clone(&stores.ids) }
    }

    /// The run's deliveries as of now.
    ///
    /// # Errors
    /// When the log cannot be read or is corrupt.
    pub async fn load(&self, run_id: &RunId) -> Result<Option<Loaded<Deliveries>>, LoadError> {
        let records = self.log.read(&LogKey::delivery(run_id), None).await?;
        let mut loaded: Option<Loaded<Deliveries>> = None;
        for record in &records {
            let commit = decode(run_id, record)?;
            let state = delivery::evolve(loaded.map(|loaded| loaded.state), &commit)?;
            loaded = Some(Loaded { state, head: record.position });
        }
        Ok(loaded)
    }

    /// Decides a command against the newest state and appends its events.
    ///
    /// # Errors
    /// When the command does not fit, or the log does not take the commit.
    pub async fn execute(
        &self,
        run_id: &RunId,
        command: DeliveryCommand,
    ) -> Result<Committed<Deliveries, DeliveryEvent>, CommandError> {
        for _ in 0..APPEND_TRIES_MAX {
            let loaded = self.load(run_id).await?;
            let state = loaded.as_ref().map(|loaded| &loaded.state);
            let commit = Commit {
                id: CommitId(self.ids.random_u128()),
                run_id: run_id.clone(),
                seq: state.map_or(0, |state| state.seq) + 1,
                prev: state.map(|state| state.last_commit),
                at: self.clock.now().max(state.map(|state| state.last_at).unwrap_or_default()),
                writer: Writer::Notifier,
                events: delivery::decide(state, command.clone())?,
            };
            let key = LogKey::delivery(run_id);
            let entry = Entry { commit_id: commit.id, payload: errand_proto::encode_delivery_commit(&commit) };
            let expected = loaded.as_ref().map(|loaded| loaded.head);
            let (commit, head) = match append(&*self.log, &key, expected, entry, commit_id_of).await? {
                Appended::Stored(head) => (commit, head),
                Appended::Found(record) => (decode(run_id, &record)?, record.position),
                Appended::Conflict => continue,
            };
            let state = delivery::evolve(loaded.map(|loaded| loaded.state), &commit).map_err(LoadError::from)?;
            return Ok(Committed { state, head, commit });
        }
        Err(CommandError::Contended { run_id: run_id.clone(), tries: APPEND_TRIES_MAX })
    }
}
