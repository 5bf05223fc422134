//! Keys in sled. They are stored for ever: a change needs a new format number.
//!
//! | key | value |
//! |---|---|
//! | `r` kind, run id, position, piece | a piece of a record |
//! | `p` partition, position | kind and run id of the record there |
//! | `k` bucket, key, piece | a piece of a revision and a value |
//!
//! Numbers are big-endian, so that keys sort as numbers do.

use errand_domain::RunId;

use crate::keyvalue::Bucket;
use crate::log::{LogKey, LogKind, Position};

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
