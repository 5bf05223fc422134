//! What a worker and a scheduler append, for tests to drive runs with.

use errand_domain::price::MicroUsd;
use errand_domain::run::{
    Conclusion, HumanAsked, PauseKind, Run, SchedulerCommand, Stakes, StepFinished, StepOutcome, StepStarted, Usage,
    WorkerCommand,
};
use errand_domain::{BlobKey, RunId, WorkerId};
use serde_json::Value;

use crate::harness::Harness;

fn worker() -> WorkerId {
    WorkerId::parse("w1").unwrap()
}

const USAGE: Usage = Usage { decision_calls: 1, llm_calls: 0 };

impl Harness {
    async fn as_worker(&self, run_id: &RunId, command: WorkerCommand) -> Run {
        self.runs.execute(run_id, command).await.unwrap().state
    }

    async fn attempt(&self, run_id: &RunId) -> (u32, u32) {
        let run = self.runs.load(run_id).await.unwrap().unwrap().state;
        match run.phase {
            errand_domain::run::Phase::Ready { attempt, .. } | errand_domain::run::Phase::Stepping { attempt, .. } => {
                (run.steps + 1, attempt)
            }
            other => panic!("the run is {other:?}"),
        }
    }

    pub async fn start_step(&self, run_id: &RunId) {
        let (step, attempt) = self.attempt(run_id).await;
        self.as_worker(run_id, WorkerCommand::StartStep(StepStarted { step, attempt, worker: worker() })).await;
    }

    pub async fn finish_step(&self, run_id: &RunId, outcome: StepOutcome, screenshot: Option<&str>) {
        let (step, attempt) = self.attempt(run_id).await;
        let finished = StepFinished {
            step,
            attempt,
            outcome,
            url: Some("https://example.com/cars".to_owned()),
            pages: vec![],
            screenshot: screenshot.map(|key| BlobKey::parse(key).unwrap()),
            checkpoint: None,
            usage: USAGE,
        };
        self.as_worker(run_id, WorkerCommand::FinishStep(finished)).await;
    }

    pub async fn ask(&self, run_id: &RunId, kind: PauseKind, options: &[&str]) {
        self.start_step(run_id).await;
        let (step, attempt) = self.attempt(run_id).await;
        let pause = self.runs.load(run_id).await.unwrap().unwrap().state.pauses + 1;
        let asked = HumanAsked {
            pause,
            step,
            attempt,
            kind,
            prompt: "Which colour?".to_owned(),
            fields: vec![],
            stakes: Stakes::default(),
            options: options.iter().map(|option| (*option).to_owned()).collect(),
            proposal: None,
            url: None,
            pages: vec![],
            screenshot: None,
            checkpoint: None,
            usage: USAGE,
        };
        self.as_worker(run_id, WorkerCommand::AskHuman(Box::new(asked))).await;
    }

    /// One step that reaches the goal, and the conclusion.
    pub async fn succeed(&self, run_id: &RunId, data: Option<Value>) {
        self.start_step(run_id).await;
        self.finish_step(run_id, StepOutcome::GoalReached, None).await;
        let conclusion = Conclusion { answer: Some("Three trims.".to_owned()), data, ..Conclusion::default() };
        self.as_worker(run_id, WorkerCommand::Conclude(Box::new(conclusion))).await;
    }

    pub async fn settle(&self, run_id: &RunId) {
        let command = SchedulerCommand::SettleCharge { charge: MicroUsd(6_000) };
        self.runs.execute(run_id, command).await.unwrap();
    }
}
