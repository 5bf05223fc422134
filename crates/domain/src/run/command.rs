//! What may be asked of a run, by whom. Each kind of writer has an enum of its own, so that a writer of another kind is
//! refused by type.

use serde_json::Value;
use std::collections::BTreeMap;

use super::commit::Writer;
use super::event::{ActionChosen, HumanAsked, StepFinished, StepStarted, Usage};
use super::pause::Reply;
use crate::ground::Source;
use crate::ids::{BlobKey, WorkerId};
use crate::price::MicroUsd;

/// From clients, through the gateway. Creation is [`super::create`].
#[derive(Debug, Clone, PartialEq)]
pub enum GatewayCommand {
    /// Ends the current pause; with a number, only that pause.
    Reply {
        pause: Option<u32>,
        reply: Reply,
    },
    Stop,
    Delete,
}

/// From the worker that holds, or asks for, the claim.
#[derive(Debug, Clone, PartialEq)]
pub enum WorkerCommand {
    StartStep(StepStarted),
    ChooseAction(ActionChosen),
    FinishStep(StepFinished),
    AskHuman(Box<HumanAsked>),
    /// The worker gives its own claim up: its browser died, or it is shutting down.
    AbandonStep {
        step: u32,
        attempt: u32,
        worker: WorkerId,
    },
    Conclude(Box<Conclusion>),
}

/// The written answer and data of an ending run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Conclusion {
    pub answer: Option<String>,
    pub data: Option<Value>,
    pub data_blob: Option<BlobKey>,
    pub data_error: Option<String>,
    pub sources: BTreeMap<String, Source>,
    pub profile_saved: Option<String>,
    pub usage: Usage,
}

/// From the partition's scheduler.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SchedulerCommand {
    /// The claim shows no progress.
    LoseWorker {
        step: u32,
        attempt: u32,
        worker: WorkerId,
    },
    /// Run time, or the time to conclude, is over.
    ExpireRun,
    ExpirePause {
        pause: u32,
    },
    SettleCharge {
        charge: MicroUsd,
    },
}

/// A command of any writer.
#[derive(Debug, Clone, PartialEq)]
pub enum Command {
    Gateway(GatewayCommand),
    Worker(WorkerCommand),
    Scheduler(SchedulerCommand),
}

impl Command {
    /// Whose command it is.
    #[must_use]
    pub fn writer(&self) -> Writer {
        match self {
            Self::Gateway(_) => Writer::Gateway,
            Self::Worker(_) => Writer::Worker,
            Self::Scheduler(_) => Writer::Scheduler,
        }
    }
}

impl From<GatewayCommand> for Command {
    fn from(command: GatewayCommand) -> Self {
        Self::Gateway(command)
    }
}

impl From<WorkerCommand> for Command {
    fn from(command: WorkerCommand) -> Self {
        Self::Worker(command)
    }
}

impl From<SchedulerCommand> for Command {
    fn from(command: SchedulerCommand) -> Self {
        Self::Scheduler(command)
    }
}
