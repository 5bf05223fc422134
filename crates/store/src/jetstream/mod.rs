//! The event log in NATS JetStream, for any number of processes: one stream per partition, one subject per log, one
//! message per commit.
//!
//! The server decides: a message is stored only if the subject's last sequence is the expected one. With three replicas and
//! `sync_interval: always` an acknowledged message survives power loss; with the server's default sync it may not.

mod publish;
mod read;
mod setup;
mod tail;

use async_nats::Client;
use async_nats::jetstream::{self, Context, stream::Stream};
use async_trait::async_trait;
use errand_domain::RunId;
use thiserror::Error;

use crate::limits::{CALL_DEADLINE, PARTITIONS_DEFAULT};
use crate::log::{AppendError, Entry, EventLog, LogError, LogKey, LogKind, Position, Record, TailFrom, TailStream};
use crate::sabotage::Sabotage;

/// How to open a log.
#[derive(Debug, Clone)]
pub struct JetStreamOptions {
    /// Partitions, 1 to 256; fixed when the streams are made.
    pub partitions: u32,
    /// Copies of each stream. Three survive the loss of one server.
    pub replicas: usize,
    /// A safeguard to break; for tests.
    pub sabotage: Option<Sabotage>,
}

impl Default for JetStreamOptions {
    fn default() -> Self {
        Self { partitions: PARTITIONS_DEFAULT, replicas: 1, sabotage: Sabotage::from_env() }
    }
}

/// Why a log could not be opened.
#[derive(Debug, Error)]
pub enum JetStreamError {
    #[error("the number of partitions must be 1 to {max}, not {wanted}")]
    PartitionsOutOfRange { wanted: u32, max: u32 },
    /// Older servers silently ignore what they do not know.
    #[error("the NATS server has version {version}; {wanted} or later is needed")]
    ServerTooOld { version: String, wanted: &'static str },
    #[error("the NATS server takes messages of {max} bytes; {wanted} are needed (max_payload)")]
    PayloadsTooSmall { max: usize, wanted: usize },
    /// Transient, unless the server has no JetStream or refuses the stream.
    #[error("stream {stream} could not be opened or made")]
    Stream {
        stream: String,
        #[source]
        source: jetstream::context::CreateStreamError,
    },
    #[error("stream {stream} was made with {stored} partitions, not {wanted}")]
    Partitions { stream: String, stored: String, wanted: u32 },
    #[error("stream {stream} is set up otherwise: {setting} is {found}")]
    Setting { stream: String, setting: &'static str, found: String },
}

/// The log's streams on a connected server.
#[derive(Debug)]
pub struct JetStreamLog {
    client: Client,
    partitions: Vec<Stream<()>>,
    sabotage: Option<Sabotage>,
}

impl JetStreamLog {
    /// Opens the log's streams, or makes them, and checks that they are what is needed.
    ///
    /// # Errors
    /// When the server is too old or cannot be reached, or the streams were made otherwise.
    pub async fn open(client: Client, options: &JetStreamOptions) -> Result<Self, JetStreamError> {
        setup::check_server(&client)?;
        let mut context: Context = jetstream::new(client.clone());
        context.set_timeout(CALL_DEADLINE);
        let partitions = setup::open_streams(&context, options).await?;
        Ok(Self { client, partitions, sabotage: options.sabotage })
    }

    fn stream(&self, partition: u32) -> Result<&Stream<()>, LogError> {
        let unknown = || LogError::Unusable { reason: format!("there is no partition {partition}") };
        self.partitions.get(partition as usize).ok_or_else(unknown)
    }

    fn stream_of(&self, key: &LogKey) -> Result<&Stream<()>, LogError> {
        self.stream(key.partition(self.partitions()))
    }

    fn subject_of(&self, key: &LogKey) -> String {
        let partition = key.partition(self.partitions());
        format!("{}.{partition}.{}", kind_token(key.kind), key.run_id)
    }
}

fn kind_token(kind: LogKind) -> &'static str {
    match kind {
        LogKind::Run => "run",
        LogKind::Delivery => "delivery",
    }
}

/// The log of a subject such as `run.3.brun_…`.
fn parse_subject(subject: &str) -> Result<LogKey, LogError> {
    let corrupt = || LogError::Corrupt { reason: format!("a message has the subject {subject}") };
    let mut tokens = subject.split('.');
    let (Some(kind), Some(_), Some(run_id), None) = (tokens.next(), tokens.next(), tokens.next(), tokens.next()) else {
        return Err(corrupt());
    };
    let kind = match kind {
        "run" => LogKind::Run,
        "delivery" => LogKind::Delivery,
        _ => return Err(corrupt()),
    };
    let run_id = RunId::parse(run_id).map_err(|_| corrupt())?;
    Ok(LogKey { kind, run_id })
}

#[async_trait]
impl EventLog for JetStreamLog {
    fn partitions(&self) -> u32 {
        self.partitions.len() as u32
    }

    async fn append(&self, key: &LogKey, expected: Option<Position>, entry: Entry) -> Result<Position, AppendError> {
        let is_dropped = self.sabotage == Some(Sabotage::DropExpected);
        let expected = if is_dropped { publish::Expected::Anything } else { publish::Expected::Last(expected) };
        publish::publish(&self.client, self.subject_of(key), expected, entry).await
    }

    async fn last(&self, key: &LogKey) -> Result<Option<Record>, LogError> {
        read::last(self.stream_of(key)?, key, self.subject_of(key)).await
    }

    async fn read(&self, key: &LogKey, after: Option<Position>) -> Result<Vec<Record>, LogError> {
        read::read(self.stream_of(key)?, key, self.subject_of(key), after).await
    }

    async fn tail(&self, partition: u32, from: TailFrom) -> Result<TailStream, LogError> {
        tail::tail(self.stream(partition)?, from).await
    }

    async fn purge(&self, key: &LogKey, before: Position) -> Result<(), LogError> {
        read::purge(self.stream_of(key)?, key, self.subject_of(key), before).await
    }
}
