//! The boundary to other systems: which addresses and hosts may be reached, and the only ways of reaching them (a
//! dialer, a forward proxy for browsers, a fetch of one page). It knows nothing of runs, stores or browsers.

#![cfg_attr(test, allow(clippy::unwrap_used, reason = "a test may fail loudly"))]

mod activity;
mod address;
mod dialer;
mod fetch;
mod hosts;
pub mod limits;
mod origins;
mod proxy;
mod tls;

pub use address::{AddressPolicy, Blocked};
pub use dialer::{ConnectError, Dialer};
pub use fetch::{FetchError, FetchLimits, FetchedPage, HttpFetch};
pub use hosts::{HostRules, InvalidHost, InvalidHostRule};
pub use origins::{InvalidOriginRule, OriginRules};
pub use proxy::{BlockReason, BlockedAttempt, Departures, EGRESS_HEADER, EgressCounts, EgressFault, EgressProxy};
pub use tls::{TlsConfigError, tls_client_config};
