//! Why a call is refused: one value with a public code, made from whatever went wrong inside.

use errand_domain::run::{FieldFault, Rejection, ReplyFault};
use errand_store::{BlobError, CommandError, KeyValueError, LoadError, LogError};
use std::fmt;

/// What kind of refusal it is; each edge has its own number for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultKind {
    Invalid,
    Unauthorized,
    NotFound,
    MethodNotAllowed,
    Conflict,
    Gone,
    TooLarge,
    WrongMediaType,
    SlowBody,
    /// The account has all it may have at once.
    TooMany,
    /// What the call asked another server for was not to be had.
    NoPage,
    /// The server cannot do it now; the same call may succeed later.
    Unavailable,
    Internal,
}

/// A refused call, as the client sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    pub kind: FaultKind,
    pub code: &'static str,
    pub message: String,
    /// The field or parameter at fault.
    pub param: Option<String>,
    /// When to try again, in seconds, if that is known.
    pub retry_after_s: Option<u64>,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Fault {}

impl Fault {
    pub fn new(kind: FaultKind, code: &'static str, message: impl Into<String>) -> Self {
        Self { kind, code, message: message.into(), param: None, retry_after_s: None }
    }

    /// A fault of one field; the message names it in double quotes.
    pub fn field(param: &str, message: impl Into<String>) -> Self {
        let fault = Self::new(FaultKind::Invalid, "invalid_request", message);
        Self { param: Some(param.to_owned()), ..fault }
    }

    /// A fault of the request as a whole.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(FaultKind::Invalid, "invalid_request", message)
    }

    pub fn run_not_found() -> Self {
        Self::new(FaultKind::NotFound, "run_not_found", "there is no such run")
    }

    pub fn run_deleted() -> Self {
        Self::new(FaultKind::Gone, "run_deleted", "the run was deleted")
    }

    pub fn unavailable() -> Self {
        Self::new(FaultKind::Unavailable, "unavailable", "the server cannot do this now; try again")
    }

    pub fn outcome_unknown() -> Self {
        let message = "the server does not know whether this was done; look at the run before trying again";
        Self::new(FaultKind::Unavailable, "outcome_unknown", message)
    }

    fn internal() -> Self {
        Self::new(FaultKind::Internal, "internal", "something went wrong in the server")
    }
}

impl From<FieldFault> for Fault {
    fn from(fault: FieldFault) -> Self {
        Self { param: fault.param, ..Self::invalid(fault.message) }
    }
}

impl From<ReplyFault> for Fault {
    fn from(fault: ReplyFault) -> Self {
        Self { param: fault.param, ..Self::invalid(fault.message) }
    }
}

impl From<Rejection> for Fault {
    fn from(rejection: Rejection) -> Self {
        let (kind, param) = match rejection {
            Rejection::OtherPause { .. } => (FaultKind::Conflict, Some("pause")),
            Rejection::ReplyDoesNotFit => (FaultKind::Invalid, None),
            Rejection::Deleted => return Self::run_deleted(),
            Rejection::NotWaiting
            | Rejection::Finished
            | Rejection::NotFinished
            | Rejection::NotSettled
            | Rejection::LostClaim
            | Rejection::NotConcluding
            | Rejection::AlreadySettled
            | Rejection::NotExpired => (FaultKind::Conflict, None),
        };
        Self { param: param.map(str::to_owned), ..Self::new(kind, rejection.code(), rejection.to_string()) }
    }
}

impl From<LoadError> for Fault {
    fn from(error: LoadError) -> Self {
        match error {
            LoadError::Deleted { .. } => Self::run_deleted(),
            LoadError::Log(error) => error.into(),
            LoadError::Decode { .. } | LoadError::History(_) | LoadError::Deliveries(_) => corrupt(&error),
        }
    }
}

impl From<LogError> for Fault {
    fn from(error: LogError) -> Self {
        match error {
            LogError::Unavailable { .. } | LogError::Interrupted { .. } => unreachable_store(&error),
            LogError::Corrupt { .. } | LogError::Unusable { .. } => corrupt(&error),
        }
    }
}

impl From<CommandError> for Fault {
    fn from(error: CommandError) -> Self {
        match error {
            CommandError::NotFound { .. } => Self::run_not_found(),
            CommandError::Rejected(rejection) => rejection.into(),
            CommandError::Load(error) => error.into(),
            CommandError::Append(errand_store::AppendError::TooLarge { .. }) => {
                Self::new(FaultKind::TooLarge, "too_large", "the request is too large to be stored")
            }
            CommandError::Append(_) | CommandError::Contended { .. } => unreachable_store(&error),
            CommandError::Unknown(_) => {
                unreachable_store(&error);
                Self::outcome_unknown()
            }
            CommandError::Exists { .. } | CommandError::DeliveryRejected(_) => corrupt(&error),
        }
    }
}

impl From<KeyValueError> for Fault {
    fn from(error: KeyValueError) -> Self {
        match error {
            KeyValueError::TooLarge { .. } => {
                Self::new(FaultKind::TooLarge, "too_large", "the request is too large to be stored")
            }
            KeyValueError::Conflict | KeyValueError::Unavailable { .. } => unreachable_store(&error),
            KeyValueError::Corrupt { .. } => corrupt(&error),
        }
    }
}

impl From<BlobError> for Fault {
    fn from(error: BlobError) -> Self {
        match error {
            BlobError::TooLarge { .. } | BlobError::Unavailable { .. } => unreachable_store(&error),
            BlobError::Corrupt { .. } => corrupt(&error),
        }
    }
}

fn unreachable_store(error: &(dyn std::error::Error + 'static)) -> Fault {
    tracing::warn!(error, "store did not serve a call");
    Fault::unavailable()
}

fn corrupt(error: &(dyn std::error::Error + 'static)) -> Fault {
    tracing::error!(error, "stored data does not make sense");
    Fault::internal()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_pause_number_is_a_conflict_that_names_pause() {
        let fault = Fault::from(Rejection::OtherPause { given: 1, current: 2 });
        assert_eq!((fault.kind, fault.code), (FaultKind::Conflict, "other_pause"));
        assert_eq!(fault.param.as_deref(), Some("pause"));
        assert_eq!(fault.message, "\"pause\" 1 is not the current pause, which is 2");
    }

    #[test]
    fn what_the_store_said_is_not_shown_to_clients() {
        let fault = Fault::from(LogError::Unavailable { reason: "10.0.0.7 refused".to_owned() });
        assert_eq!(fault, Fault::unavailable());
    }
}
