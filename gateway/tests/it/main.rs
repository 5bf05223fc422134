//! The gateway over real sockets, on the in-memory store. Runs are driven as workers would, through the log.

#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

mod client;
mod deletion;
mod description;
mod embedded;
mod errors;
mod harness;
mod idempotency;
mod listing;
mod pages;
mod reads;
mod replies;
mod runs;
mod secrets;
mod server;
mod streams;
mod workers;
