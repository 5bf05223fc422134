//! Values cut into pieces that sled keeps in its log: a page of it that grows over 128 KiB goes to a file of its own,
//! which sled never syncs.

use bytes::{Bytes, BytesMut};
use sled::{Batch, Tree};

use super::tables::TableError;
use crate::limits::PIECE_BYTES_MAX;

/// A piece's number after its value's key.
const NUMBER_BYTES: usize = 4;
/// The value's length before its first piece.
const LENGTH_BYTES: usize = 4;

fn piece_key(key: &[u8], number: u32) -> Vec<u8> {
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
pub(super) fn insert(batch: &mut Batch, key: &[u8], value: &[u8]) {
    let length = (value.len() as u32).to_be_bytes();
    let first = &value[..value.len().min(PIECE_BYTES_MAX)];
    batch.insert(piece_key(key, 0), [&length, first].concat());
    for (number, piece) in (1..).zip(value[first.len()..].chunks(PIECE_BYTES_MAX)) {
        batch.insert(piece_key(key, number), piece);
    }
}

/// Reads a value. The caller keeps it from being changed meanwhile.
pub(super) fn get(tree: &Tree, key: &[u8]) -> Result<Option<Bytes>, TableError> {
    let Some(first) = tree.get(piece_key(key, 0))? else {
        return Ok(None);
    };
    let (length, first) = split_first_piece(&first)?;
    if first.len() == length {
        return Ok(Some(Bytes::copy_from_slice(first)));
    }
    let mut value = BytesMut::with_capacity(length);
    value.extend_from_slice(first);
    for number in 1..piece_count(length) {
        let piece = tree.get(piece_key(key, number))?.ok_or(TableError::Corrupt("a piece of a value is missing"))?;
        value.extend_from_slice(&piece);
    }
    if value.len() != length {
        return Err(TableError::Corrupt("a value's length is wrong"));
    }
    Ok(Some(value.freeze()))
}

/// Removes a value; true when it was there.
pub(super) fn remove(tree: &Tree, batch: &mut Batch, key: &[u8]) -> Result<bool, TableError> {
    let Some(first) = tree.get(piece_key(key, 0))? else {
        return Ok(false);
    };
    let (length, _) = split_first_piece(&first)?;
    for number in 0..piece_count(length) {
        batch.remove(piece_key(key, number));
    }
    Ok(true)
}

fn split_first_piece(piece: &[u8]) -> Result<(usize, &[u8]), TableError> {
    let (length, first) =
        piece.split_first_chunk::<LENGTH_BYTES>().ok_or(TableError::Corrupt("a value has no length"))?;
    Ok((u32::from_be_bytes(*length) as usize, first))
}
