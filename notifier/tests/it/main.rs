//! The notifier against real TLS receivers, on the in-memory store.
#![allow(clippy::unwrap_used, reason = "a test that meets an absent value has failed")]

mod body;
mod crash;
mod faulty_log;
mod limits;
mod order;
mod outcomes;
mod restart;
mod world;
