//! Every bound of this crate, each with its reason.

use std::time::Duration;

/// Resolving and connecting for the browser: a little over two lost SYNs (1 s and 2 s apart) and a slow name server.
pub const PROXY_CONNECT_MAX: Duration = Duration::from_secs(15);

/// One address out of several: past this the next one is tried, since the first may be unreachable (broken IPv6).
pub const CANDIDATE_CONNECT_MAX: Duration = Duration::from_secs(3);

/// Addresses of one name that are tried; large sites publish up to about a dozen.
pub const CANDIDATES_MAX: usize = 16;

/// A tunnel or forwarded exchange with no byte in either direction for this long is over. Browsers keep idle sockets
/// for 5 minutes; quiet WebSockets send a ping at least that often.
pub const PROXY_IDLE_MAX: Duration = Duration::from_secs(600);

/// The longest life of one tunnel: longer than any run may work (`timeout_s` of hours), so that none is for ever.
pub const PROXY_EXCHANGE_MAX: Duration = Duration::from_secs(6 * 3600);

/// Connections of one browser context to its proxy at a time: Chromium opens at most 32 to a proxy, and up to 255
/// WebSockets.
pub const PROXY_CONNECTIONS_MAX: usize = 320;

/// Blocked attempts that one proxy remembers; older ones are dropped, the counter still counts them.
pub const BLOCKED_ATTEMPTS_MAX: usize = 64;

/// Plain requests that a proxy remembers as allowed; pages send a few that change things between two actions.
pub const ALLOWANCES_MAX: usize = 256;

/// Longest time that a committing request holds its host to one connection; the browser waits no longer for an answer than
/// its own action may take, 30 s, and a page that is closed tells of none.
pub const UNDER_WAY_MAX: Duration = Duration::from_secs(60);

/// A new connection waits so long for the end of one that has its answer while a committing request is under way: the end has
/// reached this machine by then, and a loaded machine hears of it a little later.
pub const ANSWERED_END_WAIT: Duration = Duration::from_millis(500);

/// Bytes of a site that are an answer: more than an alert with which TLS ends (31 bytes at most), less than any status line
/// with a header in a record.
pub const ANSWER_BYTES_MIN: u64 = 48;

/// One read of a tunnel: a TLS record.
pub const TUNNEL_READ_BYTES: usize = 16 * 1024;

/// Redirects that one fetch follows; browsers follow 20, honest sites need fewer than 5.
pub const FETCH_REDIRECTS_MAX: usize = 10;

/// Bytes of one fetched page, as received and as decoded. The median real page is 0.3 MB; 16 MiB holds all but dumps.
pub const FETCH_BODY_BYTES_MAX: usize = 16 * 1024 * 1024;

/// One whole fetch with its redirects; a page that takes longer is better read by the browser.
pub const FETCH_TOTAL_MAX: Duration = Duration::from_secs(20);
