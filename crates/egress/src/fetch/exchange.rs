//! One request and its whole answer, over a connection of its own.

use std::pin::pin;

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Request, StatusCode, header, request};
use http_body_util::{BodyExt, Empty};
use hyper::{body::Incoming, client::conn::http1};
use hyper_util::rt::TokioIo;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    time::Instant,
};
use url::{Position, Url};

use super::FetchError;
use crate::dialer::Dialer;

/// Names the reader honestly, in the form that servers expect.
const USER_AGENT: &str = concat!("Mozilla/5.0 (compatible; Errand/", env!("CARGO_PKG_VERSION"), ")");
const ACCEPT: &str = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
const ACCEPT_LANGUAGE: &str = "en-US,en;q=0.8";
/// What [`super::content::decode`] undoes.
const ACCEPT_ENCODING: &str = "gzip, deflate";

/// An answer as received, its content still encoded. Redirects have no body here.
pub(super) struct Answer {
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    pub(super) body: Vec<u8>,
}

/// Connects and gets one URL. The deadline bounds connecting; the caller bounds the whole.
pub(super) async fn get(
    dialer: &Dialer,
    url: &Url,
    body_bytes_max: usize,
    deadline: Instant,
) -> Result<Answer, FetchError> {
    let not_http = || FetchError::NotHttp { url: url.to_string() };
    let (host, port) = url.host_str().zip(url.port_or_known_default()).ok_or_else(not_http)?;
    let request = request_for(url).map_err(|_| not_http())?;
    let exchanged = match url.scheme() {
        "http" => {
            let (stream, _) = dialer.connect(host, port, deadline).await?;
            exchange(stream, request, body_bytes_max).await
        }
        "https" => {
            let (stream, _) = dialer.connect_tls(host, port, deadline).await?;
            exchange(stream, request, body_bytes_max).await
        }
        _ => return Err(not_http()),
    };
    exchanged.map_err(|fault| match fault {
        Fault::Http(source) => FetchError::Exchange { host: host.to_owned(), source },
        Fault::TooLarge => FetchError::BodyTooLarge { max_bytes: body_bytes_max },
    })
}

enum Fault {
    Http(hyper::Error),
    TooLarge,
}

fn request_for(url: &Url) -> Result<Request<Empty<Bytes>>, http::Error> {
    let host = &url[Position::BeforeHost..Position::AfterPort];
    let builder: request::Builder = Request::get(&url[Position::BeforePath..Position::AfterQuery])
        .header(header::HOST, host)
        .header(header::USER_AGENT, USER_AGENT)
        .header(header::ACCEPT, ACCEPT)
        .header(header::ACCEPT_LANGUAGE, ACCEPT_LANGUAGE)
        .header(header::ACCEPT_ENCODING, ACCEPT_ENCODING)
        .header(header::CONNECTION, HeaderValue::from_static("close"));
    builder.body(Empty::new())
}

async fn exchange<S>(stream: S, request: Request<Empty<Bytes>>, body_bytes_max: usize) -> Result<Answer, Fault>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.map_err(Fault::Http)?;
    let answering = async {
        let response = sender.send_request(request).await.map_err(Fault::Http)?;
        let (head, incoming) = response.into_parts();
        let body = if head.status.is_redirection() { Vec::new() } else { read(incoming, body_bytes_max).await? };
        Ok(Answer { status: head.status, headers: head.headers, body })
    };
    let (mut answering, mut connection) = (pin!(answering), pin!(connection));
    // The connection only carries the answer; its end says nothing that the answer does not, and may come before it.
    tokio::select! {
        answer = &mut answering => answer,
        _ = &mut connection => answering.await,
    }
}

async fn read(mut incoming: Incoming, bytes_max: usize) -> Result<Vec<u8>, Fault> {
    let mut body = Vec::new();
    while let Some(frame) = incoming.frame().await {
        let Ok(data) = frame.map_err(Fault::Http)?.into_data() else {
            continue;
        };
        if data.len() > bytes_max - body.len() {
            return Err(Fault::TooLarge);
        }
        body.extend_from_slice(&data);
    }
    Ok(body)
}
