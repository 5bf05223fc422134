//! What the commits of both logs have in common: their head.

use errand_domain::ids::{CommitId, RunId};
use errand_domain::run::{Commit, Writer};
use errand_domain::time::Timestamp;

use crate::error::DecodeError;
use crate::field::{enumeration, id, unspecified};
use crate::wire;

/// The stored form that this program writes, and the newest that it reads. When it rises, decoding upcasts the older
/// forms and each keeps its golden files.
pub const FORMAT: u32 = 1;

/// The fields of a commit's head as they are stored.
pub(crate) struct WireHead {
    pub format: u32,
    pub commit_id: Vec<u8>,
    pub run_id: String,
    pub run_seq: u64,
    pub prev_commit_id: Option<Vec<u8>>,
    pub at_ms: i64,
    pub writer: i32,
}

impl WireHead {
    pub(crate) fn of<E>(commit: &Commit<E>) -> Self {
        Self {
            format: FORMAT,
            commit_id: commit_id_bytes(commit.id),
            run_id: commit.run_id.as_str().to_owned(),
            run_seq: commit.seq,
            prev_commit_id: commit.prev.map(commit_id_bytes),
            at_ms: commit.at.as_millis(),
            writer: wire::Writer::from(commit.writer).into(),
        }
    }

    /// Joins the head with its events, which are read by the caller.
    pub(crate) fn into_commit<E>(self, events: Vec<E>) -> Result<Commit<E>, DecodeError> {
        let prev = self.prev_commit_id.as_deref();
        Ok(Commit {
            id: read_commit_id(&self.commit_id, "commit_id")?,
            run_id: id(&self.run_id, RunId::parse, "run_id")?,
            seq: self.run_seq,
            prev: prev.map(|bytes| read_commit_id(bytes, "prev_commit_id")).transpose()?,
            at: Timestamp::from_millis(self.at_ms),
            writer: read_writer(self.writer)?,
            events,
        })
    }
}

/// Refuses forms that this program does not know, before anything else is read from them.
pub(crate) fn check_format(format: u32) -> Result<(), DecodeError> {
    if (1..=FORMAT).contains(&format) {
        return Ok(());
    }
    Err(DecodeError::UnknownFormat { found: format, known: FORMAT })
}

fn commit_id_bytes(id: CommitId) -> Vec<u8> {
    id.0.to_be_bytes().to_vec()
}

fn read_commit_id(bytes: &[u8], field: &'static str) -> Result<CommitId, DecodeError> {
    let bytes = <[u8; 16]>::try_from(bytes).map_err(|_| DecodeError::NotACommitId { field })?;
    Ok(CommitId(u128::from_be_bytes(bytes)))
}

fn read_writer(writer: i32) -> Result<Writer, DecodeError> {
    match enumeration(writer, "writer")? {
        wire::Writer::Unspecified => Err(unspecified("writer")),
        wire::Writer::Gateway => Ok(Writer::Gateway),
        wire::Writer::Worker => Ok(Writer::Worker),
        wire::Writer::Scheduler => Ok(Writer::Scheduler),
        wire::Writer::Notifier => Ok(Writer::Notifier),
    }
}

impl From<Writer> for wire::Writer {
    fn from(writer: Writer) -> Self {
        match writer {
            Writer::Gateway => Self::Gateway,
            Writer::Worker => Self::Worker,
            Writer::Scheduler => Self::Scheduler,
            Writer::Notifier => Self::Notifier,
        }
    }
}
