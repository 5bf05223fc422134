//! Hints between processes that may be lost: a worker's beats, live frames.

use async_trait::async_trait;
use bytes::Bytes;
use futures::stream::BoxStream;
use std::fmt;
use thiserror::Error;

/// Payloads as they come; a reader that is too slow misses the oldest.
pub type SignalStream = BoxStream<'static, Bytes>;

/// Why a signal could not be sent or awaited; transient.
#[derive(Debug, Error)]
#[error("signals are unavailable: {reason}")]
pub struct SignalError {
    pub reason: String,
}

/// Publishes and subscribes by exact subject.
#[async_trait]
pub trait Signals: Send + Sync + fmt::Debug {
    async fn publish(&self, subject: &str, payload: Bytes) -> Result<(), SignalError>;
    async fn subscribe(&self, subject: &str) -> Result<SignalStream, SignalError>;
}
