//! Following one stream: one consumer without a filter. Anything odd ends the tail with `Interrupted`; its reader tails
//! again after its last position, so no recovery here can skip or repeat a record.

use async_nats::jetstream::consumer::{AckPolicy, DeliverPolicy, pull};
use async_nats::jetstream::stream::Stream;
use futures::{StreamExt, stream};
use std::time::Duration;

use super::parse_subject;
use super::read::unavailable;
use crate::limits::TAIL_BUFFER_RECORDS;
use crate::log::{LogError, Position, Record, TailFrom, TailStream};

/// How often the server says that it is there; twice as long without a word is an interruption.
const HEARTBEAT: Duration = Duration::from_secs(2);
/// The server keeps a consumer that nobody asks for so long.
const CONSUMER_KEPT: Duration = Duration::from_secs(30);
/// How long one request to the consumer stands.
const REQUEST_STANDS: Duration = Duration::from_secs(30);

struct Tail {
    messages: pull::Stream,
    /// Rises by one per message of this consumer: a gap is a lost message.
    consumer_sequence: u64,
}

pub(super) async fn tail(log_stream: &Stream<()>, from: TailFrom) -> Result<TailStream, LogError> {
    let config = pull::Config {
        deliver_policy: deliver_policy(log_stream, from).await?,
        ack_policy: AckPolicy::None,
        inactive_threshold: CONSUMER_KEPT,
        num_replicas: 1,
        memory_storage: true,
        ..pull::Config::default()
    };
    let consumer = log_stream.create_consumer(config).await.map_err(unavailable)?;
    let requests = consumer.stream().max_messages_per_batch(TAIL_BUFFER_RECORDS).heartbeat(HEARTBEAT);
    let messages = requests.expires(REQUEST_STANDS).messages().await.map_err(unavailable)?;
    let tail = Tail { messages, consumer_sequence: 0 };
    let records = stream::try_unfold(tail, |mut tail| async move {
        let record = tail.next_record().await?;
        Ok(Some((record, tail)))
    });
    Ok(records.boxed())
}

/// `Now` becomes a number at once: "new messages" would mean something else for each try.
async fn deliver_policy(log_stream: &Stream<()>, from: TailFrom) -> Result<DeliverPolicy, LogError> {
    let after = match from {
        TailFrom::Start => return Ok(DeliverPolicy::All),
        TailFrom::After(position) => position.0,
        TailFrom::Now => log_stream.get_info().await.map_err(unavailable)?.state.last_sequence,
    };
    Ok(DeliverPolicy::ByStartSequence { start_sequence: after.saturating_add(1) })
}

impl Tail {
    async fn next_record(&mut self) -> Result<Record, LogError> {
        let Some(message) = self.messages.next().await else {
            return Err(interrupted("the consumer ended"));
        };
        let message = message.map_err(interrupted)?;
        let info = message.info().map_err(interrupted)?;
        if info.consumer_sequence != self.consumer_sequence + 1 {
            return Err(interrupted("a message was lost on the way"));
        }
        let position = Position(info.stream_sequence);
        self.consumer_sequence += 1;
        Ok(Record { key: parse_subject(&message.subject)?, position, payload: message.payload.clone() })
    }
}

fn interrupted(error: impl ToString) -> LogError {
    LogError::Interrupted { reason: error.to_string() }
}
