//! One connection: serves its requests, and tells the room when it is at work and when it is idle.

use axum::Router;
use axum::body::{Body, Bytes};
use http::{Request, Response};
use hyper::body::{Frame, Incoming, SizeHint};
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use thiserror::Error;
use tokio::net::TcpStream;
use tokio_util::sync::CancellationToken;

use super::room::{ConnectionId, Room};
use crate::limits::{HEADER_DEADLINE, SPARE_HEADER_DEADLINE};

/// A connection's place in the room, free again when this is dropped.
#[derive(Debug)]
pub(super) struct Seat {
    id: ConnectionId,
    room: Arc<Mutex<Room>>,
}

impl Seat {
    pub(super) fn new(id: ConnectionId, room: Arc<Mutex<Room>>) -> Self {
        Self { id, room }
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        locked(&self.room).left(self.id);
    }
}

pub(super) fn locked(room: &Mutex<Room>) -> MutexGuard<'_, Room> {
    // Nothing panics while it is locked.
    room.lock().unwrap_or_else(PoisonError::into_inner)
}

/// From a request's head to the end of its answer.
#[derive(Debug)]
struct Work(Arc<Seat>);

impl Work {
    /// # Errors
    /// When the place was given to another meanwhile: this request is not begun.
    fn begin(seat: &Arc<Seat>) -> Result<Self, Replaced> {
        if locked(&seat.room).works(seat.id) { Ok(Self(Arc::clone(seat))) } else { Err(Replaced) }
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        locked(&self.0.room).rests(self.0.id);
    }
}

#[derive(Debug, Error)]
#[error("the connection's place was given to another")]
struct Replaced;

/// In a spare place one request is answered.
pub(super) async fn serve_connection(
    stream: TcpStream,
    router: Router,
    seat: Seat,
    is_spare: bool,
    shutdown: CancellationToken,
) -> ConnectionId {
    let id = seat.id;
    // Answers are small and whole; waiting to fill a packet only delays them.
    let _ = stream.set_nodelay(true);
    let mut http = http1::Builder::new();
    let patience = if is_spare { SPARE_HEADER_DEADLINE } else { HEADER_DEADLINE };
    http.timer(TokioTimer::new()).header_read_timeout(patience).keep_alive(!is_spare);
    let (seat, router) = (Arc::new(seat), TowerToHyperService::new(router));
    let connection = http.serve_connection(TokioIo::new(stream), service_fn(|request| answer(&router, &seat, request)));
    let mut connection = std::pin::pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = shutdown.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        let error: &dyn std::error::Error = &error;
        tracing::debug!(error, "connection ended with an error");
    }
    id
}

fn answer(
    router: &TowerToHyperService<Router>,
    seat: &Arc<Seat>,
    request: Request<Incoming>,
) -> impl Future<Output = Result<Response<AtWork>, Replaced>> + use<> {
    let begun = Work::begin(seat).map(|work| (router.call(request), work));
    async move {
        let (answering, work) = begun?;
        let Ok(response) = answering.await;
        Ok(response.map(|body| AtWork { body, _work: work }))
    }
}

/// An answer's body, with the work that ends with it.
struct AtWork {
    body: Body,
    _work: Work,
}

impl hyper::body::Body for AtWork {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
