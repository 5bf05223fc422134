//! Chance, from one seed: how long things take and which of them fail. Once switched off, nothing fails any more.

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use errand_store::IdSource;

/// How often each fault strikes, in one of a thousand chances.
#[derive(Debug, Clone, Copy, Default)]
pub struct Rates {
    pub append_not_stored: u32,
    /// The request is lost on its way, the writer does not learn it.
    pub append_lost: u32,
    /// It is stored, the answer is lost.
    pub append_answer_lost: u32,
    /// It takes seconds, perhaps longer than the writer waits.
    pub append_slow: u32,
    pub read_fails: u32,
    pub tail_interrupted: u32,
    pub job_lost: u32,
    pub job_late: u32,
    pub job_twice: u32,
    pub signal_lost: u32,
    pub signal_late: u32,
    pub signal_twice: u32,
    pub keyvalue_fails: u32,
    pub blob_fails: u32,
    pub session_lost: u32,
    pub page_fails: u32,
    pub not_acted: u32,
    pub act_hangs: u32,
    pub planner_fails: u32,
    pub connect_fails: u32,
    pub receiver_misbehaves: u32,
    /// Per process and second.
    pub crash: u32,
    pub pause: u32,
}

impl Rates {
    /// Everything fails now and then.
    pub const STORM: Self = Self {
        append_not_stored: 20,
        append_lost: 20,
        append_answer_lost: 30,
        append_slow: 15,
        read_fails: 10,
        tail_interrupted: 10,
        job_lost: 100,
        job_late: 100,
        job_twice: 150,
        signal_lost: 100,
        signal_late: 100,
        signal_twice: 50,
        keyvalue_fails: 20,
        blob_fails: 10,
        session_lost: 10,
        page_fails: 2,
        not_acted: 10,
        act_hangs: 10,
        planner_fails: 2,
        connect_fails: 50,
        receiver_misbehaves: 150,
        crash: 25,
        pause: 25,
    };

    /// Processes come and go; what they stand on holds.
    pub const CRASHES: Self = Self { crash: 80, pause: 40, ..Self::NONE };

    /// The stores are bad, the processes live.
    pub const BAD_STORES: Self = Self { crash: 0, pause: 0, ..Self::STORM };

    pub const NONE: Self = Self {
        append_not_stored: 0,
        append_lost: 0,
        append_answer_lost: 0,
        append_slow: 0,
        read_fails: 0,
        tail_interrupted: 0,
        job_lost: 0,
        job_late: 0,
        job_twice: 0,
        signal_lost: 0,
        signal_late: 0,
        signal_twice: 0,
        keyvalue_fails: 0,
        blob_fails: 0,
        session_lost: 0,
        page_fails: 0,
        not_acted: 0,
        act_hangs: 0,
        planner_fails: 0,
        connect_fails: 0,
        receiver_misbehaves: 0,
        crash: 0,
        pause: 0,
    };
}

/// One source of chance for a whole simulation.
#[derive(Debug)]
pub struct Chaos {
    rng: Mutex<StdRng>,
    rates: Rates,
    is_on: AtomicBool,
}

impl Chaos {
    pub fn new(seed: u64, rates: Rates) -> Self {
        Self { rng: Mutex::new(StdRng::seed_from_u64(seed)), rates, is_on: AtomicBool::new(true) }
    }

    /// From here on nothing fails.
    pub fn stop(&self) {
        self.is_on.store(false, Ordering::Relaxed);
    }

    /// Whether a fault of this rate strikes now.
    pub fn strikes(&self, rate: impl Fn(&Rates) -> u32) -> bool {
        self.is_on.load(Ordering::Relaxed) && self.is_one_of_thousand(rate(&self.rates))
    }

    /// A choice that is no fault, and goes on after the faults have stopped.
    pub fn is_one_of_thousand(&self, chances: u32) -> bool {
        self.below(1_000) < u64::from(chances)
    }

    pub fn below(&self, end: u64) -> u64 {
        self.rng.lock().unwrap_or_else(PoisonError::into_inner).random_range(0..end)
    }

    pub fn ms(&self, range: Range<u64>) -> Duration {
        Duration::from_millis(self.rng.lock().unwrap_or_else(PoisonError::into_inner).random_range(range))
    }

    /// What a message between two machines takes.
    pub async fn travel(&self) {
        tokio::time::sleep(self.ms(1..6)).await;
    }
}

/// Identifiers from a seed.
#[derive(Debug)]
pub struct SeededIds(Mutex<StdRng>);

impl SeededIds {
    pub fn new(seed: u64) -> Self {
        Self(Mutex::new(StdRng::seed_from_u64(seed)))
    }
}

impl IdSource for SeededIds {
    fn random_u128(&self) -> u128 {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).random()
    }
}
