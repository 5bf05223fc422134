//! One simulated process: it runs, is halted for a while, or is dead. All that a service does to the world outside
//! passes its process's gate, so a halted process does nothing and a dead one never learns an answer. A process can be
//! made to die, or to halt, at its n-th passage. Unlike a real one, a halted process's timers go on; what they lead to
//! waits at the gate.

use errand_domain::Timestamp;
use errand_store::Clock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;
use tokio::time::Instant;

use crate::chaos::Chaos;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Running,
    Halted,
    Dead,
}

/// What befalls a process at one passage through its gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    Dies,
    Halts,
}

/// One incarnation; a restarted process is another one.
#[derive(Debug)]
pub struct Process {
    pub name: String,
    state: Mutex<State>,
    changed: Notify,
    passages: AtomicU64,
    fate: Option<(u64, Fate)>,
}

impl Process {
    pub fn new(name: String) -> Arc<Self> {
        Self::fated(name, None)
    }

    /// One that meets its fate at that passage through the gate, counted from one.
    pub fn fated(name: String, fate: Option<(u64, Fate)>) -> Arc<Self> {
        let (state, changed) = (Mutex::new(State::Running), Notify::new());
        Arc::new(Self { name, state, changed, passages: AtomicU64::new(0), fate })
    }

    pub fn is_halted(&self) -> bool {
        *self.state() == State::Halted
    }

    pub fn is_dead(&self) -> bool {
        *self.state() == State::Dead
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn become_state(&self, state: State) {
        *self.state() = state;
        self.changed.notify_waiters();
    }

    /// As SIGSTOP does.
    pub fn halt(&self) {
        self.become_state(State::Halted);
    }

    /// As SIGCONT does.
    pub fn resume(&self) {
        self.become_state(State::Running);
    }

    /// As SIGKILL does.
    pub fn kill(&self) {
        self.become_state(State::Dead);
    }

    /// Waits until the process runs; for ever when it is dead.
    pub async fn gate(&self) {
        loop {
            let changed = self.changed.notified();
            if *self.state() == State::Running {
                let passage = self.passages.fetch_add(1, Ordering::Relaxed) + 1;
                match self.fate.filter(|(at, _)| *at == passage) {
                    Some((_, Fate::Dies)) => self.kill(),
                    Some((_, Fate::Halts)) => self.halt(),
                    None => return,
                }
            }
            changed.await;
        }
    }
}

/// A process's way to everything outside it.
#[derive(Debug, Clone)]
pub struct Edge {
    pub process: Arc<Process>,
    pub chaos: Arc<Chaos>,
}

impl Edge {
    /// A question goes out.
    pub async fn ask(&self) {
        self.process.gate().await;
        self.chaos.travel().await;
    }

    /// Its answer comes in.
    pub async fn answer(&self) {
        self.chaos.travel().await;
        self.process.gate().await;
    }
}

/// When every simulation begins: 2026-11-30 00:00 UTC.
const BEGIN_MS: i64 = 1_795_996_800_000;

/// Virtual time, as one machine's clock shows it.
#[derive(Debug, Clone, Copy)]
pub struct SimClock {
    pub began: Instant,
    pub ahead_ms: u64,
}

impl Clock for SimClock {
    fn now(&self) -> Timestamp {
        let elapsed_ms = u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX);
        Timestamp::from_millis(BEGIN_MS).plus_ms(elapsed_ms + self.ahead_ms)
    }
}
