//! Commits of the delivery log.

use bytes::Bytes;
use errand_domain::delivery::DeliveryEvent;
use errand_domain::run::Commit;
use prost::Message;

use crate::commit::{WireHead, check_format};
use crate::error::DecodeError;
use crate::unknown_kind::name_unknown_kind;
use crate::{delivery_event, wire};

/// The bytes to store. Equal commits give equal bytes.
#[must_use]
pub fn encode_delivery_commit(commit: &Commit<DeliveryEvent>) -> Bytes {
    let head = WireHead::of(commit);
    let message = wire::DeliveryCommit {
        format: head.format,
        commit_id: head.commit_id,
        run_id: head.run_id,
        run_seq: head.run_seq,
        prev_commit_id: head.prev_commit_id,
        at_ms: head.at_ms,
        writer: head.writer,
        events: commit.events.iter().map(wire::DeliveryEvent::from).collect(),
    };
    Bytes::from(message.encode_to_vec())
}

/// Reads stored bytes of any known format.
///
/// # Errors
/// When they are not a commit, or hold something that this program does not know.
pub fn decode_delivery_commit(bytes: &[u8]) -> Result<Commit<DeliveryEvent>, DecodeError> {
    let message = wire::DeliveryCommit::decode(bytes).map_err(DecodeError::NotProtobuf)?;
    check_format(message.format)?;
    let read = |(index, event): (usize, wire::DeliveryEvent)| {
        delivery_event::read(event).map_err(|error| name_unknown_kind(error, bytes, index))
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
