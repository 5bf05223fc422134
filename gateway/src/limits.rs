//! Every bound of the gateway, with its reason.

use std::time::Duration;

/// A run request with the longest goal, schema and metadata is about 150 KB of JSON.
pub const BODY_BYTES_MAX: usize = 1024 * 1024;
/// A client that sends its body slower than this holds a connection for nothing.
pub const BODY_DEADLINE: Duration = Duration::from_secs(15);
/// Of a body that a call does not take, so much is read and dropped, so that a client that is still sending gets the answer:
/// more than any client sends by mistake, and little beside what it may send anyway.
pub const DRAIN_BODY_BYTES_MAX: usize = 16 * 1024 * 1024;
/// And for so long: the answer is ready, and waits for this.
pub const DRAIN_BODY_DEADLINE: Duration = Duration::from_secs(5);
/// Also how long an idle connection is kept.
pub const HEADER_DEADLINE: Duration = Duration::from_secs(30);
/// Longer than the longest wait of a long poll; no request takes longer, streams aside.
pub const REQUEST_DEADLINE: Duration = Duration::from_secs(90);
/// One process serves so many sockets; beyond, a new one gets the place of the one that has been idle longest.
pub const CONNECTIONS_MAX: usize = 4_096;
/// Beside those: when every connection is at work, probes are still answered, and others are told so.
pub const SPARE_CONNECTIONS: usize = 16;
/// What holds a spare place asks at once.
pub const SPARE_HEADER_DEADLINE: Duration = Duration::from_secs(2);
/// Pause after the listener failed to accept (no file descriptors left), so that the loop does not spin.
pub const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
/// Open requests at shutdown get so long by default; long polls and streams end at once, reads after half of it.
pub const DRAIN_DEFAULT: Duration = Duration::from_secs(20);
/// Of these, what an idle connection gets to finish a request's head, and the last answer to reach its client.
pub const IDLE_DRAIN: Duration = Duration::from_secs(2);
/// After the drain, what is left of reads' browsers gets so long: killing one and removing its profile takes well under 1 s.
pub const BROWSERS_END: Duration = Duration::from_secs(5);

/// SPEC §1: `wait`, in seconds.
pub const WAIT_S_MAX: u64 = 60;
/// A long poll looks at the log again after so long, even when nothing woke it.
pub const RECHECK: Duration = Duration::from_secs(5);
/// SPEC §1: the list's length.
pub const LIST_MAX: usize = 50;
/// Runs that one call of a list looks through for a status; the rest is behind its cursor.
pub const LIST_SCAN_MAX: usize = 500;
/// Runs of a list that are loaded at a time.
pub const LIST_LOADS: usize = 16;
/// Runs created or seen here that may not be in the index yet, over all accounts.
pub const FRESH_RUNS_MAX: usize = 2_000;

/// Live streams of one process; each may follow the whole log.
pub const STREAMS_MAX: usize = 512;
/// Live streams of one account unless configured: one account leaves places to the others.
pub const ACCOUNT_STREAMS_DEFAULT: usize = 64;
/// When an account with too many streams may look again: a client that has gone is noticed at the next heartbeat.
pub const STREAMS_RETRY_S: u64 = 15;
/// A stream token opens streams for so long: time to connect and to connect again after a break, not to be found in a log.
pub const STREAM_TOKEN_MS: i64 = 5 * 60 * 1_000;
/// Comments keep proxies from closing a quiet stream.
pub const STREAM_HEARTBEAT: Duration = Duration::from_secs(15);
/// A run's stream stays open so long after the end, for the settled charge.
pub const STREAM_AFTER_END: Duration = Duration::from_secs(10);
/// Commits that a live reader may be behind before it reads them from the log instead.
pub const LIVE_BUFFER: usize = 1_024;
/// Pause before a tail that broke is taken up again.
pub const TAIL_PAUSE: Duration = Duration::from_millis(500);
/// Runs whose account is remembered for filtering streams.
pub const OWNERS_MAX: usize = 20_000;

/// SPEC §1: an idempotency key is kept 24 h.
pub const IDEMPOTENCY_MS: u64 = 24 * 3_600 * 1_000;
/// Two clients that race for an expired key; more tries mean that somebody else keeps winning.
pub const IDEMPOTENCY_TRIES_MAX: u32 = 8;
/// How often expired idempotency keys are looked for.
pub const IDEMPOTENCY_SWEEP: Duration = Duration::from_secs(3_600);

/// SPEC §1: finished runs are kept 30 days.
pub const RETENTION_DEFAULT: Duration = Duration::from_secs(30 * 24 * 3_600);
/// How often runs past their retention are looked for; it is counted in days.
pub const RETENTION_SWEEP: Duration = Duration::from_secs(3_600);
/// A log's tail that brings nothing for so long has brought all that is stored.
pub const RETENTION_IDLE: Duration = Duration::from_secs(5);

/// A secret is typed into a field; longer texts are not secrets.
pub const SECRET_VALUE_CHARS_MAX: usize = 4_096;
/// A list of hosts that a person can still read.
pub const SECRET_HOSTS_MAX: usize = 100;
/// What an API key is for, in a person's words.
pub const KEY_LABEL_CHARS_MAX: usize = 200;
/// A readiness probe must answer before the prober gives up.
pub const READY_DEADLINE: Duration = Duration::from_secs(2);
