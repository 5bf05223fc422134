//! Scenarios of the run aggregate: given a history, when a command comes, then these events, this state, this rejection.

mod endings;
mod history;
mod life;
mod losses;
mod object;
mod pauses;

use super::*;
use crate::action::{Action, Target};
use crate::ids::{AccountId, BlobKey, CommitId, RunId, WorkerId};
use crate::price::PriceTable;
use crate::time::Timestamp;
use std::collections::BTreeMap;

const STARTED_AT: Timestamp = Timestamp::from_millis(1_791_711_621_000);

/// A run and the log that made it, driven by commands as the services give them.
#[derive(Debug, Clone)]
struct Scenario {
    run: Run,
    log: Vec<Commit<RunEvent>>,
    now: Timestamp,
}

impl Scenario {
    fn created() -> Self {
        Self::created_with(|_| {})
    }

    fn created_with(change: impl FnOnce(&mut RunSpec)) -> Self {
        let mut spec = spec();
        change(&mut spec);
        let commit = Commit {
            id: CommitId(1),
            run_id: RunId::new(STARTED_AT, 7),
            seq: 1,
            prev: None,
            at: STARTED_AT,
            writer: Writer::Gateway,
            events: create(spec, &PriceTable::default()),
        };
        let run = evolve(None, &commit).unwrap();
        Self { run, log: vec![commit], now: STARTED_AT }
    }

    /// Time passes, in milliseconds.
    fn after(mut self, ms: u64) -> Self {
        self.now = self.now.plus_ms(ms);
        self
    }

    /// The command is accepted and its events are stored.
    fn when(mut self, command: impl Into<Command>) -> Self {
        let command = command.into();
        let writer = command.writer();
        let events = decide(&self.run, command, self.now).unwrap();
        let seq = self.run.seq + 1;
        let commit = Commit {
            id: CommitId(u128::from(seq)),
            run_id: self.run.id.clone(),
            seq,
            prev: Some(self.run.last_commit),
            at: self.now.max(self.run.last_at),
            writer,
            events,
        };
        self.run = evolve(Some(self.run), &commit).unwrap();
        self.log.push(commit);
        self
    }

    /// The command is refused.
    fn refusal(&self, command: impl Into<Command>) -> Rejection {
        decide(&self.run, command.into(), self.now).unwrap_err()
    }

    fn step(&self) -> u32 {
        self.run.steps + 1
    }

    /// The attempt that may claim, or holds the claim.
    fn attempt(&self) -> u32 {
        match &self.run.phase {
            Phase::Ready { attempt, .. } | Phase::Stepping { attempt, .. } | Phase::Waiting { attempt, .. } => *attempt,
            Phase::Concluding { .. } | Phase::Finished { .. } | Phase::Deleted => panic!("no attempt: {:?}", self.run),
        }
    }

    fn start(self) -> Self {
        self.start_on("w1")
    }

    fn start_on(self, worker_name: &str) -> Self {
        let command = start_command(self.step(), self.attempt(), worker_name);
        self.when(command)
    }

    fn choose(self, action: Action, committing: bool) -> Self {
        let command = choose_command(self.step(), self.attempt(), action, committing);
        self.when(command)
    }

    fn finish(self, outcome: StepOutcome) -> Self {
        let command = finish_command(self.step(), self.attempt(), outcome);
        self.when(command)
    }

    /// A whole step that scrolls.
    fn take_step(self) -> Self {
        self.start().choose(scroll(), false).finish(acted())
    }

    fn ask(self, kind: PauseKind) -> Self {
        self.ask_with(|asked| asked.kind = kind)
    }

    /// Asks to approve an action.
    fn ask_approval(self, action: Action, in_doubt: bool) -> Self {
        self.ask_with(|asked| {
            asked.kind = PauseKind::Approval;
            asked.proposal = Some(proposal(action, in_doubt));
        })
    }

    fn ask_with(self, change: impl FnOnce(&mut HumanAsked)) -> Self {
        let mut asked = asked(self.run.pauses + 1, self.step(), self.attempt());
        change(&mut asked);
        self.when(WorkerCommand::AskHuman(Box::new(asked)))
    }

    fn reply(self, reply: Reply) -> Self {
        self.when(GatewayCommand::Reply { pause: None, reply })
    }

    fn lose(self) -> Self {
        let command = lose_command(self.step(), self.attempt());
        self.when(command)
    }

    fn conclude(self) -> Self {
        self.when(WorkerCommand::Conclude(Box::default()))
    }

    /// A run that reached its goal in one step.
    fn succeeded() -> Self {
        Self::created().start().finish(StepOutcome::GoalReached).conclude()
    }

    fn last_events(&self) -> Vec<&'static str> {
        self.log.last().unwrap().events.iter().map(RunEvent::name).collect()
    }

    /// How the run is ending or has ended.
    fn ending(&self) -> (TerminalReason, Option<String>) {
        match (&self.run.phase, &self.run.outcome) {
            (Phase::Concluding { ending, .. }, _) => (ending.reason, ending.error.clone()),
            (_, Some(outcome)) => (outcome.reason, outcome.error.clone()),
            (_, None) => panic!("not ending: {:?}", self.run.phase),
        }
    }

    fn grant(&self) -> Option<&Grant> {
        match &self.run.phase {
            Phase::Ready { grant, .. } | Phase::Stepping { grant, .. } => grant.as_ref(),
            Phase::Waiting { .. } | Phase::Concluding { .. } | Phase::Finished { .. } | Phase::Deleted => None,
        }
    }
}

fn spec() -> RunSpec {
    RunSpec {
        account: AccountId::parse("default").unwrap(),
        goal: "Find the cheapest lamp".to_owned(),
        start_url: "https://shop.example.com/".to_owned(),
        output_schema: None,
        output_format: None,
        webhook: None,
        secrets: Vec::new(),
        approve: ApprovePolicy::Risky,
        mode: Mode::Fast,
        model: None,
        max_steps: 50,
        timeout_s: 600,
        human_timeout_s: 3_600,
        profile: None,
        save_profile: false,
        allowed_hosts: None,
        metadata: BTreeMap::new(),
        master_key_id: "k1".to_owned(),
    }
}

fn worker(name: &str) -> WorkerId {
    WorkerId::parse(name).unwrap()
}

fn blob(name: &str) -> BlobKey {
    BlobKey::parse(name).unwrap()
}

fn usage(decision_calls: u32, llm_calls: u32) -> Usage {
    Usage { decision_calls, llm_calls }
}

fn page(number: u32) -> PageRef {
    let url = format!("https://shop.example.com/{number}");
    PageRef { url, title: format!("Page {number}"), blob: blob(&format!("page-{number}")) }
}

fn scroll() -> Action {
    Action::Scroll { direction: crate::action::ScrollDirection::Down }
}

fn buy() -> Action {
    let target = Target {
        element: "e4".to_owned(),
        role: "button".to_owned(),
        name: "Buy".to_owned(),
        fingerprint: "button#buy".to_owned(),
    };
    Action::Click { target }
}

fn acted() -> StepOutcome {
    StepOutcome::Acted { result: "the page changed".to_owned() }
}

fn not_acted() -> StepOutcome {
    StepOutcome::NotActed { reason: "the element is gone".to_owned() }
}

fn gave_up() -> StepOutcome {
    StepOutcome::GaveUp { reason: "no such lamp".to_owned() }
}

fn proposal(action: Action, in_doubt: bool) -> Proposal {
    Proposal {
        action,
        label: "Buy".to_owned(),
        url: "https://shop.example.com/cart".to_owned(),
        digest: "d1".to_owned(),
        in_doubt,
        request: None,
    }
}

fn asked(pause: u32, step: u32, attempt: u32) -> HumanAsked {
    HumanAsked {
        pause,
        step,
        attempt,
        kind: PauseKind::Question,
        prompt: "Which colour?".to_owned(),
        fields: Vec::new(),
        stakes: Stakes::default(),
        options: Vec::new(),
        proposal: None,
        url: None,
        pages: Vec::new(),
        screenshot: None,
        checkpoint: None,
        usage: Usage::default(),
    }
}

fn start_command(step: u32, attempt: u32, worker_name: &str) -> WorkerCommand {
    WorkerCommand::StartStep(StepStarted { step, attempt, worker: worker(worker_name) })
}

fn choose_command(step: u32, attempt: u32, action: Action, committing: bool) -> WorkerCommand {
    WorkerCommand::ChooseAction(ActionChosen {
        step,
        attempt,
        action,
        committing,
        url: "https://shop.example.com/cart".to_owned(),
        digest: "d1".to_owned(),
        pages: Vec::new(),
        usage: Usage::default(),
    })
}

fn finish_command(step: u32, attempt: u32, outcome: StepOutcome) -> WorkerCommand {
    WorkerCommand::FinishStep(step_finished(step, attempt, outcome))
}

fn step_finished(step: u32, attempt: u32, outcome: StepOutcome) -> StepFinished {
    StepFinished {
        step,
        attempt,
        outcome,
        url: None,
        pages: Vec::new(),
        screenshot: None,
        checkpoint: None,
        usage: Usage::default(),
    }
}

fn lose_command(step: u32, attempt: u32) -> SchedulerCommand {
    SchedulerCommand::LoseWorker { step, attempt, worker: worker("w1") }
}

fn answer(text: &str) -> Reply {
    Reply::Answer { answer: text.to_owned() }
}

fn refuse() -> Reply {
    Reply::Refuse { note: Some("too dear".to_owned()) }
}
