//! One append with its read-back.

use errand_domain::CommitId;

use super::CommandError;
use crate::limits::APPEND_DEADLINE;
use crate::log::{AppendError, Entry, EventLog, LogError, LogKey, Position, Record};

/// What became of an append, as far as the log's answer and a read-back can tell.
#[derive(Debug)]
pub(super) enum Appended {
    Stored(Position),
    /// An earlier attempt had stored it: what counts is the stored record, whose time may be another.
    Found(Record),
    /// Somebody else's commit is there.
    Conflict,
}

/// Appends and, when the outcome is unknown, reads the log's last record: ours means success.
pub(super) async fn append(
    log: &dyn EventLog,
    key: &LogKey,
    expected: Option<Position>,
    entry: Entry,
    commit_id_of: impl Fn(&[u8]) -> Option<CommitId>,
) -> Result<Appended, CommandError> {
    let ours = entry.commit_id;
    let answer = match tokio::time::timeout(APPEND_DEADLINE, log.append(key, expected, entry)).await {
        Ok(answer) => answer,
        Err(_) => Err(AppendError::Unknown(LogError::Unavailable { reason: "the append timed out".to_owned() })),
    };
    match answer {
        Ok(position) => Ok(Appended::Stored(position)),
        // A conflict may be our own earlier attempt, sent again by a client library.
        Err(AppendError::Conflict | AppendError::Unknown(_)) => {
            let last = log.last(key).await.map_err(CommandError::Unknown)?;
            let is_ours = |payload: &[u8]| commit_id_of(payload) == Some(ours);
            match last.filter(|record| is_ours(&record.payload)) {
                Some(record) => Ok(Appended::Found(record)),
                None => Ok(Appended::Conflict),
            }
        }
        Err(error @ (AppendError::NotStored(_) | AppendError::TooLarge { .. })) => Err(CommandError::Append(error)),
    }
}
