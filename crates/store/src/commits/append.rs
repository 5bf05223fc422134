//! One append with its read-back.

use errand_domain::CommitId;

use super::CommandError;
use crate::limits::{APPEND_DEADLINE, CALL_DEADLINE};
use crate::log::{AppendError, Entry, EventLog, LogError, LogKey, Position, Record};

/// What became of an append, as far as the log's answer and a read-back can tell.
#[derive(Debug)]
pub(super) enum Appended {
    Stored(Position),
    /// An earlier attempt had stored it: what counts is the stored record, whose time may be another. It need not be the
    /// log's last one: others may have appended since.
    Found(Record),
    /// Somebody else's commit is there.
    Conflict,
}

/// Appends and, when the outcome is unknown, reads back what followed `expected`: our commit among it means success.
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
            let since = read_back(log, key, expected).await?;
            let found = since.into_iter().find(|record| commit_id_of(&record.payload) == Some(ours));
            Ok(found.map_or(Appended::Conflict, Appended::Found))
        }
        Err(error @ (AppendError::NotStored(_) | AppendError::TooLarge { .. })) => Err(CommandError::Append(error)),
    }
}

/// The records after `expected`.
async fn read_back(log: &dyn EventLog, key: &LogKey, expected: Option<Position>) -> Result<Vec<Record>, CommandError> {
    match tokio::time::timeout(CALL_DEADLINE, log.read(key, expected)).await {
        Ok(records) => records.map_err(CommandError::Unknown),
        Err(_) => Err(CommandError::Unknown(LogError::Unavailable { reason: "the read-back timed out".to_owned() })),
    }
}
