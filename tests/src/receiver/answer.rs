//! What a receiver records of a request, and what it answers.

use std::convert::Infallible;
use std::io;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use bytes::Bytes;
use futures::stream;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full, Limited, StreamBody};
use hyper::body::{Frame, Incoming};
use hyper::header::{CONTENT_LENGTH, LOCATION};
use hyper::{Method, Request, Response, StatusCode};

use super::{Behaviour, RecordedPost, Shared};

/// More than any webhook body; a sender that passes it is broken.
const BODY_BYTES_MAX: usize = 4 * 1024 * 1024;
/// How slowly `SlowBody` drips, one byte each.
const DRIP_INTERVAL: Duration = Duration::from_millis(250);
/// Bytes `SlowBody` drips: half a minute, well past every deadline of a sender.
const DRIP_COUNT: usize = 120;
/// Bytes of `LargeBody`: far past the 64 KiB a sender may read (SPEC 6).
const LARGE_BODY_BYTES: usize = 1024 * 1024;

type Body = UnsyncBoxBody<Bytes, Infallible>;

/// Records the request, calls the hook, then behaves as told.
///
/// # Errors
/// `Reset`, and a request whose body does not arrive; the connection is then dropped.
pub async fn answer(shared: &Shared, request: Request<Incoming>) -> io::Result<Response<Body>> {
    let at = Instant::now();
    shared.requests.fetch_add(1, Ordering::SeqCst);
    if request.method() != Method::POST {
        return Ok(plain(StatusCode::METHOD_NOT_ALLOWED, "only POST is served here"));
    }
    let post = record(at, request).await?;
    shared.posts.send_modify(|posts| posts.push(post.clone()));
    if let Some(hook) = &shared.hook {
        hook(post).await;
    }
    behave(&shared.behaviour).await
}

async fn record(at: Instant, request: Request<Incoming>) -> io::Result<RecordedPost> {
    let (head, body) = request.into_parts();
    let body = Limited::new(body, BODY_BYTES_MAX).collect().await.map_err(io::Error::other)?.to_bytes();
    let text = |value: &hyper::header::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    Ok(RecordedPost {
        at,
        path: head.uri.path().to_owned(),
        headers: head.headers.iter().map(|(name, value)| (name.as_str().to_owned(), text(value))).collect(),
        body,
    })
}

async fn behave(behaviour: &Behaviour) -> io::Result<Response<Body>> {
    match behaviour {
        Behaviour::Ok200 | Behaviour::BadTls(_) => Ok(plain(StatusCode::OK, "ok")),
        Behaviour::Status(code) => Ok(plain(StatusCode::from_u16(*code).map_err(io::Error::other)?, "as asked")),
        Behaviour::RedirectTo(url) => redirect(url),
        Behaviour::Hang(duration) => {
            tokio::time::sleep(*duration).await;
            Ok(plain(StatusCode::OK, "late"))
        }
        Behaviour::Reset => Err(io::Error::from(io::ErrorKind::ConnectionReset)),
        Behaviour::SlowBody => Ok(dripping()),
        Behaviour::LargeBody => Ok(Response::new(Full::new(Bytes::from(vec![b'x'; LARGE_BODY_BYTES])).boxed_unsync())),
    }
}

fn plain(status: StatusCode, text: &'static str) -> Response<Body> {
    let mut response = Response::new(Full::new(Bytes::from_static(text.as_bytes())).boxed_unsync());
    *response.status_mut() = status;
    response
}

fn redirect(url: &str) -> io::Result<Response<Body>> {
    let mut response = plain(StatusCode::FOUND, "elsewhere");
    response.headers_mut().insert(LOCATION, url.parse().map_err(io::Error::other)?);
    Ok(response)
}

/// Status and headers at once, then a byte at a time.
fn dripping() -> Response<Body> {
    let drops = stream::unfold(0, |sent| async move {
        if sent == DRIP_COUNT {
            return None;
        }
        tokio::time::sleep(DRIP_INTERVAL).await;
        Some((Ok::<_, Infallible>(Frame::data(Bytes::from_static(b"."))), sent + 1))
    });
    let mut response = Response::new(BodyExt::boxed_unsync(StreamBody::new(drops)));
    response.headers_mut().insert(CONTENT_LENGTH, DRIP_COUNT.into());
    response
}
