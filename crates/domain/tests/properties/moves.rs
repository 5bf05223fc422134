//! Random commands. A move is turned into a command for the state it meets; some are turned a little wrong, so that late,
//! early and foreign commands are as frequent as fitting ones.

use errand_domain::action::{Action, ScrollDirection, Target};
use errand_domain::price::MicroUsd;
use errand_domain::run::{
    ActionChosen, Command, GatewayCommand, HumanAsked, PauseKind, Phase, Proposal, Reply, Run, SchedulerCommand,
    Stakes, StepFinished, StepOutcome, StepStarted, TerminalReason, Usage, WorkerCommand,
};
use errand_domain::{Timestamp, WorkerId};
use proptest::prelude::*;
use proptest::sample::select;

/// One writer's turn: which command, how wrong, and when.
#[derive(Debug, Clone)]
pub struct Move {
    pub kind: MoveKind,
    /// Added to the step, attempt and pause numbers that would fit.
    pub step_off: u32,
    pub attempt_off: u32,
    pub pause_off: u32,
    pub clock: Clock,
}

/// The clock of the writer whose turn it is.
#[derive(Debug, Clone, Copy)]
pub enum Clock {
    /// So much later than the last turn, in milliseconds.
    Later(u32),
    /// Behind what was written last.
    Behind(u32),
    /// Far before the run was created.
    Lost(i64),
}

#[derive(Debug, Clone)]
pub enum MoveKind {
    Start,
    Choose { committing: bool },
    Finish(StepOutcome),
    Ask { kind: PauseKind, about: Option<bool>, has_options: bool },
    Abandon,
    Conclude,
    Reply { reply: Reply, names_pause: bool },
    Stop,
    Delete,
    Lose,
    ExpireRun,
    ExpirePause,
    Settle,
}

/// A session of up to `count` moves; the frequent kinds are those that make a run go on.
pub fn moves(count: usize) -> impl Strategy<Value = Vec<Move>> {
    proptest::collection::vec(one_move(), 1..count)
}

fn one_move() -> impl Strategy<Value = Move> {
    let off = || prop_oneof![12 => Just(0_u32), 1 => Just(1), 1 => Just(u32::MAX)];
    let clock = prop_oneof![
        20 => (0_u32..8_000).prop_map(Clock::Later),
        2 => (0_u32..100_000).prop_map(Clock::Later),
        2 => (0_u32..10_000).prop_map(Clock::Behind),
        1 => select(vec![i64::MIN, -1, 0]).prop_map(Clock::Lost),
    ];
    (move_kind(), off(), off(), off(), clock).prop_map(|(kind, step_off, attempt_off, pause_off, clock)| Move {
        kind,
        step_off,
        attempt_off,
        pause_off,
        clock,
    })
}

fn move_kind() -> impl Strategy<Value = MoveKind> {
    let kind = select(vec![PauseKind::Question, PauseKind::Approval, PauseKind::Handoff]);
    let about = select(vec![None, Some(false), Some(true)]);
    prop_oneof![
        12 => Just(MoveKind::Start),
        8 => any::<bool>().prop_map(|committing| MoveKind::Choose { committing }),
        8 => outcome().prop_map(MoveKind::Finish),
        5 => (kind, about, any::<bool>())
            .prop_map(|(kind, about, has_options)| MoveKind::Ask { kind, about, has_options }),
        1 => Just(MoveKind::Abandon),
        3 => Just(MoveKind::Conclude),
        10 => (reply(), any::<bool>()).prop_map(|(reply, names_pause)| MoveKind::Reply { reply, names_pause }),
        1 => Just(MoveKind::Stop),
        1 => Just(MoveKind::Delete),
        4 => Just(MoveKind::Lose),
        3 => Just(MoveKind::ExpireRun),
        1 => Just(MoveKind::ExpirePause),
        2 => Just(MoveKind::Settle),
    ]
}

fn outcome() -> impl Strategy<Value = StepOutcome> {
    let fatal = StepOutcome::Fatal { reason: TerminalReason::BrowserError, error: "gone".to_owned() };
    prop_oneof![
        10 => Just(StepOutcome::Acted { result: "changed".to_owned() }),
        4 => Just(StepOutcome::NotActed { reason: "gone".to_owned() }),
        1 => Just(StepOutcome::GoalReached),
        1 => Just(StepOutcome::GaveUp { reason: "no way".to_owned() }),
        1 => Just(fatal),
    ]
}

fn reply() -> impl Strategy<Value = Reply> {
    select(vec![
        Reply::Answer { answer: "red".to_owned() },
        Reply::Answer { answer: "green".to_owned() },
        Reply::Approve,
        Reply::Refuse { note: None },
        Reply::Done,
    ])
}

impl Move {
    /// When the turn is, given the time of the last one.
    pub fn time(&self, last_turn: Timestamp) -> Timestamp {
        match self.clock {
            Clock::Later(ms) => last_turn.plus_ms(u64::from(ms)),
            Clock::Behind(ms) => Timestamp::from_millis(last_turn.as_millis().saturating_sub(i64::from(ms))),
            Clock::Lost(ms) => Timestamp::from_millis(ms),
        }
    }

    /// The command for the state it meets.
    pub fn command(&self, run: &Run) -> Command {
        let step = (run.steps + 1).wrapping_add(self.step_off);
        let attempt = attempt_of(run).wrapping_add(self.attempt_off);
        let next_pause = (run.pauses + 1).wrapping_add(self.pause_off);
        let current_pause = run.pauses.wrapping_add(self.pause_off);
        match &self.kind {
            MoveKind::Start => start(step, attempt),
            MoveKind::Choose { committing } => WorkerCommand::ChooseAction(chosen(step, attempt, *committing)).into(),
            MoveKind::Finish(outcome) => WorkerCommand::FinishStep(finished(step, attempt, outcome.clone())).into(),
            MoveKind::Ask { kind, about, has_options } => {
                let asked = HumanAsked { pause: next_pause, step, attempt, ..asked(*kind, *about, *has_options) };
                WorkerCommand::AskHuman(Box::new(asked)).into()
            }
            MoveKind::Abandon => WorkerCommand::AbandonStep { step, attempt, worker: worker() }.into(),
            MoveKind::Conclude => WorkerCommand::Conclude(Box::default()).into(),
            MoveKind::Reply { reply, names_pause } => {
                let pause = names_pause.then_some(current_pause);
                GatewayCommand::Reply { pause, reply: reply.clone() }.into()
            }
            MoveKind::Stop => GatewayCommand::Stop.into(),
            MoveKind::Delete => GatewayCommand::Delete.into(),
            MoveKind::Lose => SchedulerCommand::LoseWorker { step, attempt, worker: worker() }.into(),
            MoveKind::ExpireRun => SchedulerCommand::ExpireRun.into(),
            MoveKind::ExpirePause => SchedulerCommand::ExpirePause { pause: current_pause }.into(),
            MoveKind::Settle => SchedulerCommand::SettleCharge { charge: MicroUsd(6_000) }.into(),
        }
    }
}

/// A claim.
pub fn start(step: u32, attempt: u32) -> Command {
    WorkerCommand::StartStep(StepStarted { step, attempt, worker: worker() }).into()
}

fn attempt_of(run: &Run) -> u32 {
    match &run.phase {
        Phase::Ready { attempt, .. } | Phase::Stepping { attempt, .. } | Phase::Waiting { attempt, .. } => *attempt,
        Phase::Concluding { .. } | Phase::Finished { .. } | Phase::Deleted => 1,
    }
}

fn worker() -> WorkerId {
    WorkerId::parse("w1").unwrap()
}

/// The one committing action of these tests.
fn buy() -> Action {
    let text = |text: &str| text.to_owned();
    let target = Target { element: text("e1"), role: text("button"), name: text("Buy"), fingerprint: text("f1") };
    Action::Click { target }
}

fn chosen(step: u32, attempt: u32, committing: bool) -> ActionChosen {
    let action = if committing { buy() } else { Action::Scroll { direction: ScrollDirection::Down } };
    ActionChosen {
        step,
        attempt,
        action,
        committing,
        url: "https://example.com/".to_owned(),
        digest: "d1".to_owned(),
        pages: Vec::new(),
        usage: Usage { decision_calls: 1, llm_calls: 0 },
    }
}

fn finished(step: u32, attempt: u32, outcome: StepOutcome) -> StepFinished {
    StepFinished {
        step,
        attempt,
        outcome,
        url: None,
        pages: Vec::new(),
        screenshot: None,
        checkpoint: None,
        usage: Usage { decision_calls: 1, llm_calls: 1 },
    }
}

/// `about`: whether it proposes an action, and whether that is the one in doubt.
fn asked(kind: PauseKind, about: Option<bool>, has_options: bool) -> HumanAsked {
    let proposal = about.map(|in_doubt| Proposal {
        action: buy(),
        label: "Buy".to_owned(),
        url: "https://example.com/".to_owned(),
        digest: "d1".to_owned(),
        in_doubt,
        request: None,
    });
    HumanAsked {
        pause: 0,
        step: 0,
        attempt: 0,
        kind,
        prompt: "Well?".to_owned(),
        fields: Vec::new(),
        stakes: Stakes::default(),
        options: if has_options { vec!["red".to_owned(), "blue".to_owned()] } else { Vec::new() },
        proposal,
        url: None,
        pages: Vec::new(),
        screenshot: None,
        checkpoint: None,
        usage: Usage::default(),
    }
}
