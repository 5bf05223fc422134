//! What every store must do, run on each of them: in memory, in a folder, on a real NATS server. One binary, so that the
//! stores are linked once.

#![allow(clippy::unwrap_used, reason = "a test that meets an absent value has failed")]

mod blobs;
mod commits;
mod crash;
mod damage;
mod deletion;
mod folder;
mod jetstream;
mod keyvalue;
mod lines;
mod log;
mod migration;
mod nats_server;
mod queue;
mod salvage;
mod signals;
mod tail;
mod under_test;
