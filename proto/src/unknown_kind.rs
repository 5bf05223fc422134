//! Names the number of an event kind that this program does not know. The generated code drops unknown fields, so the
//! event is looked at again as raw bytes.

use prost::Message;

use crate::error::DecodeError;

/// The field under which an event of an unknown kind is reported.
pub(crate) const EVENT_KIND: &str = "events.kind";

/// Both commit messages, seen as nothing but their events' bytes.
#[derive(Clone, PartialEq, Message)]
struct RawEvents {
    #[prost(bytes = "vec", repeated, tag = "8")]
    events: Vec<Vec<u8>>,
}

/// Adds the kind's field number to the error about event `index` of the commit in `bytes`.
pub(crate) fn name_unknown_kind(error: DecodeError, bytes: &[u8], index: usize) -> DecodeError {
    match error {
        DecodeError::UnknownKind { field: EVENT_KIND, number: None } => {
            DecodeError::UnknownKind { field: EVENT_KIND, number: kind_number(bytes, index) }
        }
        other => other,
    }
}

fn kind_number(bytes: &[u8], index: usize) -> Option<u64> {
    let raw = RawEvents::decode(bytes).ok()?;
    let event = raw.events.get(index)?;
    // A field starts with a varint: its number and, in the low three bits, its wire type.
    let key = prost::decode_length_delimiter(event.as_slice()).ok()?;
    u64::try_from(key >> 3).ok()
}
