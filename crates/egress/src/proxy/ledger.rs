//! What a proxy remembers of the attempts it saw: counters, and the latest blocked ones for telling the run.

use std::{
    collections::VecDeque,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use crate::{address::Blocked, limits::BLOCKED_ATTEMPTS_MAX};

/// One refused attempt to reach a host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockedAttempt {
    /// As browsers write it: lower case, IDNA, IPv6 in brackets.
    pub host: String,
    pub port: u16,
    pub reason: BlockReason,
}

/// Why an attempt was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BlockReason {
    #[error("the host is not in allowed_hosts")]
    HostNotAllowed,
    #[error(transparent)]
    Address(Blocked),
}

/// How many attempts ended how, since the proxy's start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EgressCounts {
    /// A connection was opened.
    pub allowed: u64,
    /// Refused by a rule; nothing was sent.
    pub blocked: u64,
    /// Allowed, but no connection came about, or it broke before an answer came.
    pub failed: u64,
}

#[derive(Debug, Default)]
pub(super) struct Ledger {
    allowed: AtomicU64,
    blocked: AtomicU64,
    failed: AtomicU64,
    recent: Mutex<VecDeque<BlockedAttempt>>,
}

impl Ledger {
    pub(super) fn record_allowed(&self) {
        self.allowed.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn record_failed(&self) {
        self.failed.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn record_blocked(&self, attempt: BlockedAttempt) {
        self.blocked.fetch_add(1, Ordering::Relaxed);
        let mut recent = self.recent();
        recent.retain(|earlier| *earlier != attempt);
        recent.push_back(attempt);
        if recent.len() > BLOCKED_ATTEMPTS_MAX {
            recent.pop_front();
        }
    }

    pub(super) fn blocked(&self) -> Vec<BlockedAttempt> {
        self.recent().iter().cloned().collect()
    }

    pub(super) fn counts(&self) -> EgressCounts {
        EgressCounts {
            allowed: self.allowed.load(Ordering::Relaxed),
            blocked: self.blocked.load(Ordering::Relaxed),
            failed: self.failed.load(Ordering::Relaxed),
        }
    }

    /// A poisoned list is still a list: every change of it is whole.
    fn recent(&self) -> MutexGuard<'_, VecDeque<BlockedAttempt>> {
        self.recent.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attempt(port: u16) -> BlockedAttempt {
        BlockedAttempt { host: "a.example".to_owned(), port, reason: BlockReason::HostNotAllowed }
    }

    #[test]
    fn a_repeated_attempt_is_listed_once_and_counted_each_time() {
        let ledger = Ledger::default();
        for port in [1, 2, 1] {
            ledger.record_blocked(attempt(port));
        }
        assert_eq!(ledger.blocked(), [attempt(2), attempt(1)]);
        assert_eq!(ledger.counts().blocked, 3);
    }

    #[test]
    fn only_the_latest_attempts_are_kept() {
        let ledger = Ledger::default();
        let total = u16::try_from(BLOCKED_ATTEMPTS_MAX).unwrap() + 5;
        (0..total).for_each(|port| ledger.record_blocked(attempt(port)));
        let kept = ledger.blocked();
        assert_eq!((kept.len(), kept[0].port), (BLOCKED_ATTEMPTS_MAX, 5));
    }
}
