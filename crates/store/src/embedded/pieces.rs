//! Values cut into pieces that sled keeps in its log: a page of it that grows over 128 KiB goes to a file of its own,
//! which sled never syncs. Each piece is framed (see `frame`), so each is checked when it is read.

use bytes::{Bytes, BytesMut};
use sled::{IVec, Tree};

use super::frame::{self, Frame};
use super::layout;
use super::ledger::Change;
use super::tables::TableError;
use crate::limits::PIECE_BYTES_MAX;

/// A piece's number after its value's key.
const NUMBER_BYTES: usize = 4;
/// The value's length before its first piece.
const LENGTH_BYTES: usize = 4;

/// Reads pieces out of a tree.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pieces<'a> {
    pub(super) tree: &'a Tree,
    /// False only under sabotage.
    pub(super) verify: bool,
}

pub(super) fn piece_key(key: &[u8], number: u32) -> Vec<u8> {
    [key, &number.to_be_bytes()].concat()
}

fn piece_count(value_bytes: usize) -> u32 {
    value_bytes.div_ceil(PIECE_BYTES_MAX).max(1) as u32
}

/// Splits a stored key into its value's key and the piece's number.
pub(super) fn split_key(stored: &[u8]) -> Option<(&[u8], u32)> {
    let (key, number) = stored.split_last_chunk::<NUMBER_BYTES>()?;
    Some((key, u32::from_be_bytes(*number)))
}

/// Adds a value; one that was there must be removed first.
pub(super) fn insert(change: &mut Change, key: &[u8], value: &[u8]) {
    let length = (value.len() as u32).to_be_bytes();
    let first = &value[..value.len().min(PIECE_BYTES_MAX)];
    change.add(piece_key(key, 0), &[&length, first].concat());
    for (number, piece) in (1..).zip(value[first.len()..].chunks(PIECE_BYTES_MAX)) {
        change.add(piece_key(key, number), piece);
    }
}

/// A value's length, and what its first piece holds of it.
pub(super) fn split_first_body(body: &[u8]) -> Option<(usize, &[u8])> {
    let (length, first) = body.split_first_chunk::<LENGTH_BYTES>()?;
    Some((u32::from_be_bytes(*length) as usize, first))
}

/// How many pieces a value has whose first piece says so much.
pub(super) fn count_of_first(body: &[u8]) -> Option<u32> {
    split_first_body(body).map(|(length, _)| piece_count(length))
}

fn damaged(key: &[u8]) -> TableError {
    TableError::Damaged { record: layout::describe(key) }
}

impl<'a> Pieces<'a> {
    fn stored(&self, key: &[u8]) -> Result<Option<IVec>, TableError> {
        Ok(self.tree.get(key)?)
    }

    /// Checks what is stored under a key.
    pub(super) fn check<'b>(&self, key: &[u8], stored: &'b [u8]) -> Result<Frame<'b>, TableError> {
        frame::decode(key, stored, self.verify).ok_or_else(|| damaged(key))
    }

    /// Reads a value. The caller keeps it from being changed meanwhile.
    pub(super) fn get(&self, key: &[u8]) -> Result<Option<Bytes>, TableError> {
        let first_key = piece_key(key, 0);
        let Some(stored) = self.stored(&first_key)? else {
            return Ok(None);
        };
        let body = self.check(&first_key, &stored)?.body;
        let (length, first) = split_first_body(body).ok_or_else(|| damaged(key))?;
        if first.len() == length {
            return Ok(Some(Bytes::copy_from_slice(first)));
        }
        let mut value = BytesMut::with_capacity(length);
        value.extend_from_slice(first);
        for number in 1..piece_count(length) {
            let piece_key = piece_key(key, number);
            let stored = self.stored(&piece_key)?.ok_or_else(|| damaged(key))?;
            value.extend_from_slice(self.check(&piece_key, &stored)?.body);
        }
        if value.len() != length {
            return Err(damaged(key));
        }
        Ok(Some(value.freeze()))
    }

    /// Removes a value; true when it was there.
    pub(super) fn remove(&self, change: &mut Change, key: &[u8]) -> Result<bool, TableError> {
        let first_key = piece_key(key, 0);
        let Some(stored) = self.stored(&first_key)? else {
            return Ok(false);
        };
        let first = self.check(&first_key, &stored)?;
        let count = count_of_first(first.body).ok_or_else(|| damaged(key))?;
        change.remove(first_key, first.checksum);
        for number in 1..count {
            self.remove_piece(change, piece_key(key, number))?;
        }
        Ok(true)
    }

    /// Removes one piece that must be there.
    pub(super) fn remove_piece(&self, change: &mut Change, key: Vec<u8>) -> Result<(), TableError> {
        let stored = self.stored(&key)?.ok_or_else(|| damaged(&key))?;
        let checksum = self.check(&key, &stored)?.checksum;
        change.remove(key, checksum);
        Ok(())
    }
}
