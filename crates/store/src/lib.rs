//! Where Errand keeps things: the event log, the work queue, key-value buckets, blobs and signals, each behind a trait
//! with an embedded, an in-memory and a JetStream form; and the one routine by which every writer appends.

pub mod blobs;
pub mod clock;
pub mod commits;
pub mod embedded;
pub mod jetstream;
pub mod jobs;
pub mod keyvalue;
pub mod lease;
pub mod limits;
pub mod log;
pub mod memory;
pub mod queue;
pub mod recent;
pub mod sabotage;
pub mod signals;

use std::sync::Arc;

pub use blobs::{BlobError, Blobs};
pub use clock::{Clock, IdSource, RandomIds, SystemClock};
pub use commits::{CommandError, Committed, DeliveryLog, LoadError, Loaded, RunLog, decode_run_record};
pub use keyvalue::{Bucket, KeyValue, KeyValueEntry, KeyValueError, Revision};
pub use log::{AppendError, Entry, EventLog, LogError, LogKey, LogKind, Position, Record, TailFrom, TailStream};
pub use queue::{Job, JobReceiver, QueueError, QueueName, WorkQueue};
pub use sabotage::Sabotage;
pub use signals::{SignalError, SignalStream, Signals};

/// Everything a service is given to work with.
#[derive(Debug, Clone)]
pub struct Stores {
    pub log: Arc<dyn EventLog>,
    pub queue: Arc<dyn WorkQueue>,
    pub keyvalue: Arc<dyn KeyValue>,
    pub blobs: Arc<dyn Blobs>,
    pub signals: Arc<dyn Signals>,
    pub clock: Arc<dyn Clock>,
    pub ids: Arc<dyn IdSource>,
}
