//! Time and randomness as services see them: parameters, so that a simulator can give its own.

use errand_domain::Timestamp;
use rand::RngCore;
use std::fmt;
use std::time::{SystemTime, UNIX_EPOCH};

/// Tells the time.
pub trait Clock: Send + Sync + fmt::Debug {
    fn now(&self) -> Timestamp;
}

/// The machine's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        let elapsed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Timestamp::from_millis(i64::try_from(elapsed.as_millis()).unwrap_or(i64::MAX))
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
