//! A host that does just what a test says with every request: answers, closes, resets or hangs. It keeps a ledger of what
//! came, and over which connection. Plain or TLS, kept alive or not, on any loopback address.

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};
use tokio_rustls::TlsAcceptor;

use crate::receiver::TestCa;

/// Bytes of a body that are read; tests send far less.
const BODY_BYTES_MAX: usize = 1 << 20;

/// One request as it came.
#[derive(Debug, Clone)]
pub struct HostRequest {
    /// Number of the connection it came over, from 1.
    pub connection: usize,
    pub method: String,
    /// Path and query.
    pub target: String,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl HostRequest {
    /// The path without its query.
    #[must_use]
    pub fn path(&self) -> &str {
        self.target.split('?').next().unwrap_or_default()
    }

    /// The first header of this lower-case name.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

/// What the host does with a request.
#[derive(Debug, Clone)]
pub enum HostReply {
    /// 200 with this HTML.
    Page(String),
    /// This status with this HTML.
    Status(u16, String),
    /// 303 to this URL.
    Redirect(String),
    /// Any status, content type and body; further headers as `Name: value` lines.
    Raw { status: u16, content_type: &'static str, headers: Vec<String>, body: Vec<u8> },
    /// Closes the connection without an answer.
    Close,
    /// Resets the connection (RST) without an answer.
    Reset,
    /// Answers with the inner reply after this long.
    After(Duration, Box<HostReply>),
    /// Never answers, and keeps the connection.
    Hang,
}

/// Decides about each request.
pub type Handler = Arc<dyn Fn(&HostRequest) -> HostReply + Send + Sync>;

struct Shared {
    handler: Handler,
    ledger: watch::Sender<Vec<HostRequest>>,
    connections: watch::Sender<usize>,
}

/// A running host; dropping it closes its socket and its connections.
pub struct Host {
    address: SocketAddr,
    scheme: &'static str,
    shared: Arc<Shared>,
    server: JoinHandle<()>,
}

impl Host {
    /// A plain host on a free port of this address, such as `127.0.0.2`.
    ///
    /// # Panics
    /// When the address cannot be listened on: no test can go on without it.
    pub async fn start(ip: &str, handler: impl Fn(&HostRequest) -> HostReply + Send + Sync + 'static) -> Self {
        Self::start_with(ip, None, Arc::new(handler)).await
    }

    /// A host over TLS, with a certificate from `ca` for its address and `localhost`.
    ///
    /// # Panics
    /// As [`Host::start`].
    pub async fn start_tls(
        ip: &str,
        ca: &TestCa,
        handler: impl Fn(&HostRequest) -> HostReply + Send + Sync + 'static,
    ) -> Self {
        let acceptor = TlsAcceptor::from(ca.server_config(&["localhost", ip]));
        Self::start_with(ip, Some(acceptor), Arc::new(handler)).await
    }

    async fn start_with(ip: &str, tls: Option<TlsAcceptor>, handler: Handler) -> Self {
        let listener = TcpListener::bind((ip, 0)).await.expect("loopback has a free port");
        let address = listener.local_addr().expect("a bound listener has an address");
        let scheme = if tls.is_some() { "https" } else { "http" };
        let shared =
            Arc::new(Shared { handler, ledger: watch::Sender::new(Vec::new()), connections: watch::Sender::new(0) });
        let server = tokio::spawn(accept(listener, tls, Arc::clone(&shared)));
        Self { address, scheme, shared, server }
    }

    /// The address it listens on.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// `http://127.0.0.2:PORT/path`
    #[must_use]
    pub fn url(&self, path: &str) -> String {
        format!("{}://{}{path}", self.scheme, self.address)
    }

    /// Every request so far, oldest first.
    #[must_use]
    pub fn requests(&self) -> Vec<HostRequest> {
        self.shared.ledger.borrow().clone()
    }

    /// The requests of one method and path.
    #[must_use]
    pub fn requests_of(&self, method: &str, path: &str) -> Vec<HostRequest> {
        let matching = |request: &HostRequest| request.method == method && request.path() == path;
        self.requests().into_iter().filter(matching).collect()
    }

    /// Requests so far whose method is not GET, HEAD or OPTIONS.
    #[must_use]
    pub fn commits(&self) -> Vec<HostRequest> {
        let is_safe = |request: &HostRequest| matches!(request.method.as_str(), "GET" | "HEAD" | "OPTIONS");
        self.requests().into_iter().filter(|request| !is_safe(request)).collect()
    }

    /// Connections accepted so far.
    #[must_use]
    pub fn connections(&self) -> usize {
        *self.shared.connections.borrow()
    }

    /// Waits until a request for which `is_wanted` holds has come; false when `deadline` passes first.
    pub async fn wait_for(&self, deadline: Duration, is_wanted: impl Fn(&HostRequest) -> bool) -> bool {
        let mut changes = self.shared.ledger.subscribe();
        let seen = changes.wait_for(|requests| requests.iter().any(&is_wanted));
        tokio::time::timeout(deadline, seen).await.is_ok_and(|seen| seen.is_ok())
    }
}

impl fmt::Debug for Host {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Host").field("address", &self.address).finish_non_exhaustive()
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        self.server.abort();
    }
}

/// Ends only by being aborted, and then drops its connections with it.
async fn accept(listener: TcpListener, tls: Option<TlsAcceptor>, shared: Arc<Shared>) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => {
                let Ok((stream, _)) = accepted else { continue };
                let mut number = 0;
                shared.connections.send_modify(|count| {
                    *count += 1;
                    number = *count;
                });
                connections.spawn(converse(stream, tls.clone(), number, Arc::clone(&shared)));
            }
            Some(_) = connections.join_next() => {}
        }
    }
}

/// One connection. Its errors are what tests provoke; nobody handles them here.
async fn converse(stream: TcpStream, tls: Option<TlsAcceptor>, number: usize, shared: Arc<Shared>) -> io::Result<()> {
    match tls {
        None => exchange(stream, number, &shared, |stream| stream.set_zero_linger()).await,
        Some(tls) => {
            let stream = tls.accept(stream).await?;
            exchange(stream, number, &shared, |stream| stream.get_ref().0.set_zero_linger()).await
        }
    }
}

async fn exchange<S: AsyncRead + AsyncWrite + Unpin>(
    stream: S,
    number: usize,
    shared: &Shared,
    set_reset: impl Fn(&S) -> io::Result<()>,
) -> io::Result<()> {
    let mut stream = BufReader::new(stream);
    while let Some(request) = read_request(&mut stream, number).await? {
        let mut reply = (shared.handler)(&request);
        shared.ledger.send_modify(|ledger| ledger.push(request));
        while let HostReply::After(pause, inner) = reply {
            tokio::time::sleep(pause).await;
            reply = *inner;
        }
        match reply {
            HostReply::Close => return stream.get_mut().shutdown().await,
            // With zero linger the kernel sends RST when the socket is dropped.
            HostReply::Reset => return set_reset(stream.get_ref()),
            HostReply::Hang => std::future::pending::<()>().await,
            reply => stream.get_mut().write_all(&answer(reply)).await?,
        }
        stream.get_mut().flush().await?;
    }
    Ok(())
}

fn answer(reply: HostReply) -> Vec<u8> {
    let html = "text/html; charset=utf-8";
    let (status, content_type, headers, body) = match reply {
        HostReply::Page(html_text) => (200, html, Vec::new(), html_text.into_bytes()),
        HostReply::Status(status, html_text) => (status, html, Vec::new(), html_text.into_bytes()),
        HostReply::Redirect(to) => (303, html, vec![format!("Location: {to}")], Vec::new()),
        HostReply::Raw { status, content_type, headers, body } => (status, content_type, headers, body),
        HostReply::Close | HostReply::Reset | HostReply::Hang | HostReply::After(..) => return Vec::new(),
    };
    let headers: String = headers.iter().map(|line| format!("{line}\r\n")).collect();
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status} Answer\r\nContent-Type: {content_type}\r\nContent-Length: {length}\r\n{headers}\r\n"
    );
    [head.into_bytes(), body].concat()
}

/// The next request; `None` when the peer has closed the connection.
async fn read_request<S: AsyncRead + Unpin>(
    stream: &mut BufReader<S>,
    connection: usize,
) -> io::Result<Option<HostRequest>> {
    let mut line = String::new();
    if stream.read_line(&mut line).await? == 0 {
        return Ok(None);
    }
    let mut words = line.split_whitespace().map(str::to_owned);
    let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await? == 0 {
            return Ok(None);
        }
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    let length = headers.iter().find(|(name, _)| name == "content-length").and_then(|(_, value)| value.parse().ok());
    let mut body = vec![0; length.unwrap_or(0).min(BODY_BYTES_MAX)];
    stream.read_exact(&mut body).await?;
    let body = String::from_utf8_lossy(&body).into_owned();
    Ok(Some(HostRequest { connection, method, target, headers, body }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::http_builder;

    fn shop(request: &HostRequest) -> HostReply {
        match request.path() {
            "/close" => HostReply::Close,
            "/reset" => HostReply::Reset,
            "/moved" => HostReply::Redirect("/".to_owned()),
            _ => HostReply::Page(format!("got {}", request.body)),
        }
    }

    #[tokio::test]
    async fn answers_closes_and_keeps_a_ledger() {
        let host = Host::start("127.0.0.2", shop).await;
        let http = http_builder().build().unwrap();
        let page = http.post(host.url("/order?a=1")).body("n=Ada").send().await.unwrap().text().await.unwrap();
        assert_eq!(page, "got n=Ada");
        assert!(http.get(host.url("/close")).send().await.is_err());
        assert!(http.get(host.url("/reset")).send().await.is_err());
        assert_eq!(http.get(host.url("/moved")).send().await.unwrap().status(), 200);
        let orders = host.requests_of("POST", "/order");
        assert_eq!((orders.len(), orders[0].target.as_str(), orders[0].body.as_str()), (1, "/order?a=1", "n=Ada"));
        assert_eq!(host.commits().len(), 1);
        assert!(host.connections() >= 2);
    }

    #[tokio::test]
    async fn speaks_tls_with_the_tests_certificate() {
        let ca = TestCa::new();
        let host = Host::start_tls("127.0.0.1", &ca, shop).await;
        let root = reqwest::Certificate::from_pem(ca.pem().as_bytes()).unwrap();
        let http = http_builder().tls_certs_only([root]).build().unwrap();
        assert_eq!(http.get(host.url("/")).send().await.unwrap().status(), 200);
        let other = http_builder().tls_certs_only([]).build().unwrap();
        assert!(other.get(host.url("/")).send().await.is_err());
    }
}
