//! Every bound on validating, with its reason.

/// Deepest nesting of a schema: far above what people write, far below what a stack takes.
pub const SCHEMA_DEPTH_MAX: usize = 64;

/// Schemas that one leads through, by references and nesting: compiling and validating take a stack's frames for each.
pub const SCHEMA_CHAIN_MAX: usize = 128;

/// Checks within checks on one piece of data, likewise.
pub const CHECK_DEPTH_MAX: usize = 256;

/// Checks that a schema may ask for when each of its parts is met once. A schema of 20 KB has some 2,000 parts, and
/// sharing them by reference multiplies honest ones a few times.
pub const SCHEMA_CHECKS_MAX: u64 = 20_000;

/// What validating one piece of data may cost, in checks of some 100 ns to 1 µs each: about a second at worst. Large
/// honest data, 10,000 rows of four fields, needs a tenth of it.
pub const CHECKS_MAX: u64 = 1_000_000;

/// Checks on data whose failures are all collected; beyond, only the first one is looked for.
pub const ERRORS_TOLD_MAX: u64 = 200_000;

/// Checks below a choice of schemas (`anyOf`, `oneOf`) whose failures may be told apart: every one of them is kept, in
/// some 300 bytes and a copy of the value.
pub const CHOICES_TOLD_MAX: u64 = 20_000;

/// Pairs of schema and place that are counted; more would be too many checks anyway.
pub(crate) const PAIRS_MAX: usize = CHECKS_MAX as usize;

/// Bytes of a value that one check reads or copies.
pub(crate) const BYTES_A_CHECK: u64 = 256;

/// Byte-and-state pairs that matching a pattern goes through in the time of one check.
pub(crate) const PATTERN_STEPS_A_CHECK: u64 = 1_000;

/// Members of an `enum` that are compared in the time of one check.
pub(crate) const OPTIONS_A_CHECK: usize = 8;

/// Violations that are told apart; what fails in more places fails for the same few reasons.
pub const VIOLATIONS_MAX: usize = 50;

/// Steps of backtracking a pattern may take on one value; a pattern that needs more does not match. Honest ones take some
/// hundred; patterns without look-around or back-references run in linear time and take none.
pub(crate) const PATTERN_BACKTRACKS_MAX: usize = 10_000;

/// What a pattern that backtracks is counted as, in checks, and once more for each of its value's bytes.
pub(crate) const BACKTRACKING_CHECKS: u64 = 100;
pub(crate) const BACKTRACKING_CHECKS_A_BYTE: u64 = 10;

/// States of all patterns of a schema together: `\p{L}` has some 700, and each takes some 50 bytes.
pub(crate) const PATTERN_STATES_MAX: u64 = 20_000;

/// What a pattern that backtracks counts for among them: its size is known to its engine only.
pub(crate) const BACKTRACKING_STATES: u64 = 500;

/// Compiled size of one pattern, in bytes: `a{1,1000000}` is refused instead of filling memory.
pub(crate) const PATTERN_BYTES_MAX: usize = 1 << 20;

/// Memory that matching one pattern may keep for speed: a schema has room for some 500 patterns.
pub(crate) const PATTERN_CACHE_BYTES_MAX: usize = 128 << 10;
