//! The one way to print. What cannot be written is an error, never a panic; a reader that has seen enough (`| head -1`) is
//! none.

use serde_json::Value;
use std::io::{self, ErrorKind, Write};
use thiserror::Error;

/// Why something was not printed.
#[derive(Debug, Error)]
pub enum PrintError {
    /// Whoever read stdout has closed it: nothing more is wanted, and nothing failed.
    #[error("nobody reads stdout any more")]
    Closed,
    #[error("cannot write to stdout")]
    Failed(#[source] io::Error),
}

/// Writes text to stdout as it is, at once.
///
/// # Errors
/// When it cannot be written, or nobody reads it.
pub fn print(text: &str) -> Result<(), PrintError> {
    let mut stdout = io::stdout().lock();
    let written = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
    written.map_err(|error| match error.kind() {
        ErrorKind::BrokenPipe => PrintError::Closed,
        _ => PrintError::Failed(error),
    })
}

/// As [`print`], with the end of a line.
///
/// # Errors
/// As for [`print`].
pub fn print_line(line: &str) -> Result<(), PrintError> {
    print(&format!("{line}\n"))
}

/// As [`print_line`], for what is told once: it must not get lost because nobody reads.
///
/// # Errors
/// [`PrintError::Failed`] in every case.
pub fn print_once(line: &str) -> Result<(), PrintError> {
    print_line(line).map_err(|error| match error {
        PrintError::Closed => PrintError::Failed(ErrorKind::BrokenPipe.into()),
        PrintError::Failed(_) => error,
    })
}

/// Prints JSON for programs and people.
///
/// # Errors
/// As for [`print`].
pub fn print_json(value: &Value) -> Result<(), PrintError> {
    print_line(&format!("{value:#}"))
}

/// Leaves out that nobody reads: for what goes on all the same.
///
/// # Errors
/// When it cannot be written.
pub fn unless_closed(printed: Result<(), PrintError>) -> Result<(), PrintError> {
    match printed {
        Err(PrintError::Closed) => Ok(()),
        Ok(()) | Err(PrintError::Failed(_)) => printed,
    }
}

/// Tells a person something on stderr, as it is. There is no place left to say that it cannot be written.
pub fn tell(text: &str) {
    let mut stderr = io::stderr().lock();
    let _nowhere_to_say = stderr.write_all(text.as_bytes()).and_then(|()| stderr.flush());
}

/// As [`tell`], with the end of a line.
pub fn tell_line(line: &str) {
    tell(&format!("{line}\n"));
}
