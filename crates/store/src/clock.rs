//! Time and randomness as services see them: parameters, so that a simulator can give its own.

use errand_domain::Timestamp;
use rand::RngCore;
use std::fmt;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// Tells the time.
pub trait Clock: Send + Sync + fmt::Debug {
    /// The time by which runs, pauses, claims and leases are measured. It never goes back and never jumps: what happens to
    /// the machine's clock ends no run.
    fn now(&self) -> Timestamp;

    /// The time of day as the machine has it now, for what others compare with their own clocks: signatures, codes.
    fn time_of_day(&self) -> Timestamp {
        self.now()
    }
}

/// The machine's clock, made steady: it starts at the time of day and goes on by a clock that nobody sets. Where the two
/// come apart it follows the time of day slowly, by at most a twentieth of the time that passes.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        static STEADY: OnceLock<(Instant, Mutex<Steady>)> = OnceLock::new();
        let (began, steady) = STEADY.get_or_init(|| (Instant::now(), Mutex::new(Steady::at(time_of_day_ms()))));
        let passed_ms = i64::try_from(began.elapsed().as_millis()).unwrap_or(i64::MAX);
        let mut steady = steady.lock().unwrap_or_else(PoisonError::into_inner);
        Timestamp::from_millis(steady.advance(passed_ms, time_of_day_ms()))
    }

    fn time_of_day(&self) -> Timestamp {
        Timestamp::from_millis(time_of_day_ms())
    }
}

fn time_of_day_ms() -> i64 {
    let elapsed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(elapsed.as_millis()).unwrap_or(i64::MAX)
}

/// So much of the time that passes may be added or left out to come nearer to the time of day: one part of so many. A
/// run of ten minutes is then at most half a minute off.
const FOLLOW_ONE_IN: i64 = 20;
/// What clocks differ by anyway.
const STEP_MS: i64 = 2_000;

/// A clock between a counter that only rises and a time of day that may be set.
#[derive(Debug)]
struct Steady {
    passed_ms: i64,
    now_ms: i64,
    is_apart: bool,
}

impl Steady {
    fn at(now_ms: i64) -> Self {
        Self { passed_ms: 0, now_ms, is_apart: false }
    }

    fn advance(&mut self, passed_ms: i64, time_of_day_ms: i64) -> i64 {
        let since_ms = passed_ms.saturating_sub(self.passed_ms).max(0);
        let next = self.now_ms.saturating_add(since_ms);
        let apart = time_of_day_ms.saturating_sub(next);
        let may_follow = since_ms / FOLLOW_ONE_IN;
        self.tell(apart);
        // Less than one part: it is kept for the next call, or a clock that is asked often would never follow.
        if may_follow == 0 {
            return next;
        }
        self.passed_ms = passed_ms;
        self.now_ms = next.saturating_add(apart.clamp(-may_follow, may_follow));
        self.now_ms
    }

    fn tell(&mut self, apart_ms: i64) {
        let is_apart = apart_ms.abs() > STEP_MS;
        if is_apart && !self.is_apart {
            tracing::warn!(apart_ms, "the machine's clock was set; runs go on by the time that passes");
        }
        self.is_apart = is_apart;
    }
}

/// Gives random bits for identifiers.
pub trait IdSource: Send + Sync + fmt::Debug {
    fn random_u128(&self) -> u128;
}

/// The operating system's seeded generator.
#[derive(Debug, Clone, Copy, Default)]
pub struct RandomIds;

impl IdSource for RandomIds {
    fn random_u128(&self) -> u128 {
        let mut bytes = [0u8; 16];
        rand::rng().fill_bytes(&mut bytes);
        u128::from_le_bytes(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR_MS: i64 = 3_600_000;

    #[test]
    fn a_clock_that_is_set_is_followed_slowly_and_never_back() {
        for step_ms in [HOUR_MS, 400 * 24 * HOUR_MS, -HOUR_MS, -400 * 24 * HOUR_MS] {
            let start = 1_800_000_000_000;
            let mut steady = Steady::at(start);
            let mut last = start;
            for passed_ms in (0..600_000).step_by(7) {
                let now = steady.advance(passed_ms, start + passed_ms + step_ms);
                assert!(now >= last, "went back");
                assert!((now - start - passed_ms).abs() <= 600_000 / FOLLOW_ONE_IN, "{step_ms}: jumped");
                last = now;
            }
        }
    }

    #[test]
    fn a_clock_that_nobody_sets_is_the_time_of_day() {
        let mut steady = Steady::at(1_000);
        for passed_ms in (0..100_000).step_by(13) {
            assert_eq!(steady.advance(passed_ms, 1_000 + passed_ms), 1_000 + passed_ms);
        }
    }

    #[test]
    fn an_hour_is_caught_up_with_in_a_day() {
        let mut steady = Steady::at(0);
        let passed_ms = 24 * HOUR_MS;
        assert_eq!(steady.advance(passed_ms, passed_ms + HOUR_MS), passed_ms + HOUR_MS);
    }
}
