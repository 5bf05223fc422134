//! Commits of the run log.

use bytes::Bytes;
use errand_domain::run::{Commit, RunEvent};
use prost::Message;

use crate::commit::{WireHead, check_format};
use crate::error::DecodeError;
use crate::unknown_kind::name_unknown_kind;
use crate::{run_event, wire};

/// The bytes to store. Equal commits give equal bytes.
#[must_use]
pub fn encode_run_commit(commit: &Commit<RunEvent>) -> Bytes {
    let head = WireHead::of(commit);
    let message = wire::RunCommit {
        format: head.format,
        commit_id: head.commit_id,
        run_id: head.run_id,
        run_seq: head.run_seq,
        prev_commit_id: head.prev_commit_id,
        at_ms: head.at_ms,
        writer: head.writer,
        events: commit.events.iter().map(wire::RunEvent::from).collect(),
    };
    Bytes::from(message.encode_to_vec())
}

/// Reads stored bytes of any known format.
///
/// # Errors
/// When they are not a commit, or hold something that this program does not know.
pub fn decode_run_commit(bytes: &[u8]) -> Result<Commit<RunEvent>, DecodeError> {
    let message = wire::RunCommit::decode(bytes).map_err(DecodeError::NotProtobuf)?;
    check_format(message.format)?;
    let read = |(index, event): (usize, wire::RunEvent)| {
        run_event::read(event).map_err(|error| name_unknown_kind(error, bytes, index))
    };
    let events = message.events.into_iter().enumerate().map(read);
    let events = events.collect::<Result<Vec<_>, _>>()?;
    let head = WireHead {
        format: message.format,
        commit_id: message.commit_id,
        run_id: message.run_id,
        run_seq: message.run_seq,
        prev_commit_id: message.prev_commit_id,
        at_ms: message.at_ms,
        writer: message.writer,
    };
    head.into_commit(events)
}
