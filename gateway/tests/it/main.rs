//! The gateway over real sockets, on the in-memory store. Runs are driven as workers would, through the log.

mod client;
mod deletion;
mod errors;
mod harness;
mod idempotency;
mod listing;
mod replies;
mod runs;
mod secrets;
mod server;
mod streams;
mod workers;
