//! The form in which sled gets every piece of a value: it names its own key and carries a checksum of ours, so that a
//! piece is known to be whole by itself, wherever its bytes are found.
//!
//! Form: `magic (4) · checksum (8) · change (8) · key length (2) · body length (4) · key · body`, numbers big-endian. The
//! checksum is the start of the SHA-256 of everything after it. Stored for ever: another form needs another magic.

use memchr::memmem;
use sha2::{Digest, Sha256};

const MAGIC: [u8; 4] = [0xe7, b'e', b'r', 2];
const CHECKSUM_BYTES: usize = 8;
const HEADER_BYTES: usize = MAGIC.len() + CHECKSUM_BYTES + 8 + 2 + 4;

/// One whole piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Frame<'a> {
    pub(super) checksum: u64,
    /// The change of the store that wrote it; of two frames of one key the higher one is newer.
    pub(super) change: u64,
    pub(super) key: &'a [u8],
    pub(super) body: &'a [u8],
}

/// The first 8 bytes of a SHA-256.
pub(super) fn checksum(bytes: &[u8]) -> u64 {
    let digest = Sha256::digest(bytes);
    digest.iter().take(CHECKSUM_BYTES).fold(0, |sum, byte| (sum << 8) | u64::from(*byte))
}

/// The bytes of a piece, and its checksum.
pub(super) fn encode(change: u64, key: &[u8], body: &[u8]) -> (Vec<u8>, u64) {
    let mut bytes = Vec::with_capacity(HEADER_BYTES + key.len() + body.len());
    bytes.extend_from_slice(&MAGIC);
    bytes.extend_from_slice(&[0; CHECKSUM_BYTES]);
    bytes.extend_from_slice(&change.to_be_bytes());
    bytes.extend_from_slice(&(key.len() as u16).to_be_bytes());
    bytes.extend_from_slice(&(body.len() as u32).to_be_bytes());
    bytes.extend_from_slice(key);
    bytes.extend_from_slice(body);
    let checksum = checksum(&bytes[MAGIC.len() + CHECKSUM_BYTES..]);
    bytes[MAGIC.len()..MAGIC.len() + CHECKSUM_BYTES].copy_from_slice(&checksum.to_be_bytes());
    (bytes, checksum)
}

/// Reads the frame that the bytes begin with; `None` when it is not whole. `verify` is false only under sabotage.
pub(super) fn decode_start(bytes: &[u8], verify: bool) -> Option<Frame<'_>> {
    let after_magic = bytes.strip_prefix(&MAGIC)?;
    let (sum, covered) = after_magic.split_first_chunk::<CHECKSUM_BYTES>()?;
    let (change, rest) = covered.split_first_chunk::<8>()?;
    let (key_bytes, rest) = rest.split_first_chunk::<2>()?;
    let (body_bytes, rest) = rest.split_first_chunk::<4>()?;
    let (key, rest) = rest.split_at_checked(usize::from(u16::from_be_bytes(*key_bytes)))?;
    let (body, _) = rest.split_at_checked(u32::from_be_bytes(*body_bytes) as usize)?;
    let stored = u64::from_be_bytes(*sum);
    let covered = &covered[..HEADER_BYTES - MAGIC.len() - CHECKSUM_BYTES + key.len() + body.len()];
    if verify && checksum(covered) != stored {
        return None;
    }
    Some(Frame { checksum: stored, change: u64::from_be_bytes(*change), key, body })
}

/// Reads what is stored under a key: exactly one frame, made for that key.
pub(super) fn decode<'a>(stored_under: &[u8], bytes: &'a [u8], verify: bool) -> Option<Frame<'a>> {
    let frame = decode_start(bytes, verify)?;
    let is_all = HEADER_BYTES + frame.key.len() + frame.body.len() == bytes.len();
    (is_all && frame.key == stored_under).then_some(frame)
}

/// Every whole frame in bytes of any kind, such as a database's file that the database itself cannot read.
pub(super) fn find_all(bytes: &[u8]) -> impl Iterator<Item = Frame<'_>> {
    memmem::find_iter(bytes, &MAGIC).filter_map(|at| decode_start(&bytes[at..], true))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_is_read_back_and_found_among_other_bytes() {
        let (bytes, sum) = encode(7, b"key", b"body");
        let frame = Frame { checksum: sum, change: 7, key: b"key", body: b"body" };
        assert_eq!(decode(b"key", &bytes, true), Some(frame));
        assert_eq!(decode(b"other", &bytes, true), None, "moved to another key");
        let among = [&b"\xe7er\x02 not one"[..], &bytes, &MAGIC, &bytes[..9], &bytes].concat();
        assert_eq!(find_all(&among).collect::<Vec<_>>(), [frame, frame]);
    }

    #[test]
    fn a_flip_of_any_bit_and_any_cut_are_noticed() {
        let (bytes, _) = encode(7, b"key", b"body");
        for bit in 0..bytes.len() * 8 {
            let mut flipped = bytes.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(decode(b"key", &flipped, true), None, "bit {bit}");
        }
        for end in 0..bytes.len() {
            assert_eq!(decode(b"key", &bytes[..end], true), None, "cut at {end}");
        }
    }

    /// Stored bytes live for ever.
    #[test]
    fn the_form_is_the_one_of_the_first_release() {
        let golden = "e7657202fda7790698b862520000000000000007000300000004";
        let (bytes, _) = encode(7, b"key", b"body");
        assert_eq!(bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>()[..golden.len()], *golden);
    }
}
