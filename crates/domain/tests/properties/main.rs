//! Properties of the run and delivery aggregates (DESIGN §3 and §8): random commands by all writers at random times, and what
//! must hold after each of them.

#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

mod delivery;
mod ledger;
mod moves;
mod run;
