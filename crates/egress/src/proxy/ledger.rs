//! What a proxy remembers of the attempts it saw: counters, and the latest blocked ones for telling the run.

use std::{
    collections::VecDeque,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use http::StatusCode;
use url::Url;

use crate::{address::Blocked, hosts::normal_host, limits::BLOCKED_ATTEMPTS_MAX};

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
    /// This machine had no files or ports left to take or open a connection with: no site is at fault.
    pub starved: u64,
}

/// Why a browser shows no page of a site's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EgressFault {
    /// A rule forbids it.
    Blocked(BlockedAttempt),
    /// It is allowed, but there was no connection.
    Unreachable {
        /// As browsers write it.
        host: String,
    },
}

#[derive(Debug, Default)]
pub(super) struct Ledger {
    allowed: AtomicU64,
    blocked: AtomicU64,
    failed: AtomicU64,
    starved: AtomicU64,
    recent: Mutex<VecDeque<BlockedAttempt>>,
}

impl Ledger {
    pub(super) fn record_allowed(&self) {
        self.allowed.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn record_failed(&self) {
        self.failed.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn record_starved(&self) {
        self.starved.fetch_add(1, Ordering::Relaxed);
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
            starved: self.starved.load(Ordering::Relaxed),
        }
    }

    /// As [`super::EgressProxy::fault_since`].
    pub(super) fn fault_since(&self, earlier: EgressCounts, url: &str, status: Option<u16>) -> Option<EgressFault> {
        let host = normal_host(Url::parse(url).ok()?.host_str()?).ok()?.to_string();
        let counts = self.counts();
        // The list names each attempt once, so its length says nothing; the count rises with every refusal.
        let blocked = if counts.blocked > earlier.blocked { self.blocked() } else { Vec::new() };
        let of_host = blocked.iter().rfind(|attempt| attempt.host == host).cloned().map(EgressFault::Blocked);
        let unreachable = (counts.failed > earlier.failed).then_some(EgressFault::Unreachable { host });
        match status.map(StatusCode::from_u16) {
            Some(Ok(StatusCode::FORBIDDEN)) => of_host,
            Some(Ok(StatusCode::BAD_GATEWAY | StatusCode::GATEWAY_TIMEOUT)) => unreachable,
            Some(_) => None,
            // A redirect to a host that is blocked: the browser names the first one.
            None => of_host.or(unreachable).or_else(|| blocked.last().cloned().map(EgressFault::Blocked)),
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

    fn fault(ledger: &Ledger, host: &str, status: Option<u16>) -> Option<EgressFault> {
        ledger.fault_since(EgressCounts::default(), &format!("https://{host}/"), status)
    }

    #[test]
    fn a_host_that_failed_is_unreachable_and_never_blocked() {
        let ledger = Ledger::default();
        assert_eq!(fault(&ledger, "a.example", None), None);
        ledger.record_failed();
        let unreachable = Some(EgressFault::Unreachable { host: "a.example".to_owned() });
        for status in [None, Some(502), Some(504)] {
            assert_eq!(fault(&ledger, "A.example.", status), unreachable, "{status:?}");
        }
        for of_the_sites_own in [Some(200), Some(403), Some(500)] {
            assert_eq!(fault(&ledger, "a.example", of_the_sites_own), None);
        }
        assert_eq!(ledger.fault_since(ledger.counts(), "https://a.example/", None), None, "it failed before");
    }

    #[test]
    fn a_refused_attempt_is_told_for_its_host_and_for_what_redirected_there() {
        let ledger = Ledger::default();
        ledger.record_blocked(attempt(443));
        let blocked = Some(EgressFault::Blocked(attempt(443)));
        assert_eq!(fault(&ledger, "a.example", Some(403)), blocked);
        assert_eq!(fault(&ledger, "a.example", None), blocked);
        assert_eq!(fault(&ledger, "b.example", None), blocked);
        assert_eq!(fault(&ledger, "b.example", Some(403)), None, "the site's own answer");
        assert_eq!(fault(&ledger, "a.example", Some(200)), None);
        assert_eq!(ledger.fault_since(ledger.counts(), "https://a.example/", None), None, "it was refused before");
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
