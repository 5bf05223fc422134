//! A webhook receiver, and the network between it and one notifier.

use async_trait::async_trait;
use bytes::Bytes;
use errand_domain::delivery::DeliveryOutcome;
use errand_egress::ConnectError;
use errand_notifier::{ConnectFault, Connection, Target, Transport};
use http::Request;
use http_body_util::{BodyExt, Full};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout_at};

use crate::process::Edge;

/// One POST as it arrived.
#[derive(Debug, Clone)]
pub struct Post {
    /// `webhook-id`: the run and the event's number.
    pub id: String,
    pub signature: String,
    pub body: Bytes,
}

/// Keeps every POST, in order of arrival.
#[derive(Debug, Default)]
pub struct Receiver {
    posts: Mutex<Vec<Post>>,
}

impl Receiver {
    pub fn posts(&self) -> Vec<Post> {
        self.posts.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn take(&self, post: Post) {
        self.posts.lock().unwrap_or_else(PoisonError::into_inner).push(post);
    }
}

/// One notifier's network.
#[derive(Debug)]
pub struct SimNetwork {
    pub receiver: Arc<Receiver>,
    pub edge: Edge,
}

#[derive(Debug)]
struct SimConnection {
    receiver: Arc<Receiver>,
    edge: Edge,
}

#[async_trait]
impl Transport for SimNetwork {
    async fn connect(&self, target: &Target) -> Result<Box<dyn Connection>, ConnectFault> {
        self.edge.ask().await;
        if self.edge.chaos.strikes(|rates| rates.connect_fails) {
            self.edge.answer().await;
            return Err(ConnectError::TimedOut { host: target.host.clone(), port: target.port }.into());
        }
        self.edge.answer().await;
        Ok(Box::new(SimConnection { receiver: Arc::clone(&self.receiver), edge: self.edge.clone() }))
    }
}

/// Set when the sender is gone: what is under way then may be lost.
struct Sender(Arc<AtomicBool>);

impl Drop for Sender {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Relaxed);
    }
}

#[async_trait]
impl Connection for SimConnection {
    async fn exchange(self: Box<Self>, request: Request<Full<Bytes>>, deadline: Instant) -> DeliveryOutcome {
        let chaos = &self.edge.chaos;
        let sender = Sender(Arc::new(AtomicBool::new(true)));
        let post = read(request).await;
        let (takes, lands_anyway) = (chaos.ms(1..500), chaos.below(2) == 0);
        let (receiver, is_sending) = (Arc::clone(&self.receiver), Arc::clone(&sender.0));
        let travelling = tokio::spawn(async move {
            sleep(takes).await;
            if is_sending.load(Ordering::Relaxed) || lands_anyway {
                receiver.take(post);
            }
        });
        let misbehaves = chaos.strikes(|rates| rates.receiver_misbehaves);
        let answers_after = if misbehaves { chaos.ms(100..10_000) } else { Duration::from_millis(5) };
        let answering = async {
            // It ends with the simulation at the latest.
            let _ = travelling.await;
            sleep(answers_after).await;
        };
        let answered = timeout_at(deadline, answering).await;
        self.edge.answer().await;
        match answered {
            Ok(()) if misbehaves => DeliveryOutcome::Rejected { status: 500 },
            Ok(()) => DeliveryOutcome::Delivered { status: 200 },
            Err(_) => DeliveryOutcome::NoResponse { reason: "no whole answer came in time".to_owned() },
        }
    }
}

async fn read(request: Request<Full<Bytes>>) -> Post {
    let header = |name: &str| {
        let value = request.headers().get(name).and_then(|value| value.to_str().ok());
        value.unwrap_or_default().to_owned()
    };
    let (id, signature) = (header("webhook-id"), header("x-lovely-signature"));
    // A body in memory cannot fail.
    let body = request.into_body().collect().await.map(|body| body.to_bytes()).unwrap_or_default();
    Post { id, signature, body }
}
