//! The rules of Errand, without any input or output: the run and delivery aggregates, output contracts, grounding,
//! redaction, prices and limits. Time, randomness and identifiers come in as arguments.

pub mod action;
pub mod delivery;
pub mod ground;
pub mod ids;
pub mod limits;
pub mod page;
pub mod price;
pub mod redact;
pub mod run;
pub mod schema;
pub mod time;

pub use ids::{AccountId, BlobKey, CommitId, RunId, SecretName, WorkerId, is_dots};
pub use time::Timestamp;
