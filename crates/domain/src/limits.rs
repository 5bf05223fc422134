//! Every bound of the domain, with its reason. Sizes are bytes, times are milliseconds unless the name says otherwise.

/// SPEC §1: `goal`.
pub const GOAL_CHARS_MAX: usize = 10_000;
/// Long enough for any URL that browsers accept in practice.
pub const URL_CHARS_MAX: usize = 8_192;
/// SPEC §1: `output_schema`, measured as compact JSON.
pub const SCHEMA_BYTES_MAX: usize = 20_480;
/// SPEC §1: `max_steps`.
pub const MAX_STEPS_DEFAULT: u32 = 50;
pub const MAX_STEPS_MAX: u32 = 200;
/// SPEC §1: `timeout_s`; the upper bound is one day, so that a lost number cannot hold a worker for ever.
pub const TIMEOUT_S_DEFAULT: u32 = 600;
pub const TIMEOUT_S_MAX: u32 = 86_400;
/// SPEC §1: `human_timeout_s`; the upper bound is the default retention of runs, 30 days.
pub const HUMAN_TIMEOUT_S_DEFAULT: u32 = 86_400;
pub const HUMAN_TIMEOUT_S_MAX: u32 = 30 * 86_400;
/// SPEC §1: `metadata`.
pub const METADATA_KEYS_MAX: usize = 16;
pub const METADATA_CHARS_MAX: usize = 512;
/// A list of hosts that a person can still read.
pub const ALLOWED_HOSTS_MAX: usize = 100;
/// More secrets than any sign-in needs.
pub const SECRETS_MAX: usize = 20;
/// Names of accounts, secrets, workers, profiles and blobs: they become parts of keys.
pub const NAME_CHARS_MAX: usize = 128;
/// SPEC §1: `Idempotency-Key`.
pub const IDEMPOTENCY_KEY_CHARS_MAX: usize = 255;
/// A person's answer or note.
pub const REPLY_CHARS_MAX: usize = 10_000;

/// DESIGN §3: one commit's encoded size.
pub const COMMIT_BYTES_MAX: usize = 512 * 1024;
/// DESIGN §3: larger data is a blob of the run.
pub const INLINE_DATA_BYTES_MAX: usize = 256 * 1024;
/// SPEC §2: grounding looks at the last six pages.
pub const GROUNDING_PAGES_MAX: usize = 6;
/// Text of one action, prompt, outcome or error in an event; page content never makes a commit large.
pub const EVENT_TEXT_CHARS_MAX: usize = 2_000;
/// Lines of `needs.fields`.
pub const PAUSE_FIELDS_MAX: usize = 60;
/// Of `needs.values`: more than forms have that a person reads through.
pub const PAUSE_VALUES_MAX: usize = 100;
/// Of `needs.items`.
pub const PAUSE_ITEMS_MAX: usize = 20;
/// Of one name, label, value or item in `needs`: a hundred values stay far below a commit's size.
pub const PAUSE_VALUE_CHARS_MAX: usize = 300;

/// A step is tried on so many workers before the run ends as `browser_error` or `worker_lost`, by the last loss.
pub const LOSSES_PER_STEP_MAX: u32 = 3;
/// The conclusion reads stored pages only; longer than this, it hangs.
pub const CONCLUDE_MS: u64 = 60_000;
/// SPEC §1: the charge is settled a few seconds after the end.
pub const SETTLE_MS: u64 = 2_000;
/// SPEC §6: no delivery starts earlier, so that the client has stored the secret.
pub const DELIVERY_DELAY_MS: u64 = 1_000;
