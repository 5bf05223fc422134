//! The run as an aggregate: commands are decided into events, events are folded into state, and the state says what
//! should be in motion.

mod command;
mod commit;
mod decide;
mod event;
mod evolve;
mod next;
mod object;
mod pause;
mod rejection;
mod request;
mod spec;
mod stakes;
mod state;
#[cfg(test)]
mod tests;

pub use command::{Command, Conclusion, GatewayCommand, SchedulerCommand, WorkerCommand};
pub use commit::{Commit, Writer};
pub use decide::{create, decide};
pub use event::{
    ActionChosen, Ending, Finished, HumanAsked, PageRef, RunEvent, StepFinished, StepOutcome, StepStarted, Usage,
};
pub use evolve::{CorruptHistory, evolve, fold};
pub use next::{Effect, next};
pub use object::{ObjectOptions, run_object, webhook_object};
pub use pause::{Pause, PauseKind, Proposal, Reply, ReplyFault};
pub use rejection::Rejection;
pub use request::{FieldFault, RunRequest, check_url};
pub use spec::{ApprovePolicy, Mode, RunSpec};
pub use stakes::{SentValue, Stakes};
pub use state::{ChosenAction, Grant, Phase, Run, Status, StepRecord, TerminalReason};
