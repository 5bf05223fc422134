//! Reads and purges of one log. All are answered by the stream's leader, or checked against what it says.

use async_nats::jetstream::consumer::{AckPolicy, DeliverPolicy, pull};
use async_nats::jetstream::message::StreamMessage;
use async_nats::jetstream::stream::{RawMessageErrorKind, Stream};
use futures::StreamExt;
use std::time::Duration;
use tracing::debug;

use super::parse_subject;
use crate::limits::CALL_DEADLINE;
use crate::log::{LogError, LogKey, Position, Record};

/// Records got one by one; a consumer for more costs as much as a few of them.
const GETS_MAX: usize = 6;
/// Records asked of a consumer at once.
const BATCH_RECORDS: usize = 256;
/// A consumer that was not deleted, since its reader was cancelled, goes by itself.
const CONSUMER_KEPT: Duration = Duration::from_secs(10);

pub(super) fn unavailable(error: impl ToString) -> LogError {
    LogError::Unavailable { reason: error.to_string() }
}

fn to_record(key: &LogKey, message: StreamMessage) -> Record {
    Record { key: key.clone(), position: Position(message.sequence), payload: message.payload }
}

/// `None` when the stream has no such message.
fn if_found(
    got: Result<StreamMessage, async_nats::jetstream::stream::RawMessageError>,
) -> Result<Option<StreamMessage>, LogError> {
    match got {
        Ok(message) => Ok(Some(message)),
        Err(error) if error.kind() == RawMessageErrorKind::NoMessageFound => Ok(None),
        Err(error) => Err(unavailable(error)),
    }
}

pub(super) async fn last(stream: &Stream<()>, key: &LogKey, subject: String) -> Result<Option<Record>, LogError> {
    let got = stream.raw_message_builder().last_by_subject(subject).send().await;
    Ok(if_found(got)?.map(|message| to_record(key, message)))
}

async fn next_after(
    stream: &Stream<()>,
    key: &LogKey,
    subject: &str,
    after: Position,
) -> Result<Option<Record>, LogError> {
    let from = after.0.saturating_add(1);
    let got = stream.raw_message_builder().sequence(from).next_by_subject(subject).send().await;
    Ok(if_found(got)?.map(|message| to_record(key, message)))
}

/// Reads up to what the leader says is the last record: a few with gets, more with a consumer.
pub(super) async fn read(
    stream: &Stream<()>,
    key: &LogKey,
    subject: String,
    after: Option<Position>,
) -> Result<Vec<Record>, LogError> {
    let after = after.unwrap_or(Position(0));
    let Some(head) = last(stream, key, subject.clone()).await?.filter(|last| last.position > after) else {
        return Ok(Vec::new());
    };
    let mut records: Vec<Record> = Vec::new();
    while records.len() < GETS_MAX {
        let read_to = records.last().map_or(after, |record| record.position);
        let Some(next) = next_after(stream, key, &subject, read_to).await? else {
            break;
        };
        if next.position >= head.position {
            records.push(head);
            return Ok(records);
        }
        records.push(next);
    }
    let read_to = records.last().map_or(after, |record| record.position);
    records.extend(read_with_consumer(stream, &subject, read_to, head.position).await?);
    Ok(records)
}

async fn read_with_consumer(
    stream: &Stream<()>,
    subject: &str,
    after: Position,
    up_to: Position,
) -> Result<Vec<Record>, LogError> {
    let config = pull::Config {
        filter_subject: subject.to_owned(),
        deliver_policy: DeliverPolicy::ByStartSequence { start_sequence: after.0.saturating_add(1) },
        ack_policy: AckPolicy::None,
        inactive_threshold: CONSUMER_KEPT,
        num_replicas: 1,
        memory_storage: true,
        ..pull::Config::default()
    };
    let consumer = stream.create_consumer(config).await.map_err(unavailable)?;
    let records = collect(&consumer, up_to).await;
    if let Err(error) = stream.delete_consumer(&consumer.cached_info().name).await {
        debug!(%error, "a consumer could not be deleted and will expire");
    }
    records
}

async fn collect(
    consumer: &async_nats::jetstream::consumer::PullConsumer,
    up_to: Position,
) -> Result<Vec<Record>, LogError> {
    let mut records: Vec<Record> = Vec::new();
    while records.last().is_none_or(|record| record.position < up_to) {
        let count = records.len();
        let batch = consumer.fetch().max_messages(BATCH_RECORDS).expires(CALL_DEADLINE).messages().await;
        let mut batch = batch.map_err(unavailable)?;
        while let Some(message) = batch.next().await {
            let message = message.map_err(unavailable)?;
            let position = Position(message.info().map_err(unavailable)?.stream_sequence);
            if position > up_to {
                return Ok(records);
            }
            records.push(Record { key: parse_subject(&message.subject)?, position, payload: message.payload.clone() });
        }
        if records.len() == count {
            return Err(unavailable("the consumer gave fewer records than the stream has"));
        }
    }
    Ok(records)
}

/// Removes what is before a position, but never the last record.
pub(super) async fn purge(
    stream: &Stream<()>,
    key: &LogKey,
    subject: String,
    before: Position,
) -> Result<(), LogError> {
    let Some(head) = last(stream, key, subject.clone()).await? else {
        return Ok(());
    };
    let keep_from = head.position.min(before).0;
    stream.purge().filter(subject).sequence(keep_from).await.map_err(unavailable)?;
    Ok(())
}
