//! The gateway: the REST API, live streams and the dashboard over the event log. It appends what clients ask for and
//! reads what became of it; it never waits for another service.

#![cfg_attr(test, allow(clippy::unwrap_used, reason = "a test may fail loudly"))]

mod app;
mod config;
mod description;
mod events;
mod fault;
mod fresh;
mod hub;
mod idempotency;
mod keys;
pub mod limits;
mod owners;
mod pages;
mod profiles;
mod reads;
mod recent;
mod rest;
mod retention;
mod runs;
#[cfg(test)]
mod sample;
mod secrets;
mod service;
mod shares;
mod stream_tokens;
mod tombstones;

pub use config::GatewayConfig;
pub use fault::{Fault, FaultKind};
pub use keys::{KeyError, KeyRecord, StoredKey, create_key, ensure_key, key_record, list_keys, revoke_key};
pub use service::{GatewayError, GatewayHandle, serve};
