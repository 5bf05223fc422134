//! The stored form of commits: old bytes still decode, and decoding undoes encoding.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod arbitrary;
mod golden;
mod round_trip;
mod samples;
