//! Why a command was refused. A rejection is a value with a public code, not a fault.

use thiserror::Error;

/// The command does not fit the run's state.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Rejection {
    #[error("the run is not waiting for a person")]
    NotWaiting,
    #[error("\"pause\" {given} is not the current pause, which is {current}")]
    OtherPause { given: u32, current: u32 },
    #[error("the reply does not fit the pause")]
    ReplyDoesNotFit,
    #[error("the run has finished")]
    Finished,
    #[error("the run has not finished")]
    NotFinished,
    #[error("the run's charge is not settled yet; try again in a few seconds")]
    NotSettled,
    #[error("the run was deleted")]
    Deleted,
    #[error("the step was claimed by another attempt")]
    LostClaim,
    #[error("the run is not concluding")]
    NotConcluding,
    #[error("the charge was settled before")]
    AlreadySettled,
    #[error("nothing has expired")]
    NotExpired,
}

impl Rejection {
    /// The code that clients see.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::NotWaiting => "not_waiting",
            Self::OtherPause { .. } => "other_pause",
            Self::ReplyDoesNotFit => "reply_does_not_fit",
            Self::Finished => "finished",
            Self::NotFinished => "not_finished",
            Self::NotSettled => "not_settled",
            Self::Deleted => "deleted",
            Self::LostClaim => "lost_claim",
            Self::NotConcluding => "not_concluding",
            Self::AlreadySettled => "already_settled",
            Self::NotExpired => "not_expired",
        }
    }
}
