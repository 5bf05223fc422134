//! Where a stream over all partitions resumes: opaque to clients, a position per partition inside.

use errand_domain::Timestamp;
use errand_store::Position;
use std::fmt::Write;

use crate::fault::Fault;

/// How far one partition was sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Reached {
    /// All records up to here were sent; `None`: those before the cursor's time.
    pub position: Option<Position>,
    /// So many events of the next record were sent too.
    pub events: usize,
}

/// Written as `e1.<time>.<partition>.<partition>…` in hex.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Cursor {
    /// When the stream first began.
    pub since: Timestamp,
    pub partitions: Vec<Reached>,
}

const FORM: &str = "e1";
const NONE: &str = "x";

impl Cursor {
    /// # Errors
    /// When a client's text is not a cursor of a store with so many partitions.
    pub(super) fn parse(text: &str, partitions: u32) -> Result<Self, Fault> {
        let cursor = Self::read(text).filter(|cursor| cursor.partitions.len() == partitions as usize);
        cursor
            .ok_or_else(|| Fault::field("Last-Event-ID", "\"Last-Event-ID\" must be the id of an event of this stream"))
    }

    fn read(text: &str) -> Option<Self> {
        let mut parts = text.split('.');
        if parts.next() != Some(FORM) {
            return None;
        }
        let since = Timestamp::from_millis(i64::from_str_radix(parts.next()?, 16).ok()?);
        let partitions: Option<Vec<Reached>> = parts.map(Reached::read).collect();
        Some(Self { since, partitions: partitions? })
    }

    pub(super) fn write(&self) -> String {
        let mut text = format!("{FORM}.{:x}", self.since.as_millis());
        for reached in &self.partitions {
            text.push('.');
            reached.write(&mut text);
        }
        text
    }
}

impl Reached {
    fn read(text: &str) -> Option<Self> {
        let (position, events) = text.split_once('-').unwrap_or((text, "0"));
        let position = match position {
            NONE => None,
            digits => Some(Position(u64::from_str_radix(digits, 16).ok()?)),
        };
        Some(Self { position, events: usize::from_str_radix(events, 16).ok()? })
    }

    fn write(self, text: &mut String) {
        // Writing to a string cannot fail.
        let _ = match self.position {
            None => write!(text, "{NONE}"),
            Some(Position(position)) => write!(text, "{position:x}"),
        };
        if self.events > 0 {
            let _ = write!(text, "-{:x}", self.events);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_reads_back() {
        let reached = |position: Option<u64>, events| Reached { position: position.map(Position), events };
        let cursor = Cursor {
            since: Timestamp::from_millis(1_791_711_621_005),
            partitions: vec![reached(None, 0), reached(Some(255), 0), reached(Some(16), 2)],
        };
        assert_eq!(cursor.write(), "e1.1a12a55af8d.x.ff.10-2");
        assert_eq!(Cursor::parse(&cursor.write(), 3).unwrap(), cursor);
    }

    #[test]
    fn what_is_no_cursor_of_this_store_is_refused() {
        for text in ["", "3.0", "e1", "e1.0.x.x.x", "e1.0.x", "e1.0.x.zz", "e2.0.x.x"] {
            assert!(Cursor::parse(text, 2).is_err(), "{text}");
        }
    }
}
