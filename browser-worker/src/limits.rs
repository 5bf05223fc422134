//! Every bound of the worker, with its reason.

use std::time::Duration;

/// A new browser context with its page; a cold browser is launched within it.
pub const OPEN_DEADLINE: Duration = Duration::from_secs(30);
/// One navigation; the browser's own limit is shorter, this one catches a browser that hangs.
pub const GOTO_DEADLINE: Duration = Duration::from_secs(45);
/// One look at a page.
pub const LOOK_DEADLINE: Duration = Duration::from_secs(20);
/// One action with the wait for what it started.
pub const ACT_DEADLINE: Duration = Duration::from_secs(45);
/// Approvals of one request that the page did not send after all; then it is dropped.
pub const APPROVALS_PER_REQUEST_MAX: usize = 2;
/// One screenshot or checkpoint.
pub const CAPTURE_DEADLINE: Duration = Duration::from_secs(15);
/// One planner decision; a model's answer may take as long.
pub const PLAN_DEADLINE: Duration = Duration::from_secs(60);
/// Closing a session is tidying up; the browser's process end does the rest.
pub const CLOSE_DEADLINE: Duration = Duration::from_secs(5);
/// How often a working claim shows progress.
pub const BEAT_EVERY: Duration = Duration::from_millis(2_000);
/// How often idle sessions are looked over.
pub const SWEEP_EVERY: Duration = Duration::from_millis(1_000);
/// After an error of a queue, so that a store that is down is not hammered.
pub const RETRY_PAUSE: Duration = Duration::from_millis(500);
/// One session's share of memory (FACTS: 36 MB a context, plus pages of real size).
pub const SESSION_MEMORY_BYTES: u64 = 256 * 1024 * 1024;
/// Browser processes that sessions are spread over unless configured; one costs some 100 MB before its first page.
pub const BROWSERS_DEFAULT: usize = 2;
/// More contexts than this on one core only wait for each other.
pub const SESSIONS_PER_CORE: usize = 4;
/// A page whose parser waits for an unreachable host is looked at so many times, about ten seconds, before it is taken as it
/// is.
pub const LOADING_LOOKS_MAX: u32 = 6;
/// A refusal that may pass is looked at so many times again, about seven seconds: checks of a browser take about five.
pub const REFUSED_LOOKS_MAX: u32 = 4;
/// Between two looks at a page that is still loading, so that one that changes all the time is not looked at in a row.
pub const LOADING_PAUSE: Duration = Duration::from_millis(250);
/// A drain waits so long for the steps that are held: under the 30 s that Kubernetes gives a pod to end.
pub const DRAIN_DEADLINE: Duration = Duration::from_secs(20);
