//! Every bound of a read, with its reason.

use std::time::Duration;

/// One read with all its tools: a plain request may take 20 s, a browser's start and page some 30 s more. Shorter than any
/// call of the API may take.
pub const READ_TOTAL_MAX: Duration = Duration::from_secs(60);
/// A page that is parsed takes some ten times its size in memory. Of real shop and recipe pages the median is 0.3 MB and
/// the largest are some 5 MB.
pub const PAGE_BYTES_MAX: usize = 8 * 1024 * 1024;
/// Reads at once unless configured: each holds a page of at most [`PAGE_BYTES_MAX`], parsed.
pub const READS_MAX: usize = 8;
/// Reads at once of one asker unless configured: half of all, so that one whose pages hang leaves places to the others.
pub const ASKER_READS_MAX: usize = 4;
/// Browsers that read at once, beside those of runs; each takes some 150 MB. Further reads wait for their turn within
/// their deadline.
pub const BROWSERS_MAX: usize = 3;
/// Browsers of one asker, likewise.
pub const ASKER_BROWSERS_MAX: usize = 2;
