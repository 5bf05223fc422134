//! What system tests stand on: a seeded fixture web site, webhook receivers over TLS, child processes and a REST client.
#![cfg_attr(test, allow(clippy::unwrap_used, reason = "a test that meets an absent value has failed"))]

/// The guide's Rust sample compiles.
#[cfg(doctest)]
#[doc = include_str!("../../docs/guide.md")]
struct Guide;

pub mod client;
pub mod host;
pub mod process;
pub mod receiver;
pub mod server;
pub mod site;
pub mod verify;
