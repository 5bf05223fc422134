//! Decides what to set in motion: compares the effects that each open run wants with what was already ordered. Pure; the
//! partition's loop carries the orders out.

use errand_domain::run::{self, Effect, Phase, Run, SchedulerCommand};
use errand_domain::{RunId, Timestamp, WorkerId};
use errand_store::jobs::{Beat, RunJob, Task};
use std::collections::{BTreeMap, BTreeSet};

use crate::config::SchedulerConfig;

/// Something for the shell to do.
#[derive(Debug, Clone, PartialEq)]
pub enum Order {
    /// Queue a job; for one worker when given, else for any.
    Dispatch { job: RunJob, route: Option<WorkerId> },
    /// Append a command's events.
    Execute { run_id: RunId, command: SchedulerCommand },
}

/// A run that is not settled yet, and what is in motion for it.
#[derive(Debug)]
struct Tracked {
    run: Run,
    /// When its job was last queued, and whether it was offered to one worker only.
    dispatched: Option<Timestamp>,
    /// The claim's last sign of life.
    last_progress: Timestamp,
    /// The claim is older than this plan, and nobody has shown that its worker lives.
    is_inherited: bool,
    wake_at: Option<Timestamp>,
}

/// The runs of one partition.
#[derive(Debug)]
pub struct Plan {
    config: SchedulerConfig,
    runs: BTreeMap<RunId, Tracked>,
    /// When the first run was observed.
    began: Option<Timestamp>,
    wakes: BTreeSet<(Timestamp, RunId)>,
}

impl Plan {
    #[must_use]
    pub fn new(config: SchedulerConfig) -> Self {
        Self { config, runs: BTreeMap::new(), began: None, wakes: BTreeSet::new() }
    }

    /// Takes a run's newest state. An older state than the known one changes nothing, so commits may come twice.
    pub fn observe(&mut self, run: Run, now: Timestamp) -> Vec<Order> {
        let run_id = run.id.clone();
        if self.runs.get(&run_id).is_some_and(|tracked| tracked.run.seq >= run.seq) {
            return Vec::new();
        }
        self.forget(&run_id);
        if run::next(&run).is_empty() {
            return Vec::new();
        }
        let began = *self.began.get_or_insert(now);
        let is_inherited = run.last_at < began;
        let tracked = Tracked { run, dispatched: None, last_progress: now, is_inherited, wake_at: None };
        self.runs.insert(run_id.clone(), tracked);
        self.advance(&run_id, now)
    }

    /// Takes a worker's sign of life; one for another claim says nothing.
    pub fn beat(&mut self, beat: &Beat, now: Timestamp) {
        let Some(tracked) = self.runs.get_mut(&beat.run_id) else { return };
        let Phase::Stepping { attempt, worker, .. } = &tracked.run.phase else { return };
        if *attempt == beat.attempt && *worker == beat.worker && tracked.run.steps + 1 == beat.step {
            tracked.last_progress = now;
            tracked.is_inherited = false;
        }
    }

    /// What is due at `now`.
    pub fn wake(&mut self, now: Timestamp) -> Vec<Order> {
        let due: Vec<RunId> =
            self.wakes.iter().take_while(|(at, _)| *at <= now).map(|(_, run_id)| run_id.clone()).collect();
        due.iter().flat_map(|run_id| self.advance(run_id, now)).collect()
    }

    /// When [`Self::wake`] has something to do next.
    #[must_use]
    pub fn wake_at(&self) -> Option<Timestamp> {
        self.wakes.first().map(|(at, _)| *at)
    }

    /// The runs that are not settled yet, for the snapshot.
    pub fn open_runs(&self) -> impl Iterator<Item = &RunId> {
        self.runs.keys()
    }

    /// How many runs are open.
    #[must_use]
    pub fn open_count(&self) -> usize {
        self.runs.len()
    }

    /// The state folded so far, to fold the next commit onto.
    #[must_use]
    pub fn state(&self, run_id: &RunId) -> Option<&Run> {
        self.runs.get(run_id).map(|tracked| &tracked.run)
    }

    /// Orders nothing for this run any more, until it is observed again.
    pub fn forget(&mut self, run_id: &RunId) {
        if let Some(tracked) = self.runs.remove(run_id)
            && let Some(at) = tracked.wake_at
        {
            self.wakes.remove(&(at, run_id.clone()));
        }
    }

    fn advance(&mut self, run_id: &RunId, now: Timestamp) -> Vec<Order> {
        let Some(tracked) = self.runs.get_mut(run_id) else { return Vec::new() };
        let mut orders = Vec::new();
        let mut wake_at: Option<Timestamp> = None;
        for effect in run::next(&tracked.run) {
            let at = advance_effect(&self.config, tracked, effect, now, &mut orders);
            wake_at = Some(wake_at.map_or(at, |earlier| earlier.min(at)));
        }
        if let Some(old) = tracked.wake_at {
            self.wakes.remove(&(old, run_id.clone()));
        }
        tracked.wake_at = wake_at;
        self.wakes.extend(wake_at.map(|at| (at, run_id.clone())));
        orders
    }
}

/// Orders what an effect needs now; gives the time to look at it again.
fn advance_effect(
    config: &SchedulerConfig,
    tracked: &mut Tracked,
    effect: Effect,
    now: Timestamp,
    orders: &mut Vec<Order>,
) -> Timestamp {
    // An ordered command that got lost is ordered again after so long; the log refuses a second one.
    let again = now.plus_ms(config.redispatch_ms);
    let run_id = tracked.run.id.clone();
    let mut expire = |at: Timestamp, command: SchedulerCommand| {
        if now < at {
            return at;
        }
        orders.push(Order::Execute { run_id: run_id.clone(), command });
        again
    };
    match effect {
        Effect::DispatchStep { step, attempt, expected_seq, route } => {
            let task = Task::Step { step, attempt };
            let job = RunJob { run_id, expected_seq, task };
            let route = route.filter(|worker| config.may_live(worker));
            dispatch(config.redispatch_ms, tracked, job, route, now, orders)
        }
        Effect::DispatchConclusion { expected_seq } => {
            let route = tracked.run.session_worker.clone().filter(|worker| config.may_live(worker));
            let job = RunJob { run_id, expected_seq, task: Task::Conclude };
            dispatch(config.reconclude_ms, tracked, job, route, now, orders)
        }
        Effect::Supervise { step, attempt, worker } => {
            let lost_at = tracked.last_progress.plus_ms(config.lease_ms_of(&worker, tracked.run.losses));
            expire(lost_at, SchedulerCommand::LoseWorker { step, attempt, worker })
        }
        // Between the claim's last event and this plan the server was down, and the clock may have been set: that is no
        // time of the run. Its worker is heard of, or lost, within one lease.
        Effect::ExpireRunAt { at } if tracked.is_inherited && is_stepping(&tracked.run) => {
            at.max(tracked.last_progress.plus_ms(config.claim_lease_ms))
        }
        Effect::ExpireRunAt { at } => expire(at, SchedulerCommand::ExpireRun),
        Effect::ExpirePauseAt { pause, at } => expire(at, SchedulerCommand::ExpirePause { pause }),
        Effect::SettleAt { at } => {
            let run = &tracked.run;
            let charge = config.prices.charge(run.spec.mode, run.charged_steps(), run.run_ms);
            expire(at, SchedulerCommand::SettleCharge { charge })
        }
    }
}

fn is_stepping(run: &Run) -> bool {
    matches!(run.phase, Phase::Stepping { .. })
}

/// First to the worker that holds the session, then, when nobody claimed it, to everybody.
fn dispatch(
    again_after_ms: u64,
    tracked: &mut Tracked,
    job: RunJob,
    route: Option<WorkerId>,
    now: Timestamp,
    orders: &mut Vec<Order>,
) -> Timestamp {
    let again_at = tracked.dispatched.map(|at| at.plus_ms(again_after_ms));
    if let Some(again_at) = again_at.filter(|again_at| now < *again_at) {
        return again_at;
    }
    let route = route.filter(|_| tracked.dispatched.is_none());
    tracked.dispatched = Some(now);
    orders.push(Order::Dispatch { job, route });
    now.plus_ms(again_after_ms)
}

#[cfg(test)]
mod tests;
