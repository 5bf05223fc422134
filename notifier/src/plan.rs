//! Decides which runs of a partition are to be looked at, and when. Pure; the partition's loop does the looking. What is
//! kept here is a hint from the tail: what is really due is read from the logs at each attempt.

use errand_domain::delivery::{DeliveryEvent, WebhookEvent};
use errand_domain::run::{Commit, RunEvent};
use errand_domain::{RunId, Timestamp};
use std::collections::{BTreeMap, BTreeSet};

use crate::step::given_up_at;

/// What is to be done with a run after an attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Next {
    /// Never look at it again.
    Forget,
    /// All events up to the run's commit `read_seq` are delivered.
    Idle {
        read_seq: u64,
    },
    At(Timestamp),
    Now,
    /// When its receiver's host has a free slot.
    WhenFree {
        host: String,
    },
}

/// A run with something to deliver, or to find out.
#[derive(Debug, Default)]
struct Tracked {
    /// Commits with an event that no claim was seen for.
    events: BTreeSet<u64>,
    /// When the open claim is given up.
    open_until: Option<Timestamp>,
    /// It must be looked at whatever the tail said.
    is_unread: bool,
    is_in_flight: bool,
    not_before: Timestamp,
    parked_for: Option<String>,
    wake_at: Option<Timestamp>,
}

impl Tracked {
    fn is_wanted(&self) -> bool {
        self.is_unread || self.is_in_flight || self.open_until.is_some() || !self.events.is_empty()
    }

    fn wants_wake_at(&self) -> Option<Timestamp> {
        let is_held = self.is_in_flight || self.parked_for.is_some();
        (!is_held).then(|| self.not_before.max(self.open_until.unwrap_or_default()))
    }

    fn retry(&mut self, at: Timestamp) {
        self.is_in_flight = false;
        self.is_unread = true;
        self.not_before = at;
    }
}

/// The runs of one partition.
#[derive(Debug, Default)]
pub struct Plan {
    runs: BTreeMap<RunId, Tracked>,
    wakes: BTreeSet<(Timestamp, RunId)>,
    parked: BTreeMap<String, BTreeSet<RunId>>,
    /// Open runs without a webhook, so that their events need no look.
    silent: BTreeSet<RunId>,
}

impl Plan {
    /// Has the run looked at.
    pub fn watch(&mut self, run_id: &RunId) {
        self.change(run_id, |tracked| tracked.is_unread = true);
    }

    /// Takes a run's commit. Commits may come twice: an event that was delivered before costs one look.
    pub fn observe_run(&mut self, commit: &Commit<RunEvent>) {
        let run_id = &commit.run_id;
        let has = |is_wanted: fn(&RunEvent) -> bool| commit.events.iter().any(is_wanted);
        if has(|event| matches!(event, RunEvent::Created { spec, .. } if spec.webhook.is_none())) {
            self.silent.insert(run_id.clone());
        }
        if has(|event| WebhookEvent::of(event).is_some()) && !self.silent.contains(run_id) {
            self.change(run_id, |tracked| {
                tracked.events.insert(commit.seq);
            });
        }
        if has(|event| matches!(event, RunEvent::Finished(_))) {
            self.silent.remove(run_id);
        }
        if has(|event| matches!(event, RunEvent::Deleted)) {
            self.forget(run_id);
        }
    }

    /// Takes a delivery log's commit, of this notifier or another.
    pub fn observe_delivery(&mut self, commit: &Commit<DeliveryEvent>) {
        self.change(&commit.run_id, |tracked| {
            for event in &commit.events {
                match event {
                    DeliveryEvent::Claimed(claim) => {
                        tracked.events.retain(|seq| *seq > claim.event_seq);
                        tracked.open_until = Some(given_up_at(claim));
                    }
                    DeliveryEvent::Resolved(_) => tracked.open_until = None,
                }
            }
        });
    }

    /// Takes a run to be looked at now; it is in flight until [`Self::report`].
    pub fn start(&mut self, now: Timestamp) -> Option<RunId> {
        let (at, run_id) = self.wakes.first()?;
        if *at > now {
            return None;
        }
        let run_id = run_id.clone();
        self.change(&run_id, |tracked| {
            tracked.is_in_flight = true;
            tracked.is_unread = false;
        });
        Some(run_id)
    }

    /// Takes what came of looking at a run.
    pub fn report(&mut self, run_id: &RunId, next: Next) {
        match next {
            Next::Forget => self.forget(run_id),
            Next::Idle { read_seq } => self.change(run_id, |tracked| {
                tracked.is_in_flight = false;
                tracked.events.retain(|seq| *seq > read_seq);
                tracked.open_until = None;
            }),
            Next::At(at) => self.change(run_id, |tracked| tracked.retry(at)),
            Next::Now => self.change(run_id, |tracked| tracked.retry(Timestamp::default())),
            Next::WhenFree { host } => {
                self.parked.entry(host.clone()).or_default().insert(run_id.clone());
                self.change(run_id, |tracked| {
                    tracked.retry(Timestamp::default());
                    tracked.parked_for = Some(host);
                });
            }
        }
    }

    /// Lets parked runs go on, the oldest first, as many as their hosts have slots.
    pub fn unpark(&mut self, free_slots: impl Fn(&str) -> usize) {
        let mut freed = Vec::new();
        self.parked.retain(|host, runs| {
            for _ in 0..free_slots(host) {
                freed.extend(runs.pop_first());
            }
            !runs.is_empty()
        });
        for run_id in freed {
            self.change(&run_id, |tracked| tracked.parked_for = None);
        }
    }

    /// When [`Self::start`] has something next.
    #[must_use]
    pub fn wake_at(&self) -> Option<Timestamp> {
        self.wakes.first().map(|(at, _)| *at)
    }

    /// The runs with something to deliver, for the snapshot.
    pub fn tracked(&self) -> impl ExactSizeIterator<Item = &RunId> {
        self.runs.keys()
    }

    fn forget(&mut self, run_id: &RunId) {
        let Some(tracked) = self.runs.remove(run_id) else { return };
        if let Some(at) = tracked.wake_at {
            self.wakes.remove(&(at, run_id.clone()));
        }
        if let Some(runs) = tracked.parked_for.and_then(|host| self.parked.get_mut(&host)) {
            runs.remove(run_id);
        }
    }

    /// Changes a run's entry, then keeps or drops it and its wake accordingly.
    fn change(&mut self, run_id: &RunId, change: impl FnOnce(&mut Tracked)) {
        let tracked = self.runs.entry(run_id.clone()).or_default();
        change(tracked);
        if !tracked.is_wanted() {
            return self.forget(run_id);
        }
        let wake_at = tracked.wants_wake_at();
        let old = std::mem::replace(&mut tracked.wake_at, wake_at);
        if let Some(at) = old {
            self.wakes.remove(&(at, run_id.clone()));
        }
        self.wakes.extend(wake_at.map(|at| (at, run_id.clone())));
    }
}

#[cfg(test)]
mod tests;
