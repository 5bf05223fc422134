//! Webhook receivers over real TLS that record every POST and behave, or misbehave, as a test asks.

mod answer;
mod ca;

use std::fmt;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use bytes::Bytes;
use futures::future::BoxFuture;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use thiserror::Error;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};
use tokio_rustls::TlsAcceptor;

pub use ca::{TestCa, self_signed};

/// The names a receiver's certificate is for.
const NAMES: [&str; 2] = ["localhost", "127.0.0.1"];

/// What a receiver does with a request it has recorded.
#[derive(Debug, Clone)]
pub enum Behaviour {
    /// Answers 200 at once.
    Ok200,
    /// Answers with this status.
    Status(u16),
    /// Answers 302 to this URL.
    RedirectTo(String),
    /// Answers 200 after this long.
    Hang(Duration),
    /// Resets the connection instead of answering.
    Reset,
    /// Never gets as far as a request.
    BadTls(BadTls),
    /// Answers 200 at once and drips a body for half a minute.
    SlowBody,
    /// Answers 200 with a body of 1 MiB.
    LargeBody,
}

/// What is wrong with a receiver's TLS.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BadTls {
    /// It does not speak TLS.
    Garbage,
    /// Its certificate comes from a root that nobody was told to trust.
    UntrustedCertificate,
    /// Its certificate is for another host.
    WrongName,
}

/// One POST as it arrived.
#[derive(Debug, Clone)]
pub struct RecordedPost {
    /// When its head had been read.
    pub at: Instant,
    pub path: String,
    /// Names in lower case, in order of arrival.
    pub headers: Vec<(String, String)>,
    /// The raw body, which the signature covers.
    pub body: Bytes,
}

impl RecordedPost {
    /// The first header of this lower-case name.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// The body as JSON.
    ///
    /// # Errors
    /// When it is not JSON.
    pub fn json(&self) -> serde_json::Result<serde_json::Value> {
        serde_json::from_slice(&self.body)
    }
}

/// Called with each POST before it is answered.
pub type Hook = Arc<dyn Fn(RecordedPost) -> BoxFuture<'static, ()> + Send + Sync>;

/// Fewer POSTs than awaited came before the deadline.
#[derive(Debug, Error)]
#[error("wanted {wanted} posts, saw {seen} within {deadline:?}")]
pub struct TooFewPosts {
    pub wanted: usize,
    pub seen: usize,
    pub deadline: Duration,
}

struct Shared {
    behaviour: Behaviour,
    hook: Option<Hook>,
    posts: watch::Sender<Vec<RecordedPost>>,
    connections: AtomicUsize,
    requests: AtomicUsize,
}

/// A running receiver; dropping it closes its socket and its connections.
pub struct Receiver {
    address: SocketAddr,
    shared: Arc<Shared>,
    server: JoinHandle<()>,
}

impl Receiver {
    /// Starts a receiver on a free loopback port, with a certificate from `ca`.
    ///
    /// # Panics
    /// When loopback cannot be listened on: no test can go on without it.
    pub async fn start(ca: &TestCa, behaviour: Behaviour) -> Self {
        Self::start_with(ca, behaviour, None).await
    }

    /// Starts a receiver that calls `hook` with each POST before it answers.
    ///
    /// # Panics
    /// As `start`.
    pub async fn start_with_hook(ca: &TestCa, behaviour: Behaviour, hook: Hook) -> Self {
        Self::start_with(ca, behaviour, Some(hook)).await
    }

    async fn start_with(ca: &TestCa, behaviour: Behaviour, hook: Option<Hook>) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("loopback has a free port");
        let address = listener.local_addr().expect("a bound listener has an address");
        let config = match &behaviour {
            Behaviour::BadTls(BadTls::UntrustedCertificate) => TestCa::new().server_config(&NAMES),
            Behaviour::BadTls(BadTls::WrongName) => ca.server_config(&["elsewhere.example"]),
            _ => ca.server_config(&NAMES),
        };
        let shared = Arc::new(Shared {
            behaviour,
            hook,
            posts: watch::Sender::new(Vec::new()),
            connections: AtomicUsize::new(0),
            requests: AtomicUsize::new(0),
        });
        let server = tokio::spawn(accept(listener, TlsAcceptor::from(config), Arc::clone(&shared)));
        Self { address, shared, server }
    }

    /// `https://127.0.0.1:PORT/hook`
    #[must_use]
    pub fn url(&self) -> String {
        format!("https://{}/hook", self.address)
    }

    /// `https://localhost:PORT/hook`
    #[must_use]
    pub fn url_by_name(&self) -> String {
        format!("https://localhost:{}/hook", self.address.port())
    }

    /// The address it listens on.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The POSTs so far, oldest first.
    #[must_use]
    pub fn posts(&self) -> Vec<RecordedPost> {
        self.shared.posts.borrow().clone()
    }

    /// TCP connections accepted so far, whatever came over them.
    #[must_use]
    pub fn connections(&self) -> usize {
        self.shared.connections.load(Ordering::SeqCst)
    }

    /// HTTP requests of any method parsed so far.
    #[must_use]
    pub fn requests(&self) -> usize {
        self.shared.requests.load(Ordering::SeqCst)
    }

    /// Waits until at least `wanted` POSTs have been recorded and gives them all.
    ///
    /// # Errors
    /// `TooFewPosts` when `deadline` passes first.
    pub async fn wait_for_posts(&self, wanted: usize, deadline: Duration) -> Result<Vec<RecordedPost>, TooFewPosts> {
        let mut changes = self.shared.posts.subscribe();
        let enough = changes.wait_for(|posts| posts.len() >= wanted);
        if let Ok(Ok(posts)) = tokio::time::timeout(deadline, enough).await {
            return Ok(posts.clone());
        }
        Err(TooFewPosts { wanted, seen: self.posts().len(), deadline })
    }

    /// Closes the socket and every connection, and waits until that is done.
    pub async fn stop(mut self) {
        self.server.abort();
        let _aborted = (&mut self.server).await;
    }
}

impl fmt::Debug for Receiver {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Receiver")
            .field("address", &self.address)
            .field("behaviour", &self.shared.behaviour)
            .finish_non_exhaustive()
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.server.abort();
    }
}

/// Ends only by being aborted, and then drops its connections with it.
async fn accept(listener: TcpListener, tls: TlsAcceptor, shared: Arc<Shared>) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => {
                let Ok((stream, _)) = accepted else { continue };
                shared.connections.fetch_add(1, Ordering::SeqCst);
                connections.spawn(converse(stream, tls.clone(), Arc::clone(&shared)));
            }
            Some(_) = connections.join_next() => {}
        }
    }
}

/// One connection from accept to close. Its errors are what the sender sees and what tests provoke; nobody handles them here.
async fn converse(stream: TcpStream, tls: TlsAcceptor, shared: Arc<Shared>) -> io::Result<()> {
    if matches!(shared.behaviour, Behaviour::BadTls(BadTls::Garbage)) {
        return speak_garbage(stream).await;
    }
    if matches!(shared.behaviour, Behaviour::Reset) {
        // With zero linger the kernel sends RST when the socket is dropped.
        stream.set_zero_linger()?;
    }
    let stream = tls.accept(stream).await?;
    let service = service_fn(|request| {
        let shared = Arc::clone(&shared);
        async move { answer::answer(&shared, request).await }
    });
    http1::Builder::new().serve_connection(TokioIo::new(stream), service).await.map_err(io::Error::other)
}

/// Waits for the sender's first bytes, so that it is the greeting that gets the wrong answer.
async fn speak_garbage(mut stream: TcpStream) -> io::Result<()> {
    let mut greeting = [0; 512];
    let _read = stream.read(&mut greeting).await?;
    stream.write_all(b"220 mail.example ESMTP ready\r\n").await?;
    stream.shutdown().await
}

#[cfg(test)]
mod tests;
