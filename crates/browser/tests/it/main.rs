//! The driver against a real Chromium and small pages served from this process.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod acting;
mod clobbering;
mod enduring;
mod guarding;
mod looking;
mod navigating;
mod picturing;
mod process;
mod restoring;
mod secrets;
mod server;
mod support;
