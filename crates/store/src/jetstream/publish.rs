//! One append: a request with the expected sequence, and what its answer means.

use async_nats::client::RequestErrorKind;
use async_nats::header::{HeaderMap, NATS_EXPECTED_LAST_SUBJECT_SEQUENCE, NATS_MESSAGE_ID};
use async_nats::jetstream::publish::PublishAck;
use async_nats::jetstream::response::Response;
use async_nats::jetstream::{self, ErrorCode};
use async_nats::{Client, Request};
use errand_domain::limits::COMMIT_BYTES_MAX;

use crate::limits::APPEND_DEADLINE;
use crate::log::{AppendError, Entry, LogError, Position};

/// The sequence that the subject's last message must have.
#[derive(Debug, Clone, Copy)]
pub(super) enum Expected {
    Last(Option<Position>),
    /// No check; sabotage.
    Anything,
}

/// Publishes with the client's plain request, so that every answer of the server is seen as it came.
pub(super) async fn publish(
    client: &Client,
    subject: String,
    expected: Expected,
    entry: Entry,
) -> Result<Position, AppendError> {
    let bytes = entry.payload.len();
    if bytes > COMMIT_BYTES_MAX {
        return Err(AppendError::TooLarge { bytes, max: COMMIT_BYTES_MAX });
    }
    let mut headers = HeaderMap::new();
    headers.insert(NATS_MESSAGE_ID, entry.commit_id.to_string());
    if let Expected::Last(expected) = expected {
        let sequence = expected.map_or(0, |position| position.0);
        headers.insert(NATS_EXPECTED_LAST_SUBJECT_SEQUENCE, sequence.to_string());
    }
    let request = Request::new().headers(headers).payload(entry.payload).timeout(Some(APPEND_DEADLINE));
    let answer = client.send_request(subject, request).await.map_err(|error| {
        let reason = LogError::Unavailable { reason: error.to_string() };
        match error.kind() {
            RequestErrorKind::NoResponders | RequestErrorKind::InvalidSubject => AppendError::NotStored(reason),
            RequestErrorKind::MaxPayloadExceeded => AppendError::TooLarge { bytes, max: COMMIT_BYTES_MAX },
            RequestErrorKind::TimedOut | RequestErrorKind::Other => AppendError::Unknown(reason),
        }
    })?;
    match serde_json::from_slice(&answer.payload) {
        // A duplicate is an earlier attempt with our commit id.
        Ok(Response::Ok(PublishAck { sequence, .. })) => Ok(Position(sequence)),
        Ok(Response::Err { error }) => Err(refused(&error, bytes)),
        Err(error) => Err(AppendError::Unknown(LogError::Unavailable { reason: error.to_string() })),
    }
}

/// What a refusal means. Only those that are certain say that nothing was stored: a retry of a stored message may be
/// answered with a conflict, and a busy cluster answers with an error while the message is still on its way.
fn refused(error: &jetstream::Error, bytes: usize) -> AppendError {
    match error.error_code() {
        ErrorCode::STREAM_WRONG_LAST_SEQUENCE | ErrorCode::STREAM_WRONG_LAST_SEQUENCE_CONSTANT => AppendError::Conflict,
        ErrorCode::STREAM_MESSAGE_EXCEEDS_MAXIMUM => AppendError::TooLarge { bytes, max: COMMIT_BYTES_MAX },
        _ => AppendError::Unknown(LogError::Unavailable { reason: error.to_string() }),
    }
}
