//! A key for each run, under which everything that is stored of it is sealed. Deleting a run overwrites its key: copies
//! that a database or a disk still has of what it stored can be read by nobody then.
//!
//! The keys lie in one file apart from the database, which never overwrites anything in place. A slot of 128 bytes is
//! all zero, or `run id (29) · key (32) · checksum (8)`; a slot is written and erased in place.

use chacha20poly1305::aead::{Aead, Payload};
use chacha20poly1305::{KeyInit, XChaCha20Poly1305, XNonce};
use errand_domain::RunId;
use rand::RngCore;
use std::collections::BTreeMap;
use std::fmt;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use zeroize::Zeroizing;

use super::frame;

/// No slot crosses a sector, so a torn write tears one slot at most.
const SLOT_BYTES: usize = 128;
const RUN_ID_BYTES: usize = 29;
const KEY_BYTES: usize = 32;
const NONCE_BYTES: usize = 24;

type RunKey = Zeroizing<[u8; KEY_BYTES]>;

/// All keys, in memory and in their file.
pub(super) struct RunKeys {
    file: File,
    slots: Mutex<Slots>,
}

#[derive(Default)]
struct Slots {
    keys: BTreeMap<RunId, (u64, RunKey)>,
    free: Vec<u64>,
    count: u64,
    /// Slots that were written and are not on the disk yet.
    unsynced: bool,
}

impl fmt::Debug for RunKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunKeys").finish_non_exhaustive()
    }
}

/// What is sealed belongs to a run whose key is gone, or was changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unsealable {
    NoKey,
    NotAuthentic,
}

/// What was found in the file of keys.
#[derive(Debug, Default)]
pub(super) struct KeysFound {
    pub(super) runs: Vec<RunId>,
    /// Slots that hold something that is no key.
    pub(super) bad_slots: u64,
}

/// Reads a file of keys without changing it.
pub(super) fn look(path: &Path) -> io::Result<KeysFound> {
    let Some(file) = super::folder::unless_missing(File::open(path))? else { return Ok(KeysFound::default()) };
    let (slots, bad_slots) = load(&file)?;
    Ok(KeysFound { runs: slots.keys.into_keys().collect(), bad_slots })
}

/// Erases what is no key any more.
pub(super) fn clear_bad(path: &Path) -> io::Result<()> {
    let mut options = OpenOptions::new();
    let file = options.create(true).truncate(false).read(true).write(true).mode(0o600).open(path)?;
    let count = file.metadata()?.len().div_ceil(SLOT_BYTES as u64);
    for number in 0..count {
        let mut slot = Zeroizing::new([0; SLOT_BYTES]);
        let read = file.read_at(slot.as_mut(), number * SLOT_BYTES as u64)?;
        if decode(&slot[..read]).is_none() {
            file.write_all_at(&[0; SLOT_BYTES], number * SLOT_BYTES as u64)?;
        }
    }
    file.sync_all()
}

fn load(file: &File) -> io::Result<(Slots, u64)> {
    let mut slots = Slots { count: file.metadata()?.len().div_ceil(SLOT_BYTES as u64), ..Slots::default() };
    let mut bad_slots = 0;
    for number in 0..slots.count {
        let mut slot = Zeroizing::new([0; SLOT_BYTES]);
        let read = file.read_at(slot.as_mut(), number * SLOT_BYTES as u64)?;
        if slot.iter().all(|byte| *byte == 0) {
            slots.free.push(number);
        } else if let Some((run_id, key)) = decode(&slot[..read]) {
            slots.keys.insert(run_id, (number, key));
        } else {
            bad_slots += 1;
        }
    }
    Ok((slots, bad_slots))
}

fn encode(run_id: &RunId, key: &RunKey) -> Zeroizing<[u8; SLOT_BYTES]> {
    let mut slot = Zeroizing::new([0; SLOT_BYTES]);
    slot[..RUN_ID_BYTES].copy_from_slice(run_id.as_str().as_bytes());
    slot[RUN_ID_BYTES..RUN_ID_BYTES + KEY_BYTES].copy_from_slice(key.as_ref());
    let checksum = frame::checksum(&slot[..RUN_ID_BYTES + KEY_BYTES]);
    slot[RUN_ID_BYTES + KEY_BYTES..][..8].copy_from_slice(&checksum.to_be_bytes());
    slot
}

fn decode(slot: &[u8]) -> Option<(RunId, RunKey)> {
    let (covered, rest) = slot.split_at_checked(RUN_ID_BYTES + KEY_BYTES)?;
    let stored = u64::from_be_bytes(*rest.first_chunk()?);
    if frame::checksum(covered) != stored {
        return None;
    }
    let run_id = RunId::parse(std::str::from_utf8(&covered[..RUN_ID_BYTES]).ok()?).ok()?;
    let key = <[u8; KEY_BYTES]>::try_from(&covered[RUN_ID_BYTES..]).ok()?;
    Some((run_id, Zeroizing::new(key)))
}

impl RunKeys {
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        let file = options.create(true).truncate(false).read(true).write(true).mode(0o600).open(path)?;
        let (slots, _) = load(&file)?;
        Ok(Self { file, slots: Mutex::new(slots) })
    }

    fn slots(&self) -> MutexGuard<'_, Slots> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Seals something for its place under the run's key, which is made when there is none: form `nonce · ciphertext`.
    /// A new key is on the disk after [`Self::sync`], which has to come before what was sealed is acknowledged.
    pub(super) fn seal(&self, run_id: &RunId, place: &[u8], plain: &[u8]) -> io::Result<Vec<u8>> {
        let key = self.key_or_new(run_id)?;
        let mut nonce = [0; NONCE_BYTES];
        rand::rng().fill_bytes(&mut nonce);
        let payload = Payload { msg: plain, aad: place };
        let sealed = XChaCha20Poly1305::new(key.as_slice().into()).encrypt(XNonce::from_slice(&nonce), payload);
        let sealed = sealed.map_err(|_| io::Error::other("a value is too large to be sealed"))?;
        Ok([nonce.as_slice(), &sealed].concat())
    }

    /// Opens what was sealed for this run and place.
    pub(super) fn open_sealed(&self, run_id: &RunId, place: &[u8], sealed: &[u8]) -> Result<Vec<u8>, Unsealable> {
        let key = self.slots().keys.get(run_id).map(|(_, key)| key.clone()).ok_or(Unsealable::NoKey)?;
        let (nonce, sealed) = sealed.split_first_chunk::<NONCE_BYTES>().ok_or(Unsealable::NotAuthentic)?;
        let payload = Payload { msg: sealed, aad: place };
        let opened = XChaCha20Poly1305::new(key.as_slice().into()).decrypt(XNonce::from_slice(nonce), payload);
        opened.map_err(|_| Unsealable::NotAuthentic)
    }

    fn key_or_new(&self, run_id: &RunId) -> io::Result<RunKey> {
        let mut slots = self.slots();
        if let Some((_, key)) = slots.keys.get(run_id) {
            return Ok(key.clone());
        }
        let mut key = RunKey::default();
        rand::rng().fill_bytes(key.as_mut());
        let number = slots.free.pop().unwrap_or(slots.count);
        self.file.write_all_at(encode(run_id, &key).as_ref(), number * SLOT_BYTES as u64)?;
        slots.count = slots.count.max(number + 1);
        slots.keys.insert(run_id.clone(), (number, key.clone()));
        slots.unsynced = true;
        Ok(key)
    }

    /// Overwrites a run's key. It is gone for good after [`Self::sync`].
    pub(super) fn destroy(&self, run_id: &RunId) -> io::Result<()> {
        let mut slots = self.slots();
        let Some((number, _)) = slots.keys.remove(run_id) else { return Ok(()) };
        self.file.write_all_at(&[0; SLOT_BYTES], number * SLOT_BYTES as u64)?;
        slots.free.push(number);
        slots.unsynced = true;
        Ok(())
    }

    /// Puts what was changed on the disk.
    pub(super) fn sync(&self) -> io::Result<()> {
        if !std::mem::take(&mut self.slots().unsynced) {
            return Ok(());
        }
        let synced = self.file.sync_data();
        if synced.is_err() {
            self.slots().unsynced = true;
        }
        synced
    }

    pub(super) fn runs(&self) -> Vec<RunId> {
        self.slots().keys.keys().cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use errand_domain::Timestamp;

    fn run(number: u64) -> RunId {
        RunId::new(Timestamp::from_millis(1), number)
    }

    #[test]
    fn what_was_sealed_opens_after_a_restart_until_the_key_is_destroyed() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("run.keys");
        let keys = RunKeys::open(&path).unwrap();
        let one = keys.seal(&run(1), b"here", b"page").unwrap();
        let two = keys.seal(&run(2), b"here", b"page").unwrap();
        keys.sync().unwrap();
        let keys = RunKeys::open(&path).unwrap();
        assert_eq!(keys.open_sealed(&run(1), b"here", &one).unwrap(), b"page");
        assert_eq!(keys.open_sealed(&run(1), b"there", &one), Err(Unsealable::NotAuthentic));
        assert_eq!(keys.open_sealed(&run(2), b"here", &one), Err(Unsealable::NotAuthentic));
        let before = std::fs::read(&path).unwrap();
        keys.destroy(&run(1)).unwrap();
        keys.sync().unwrap();
        assert_eq!(keys.open_sealed(&run(1), b"here", &one), Err(Unsealable::NoKey));
        let after = std::fs::read(&path).unwrap();
        assert!(after[..SLOT_BYTES].iter().all(|byte| *byte == 0), "the key is still in the file");
        assert_eq!(after[SLOT_BYTES..], before[SLOT_BYTES..]);
        let keys = RunKeys::open(&path).unwrap();
        assert_eq!(keys.open_sealed(&run(2), b"here", &two).unwrap(), b"page");
        keys.seal(&run(3), b"", b"").unwrap();
        assert_eq!(std::fs::metadata(&path).unwrap().len() as usize, before.len().next_multiple_of(SLOT_BYTES));
    }

    /// Stored bytes live for ever.
    #[test]
    fn the_form_is_the_one_of_the_first_release() {
        let run_id = RunId::parse("brun_018bcfe56800000000000001").unwrap();
        let slot = encode(&run_id, &Zeroizing::new([0x5a; KEY_BYTES]));
        let checksum: String = slot[61..69].iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(
            (&slot[..29], &slot[29..61], &checksum[..]),
            (run_id.as_str().as_bytes(), &[0x5a; 32][..], "976e9e5ac29efde6")
        );
        assert!(decode(slot.as_ref()).is_some_and(|(found, key)| found == run_id && *key == [0x5a; 32]));
    }

    #[test]
    fn a_flipped_bit_in_a_key_is_no_key() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("run.keys");
        RunKeys::open(&path).unwrap().seal(&run(1), b"", b"").unwrap();
        let whole = std::fs::read(&path).unwrap();
        for bit in [0, 100, 300, 543] {
            let mut flipped = whole.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            std::fs::write(&path, flipped).unwrap();
            assert_eq!(look(&path).unwrap().bad_slots, 1, "bit {bit}");
        }
    }
}
