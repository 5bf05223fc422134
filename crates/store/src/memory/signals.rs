//! Signals within one process.

use async_trait::async_trait;
use bytes::Bytes;
use futures::{StreamExt, stream};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::broadcast::{self, error::RecvError};

use crate::limits::SIGNAL_BUFFER;
use crate::signals::{SignalError, SignalStream, Signals};

/// One channel per subject that somebody has subscribed to.
#[derive(Debug, Default)]
pub struct MemorySignals {
    subjects: Arc<Subjects>,
}

#[derive(Debug, Default)]
struct Subjects(Mutex<BTreeMap<String, broadcast::Sender<Bytes>>>);

impl Subjects {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, broadcast::Sender<Bytes>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Removes the subject with its last subscriber.
struct Subscription {
    receiver: Option<broadcast::Receiver<Bytes>>,
    subject: String,
    subjects: Arc<Subjects>,
}

impl Drop for Subscription {
    fn drop(&mut self) {
        let mut subjects = self.subjects.lock();
        self.receiver = None;
        if subjects.get(&self.subject).is_some_and(|sender| sender.receiver_count() == 0) {
            subjects.remove(&self.subject);
        }
    }
}

impl Subscription {
    async fn next(&mut self) -> Option<Bytes> {
        let receiver = self.receiver.as_mut()?;
        loop {
            match receiver.recv().await {
                Ok(payload) => return Some(payload),
                Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => return None,
            }
        }
    }
}

#[async_trait]
impl Signals for MemorySignals {
    async fn publish(&self, subject: &str, payload: Bytes) -> Result<(), SignalError> {
        if let Some(sender) = self.subjects.lock().get(subject) {
            // Nobody listening is not an error: signals may be lost.
            let _ = sender.send(payload);
        }
        Ok(())
    }

    async fn subscribe(&self, subject: &str) -> Result<SignalStream, SignalError> {
        let mut subjects = self.subjects.lock();
        let sender = subjects.entry(subject.to_owned()).or_insert_with(|| broadcast::Sender::new(SIGNAL_BUFFER));
        let subscription = Subscription {
            receiver: Some(sender.subscribe()),
            subject: subject.to_owned(),
            subjects: Arc::clone(&self.subjects),
        };
        let payloads = stream::unfold(subscription, |mut subscription| async move {
            let payload = subscription.next().await?;
            Some((payload, subscription))
        });
        Ok(payloads.boxed())
    }
}
