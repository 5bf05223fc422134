//! Points in time, in milliseconds since the Unix epoch.

use serde::{Deserialize, Serialize};
use std::fmt;

/// UTC milliseconds since 1970-01-01. Displays as RFC 3339 with milliseconds, e.g. `2026-10-11T09:40:21.000Z`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Timestamp(i64);

impl Timestamp {
    #[must_use]
    pub const fn from_millis(ms: i64) -> Self {
        Self(ms)
    }

    #[must_use]
    pub const fn as_millis(self) -> i64 {
        self.0
    }

    /// This time and `ms` milliseconds; stops at the ends of the range.
    #[must_use]
    pub const fn plus_ms(self, ms: u64) -> Self {
        let ms = if ms > i64::MAX as u64 { i64::MAX } else { ms as i64 };
        Self(self.0.saturating_add(ms))
    }

    /// Milliseconds from `earlier` to this time; zero when it is not earlier.
    #[must_use]
    pub const fn ms_since(self, earlier: Self) -> u64 {
        let ms = self.0.saturating_sub(earlier.0);
        if ms < 0 { 0 } else { ms as u64 }
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let time = jiff::Timestamp::from_millisecond(self.0).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
        write!(f, "{time:.3}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_shown_with_milliseconds_even_when_they_are_zero() {
        assert_eq!(Timestamp::from_millis(0).to_string(), "1970-01-01T00:00:00.000Z");
        assert_eq!(Timestamp::from_millis(1_791_711_621_005).to_string(), "2026-10-11T09:40:21.005Z");
    }
}
