//! What the database says of itself: how often it was changed, how many pieces it holds and the sum of their checksums.
//! It is stored with every change, in the same batch, so a database that lacks anything does not fit its own ledger; and
//! one that lost its last changes is shorter than the mark beside it.

use sled::Batch;

use super::frame;

/// Where the ledger lies; no other key is like it.
pub(super) const LEDGER_KEY: &[u8] = b"ledger";

/// The sums over all stored pieces.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Ledger {
    /// Changes so far; rises by one with each batch.
    pub(super) changes: u64,
    pub(super) pieces: u64,
    /// Of the pieces' checksums, wrapping.
    pub(super) sum: u64,
}

impl Ledger {
    pub(super) fn encode(self) -> [u8; 24] {
        let mut bytes = [0; 24];
        for (place, number) in bytes.chunks_exact_mut(8).zip([self.changes, self.pieces, self.sum]) {
            place.copy_from_slice(&number.to_be_bytes());
        }
        bytes
    }

    pub(super) fn decode(body: &[u8]) -> Option<Self> {
        let (changes, rest) = body.split_first_chunk()?;
        let (pieces, rest) = rest.split_first_chunk()?;
        let (sum, rest) = rest.split_first_chunk()?;
        let [changes, pieces, sum] = [changes, pieces, sum].map(|bytes| u64::from_be_bytes(*bytes));
        rest.is_empty().then_some(Self { changes, pieces, sum })
    }

    /// Counts one piece that was found.
    pub(super) fn count(&mut self, checksum: u64) {
        self.pieces += 1;
        self.sum = self.sum.wrapping_add(checksum);
    }
}

/// Changes that are stored together or not at all.
#[derive(Debug, Default)]
pub(super) struct Change {
    batch: Batch,
    /// Of the change before which this one began.
    after: u64,
    added: u64,
    removed: u64,
    sum: u64,
    is_begun: bool,
}

impl Change {
    /// A change of a store with this ledger.
    pub(super) fn after(ledger: Ledger) -> Self {
        Self { after: ledger.changes, ..Self::default() }
    }

    pub(super) fn is_empty(&self) -> bool {
        !self.is_begun
    }

    /// Adds a piece under a key that holds nothing, or whose piece was removed by this change.
    pub(super) fn add(&mut self, key: Vec<u8>, body: &[u8]) {
        let (stored, checksum) = frame::encode(self.after + 1, &key, body);
        self.batch.insert(key, stored);
        self.added += 1;
        self.sum = self.sum.wrapping_add(checksum);
        self.is_begun = true;
    }

    /// Removes a stored piece.
    pub(super) fn remove(&mut self, key: Vec<u8>, checksum: u64) {
        self.batch.remove(key);
        self.removed += 1;
        self.sum = self.sum.wrapping_sub(checksum);
        self.is_begun = true;
    }

    /// The batch with the ledger that is true once it is stored.
    pub(super) fn close(self, ledger: Ledger) -> (Batch, Ledger) {
        let next = Ledger {
            changes: ledger.changes + 1,
            pieces: (ledger.pieces + self.added).saturating_sub(self.removed),
            sum: ledger.sum.wrapping_add(self.sum),
        };
        let mut batch = self.batch;
        let (stored, _) = frame::encode(next.changes, LEDGER_KEY, &next.encode());
        batch.insert(LEDGER_KEY, stored);
        (batch, next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ledger_is_read_back_and_nothing_else_is() {
        let ledger = Ledger { changes: 1, pieces: 2, sum: u64::MAX };
        assert_eq!(Ledger::decode(&ledger.encode()), Some(ledger));
        assert_eq!(Ledger::decode(&ledger.encode()[1..]), None);
    }

    #[test]
    fn what_is_added_and_removed_again_leaves_the_sums_as_they_were() {
        let start = Ledger { changes: 4, pieces: 9, sum: 77 };
        let mut adds = Change::after(start);
        adds.add(b"a".to_vec(), b"one");
        let (_, between) = adds.close(start);
        let mut removes = Change::after(between);
        removes.remove(b"a".to_vec(), between.sum.wrapping_sub(start.sum));
        let (_, end) = removes.close(between);
        assert_eq!((end.changes, end.pieces, end.sum), (6, 9, 77));
    }
}
