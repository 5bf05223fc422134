//! Every bound of the notifier, with its reason. Times are milliseconds unless the type says otherwise.

use std::time::Duration;

/// Resolving, connecting and the TLS handshake together. A window of its own, before the claim: what does not connect
/// is recorded as not sent.
pub const CONNECT_MAX: Duration = Duration::from_secs(5);
/// SPEC §6: from the first byte of the request to the end of the answer.
pub const EXCHANGE_MAX: Duration = Duration::from_secs(5);
/// SPEC §6: so much of an answer's body is read, and dropped. Also the largest head of an answer.
pub const ANSWER_BYTES_MAX: usize = 64 * 1024;

/// From before a claim is appended to its deadline: the store's longest append (10 s) and one exchange.
pub const CLAIM_MS: u64 = 15_000;
/// So long after a claim's deadline nobody waits for its result any more: the result's own append, and clocks apart. Too
/// short a margin can only turn a known result into an unknown one; nothing is ever sent again.
pub const CLAIM_MARGIN_MS: u64 = 2_000;
/// A result that could not be stored is appended again so often …
pub const RESULT_TRIES_MAX: u32 = 4;
/// … with such pauses; together well within [`CLAIM_MARGIN_MS`].
pub const RESULT_RETRY_PAUSE: Duration = Duration::from_millis(400);

/// After a failure of the store.
pub const RETRY_MS: u64 = 1_000;
/// For a run whose history cannot be read: only a newer version of this program, or a repair, changes that.
pub const UNREADABLE_RETRY_MS: u64 = 60_000;

/// Exchanges of one process at a time: each holds one TLS connection and one body.
pub const EXCHANGES_MAX_DEFAULT: usize = 128;
/// Exchanges of one process with one host at a time: a host that hangs takes a small part of all.
pub const EXCHANGES_PER_HOST_MAX_DEFAULT: usize = 8;
/// A partition's lease without renewal.
pub const PARTITION_LEASE_MS_DEFAULT: u64 = 9_000;
/// A notifier that stops waits so long for what it has claimed: one exchange and its result.
pub const DRAIN_MAX: Duration = Duration::from_secs(6);
