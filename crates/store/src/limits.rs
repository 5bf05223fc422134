//! Every bound of the stores, with its reason.

use std::time::Duration;

/// A conflict means that somebody else got in between; so many in a row mean that a decision never fits.
pub const APPEND_TRIES_MAX: u32 = 16;
/// One append, with the wait for the disk or the cluster.
pub const APPEND_DEADLINE: Duration = Duration::from_secs(10);
/// Any other call to a store.
pub const CALL_DEADLINE: Duration = Duration::from_secs(10);
/// Folded runs kept in memory by one process; a run is a few kilobytes.
pub const CACHED_RUNS_MAX: usize = 2_000;
/// Records that a tail reads at once; as many as a reader that keeps up ever finds waiting.
pub const TAIL_BUFFER_RECORDS: usize = 1_024;
/// Signals are hints; the oldest are dropped for a reader that does not keep up.
pub const SIGNAL_BUFFER: usize = 256;
/// Jobs waiting in one queue.
pub const QUEUE_JOBS_MAX: usize = 100_000;
/// Appends that the embedded log takes into one flush.
pub const GROUP_COMMIT_MAX: usize = 256;
/// One blob: a page of 2 MiB with its text, or a full-size screenshot.
pub const BLOB_BYTES_MAX: usize = 16 * 1024 * 1024;
/// Bytes of the appends that the embedded log takes into one flush; what the last acknowledgement waits for.
pub const GROUP_COMMIT_BYTES_MAX: usize = 8 * 1024 * 1024;
/// Requests waiting for the embedded store's writer; a sender waits when there are more.
pub const WRITER_QUEUE_MAX: usize = 4 * GROUP_COMMIT_MAX;
/// One piece of a value in sled. A leaf holds up to 17 of them, and a leaf over 128 KiB would be moved to a file that
/// sled does not sync.
pub const PIECE_BYTES_MAX: usize = 4 * 1024;
/// One value of a key-value bucket: a browser profile with its storage.
pub const VALUE_BYTES_MAX: usize = 8 * 1024 * 1024;
/// Partitions of a new store.
pub const PARTITIONS_DEFAULT: u32 = 4;
/// More would only add tails and leases.
pub const PARTITIONS_MAX: u32 = 256;
/// Memory for sled's page cache; runs that are worked on are cached as states already.
pub const SLED_CACHE_BYTES: u64 = 16 * 1024 * 1024;
/// Runs in the newest part of an account's index, which every creation writes; the older half of a full one moves behind it.
pub const RECENT_RUNS_MAX: usize = 500;
/// Writers of one account's index that may be in between before one gives up; the scheduler adds the run again.
pub const INDEX_TRIES_MAX: u32 = 32;
/// Stored pieces that a store of an older format brings to the new one at a time.
pub const MIGRATED_PER_CHANGE: u64 = 512;
/// Between two syncs of the store's mark: its syncs must not hold up those of the database. A power cut sets the mark
/// back by so much at most.
pub const MARK_SYNC_PAUSE: Duration = Duration::from_millis(10);
