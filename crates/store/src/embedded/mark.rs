//! The mark: how far the store had got when it last acknowledged something, in a file of its own beside the database. A
//! database that ends before its mark has lost what somebody was told is stored.
//!
//! Two slots; the one that is known to be on the disk is left alone while the other is written, so a torn write costs
//! nothing. The mark is written after the database's sync and before the acknowledgement, and synced behind it: a killed
//! process loses none of it; a power cut may set it back by a few milliseconds, and never puts it ahead of the database.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread::{self, JoinHandle};

use super::frame;
use crate::limits::MARK_SYNC_PAUSE;
use crate::log::Position;

/// A page of the disk, so that a slot is written whole or torn by itself.
const SLOT_BYTES: u64 = 4_096;
const MAGIC: &[u8; 8] = b"errmark1";

/// How far the store has got.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Mark {
    /// Changes of the database that were acknowledged.
    pub changes: u64,
    /// The last acknowledged position of each partition.
    pub positions: Vec<Position>,
}

/// Form: `magic · checksum (8) · generation (8) · changes (8) · partitions (4) · a position (8) each`.
fn encode(mark: &Mark, generation: u64) -> Vec<u8> {
    let mut covered = Vec::with_capacity(20 + mark.positions.len() * 8);
    covered.extend_from_slice(&generation.to_be_bytes());
    covered.extend_from_slice(&mark.changes.to_be_bytes());
    covered.extend_from_slice(&(mark.positions.len() as u32).to_be_bytes());
    for position in &mark.positions {
        covered.extend_from_slice(&position.0.to_be_bytes());
    }
    [MAGIC.as_slice(), &frame::checksum(&covered).to_be_bytes(), &covered].concat()
}

fn decode(slot: &[u8]) -> Option<(u64, Mark)> {
    let (sum, covered) = slot.strip_prefix(MAGIC)?.split_first_chunk::<8>()?;
    let (generation, rest) = covered.split_first_chunk::<8>()?;
    let (changes, rest) = rest.split_first_chunk::<8>()?;
    let (count, rest) = rest.split_first_chunk::<4>()?;
    let positions = rest.get(..(u32::from_be_bytes(*count) as usize).checked_mul(8)?)?;
    let covered = &covered[..20 + positions.len()];
    if frame::checksum(covered) != u64::from_be_bytes(*sum) {
        return None;
    }
    let positions = positions.as_chunks::<8>().0.iter().map(|bytes| Position(u64::from_be_bytes(*bytes))).collect();
    Some((u64::from_be_bytes(*generation), Mark { changes: u64::from_be_bytes(*changes), positions }))
}

/// A whole slot.
struct Slot {
    number: u64,
    generation: u64,
    mark: Mark,
}

/// The newest whole slot; `None` when neither is whole.
fn newest(file: &File) -> io::Result<Option<Slot>> {
    let mut found: Option<Slot> = None;
    for number in 0..2 {
        let mut bytes = [0; SLOT_BYTES as usize];
        let read = file.read_at(&mut bytes, number * SLOT_BYTES)?;
        let Some((generation, mark)) = decode(&bytes[..read]) else { continue };
        if found.as_ref().is_none_or(|found| found.generation < generation) {
            found = Some(Slot { number, generation, mark });
        }
    }
    Ok(found)
}

/// The mark in a file; `None` when there is no file or no whole slot.
pub(super) fn read(path: &Path) -> io::Result<Option<Mark>> {
    match File::open(path) {
        Ok(file) => Ok(newest(&file)?.map(|slot| slot.mark)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Makes the file, with the same mark in both slots, on the disk.
pub(super) fn create(path: &Path, mark: &Mark) -> io::Result<()> {
    let file = OpenOptions::new().create(true).truncate(false).write(true).mode(0o600).open(path)?;
    file.set_len(2 * SLOT_BYTES)?;
    write_both(&file, mark, 1)?;
    file.sync_all()
}

fn write_both(file: &File, mark: &Mark, generation: u64) -> io::Result<()> {
    // One after the other: the second is whole while the first is written.
    file.write_all_at(&encode(mark, generation), 0)?;
    file.sync_data()?;
    file.write_all_at(&encode(mark, generation + 1), SLOT_BYTES)?;
    file.sync_data()
}

/// The open mark of a store that is written to.
#[derive(Debug)]
pub(super) struct MarkWriter {
    file: Arc<File>,
    slot: u64,
    generation: u64,
    /// The newest generation that is on the disk.
    synced: Arc<AtomicU64>,
    wake: Option<SyncSender<()>>,
    /// What the syncing thread has to put on the disk.
    written: Arc<AtomicU64>,
    thread: Option<JoinHandle<()>>,
}

impl MarkWriter {
    /// Takes the file up where an earlier process left it.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let file = Arc::new(OpenOptions::new().read(true).write(true).open(path)?);
        // It is on the disk, so the other slot is the next one to be written.
        let (slot, generation) = newest(&file)?.map_or((0, 0), |slot| (slot.number, slot.generation));
        let (synced, written) = (Arc::new(AtomicU64::new(generation)), Arc::new(AtomicU64::new(generation)));
        let (wake, woken) = sync_channel(1);
        let body = (Arc::clone(&file), Arc::clone(&written), Arc::clone(&synced));
        let thread = thread::Builder::new().name("store-mark".to_owned());
        let thread = thread.spawn(move || keep_synced(&woken, &body.0, &body.1, &body.2))?;
        Ok(Self { file, slot, generation, synced, wake: Some(wake), written, thread: Some(thread) })
    }

    /// Writes the mark, so that a killed process leaves it; the disk gets it soon after.
    pub(super) fn write(&mut self, mark: &Mark) -> io::Result<()> {
        if self.synced.load(Ordering::Acquire) >= self.generation {
            self.slot = 1 - self.slot;
        }
        self.generation += 1;
        self.file.write_all_at(&encode(mark, self.generation), self.slot * SLOT_BYTES)?;
        self.written.store(self.generation, Ordering::Release);
        match self.wake.as_ref().map(|wake| wake.try_send(())) {
            // A full channel wakes the thread as well.
            Some(Ok(()) | Err(TrySendError::Full(()))) => Ok(()),
            Some(Err(TrySendError::Disconnected(()))) | None => self.file.sync_data(),
        }
    }

    /// Writes the last mark into both slots, on the disk.
    pub(super) fn finish(mut self, mark: &Mark) -> io::Result<()> {
        self.end_thread();
        write_both(&self.file, mark, self.generation + 1)
    }

    fn end_thread(&mut self) {
        self.wake = None;
        if let Some(thread) = self.thread.take() {
            // It does nothing that panics.
            let _ = thread.join();
        }
    }
}

impl Drop for MarkWriter {
    fn drop(&mut self) {
        self.end_thread();
    }
}

/// Puts marks on the disk behind the writer's back: one sync for as many as have come meanwhile.
fn keep_synced(woken: &Receiver<()>, file: &File, written: &AtomicU64, synced: &AtomicU64) {
    while woken.recv().is_ok() {
        let generation = written.load(Ordering::Acquire);
        let outcome = file.sync_data();
        thread::sleep(MARK_SYNC_PAUSE);
        match outcome {
            Ok(()) => synced.store(generation, Ordering::Release),
            // The older slot stays what is known to be there; the database's own sync will meet the same disk.
            Err(error) => tracing::error!(%error, "the store's mark is not on the disk"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark(changes: u64) -> Mark {
        Mark { changes, positions: vec![Position(changes), Position(3)] }
    }

    #[test]
    fn the_newest_mark_is_found_after_a_clean_end_and_after_a_kill() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("mark");
        assert_eq!(read(&path).unwrap(), None);
        create(&path, &mark(0)).unwrap();
        let mut writer = MarkWriter::open(&path).unwrap();
        for changes in 1..=50 {
            writer.write(&mark(changes)).unwrap();
            assert_eq!(read(&path).unwrap(), Some(mark(changes)));
        }
        drop(writer);
        let writer = MarkWriter::open(&path).unwrap();
        writer.finish(&mark(51)).unwrap();
        assert_eq!(read(&path).unwrap(), Some(mark(51)));
    }

    #[test]
    fn either_slot_may_be_torn() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("mark");
        create(&path, &mark(9)).unwrap();
        for slot in 0..2 {
            create(&path, &mark(9)).unwrap();
            OpenOptions::new().write(true).open(&path).unwrap().write_all_at(b"torn", slot * SLOT_BYTES + 30).unwrap();
            assert_eq!(read(&path).unwrap(), Some(mark(9)));
        }
        std::fs::write(&path, b"neither").unwrap();
        assert_eq!(read(&path).unwrap(), None);
    }

    /// Stored bytes live for ever.
    #[test]
    fn the_form_is_the_one_of_the_first_release() {
        let golden =
            "6572726d61726b311daab2061cc9bb7b000000000000000300000000000000070000000200000000000000010000000000000002";
        let mark = Mark { changes: 7, positions: vec![Position(1), Position(2)] };
        let bytes = encode(&mark, 3);
        assert_eq!(bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>(), golden);
        assert_eq!(decode(&bytes), Some((3, mark)));
    }

    #[test]
    fn a_slot_for_the_most_partitions_fits() {
        let most = Mark { changes: 1, positions: vec![Position(1); crate::limits::PARTITIONS_MAX as usize] };
        assert!(encode(&most, 1).len() as u64 <= SLOT_BYTES);
    }
}
