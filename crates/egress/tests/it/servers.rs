//! Servers that the tests reach or must not reach, and ways to speak to them.

use std::{
    collections::BTreeMap,
    convert::Infallible,
    net::{IpAddr, SocketAddr},
    sync::Arc,
    time::Duration,
};

use bytes::Bytes;
use errand_egress::{AddressPolicy, Dialer, tls_client_config};
use http::{Request, Response};
use http_body_util::Full;
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpListener, TcpSocket, TcpStream},
    task::{AbortHandle, JoinSet},
    time::Instant,
};
use tokio_rustls::TlsAcceptor;

/// Far more than loopback needs; only a hang reaches it.
pub const PATIENCE: Duration = Duration::from_secs(20);

pub fn soon() -> Instant {
    Instant::now() + PATIENCE
}

/// A listener that no connection may reach.
pub struct Sentinel {
    listener: TcpListener,
}

impl Sentinel {
    pub async fn bind(address: &str) -> Self {
        let address: IpAddr = address.parse().unwrap();
        Self { listener: TcpListener::bind((address, 0)).await.unwrap() }
    }

    pub fn port(&self) -> u16 {
        self.listener.local_addr().unwrap().port()
    }

    /// Connections are accepted in order, so if ours is the first, there was none before.
    pub async fn assert_untouched(self) {
        let ours = TcpStream::connect(self.listener.local_addr().unwrap()).await.unwrap();
        let (_, first) = self.listener.accept().await.unwrap();
        assert_eq!(first, ours.local_addr().unwrap(), "the sentinel was reached");
    }
}

/// A web server answering with a function; it ends when dropped.
pub struct Site {
    pub address: SocketAddr,
    accepting: AbortHandle,
}

impl Drop for Site {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

impl Site {
    pub async fn start<F>(ip: &str, answer: F) -> Self
    where
        F: Fn(Request<Incoming>) -> Response<Full<Bytes>> + Clone + Send + Sync + 'static,
    {
        Self::serve(ip, None, answer).await
    }

    pub async fn start_tls<F>(ip: &str, certificate: &Certificate, answer: F) -> Self
    where
        F: Fn(Request<Incoming>) -> Response<Full<Bytes>> + Clone + Send + Sync + 'static,
    {
        Self::serve(ip, Some(certificate.acceptor()), answer).await
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    async fn serve<F>(ip: &str, tls: Option<TlsAcceptor>, answer: F) -> Self
    where
        F: Fn(Request<Incoming>) -> Response<Full<Bytes>> + Clone + Send + Sync + 'static,
    {
        let ip: IpAddr = ip.parse().unwrap();
        let listener = TcpListener::bind((ip, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let accepting = tokio::spawn(async move {
            let mut connections = JoinSet::new();
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let (tls, answer) = (tls.clone(), answer.clone());
                connections.spawn(async move {
                    match tls {
                        None => serve_connection(stream, answer).await,
                        Some(tls) => {
                            if let Ok(stream) = tls.accept(stream).await {
                                serve_connection(stream, answer).await;
                            }
                        }
                    }
                });
            }
        });
        Self { address, accepting: accepting.abort_handle() }
    }
}

async fn serve_connection<S, F>(stream: S, answer: F)
where
    S: AsyncRead + AsyncWrite + Unpin,
    F: Fn(Request<Incoming>) -> Response<Full<Bytes>>,
{
    let service = service_fn(|request| {
        let response = answer(request);
        async { Ok::<_, Infallible>(response) }
    });
    let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
}

/// A self-signed certificate for one name, with its key.
pub struct Certificate {
    pub pem: String,
    acceptor: TlsAcceptor,
}

impl Certificate {
    pub fn for_name(name: &str) -> Self {
        let made = rcgen::generate_simple_self_signed([name.to_owned()]).unwrap();
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(made.signing_key.serialize_der()));
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = rustls::ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![made.cert.der().clone()], key)
            .unwrap();
        Self { pem: made.cert.pem(), acceptor: TlsAcceptor::from(Arc::new(config)) }
    }

    pub fn acceptor(&self) -> TlsAcceptor {
        self.acceptor.clone()
    }
}

/// A port of `ip` that refuses connections for as long as the socket is held: bound, so that nobody else gets it.
pub fn refusing_port(ip: &str) -> (TcpSocket, SocketAddr) {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind(SocketAddr::new(ip.parse().unwrap(), 0)).unwrap();
    let address = socket.local_addr().unwrap();
    (socket, address)
}

pub fn page(text: &str) -> Response<Full<Bytes>> {
    Response::new(Full::new(Bytes::copy_from_slice(text.as_bytes())))
}

pub fn redirect(location: &str) -> Response<Full<Bytes>> {
    Response::builder().status(302).header("location", location).body(Full::default()).unwrap()
}

/// Public addresses and the given networks, with names answered from a table.
pub fn dialer(networks: &[&str], names: &[(&str, &[&str])]) -> Dialer {
    dialer_trusting(None, networks, names)
}

pub fn dialer_trusting(extra_ca: Option<&str>, networks: &[&str], names: &[(&str, &[&str])]) -> Dialer {
    let networks = networks.iter().map(|network| network.parse().unwrap());
    let policy = AddressPolicy::public_only().allowing_networks(networks);
    let names: BTreeMap<String, Vec<IpAddr>> = names
        .iter()
        .map(|(name, addresses)| (name.to_string(), addresses.iter().map(|address| address.parse().unwrap()).collect()))
        .collect();
    Dialer::new(policy, tls_client_config(extra_ca.map(str::as_bytes)).unwrap()).with_fixed_names(names)
}
