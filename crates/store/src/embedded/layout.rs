//! Keys in sled. They are stored for ever: a change needs a new format number.
//!
//! | key | value, framed |
//! |---|---|
//! | `r` kind, run id, position, piece | a piece of a record: a byte that says whether it is sealed, and the payload |
//! | `p` partition, position | kind and run id of the record there |
//! | `k` bucket, key, piece | a piece of a revision and a value |
//! | `ledger` | what all of the above adds up to |
//!
//! Numbers are big-endian, so that keys sort as numbers do.

use errand_domain::RunId;

use crate::keyvalue::Bucket;
use crate::log::{LogKey, LogKind, Position};

/// The tree of everything.
pub(super) const TREE: &str = "tables";

const RECORDS: u8 = b'r';
const POSITIONS: u8 = b'p';
const VALUES: u8 = b'k';

fn kind_byte(kind: LogKind) -> u8 {
    match kind {
        LogKind::Run => b'r',
        LogKind::Delivery => b'd',
    }
}

fn bucket_byte(bucket: Bucket) -> u8 {
    match bucket {
        Bucket::Keys => b'k',
        Bucket::Secrets => b's',
        Bucket::Profiles => b'p',
        Bucket::Idempotency => b'i',
        Bucket::Views => b'v',
        Bucket::Recent => b'r',
        Bucket::Leases => b'l',
        Bucket::Facts => b'f',
    }
}

/// What all keys of a log's records start with. Run ids are all of the same length, so no log's prefix starts another's.
pub(super) fn log_prefix(key: &LogKey) -> Vec<u8> {
    let mut bytes = vec![RECORDS, kind_byte(key.kind)];
    bytes.extend_from_slice(key.run_id.as_str().as_bytes());
    bytes
}

/// A record, without its piece.
pub(super) fn record(key: &LogKey, position: Position) -> Vec<u8> {
    let mut bytes = log_prefix(key);
    bytes.extend_from_slice(&position.0.to_be_bytes());
    bytes
}

/// The position in what follows a log's prefix.
pub(super) fn record_position(after_prefix: &[u8]) -> Option<Position> {
    Some(Position(u64::from_be_bytes(*after_prefix.first_chunk()?)))
}

pub(super) fn partition_prefix(partition: u32) -> Vec<u8> {
    let mut bytes = vec![POSITIONS];
    bytes.extend_from_slice(&partition.to_be_bytes());
    bytes
}

pub(super) fn position(partition: u32, position: Position) -> Vec<u8> {
    let mut bytes = partition_prefix(partition);
    bytes.extend_from_slice(&position.0.to_be_bytes());
    bytes
}

pub(super) fn position_of(key: &[u8]) -> Option<Position> {
    Some(Position(u64::from_be_bytes(*key.last_chunk()?)))
}

/// The value under a position.
pub(super) fn log_name(key: &LogKey) -> Vec<u8> {
    let mut bytes = vec![kind_byte(key.kind)];
    bytes.extend_from_slice(key.run_id.as_str().as_bytes());
    bytes
}

pub(super) fn parse_log_name(name: &[u8]) -> Option<LogKey> {
    let (kind, run_id) = name.split_first()?;
    let kind = match kind {
        b'r' => LogKind::Run,
        b'd' => LogKind::Delivery,
        _ => return None,
    };
    let run_id = RunId::parse(std::str::from_utf8(run_id).ok()?).ok()?;
    Some(LogKey { kind, run_id })
}

/// A bucket's key, or the start of one, without its piece.
pub(super) fn value(bucket: Bucket, key: &str) -> Vec<u8> {
    let mut bytes = vec![VALUES, bucket_byte(bucket)];
    bytes.extend_from_slice(key.as_bytes());
    bytes
}

/// The bucket's key in the key of a value, without its piece.
pub(super) fn parse_value(key: &[u8]) -> Option<String> {
    String::from_utf8(key.get(2..)?.to_vec()).ok()
}

/// What a stored key is of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Place {
    Record { key: LogKey, position: Position, piece: u32 },
    Position { partition: u32, position: Position },
    Value { bucket: Bucket, key: String, piece: u32 },
}

/// Reads a stored key; `None` for the ledger's and for what is no key of ours.
pub(super) fn parse(stored: &[u8]) -> Option<Place> {
    let (kind, rest) = stored.split_first()?;
    match *kind {
        RECORDS => {
            let (rest, piece) = rest.split_last_chunk::<4>()?;
            let (name, position) = rest.split_last_chunk::<8>()?;
            let (position, piece) = (Position(u64::from_be_bytes(*position)), u32::from_be_bytes(*piece));
            Some(Place::Record { key: parse_log_name(name)?, position, piece })
        }
        POSITIONS => {
            let (partition, position) = rest.split_first_chunk::<4>()?;
            let position = Position(u64::from_be_bytes(*position.first_chunk()?));
            Some(Place::Position { partition: u32::from_be_bytes(*partition), position })
        }
        VALUES => {
            let (bucket, rest) = rest.split_first()?;
            let (key, piece) = rest.split_last_chunk::<4>()?;
            let key = std::str::from_utf8(key).ok()?.to_owned();
            Some(Place::Value { bucket: parse_bucket(*bucket)?, key, piece: u32::from_be_bytes(*piece) })
        }
        _ => None,
    }
}

fn parse_bucket(byte: u8) -> Option<Bucket> {
    Bucket::ALL.into_iter().find(|bucket| bucket_byte(*bucket) == byte)
}

/// Names what lies under a key, with or without its piece, for an error.
pub(super) fn describe(stored: &[u8]) -> String {
    let with_piece = [stored, &[0; 4]].concat();
    let place = parse(stored).or_else(|| parse(&with_piece));
    match place {
        Some(Place::Record { key, position, .. }) => {
            let of = match key.kind {
                LogKind::Run => "the commit",
                LogKind::Delivery => "the webhook record",
            };
            format!("{of} of run {} at position {position}", key.run_id)
        }
        Some(Place::Position { partition, position }) => {
            format!("the entry for position {position} of partition {partition}")
        }
        Some(Place::Value { bucket, key, .. }) => format!("the value {}/{key}", bucket.as_str()),
        None => "a record whose name cannot be read".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use errand_domain::Timestamp;

    #[test]
    fn keys_are_read_back_and_named() {
        let log = LogKey::delivery(&RunId::new(Timestamp::from_millis(1), 7));
        let piece = [record(&log, Position(300)).as_slice(), &2_u32.to_be_bytes()].concat();
        assert_eq!(parse(&piece), Some(Place::Record { key: log.clone(), position: Position(300), piece: 2 }));
        let named = format!("the webhook record of run {} at position 300", log.run_id);
        assert_eq!((describe(&piece), describe(&record(&log, Position(300)))), (named.clone(), named));
        let value = [value(Bucket::Secrets, "a/shop").as_slice(), &[0; 4]].concat();
        assert_eq!(describe(&value), "the value secrets/a/shop");
        assert_eq!(parse(&position(3, Position(9))), Some(Place::Position { partition: 3, position: Position(9) }));
        assert_eq!(parse(b"ledger"), None);
    }

    #[test]
    fn a_value_of_every_bucket_is_read_back() {
        for bucket in Bucket::ALL {
            let stored = [value(bucket, "a/b").as_slice(), &1_u32.to_be_bytes()].concat();
            assert_eq!(parse(&stored), Some(Place::Value { bucket, key: "a/b".to_owned(), piece: 1 }));
        }
    }
}
