//! Events as clients see them: their public JSON, one run's list and stream, and an account's stream over all runs.

mod account;
mod cursor;
mod event_json;
mod run;
mod sse;

pub(crate) use account::{AccountFilter, account_stream};
pub(crate) use event_json::read_types;
pub(crate) use run::{run_events, run_stream};
