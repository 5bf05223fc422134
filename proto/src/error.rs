//! Why stored bytes could not be read.

use errand_domain::ids::InvalidId;
use thiserror::Error;

/// Bytes that are not a commit this program can read. Permanent: reading them again gives the same answer.
#[derive(Debug, Error)]
pub enum DecodeError {
    #[error("not a protobuf message")]
    NotProtobuf(#[source] prost::DecodeError),
    /// Written by a newer program, or by something else.
    #[error("commit has format {found}, known are 1 to {known}")]
    UnknownFormat { found: u32, known: u32 },
    #[error("{field} is missing")]
    Missing { field: &'static str },
    /// The number is absent when the kind's field is missing altogether.
    #[error("{field} is of an unknown kind{}", number_suffix(.number))]
    UnknownKind { field: &'static str, number: Option<u64> },
    /// An enum's number that this program does not know, or zero.
    #[error("{field} has the unknown value {value}")]
    UnknownValue { field: &'static str, value: i32 },
    #[error("{field} is out of range: {value}")]
    OutOfRange { field: &'static str, value: u64 },
    #[error("{field} does not hold 16 bytes")]
    NotACommitId { field: &'static str },
    #[error("{field} is not an identifier")]
    InvalidId {
        field: &'static str,
        #[source]
        source: InvalidId,
    },
    #[error("{field} is not JSON")]
    NotJson {
        field: &'static str,
        #[source]
        source: serde_json::Error,
    },
}

fn number_suffix(number: &Option<u64>) -> String {
    number.map(|number| format!(" (field {number})")).unwrap_or_default()
}
