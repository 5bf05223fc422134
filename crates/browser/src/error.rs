//! What can go wrong between us and the browser, for every operation that has no failure of its own.

use crate::connection::CallError;
use thiserror::Error;

/// The browser, or this page of it, did not do what it was told.
#[derive(Debug, Error)]
pub enum BrowserError {
    /// The page's process died; the session's other pages live on, a new session is the remedy.
    #[error("the page crashed")]
    Crashed,
    /// The browser process is gone, or the session is closed.
    #[error("the browser is gone")]
    Gone,
    /// The window or frame was closed; the session's other windows live on.
    #[error("the window or frame was closed")]
    Closed,
    /// A script of the page ran without end and was ended, with what was asked of the page at that time: how far it came
    /// only a look tells.
    #[error("a script of the page ran without end and was ended")]
    ScriptEnded,
    /// No answer in time: the page or the browser hangs.
    #[error("the browser did not answer {method} in time")]
    Timeout { method: &'static str },
    /// The browser, or the machine it runs on, had nothing left to open the page with: another try may go well.
    #[error("the browser could not open the page: {reason}")]
    Exhausted { reason: String },
    /// The browser refused a command.
    #[error("the browser refused {method}: {message}")]
    Refused { method: &'static str, message: String },
    /// An answer, or our script's result, was not what it should be.
    #[error("the browser's answer to {method} is malformed")]
    Malformed {
        method: &'static str,
        #[source]
        source: serde_json::Error,
    },
    /// Our own script failed on this page.
    #[error("the page script failed: {message}")]
    Script { message: String },
    /// The screenshot was larger than the limit, in bytes.
    #[error("the screenshot is over the limit with {bytes} bytes")]
    ScreenshotTooLarge { bytes: usize },
    /// A frame may show a secret, and the page's own style keeps it from being covered: there is no picture.
    #[error("the screenshot is withheld: a frame with secret fields cannot be covered")]
    ScreenshotWithheld,
}

impl From<CallError> for BrowserError {
    fn from(error: CallError) -> Self {
        match error {
            CallError::Crashed => Self::Crashed,
            CallError::Gone => Self::Gone,
            CallError::TargetGone => Self::Closed,
            CallError::Timeout { method } => Self::Timeout { method },
            CallError::Refused { method, message } => Self::Refused { method, message },
            CallError::Malformed { method, source } => Self::Malformed { method, source },
        }
    }
}
