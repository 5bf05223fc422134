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

#[cfg(test)]
mod tests {
    use super::*;
    use errand_domain::run::Writer;
    use errand_domain::{CommitId, RunId, Timestamp};

    fn stop_commit() -> Commit<RunEvent> {
        Commit {
            id: CommitId(5),
            run_id: RunId::new(Timestamp::from_millis(1_000), 1),
            seq: 2,
            prev: Some(CommitId(4)),
            at: Timestamp::from_millis(2_000),
            writer: Writer::Gateway,
            events: vec![RunEvent::StopRequested],
        }
    }

    /// The error of decoding a good commit after `spoil`.
    fn error_after(spoil: impl FnOnce(&mut wire::RunCommit)) -> String {
        let mut message = wire::RunCommit::decode(encode_run_commit(&stop_commit())).unwrap();
        spoil(&mut message);
        decode_run_commit(&message.encode_to_vec()).unwrap_err().to_string()
    }

    #[test]
    fn a_newer_format_is_refused_before_anything_else_is_read() {
        let error = error_after(|message| {
            message.format = 2;
            message.run_id.clear();
        });
        assert_eq!(error, "commit has format 2, known are 1 to 1");
    }

    #[test]
    fn a_commit_without_a_format_is_refused() {
        assert_eq!(error_after(|message| message.format = 0), "commit has format 0, known are 1 to 1");
        assert!(decode_run_commit(&[]).is_err());
    }

    #[test]
    fn an_unspecified_or_unknown_writer_is_refused() {
        assert_eq!(error_after(|message| message.writer = 0), "writer has the unknown value 0");
        assert_eq!(error_after(|message| message.writer = 9), "writer has the unknown value 9");
    }

    #[test]
    fn an_id_of_the_wrong_length_or_form_is_refused() {
        assert_eq!(error_after(|message| message.commit_id.truncate(15)), "commit_id does not hold 16 bytes");
        let prev_error = error_after(|message| message.prev_commit_id = Some(Vec::new()));
        assert_eq!(prev_error, "prev_commit_id does not hold 16 bytes");
        assert_eq!(error_after(|message| message.run_id.push('0')), "run_id is not an identifier");
    }

    #[test]
    fn an_unknown_event_kind_is_named_by_its_field_number() {
        let mut bytes = encode_run_commit(&stop_commit()).to_vec();
        // Field 8 of the commit: an event of three bytes, which hold field 200, an empty message.
        bytes.extend([8 << 3 | 2, 3, 0xc2, 0x0c, 0]);
        let error = decode_run_commit(&bytes).unwrap_err().to_string();
        assert_eq!(error, "events.kind is of an unknown kind (field 200)");
    }

    #[test]
    fn an_event_without_a_kind_is_refused() {
        let error = error_after(|message| message.events.push(wire::RunEvent { kind: None }));
        assert_eq!(error, "events.kind is of an unknown kind");
    }

    #[test]
    fn what_is_not_protobuf_is_an_error() {
        assert!(matches!(decode_run_commit(b"{\"not\": 1}"), Err(DecodeError::NotProtobuf(_))));
    }
}
