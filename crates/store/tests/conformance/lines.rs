//! What a child process prints, line by line, with a deadline.

use std::io::{BufRead, BufReader, Read};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// Whole lines, read by a thread: the child never waits for its output to be read.
pub struct Lines(Receiver<String>);

impl Lines {
    pub fn of(output: impl Read + Send + 'static) -> Self {
        let (sender, receiver) = channel();
        thread::spawn(move || {
            let mut output = BufReader::new(output);
            let mut line = String::new();
            while output.read_line(&mut line).is_ok_and(|bytes| bytes > 0) {
                // A line cut short by the child's end is none; nobody may be listening any more.
                if let Some(whole) = line.strip_suffix('\n') {
                    let _ = sender.send(whole.to_owned());
                }
                line.clear();
            }
        });
        Self(receiver)
    }

    /// The next line; `None` when the child has closed its output.
    pub fn next_within(&self, deadline: Duration) -> Option<String> {
        match self.0.recv_timeout(deadline) {
            Ok(line) => Some(line),
            Err(RecvTimeoutError::Disconnected) => None,
            Err(RecvTimeoutError::Timeout) => panic!("no line within {deadline:?}"),
        }
    }
}
