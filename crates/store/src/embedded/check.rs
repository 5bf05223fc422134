//! Whether a store has everything that it acknowledged. A copy of the database is opened and gone through, so that the
//! original is as it was when it is refused.

use errand_domain::RunId;
use sled::Tree;
use std::collections::BTreeSet;
use std::fmt;
use std::fs;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use super::EmbeddedError;
use super::folder::{Folder, copy_dir, file_error, remove_dir};
use super::layout::{self, Place};
use super::ledger::{LEDGER_KEY, Ledger};
use super::mark::{self, Mark};
use super::pieces::{self, Pieces};
use super::run_keys;
use super::tables::{is_sealed, read_ledger};
use crate::limits::SLED_CACHE_BYTES;
use crate::log::Position;
use crate::sabotage::Sabotage;

/// What a store lacks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Damage {
    /// Parts of a store are there, and the file that says what it was made with is not.
    NoParameters,
    /// The mark beside the database is missing, or neither of its slots is whole.
    NoMark,
    NoDatabase {
        acknowledged: u64,
    },
    /// sled cannot open it.
    Unreadable {
        reason: String,
    },
    /// The log ends before what was acknowledged.
    Shorter {
        acknowledged: u64,
        found: u64,
        /// Partition, acknowledged position and the one that was found, for each that is shorter.
        partitions: Vec<(u32, Position, Position)>,
    },
    /// Records that are there and not whole.
    BadRecords {
        first: String,
        count: u64,
    },
    /// Records that should be between the others are not there, or are there and should not.
    Holes {
        expected: u64,
        found: u64,
    },
    /// Keys of runs that are missing or cannot be read.
    RunKeys {
        bad_slots: u64,
        missing: Vec<RunId>,
    },
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoParameters => f.write_str("store.json is missing beside a store's files"),
            Self::NoMark => f.write_str("the file mark, which says how far the log goes, is missing or unreadable"),
            Self::NoDatabase { acknowledged } => {
                write!(f, "log/db is missing, and {acknowledged} changes were acknowledged")
            }
            Self::Unreadable { reason } => write!(f, "the database in log cannot be opened: {reason}"),
            Self::Shorter { acknowledged, found, partitions } => {
                write!(f, "the log ends at change {found}, and {acknowledged} were acknowledged")?;
                for (partition, acknowledged, found) in partitions {
                    write!(f, "; partition {partition} ends at position {found} of {acknowledged}")?;
                }
                Ok(())
            }
            Self::BadRecords { first, count } => write!(f, "{count} record(s) are damaged, the first is {first}"),
            Self::Holes { expected, found } => {
                write!(f, "the log holds {found} pieces, and by its own ledger there are {expected}, or others")
            }
            Self::RunKeys { bad_slots, missing } => {
                write!(f, "run.keys: {bad_slots} key(s) cannot be read, {} missing", missing.len())?;
                missing.first().map_or(Ok(()), |run_id| write!(f, " (the first is that of run {run_id})"))
            }
        }
    }
}

/// What going through a database found.
#[derive(Debug, Default)]
pub(super) struct Contents {
    pub(super) ledger: Ledger,
    pub(super) counted: Ledger,
    pub(super) bad: u64,
    pub(super) first_bad: Option<String>,
    /// The last position found in each partition.
    pub(super) positions: Vec<Position>,
    pub(super) runs: BTreeSet<RunId>,
    /// Runs of which something is sealed.
    pub(super) sealed: BTreeSet<RunId>,
}

impl Contents {
    /// Goes through everything that is stored.
    pub(super) fn of(tree: &Tree, verify: bool) -> sled::Result<Self> {
        let mut contents = Self::default();
        for entry in tree {
            let (key, stored) = entry?;
            contents.take(tree, &key, &stored, verify);
        }
        Ok(contents)
    }

    /// Whether everything is there that its ledger counts.
    pub(super) fn is_complete(&self) -> bool {
        self.bad == 0 && Ledger { changes: self.ledger.changes, ..self.counted } == self.ledger
    }

    fn take(&mut self, tree: &Tree, key: &[u8], stored: &[u8], verify: bool) {
        if key == LEDGER_KEY {
            match read_ledger(stored) {
                Some(ledger) => self.ledger = ledger,
                None => self.note_bad("the ledger".to_owned()),
            }
            return;
        }
        match (Pieces { tree, verify }.check(key, stored), layout::parse(key)) {
            (Ok(frame), Some(place)) => {
                self.counted.count(frame.checksum);
                self.note_place(place, frame.body);
            }
            (Ok(_), None) | (Err(_), _) => self.note_bad(layout::describe(key)),
        }
    }

    fn note_bad(&mut self, name: String) {
        self.bad += 1;
        self.first_bad.get_or_insert(name);
    }

    fn note_place(&mut self, place: Place, body: &[u8]) {
        match place {
            Place::Position { partition, position } => {
                let partition = partition as usize;
                if self.positions.len() <= partition {
                    self.positions.resize(partition + 1, Position(0));
                }
                self.positions[partition] = self.positions[partition].max(position);
            }
            Place::Record { key, piece, .. } => {
                let is_first = piece == 0;
                if is_first && pieces::split_first_body(body).is_some_and(|(_, value)| is_sealed(value)) {
                    self.sealed.insert(key.run_id.clone());
                }
                self.runs.insert(key.run_id);
            }
            Place::Value { .. } => {}
        }
    }
}

/// Compares what was found with what was acknowledged. Pure.
pub(super) fn judge(mark: &Mark, contents: &Contents) -> Result<(), Damage> {
    if let Some(first) = &contents.first_bad {
        return Err(Damage::BadRecords { first: first.clone(), count: contents.bad });
    }
    if contents.ledger.changes < mark.changes {
        let found = |partition: usize| contents.positions.get(partition).copied().unwrap_or(Position(0));
        let acknowledged = mark.positions.iter().enumerate();
        let partitions = acknowledged.map(|(partition, position)| (partition as u32, *position, found(partition)));
        return Err(Damage::Shorter {
            acknowledged: mark.changes,
            found: contents.ledger.changes,
            partitions: partitions.filter(|(_, acknowledged, found)| found < acknowledged).collect(),
        });
    }
    if !contents.is_complete() {
        return Err(Damage::Holes { expected: contents.ledger.pieces, found: contents.counted.pieces });
    }
    Ok(())
}

/// Checks a store of this format; gives what it holds, or `None` for one that holds nothing yet.
pub(super) fn check(folder: &Folder, sabotage: Option<Sabotage>) -> Result<Option<Contents>, EmbeddedError> {
    let damaged = |damage| EmbeddedError::Damaged { folder: folder.path().to_owned(), damage };
    let mark = mark::read(&folder.mark()).map_err(file_error(&folder.mark()))?;
    let mark =
        if sabotage == Some(Sabotage::NoMark) { Mark::default() } else { mark.ok_or_else(|| damaged(Damage::NoMark))? };
    if !has_database(folder) {
        if mark.changes == 0 && (sabotage == Some(Sabotage::NoMark) || !holds_blobs(folder)) {
            return Ok(None);
        }
        return Err(damaged(Damage::NoDatabase { acknowledged: mark.changes }));
    }
    let verify = sabotage != Some(Sabotage::NoChecksum);
    let mut contents = look_at_copy(folder, verify)?;
    if !verify {
        contents.counted = contents.ledger;
    }
    judge(&mark, &contents).map_err(damaged)?;
    check_run_keys(folder, &contents)?;
    Ok(Some(contents))
}

/// Whether a folder without parameters holds parts of a store.
pub(super) fn holds_remains(folder: &Folder) -> bool {
    let mark = mark::read(&folder.mark()).ok().flatten();
    has_database(folder) || holds_blobs(folder) || mark.is_some_and(|mark| mark.changes > 0)
}

fn has_database(folder: &Folder) -> bool {
    folder.database().join("db").exists()
}

fn holds_blobs(folder: &Folder) -> bool {
    fs::read_dir(folder.blobs()).is_ok_and(|mut entries| entries.next().is_some())
}

fn check_run_keys(folder: &Folder, contents: &Contents) -> Result<(), EmbeddedError> {
    let path = folder.run_keys();
    let found = run_keys::look(&path).map_err(file_error(&path))?;
    let kept: BTreeSet<RunId> = found.runs.into_iter().collect();
    let missing: Vec<RunId> = contents.sealed.difference(&kept).cloned().collect();
    if found.bad_slots == 0 && missing.is_empty() {
        return Ok(());
    }
    let damage = Damage::RunKeys { bad_slots: found.bad_slots, missing };
    Err(EmbeddedError::Damaged { folder: folder.path().to_owned(), damage })
}

fn look_at_copy(folder: &Folder, verify: bool) -> Result<Contents, EmbeddedError> {
    let looked = with_copy(folder, |copy| {
        let database = sled::Config::new().path(copy).cache_capacity(SLED_CACHE_BYTES).flush_every_ms(None).open()?;
        Contents::of(&database.open_tree(layout::TREE)?, verify)
    })?;
    let unreadable = |error: sled::Error| EmbeddedError::Damaged {
        folder: folder.path().to_owned(),
        damage: Damage::Unreadable { reason: error.to_string() },
    };
    looked.map_err(unreadable)
}

/// Calls something that opens a database on a copy of the folder's; a panic of sled's, which trusts what it reads, is one
/// more way of not opening it.
pub(super) fn with_copy<T>(
    folder: &Folder,
    look: impl FnOnce(&Path) -> sled::Result<T>,
) -> Result<sled::Result<T>, EmbeddedError> {
    let copy = folder.copy();
    let copied = remove_dir(&copy).and_then(|()| copy_dir(&folder.database(), &copy));
    copied.map_err(file_error(&copy))?;
    let panicked = || Err(sled::Error::Io(io::Error::other("it cannot be recovered")));
    let looked = catch_unwind(AssertUnwindSafe(|| look(&copy))).unwrap_or_else(|_| panicked());
    remove_dir(&copy).map_err(file_error(&copy))?;
    Ok(looked)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contents(changes: u64, pieces: u64) -> Contents {
        let ledger = Ledger { changes, pieces, sum: 5 };
        Contents {
            ledger,
            counted: Ledger { changes: 0, ..ledger },
            positions: vec![Position(7)],
            ..Contents::default()
        }
    }

    fn mark(changes: u64) -> Mark {
        Mark { changes, positions: vec![Position(9)] }
    }

    #[test]
    fn a_log_that_is_as_long_as_its_mark_or_longer_is_whole() {
        for acknowledged in [0, 3, 4] {
            assert_eq!(judge(&mark(acknowledged), &contents(4, 2)), Ok(()));
        }
    }

    #[test]
    fn a_shorter_log_is_told_with_what_it_lacks() {
        let damage = judge(&mark(5), &contents(4, 2)).unwrap_err();
        let told = "the log ends at change 4, and 5 were acknowledged; partition 0 ends at position 7 of 9";
        assert_eq!(damage.to_string(), told);
    }

    #[test]
    fn what_does_not_fit_its_own_ledger_has_holes() {
        let mut lacking = contents(4, 2);
        lacking.counted.pieces = 1;
        assert!(matches!(judge(&mark(4), &lacking), Err(Damage::Holes { expected: 2, found: 1 })));
        let mut other = contents(4, 2);
        other.counted.sum += 1;
        assert!(matches!(judge(&mark(4), &other), Err(Damage::Holes { .. })));
        let bad = Contents { bad: 2, first_bad: Some("it".to_owned()), ..contents(4, 2) };
        assert!(matches!(judge(&mark(4), &bad), Err(Damage::BadRecords { count: 2, .. })));
    }
}
