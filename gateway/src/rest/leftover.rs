//! What a call did not read of its body. A connection that is closed on unread bytes is reset, and then a client that is
//! still sending never sees why it was refused: so a bounded rest is read and dropped before the answer.

use axum::body::{Body, Bytes};
use http_body_util::BodyExt;
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use crate::limits::{DRAIN_BODY_BYTES_MAX, DRAIN_BODY_DEADLINE};

/// The body of a request, shared between the call and whoever drains it after the call.
#[derive(Debug, Clone)]
pub(super) struct SharedBody {
    body: Arc<Mutex<Body>>,
    /// The client sends nothing before it is told to go on (RFC 9110 §10.1.1), which the first look at the body does.
    awaits_word: Arc<AtomicBool>,
}

impl SharedBody {
    pub(super) fn new(body: Body, awaits_word: bool) -> Self {
        Self { body: Arc::new(Mutex::new(body)), awaits_word: Arc::new(AtomicBool::new(awaits_word)) }
    }

    fn body(&self) -> MutexGuard<'_, Body> {
        self.body.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads and drops what is left: to its end, to the bound, or until the client is too slow.
    pub(super) async fn drain(mut self) {
        if self.is_end_stream() || self.awaits_word.load(Ordering::Relaxed) {
            return;
        }
        let rest = async {
            let mut left = DRAIN_BODY_BYTES_MAX;
            while let Some(Ok(frame)) = self.frame().await {
                left = left.saturating_sub(frame.data_ref().map_or(0, Bytes::len));
                if left == 0 {
                    return;
                }
            }
        };
        // Too slow, or too much: the connection is closed after the answer, as it is without this.
        let _ = tokio::time::timeout(DRAIN_BODY_DEADLINE, rest).await;
    }
}

impl HttpBody for SharedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        self.awaits_word.store(false, Ordering::Relaxed);
        Pin::new(&mut *self.body()).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body().is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body().size_hint()
    }
}
