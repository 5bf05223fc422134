//! Loads runs and carries out their commands.

use errand_domain::run::{self, Command, Commit, Rejection, Run, RunEvent, Writer};
use errand_domain::{CommitId, RunId};
use std::sync::Arc;

use super::append::{Appended, append};
use super::cache::StateCache;
use super::{CommandError, Committed, LoadError, Loaded};
use crate::limits::APPEND_TRIES_MAX;
use crate::log::{Entry, EventLog, LogKey, Position, Record};
use crate::{Clock, IdSource, Stores};

/// The runs in the log, with a cache of folded states.
#[derive(Debug, Clone)]
pub struct RunLog {
    log: Arc<dyn EventLog>,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn IdSource>,
    cache: Arc<StateCache<Run>>,
}

/// Reads one record back.
///
/// # Errors
/// When its bytes are not a run commit.
pub fn decode_run_record(record: &Record) -> Result<Commit<RunEvent>, LoadError> {
    errand_proto::decode_run_commit(&record.payload)
        .map_err(|source| LoadError::Decode { run_id: record.key.run_id.clone(), source })
}

fn commit_id_of(payload: &[u8]) -> Option<CommitId> {
    errand_proto::decode_run_commit(payload).ok().map(|commit| commit.id)
}

impl RunLog {
    #[must_use]
    pub fn new(stores: &Stores) -> Self {
        Self {
            log: Arc::clone(&stores.log),
            clock: Arc::clone(&stores.clock),
            ids: Arc::clone(&stores.ids),
            cache: Arc::default(),
        }
    }

    /// The run as of now: the cached state and whatever was appended since.
    ///
    /// # Errors
    /// When the log cannot be read or is corrupt.
    pub async fn load(&self, run_id: &RunId) -> Result<Option<Loaded<Run>>, LoadError> {
        let cached = self.cache.get(run_id);
        let after = cached.as_ref().map(|loaded| loaded.head);
        let records = self.log.read(&LogKey::run(run_id), after).await?;
        let mut loaded = cached;
        for record in &records {
            let commit = decode_run_record(record)?;
            loaded = Some(self.advance(loaded, &commit, record.position)?);
        }
        if let Some(loaded) = &loaded {
            self.cache.put(run_id, loaded);
        }
        Ok(loaded)
    }

    /// Folds a commit that a tail brought, when it is the next one; other commits are left to [`Self::load`].
    ///
    /// # Errors
    /// When the history is corrupt.
    pub fn advance(
        &self,
        loaded: Option<Loaded<Run>>,
        commit: &Commit<RunEvent>,
        position: Position,
    ) -> Result<Loaded<Run>, LoadError> {
        if loaded.is_none() && commit.seq > 1 && commit.events == [RunEvent::Deleted] {
            return Err(LoadError::Deleted { run_id: commit.run_id.clone() });
        }
        let state = run::evolve(loaded.map(|loaded| loaded.state), commit)?;
        Ok(Loaded { state, head: position })
    }

    /// All stored commits, oldest first.
    ///
    /// # Errors
    /// When the log cannot be read.
    pub async fn history(&self, run_id: &RunId) -> Result<Vec<(Position, Commit<RunEvent>)>, LoadError> {
        let records = self.log.read(&LogKey::run(run_id), None).await?;
        records.iter().map(|record| Ok((record.position, decode_run_record(record)?))).collect()
    }

    /// Creates a run. The same commit id again finds the run that it made.
    ///
    /// # Errors
    /// [`CommandError::Exists`] when another commit created it.
    pub async fn create(
        &self,
        run_id: &RunId,
        commit_id: CommitId,
        events: Vec<RunEvent>,
    ) -> Result<Committed<Run, RunEvent>, CommandError> {
        let commit = Commit {
            id: commit_id,
            run_id: run_id.clone(),
            seq: 1,
            prev: None,
            at: self.clock.now(),
            writer: Writer::Gateway,
            events,
        };
        for _ in 0..APPEND_TRIES_MAX {
            if let Some(committed) = self.append(None, commit.clone()).await? {
                return Ok(committed);
            }
            if let Some(created) = self.find_created(run_id, commit_id).await? {
                return Ok(created);
            }
            // Nothing is there: the append was lost on its way.
        }
        Err(CommandError::Contended { run_id: run_id.clone(), tries: APPEND_TRIES_MAX })
    }

    /// The run that this commit created, when another process appended it meanwhile; `None` when there is no run.
    async fn find_created(
        &self,
        run_id: &RunId,
        commit_id: CommitId,
    ) -> Result<Option<Committed<Run, RunEvent>>, CommandError> {
        let exists = || CommandError::Exists { run_id: run_id.clone() };
        let Some((_, commit)) = self.history(run_id).await?.into_iter().next() else { return Ok(None) };
        if commit.id != commit_id {
            return Err(exists());
        }
        let loaded = self.load(run_id).await?.ok_or_else(exists)?;
        Ok(Some(Committed { state: loaded.state, head: loaded.head, commit }))
    }

    /// Decides a command against the newest state and appends its events.
    ///
    /// # Errors
    /// When the run does not exist, the command does not fit, or the log does not take the commit.
    pub async fn execute(
        &self,
        run_id: &RunId,
        command: impl Into<Command>,
    ) -> Result<Committed<Run, RunEvent>, CommandError> {
        let command = command.into();
        for _ in 0..APPEND_TRIES_MAX {
            let Some(loaded) = self.load(run_id).await? else {
                return Err(CommandError::NotFound { run_id: run_id.clone() });
            };
            let now = self.clock.now().max(loaded.state.last_at);
            let writer = command.writer();
            let events = run::decide(&loaded.state, command.clone(), now)?;
            let commit = Commit {
                id: CommitId(self.ids.random_u128()),
                run_id: run_id.clone(),
                seq: loaded.state.seq + 1,
                prev: Some(loaded.state.last_commit),
                at: now,
                writer,
                events,
            };
            if let Some(committed) = self.append(Some(loaded), commit).await? {
                return Ok(committed);
            }
        }
        Err(CommandError::Contended { run_id: run_id.clone(), tries: APPEND_TRIES_MAX })
    }

    /// `None` on a conflict.
    async fn append(
        &self,
        loaded: Option<Loaded<Run>>,
        commit: Commit<RunEvent>,
    ) -> Result<Option<Committed<Run, RunEvent>>, CommandError> {
        let key = LogKey::run(&commit.run_id);
        let expected = loaded.as_ref().map(|loaded| loaded.head);
        let payload = errand_proto::encode_run_commit(&commit);
        let entry = Entry { commit_id: commit.id, payload };
        let (commit, head) = match append(&*self.log, &key, expected, entry, commit_id_of).await? {
            Appended::Stored(head) => (commit, head),
            Appended::Found(record) => (decode_run_record(&record)?, record.position),
            Appended::Conflict => return Ok(None),
        };
        let loaded = self.advance(loaded, &commit, head)?;
        self.cache.put(&commit.run_id, &loaded);
        Ok(Some(Committed { state: loaded.state, head, commit }))
    }

    /// Drops a run from the cache, after its log was purged.
    pub fn forget(&self, run_id: &RunId) {
        self.cache.forget(run_id);
    }
}

/// Whether an error says only that the log has moved on, so that a hint can be dropped quietly.
impl CommandError {
    #[must_use]
    pub fn is_rejection(&self) -> bool {
        match self {
            Self::Rejected(_) | Self::DeliveryRejected(_) => true,
            Self::NotFound { .. }
            | Self::Exists { .. }
            | Self::Load(_)
            | Self::Append(_)
            | Self::Unknown(_)
            | Self::Contended { .. } => false,
        }
    }

    /// The rejection of a run command.
    #[must_use]
    pub fn rejection(&self) -> Option<&Rejection> {
        match self {
            Self::Rejected(rejection) => Some(rejection),
            Self::NotFound { .. }
            | Self::Exists { .. }
            | Self::DeliveryRejected(_)
            | Self::Load(_)
            | Self::Append(_)
            | Self::Unknown(_)
            | Self::Contended { .. } => None,
        }
    }
}
