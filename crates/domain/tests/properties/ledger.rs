//! A second, plainer account of a run, kept from its events alone and with no code of the aggregate: the folded state is
//! compared with it.

use errand_domain::Timestamp;
use errand_domain::limits;
use errand_domain::run::{Commit, Run, RunEvent, StepOutcome, Usage};
use std::collections::BTreeSet;

/// What the events so far say.
#[derive(Debug, Default)]
pub struct Ledger {
    seq: u64,
    at: Option<Timestamp>,
    steps: u32,
    /// Every step and attempt that was ever claimed.
    claims: BTreeSet<(u32, u32)>,
    open_claim: Option<Claim>,
    open_pause: Option<Pause>,
    pauses: u32,
    run_ms: u64,
    usage: Usage,
    /// A committing action was begun and nothing has said what came of it.
    is_in_doubt: bool,
    is_concluding: bool,
    finished: u32,
    settled: u32,
    deleted: u32,
}

#[derive(Debug)]
struct Claim {
    step: u32,
    attempt: u32,
    since: Timestamp,
    /// The recorded action, and whether it commits something.
    chosen: Option<bool>,
}

#[derive(Debug)]
struct Pause {
    number: u32,
    is_about_doubt: bool,
}

impl Ledger {
    /// Enters a commit; panics when it breaks a rule of the log.
    pub fn enter(&mut self, commit: &Commit<RunEvent>) {
        assert_eq!(commit.seq, self.seq + 1, "commits are dense");
        assert!(self.at.is_none_or(|at| at <= commit.at), "time does not run backwards in the log");
        assert!(!commit.events.is_empty(), "a decision has events");
        self.seq = commit.seq;
        let last_at = self.at.replace(commit.at);
        for event in &commit.events {
            // What came after a lost claim's last event was no work.
            let is_loss = matches!(event, RunEvent::WorkerLost { .. });
            let at = last_at.filter(|_| is_loss).unwrap_or(commit.at);
            self.enter_event(event, at);
        }
    }

    fn enter_event(&mut self, event: &RunEvent, at: Timestamp) {
        if self.finished > 0 {
            let may_follow = matches!(event, RunEvent::ChargeSettled { .. } | RunEvent::Deleted);
            assert!(may_follow && self.deleted == 0, "{event:?} after the end");
        }
        match event {
            RunEvent::Created { .. } => assert_eq!(self.seq, 1, "created once"),
            RunEvent::StepStarted(started) => self.open_claim(started.step, started.attempt, at),
            RunEvent::ActionChosen(chosen) => {
                self.usage = self.usage.plus(chosen.usage);
                let claim = self.open_claim.as_mut().expect("an action is chosen under a claim");
                assert_eq!((claim.step, claim.attempt), (chosen.step, chosen.attempt));
                assert_eq!(claim.chosen.replace(chosen.committing), None, "one action a claim");
            }
            RunEvent::StepFinished(finished) => {
                self.usage = self.usage.plus(finished.usage);
                assert_eq!(finished.step, self.steps + 1, "step numbers rise by one");
                self.steps = finished.step;
                let claim = self.close_claim(at).expect("a step is finished under a claim");
                assert_eq!((claim.step, claim.attempt), (finished.step, finished.attempt));
                self.is_in_doubt &= matches!(finished.outcome, StepOutcome::NotActed { .. });
            }
            RunEvent::HumanAsked(asked) => {
                self.usage = self.usage.plus(asked.usage);
                assert_eq!(asked.pause, self.pauses + 1, "pause numbers rise by one");
                self.pauses = asked.pause;
                let claim = self.close_claim(at).expect("a person is asked under a claim");
                self.is_in_doubt |= claim.chosen == Some(true);
                let is_about_doubt = asked.proposal.as_ref().is_some_and(|proposal| proposal.in_doubt);
                self.open_pause = Some(Pause { number: asked.pause, is_about_doubt });
            }
            RunEvent::HumanReplied { pause, .. } => {
                let open = self.open_pause.take().expect("a reply ends an open pause");
                assert_eq!(open.number, *pause);
                self.is_in_doubt &= !open.is_about_doubt;
            }
            RunEvent::WorkerLost { step, attempt, .. } => {
                let claim = self.close_claim(at).expect("a lost worker had a claim");
                assert_eq!((claim.step, claim.attempt), (*step, *attempt));
                self.is_in_doubt |= claim.chosen == Some(true);
            }
            RunEvent::StopRequested => {}
            RunEvent::ConclusionStarted(_) => {
                assert!(!self.is_concluding, "concluded once");
                self.end(at);
                self.is_concluding = true;
            }
            RunEvent::Finished(finished) => {
                self.usage = self.usage.plus(finished.usage);
                assert_eq!(finished.status, finished.reason.status());
                self.end(at);
                self.finished += 1;
            }
            RunEvent::ChargeSettled { .. } => self.settled += 1,
            RunEvent::Deleted => self.deleted += 1,
        }
    }

    fn open_claim(&mut self, step: u32, attempt: u32, at: Timestamp) {
        assert!(self.open_claim.is_none(), "one live claim");
        assert!(self.open_pause.is_none() && !self.is_concluding, "no claim while waiting or concluding");
        assert_eq!(step, self.steps + 1, "the claimed step is the next");
        assert!(self.claims.insert((step, attempt)), "{step}.{attempt} is claimed once");
        self.open_claim = Some(Claim { step, attempt, since: at, chosen: None });
    }

    fn close_claim(&mut self, at: Timestamp) -> Option<Claim> {
        let claim = self.open_claim.take()?;
        self.run_ms = self.run_ms.saturating_add(at.ms_since(claim.since));
        Some(claim)
    }

    fn end(&mut self, at: Timestamp) {
        self.close_claim(at);
        self.open_pause = None;
    }

    /// Panics where the folded state tells something else.
    pub fn compare(&self, run: &Run) {
        assert_eq!(run.seq, self.seq);
        assert_eq!(Some(run.last_at), self.at);
        assert_eq!(run.steps, self.steps);
        assert!(run.steps <= run.spec.max_steps, "the step limit holds");
        assert!(run.losses <= limits::LOSSES_PER_STEP_MAX, "losses are bounded");
        assert_eq!(run.pauses, self.pauses);
        assert_eq!(run.run_ms, self.run_ms, "run time is the time under claims");
        assert_eq!(run.usage, self.usage);
        assert_eq!(run.pause().map(|pause| pause.number), self.open_pause.as_ref().map(|pause| pause.number));
        assert_eq!(run.status().is_final(), self.finished > 0);
        assert_eq!(run.charge.is_some(), self.settled > 0);
        assert_eq!(run.is_deleted(), self.deleted > 0);
        assert!(self.finished <= 1 && self.settled <= 1 && self.deleted <= 1, "{self:?}");
        if self.finished == 0 && !self.is_concluding {
            let begun = self.open_claim.as_ref().is_some_and(|claim| claim.chosen == Some(true));
            assert_eq!(
                run.unresolved_action().is_some(),
                self.is_in_doubt || begun,
                "a doubt is carried until settled"
            );
        }
    }
}
