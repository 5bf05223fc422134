//! Stored and transmitted forms: protobuf messages and their conversions to and from the domain, one file per message.
//!
//! Conversions are total outward and fallible inward: what the log holds is checked before the domain sees it.

mod action;
mod commit;
mod delivery_commit;
mod delivery_event;
mod ending;
mod error;
mod field;
mod page;
mod pause;
mod run_commit;
mod run_event;
mod spec;
mod step;
mod unknown_kind;

/// Generated from `proto/errand/log/v1`.
#[allow(clippy::all, reason = "generated code")]
mod wire {
    include!(concat!(env!("OUT_DIR"), "/errand.log.v1.rs"));
}

pub use commit::FORMAT;
pub use delivery_commit::{decode_delivery_commit, encode_delivery_commit};
pub use error::DecodeError;
pub use run_commit::{decode_run_commit, encode_run_commit};
