//! Tests of the boundary on real sockets and real TLS.

#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

mod departures;
mod dialer;
mod fetch;
mod proxy;
mod proxy_blocks;
mod servers;
