//! Signals over a bad network: lost, late, or twice.

use async_trait::async_trait;
use bytes::Bytes;
use errand_store::{SignalError, SignalStream, Signals};
use futures::StreamExt;
use std::sync::Arc;

use crate::process::Edge;

/// One process's way to the signals.
#[derive(Debug)]
pub struct FaultySignals {
    pub inner: Arc<dyn Signals>,
    pub edge: Edge,
}

impl FaultySignals {
    fn send_late(&self, subject: &str, payload: &Bytes) {
        let (inner, subject, payload) = (Arc::clone(&self.inner), subject.to_owned(), payload.clone());
        let delay = self.edge.chaos.ms(100..8_000);
        tokio::spawn(async move {
            tokio::time::sleep(delay).await;
            // Signals may be lost.
            let _ = inner.publish(&subject, payload).await;
        });
    }
}

#[async_trait]
impl Signals for FaultySignals {
    async fn publish(&self, subject: &str, payload: Bytes) -> Result<(), SignalError> {
        let chaos = &self.edge.chaos;
        self.edge.ask().await;
        if chaos.strikes(|rates| rates.signal_lost) {
            return Ok(());
        }
        if chaos.strikes(|rates| rates.signal_late) {
            self.send_late(subject, &payload);
            return Ok(());
        }
        if chaos.strikes(|rates| rates.signal_twice) {
            self.send_late(subject, &payload);
        }
        self.inner.publish(subject, payload).await
    }

    async fn subscribe(&self, subject: &str) -> Result<SignalStream, SignalError> {
        self.edge.ask().await;
        let process = Arc::clone(&self.edge.process);
        let payloads = self.inner.subscribe(subject).await?;
        let gated = payloads.then(move |payload| {
            let process = Arc::clone(&process);
            async move {
                process.gate().await;
                payload
            }
        });
        Ok(gated.boxed())
    }
}
