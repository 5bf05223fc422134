//! The proxy as a browser uses it: tunnels, forwarding, its own answers, its end.

use std::{
    net::SocketAddr,
    sync::{Arc, Mutex},
};

use bytes::Bytes;
use errand_egress::{Dialer, EGRESS_HEADER, EgressCounts, EgressProxy, HostRules};
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper::{body::Incoming, client::conn::http1};
use hyper_util::rt::TokioIo;
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
    time::timeout,
};

use crate::servers::{Certificate, PATIENCE, Site, dialer, page, refusing_port};

pub async fn start(dialer: Dialer) -> EgressProxy {
    EgressProxy::start(dialer, HostRules::every()).await.unwrap()
}

/// Sends one request to the proxy over a connection of its own.
pub async fn send(proxy: SocketAddr, request: Request<Full<Bytes>>) -> Response<Incoming> {
    let stream = TcpStream::connect(proxy).await.unwrap();
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.unwrap();
    tokio::spawn(connection.with_upgrades());
    timeout(PATIENCE, sender.send_request(request)).await.expect("the proxy answers").unwrap()
}

pub async fn get(proxy: SocketAddr, url: &str) -> Response<Incoming> {
    send(proxy, Request::get(url).body(Full::default()).unwrap()).await
}

pub async fn connect(proxy: SocketAddr, authority: &str) -> Response<Incoming> {
    send(proxy, Request::connect(authority).body(Full::default()).unwrap()).await
}

pub async fn text(response: Response<Incoming>) -> String {
    let body = timeout(PATIENCE, response.into_body().collect()).await.expect("the body ends").unwrap();
    String::from_utf8(body.to_bytes().to_vec()).unwrap()
}

#[tokio::test]
async fn a_tunnel_carries_bytes_both_ways_until_the_site_ends_it() {
    let site = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let authority = site.local_addr().unwrap().to_string();
    let proxy = start(dialer(&["127.0.0.0/8"], &[])).await;

    let response = connect(proxy.address(), &authority).await;
    assert_eq!(response.status(), StatusCode::OK);
    let mut browser = TokioIo::new(hyper::upgrade::on(response).await.unwrap());
    let (mut accepted, _) = site.accept().await.unwrap();
    browser.write_all(b"ping").await.unwrap();
    let mut received = [0; 4];
    accepted.read_exact(&mut received).await.unwrap();
    accepted.write_all(b"pong").await.unwrap();
    drop(accepted);
    let mut answered = Vec::new();
    timeout(PATIENCE, browser.read_to_end(&mut answered)).await.expect("the tunnel ends").unwrap();

    assert_eq!((&received, answered.as_slice()), (b"ping", b"pong".as_slice()));
    assert_eq!(proxy.counts(), EgressCounts { allowed: 1, blocked: 0, failed: 0, starved: 0 });
    proxy.stop().await;
}

#[tokio::test]
async fn https_goes_through_a_tunnel_to_a_named_host() {
    let certificate = Certificate::for_name("shop.test");
    let site = Site::start_tls("127.0.0.1", &certificate, |_| page("over TLS")).await;
    let port = site.address.port();
    let proxy = start(dialer(&["127.0.0.0/8"], &[("shop.test", &["127.0.0.1"])])).await;
    let response = connect(proxy.address(), &format!("shop.test:{port}")).await;
    let tunnel = TokioIo::new(hyper::upgrade::on(response).await.unwrap());
    let config = errand_egress::tls_client_config(Some(certificate.pem.as_bytes())).unwrap();
    let name = "shop.test".try_into().unwrap();
    let stream = tokio_rustls::TlsConnector::from(config).connect(name, tunnel).await.unwrap();

    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.unwrap();
    tokio::spawn(connection);
    let request = Request::get("/").header("host", "shop.test").body(Full::<Bytes>::default()).unwrap();
    assert_eq!(text(sender.send_request(request).await.unwrap()).await, "over TLS");
    proxy.stop().await;
}

type Seen = Arc<Mutex<Vec<(Method, String, HeaderMap)>>>;

async fn recording_site() -> (Site, Seen) {
    let seen: Seen = Arc::default();
    let record = seen.clone();
    let site = Site::start("127.0.0.1", move |request| {
        let path = request.uri().to_string();
        record.lock().unwrap().push((request.method().clone(), path, request.headers().clone()));
        let mut response = page("hello");
        for (name, value) in
            [("set-cookie", "a=1"), ("set-cookie", "b=2"), ("x-errand-egress", "forged"), ("keep-alive", "timeout=5")]
        {
            response.headers_mut().append(name, HeaderValue::from_static(value));
        }
        response
    })
    .await;
    (site, seen)
}

#[tokio::test]
async fn a_plain_request_is_forwarded_without_what_belongs_to_the_connection() {
    let (site, seen) = recording_site().await;
    let port = site.address.port();
    let proxy = start(dialer(&["127.0.0.0/8"], &[("shop.test", &["127.0.0.1"])])).await;
    let request = Request::post(format!("http://Shop.Test:{port}/buy?item=1&q=%20"))
        .header("host", "liar.test")
        .header("proxy-connection", "keep-alive")
        .header("proxy-authorization", "Basic c2VjcmV0")
        .header("connection", "x-hop")
        .header("x-hop", "1")
        .header("cookie", "session=1")
        .body(Full::from("body"))
        .unwrap();

    let response = send(proxy.address(), request).await;

    let cookies: Vec<_> = response.headers().get_all("set-cookie").iter().collect();
    assert_eq!(cookies, ["a=1", "b=2"]);
    assert!(!response.headers().contains_key("keep-alive"));
    assert!(!response.headers().contains_key(EGRESS_HEADER), "a site cannot speak as the proxy");
    assert_eq!(text(response).await, "hello");
    let (method, path, headers) = seen.lock().unwrap().remove(0);
    assert_eq!((method, path.as_str()), (Method::POST, "/buy?item=1&q=%20"));
    assert_eq!(headers["host"], format!("shop.test:{port}"));
    assert_eq!(headers["cookie"], "session=1");
    assert_eq!(headers["content-length"], "4");
    for gone in ["proxy-connection", "proxy-authorization", "x-hop"] {
        assert!(!headers.contains_key(gone), "{gone}");
    }
    proxy.stop().await;
}

#[tokio::test]
async fn one_browser_connection_carries_requests_to_several_hosts() {
    let first = Site::start("127.0.0.1", |_| page("first")).await;
    let second = Site::start("127.0.0.2", |_| page("second")).await;
    let proxy = start(dialer(&["127.0.0.0/8"], &[])).await;
    let stream = TcpStream::connect(proxy.address()).await.unwrap();
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.unwrap();
    tokio::spawn(connection);
    for (site, expected) in [(&first, "first"), (&second, "second"), (&first, "first")] {
        let request = Request::get(site.url("/")).body(Full::<Bytes>::default()).unwrap();
        sender.ready().await.unwrap();
        assert_eq!(text(sender.send_request(request).await.unwrap()).await, expected);
    }
    proxy.stop().await;
}

#[tokio::test]
async fn a_response_reaches_the_browser_while_the_site_is_still_sending() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/stream", listener.local_addr().unwrap());
    let proxy = start(dialer(&["127.0.0.0/8"], &[])).await;
    let site = tokio::spawn(async move {
        let (stream, _) = listener.accept().await.unwrap();
        let mut stream = BufReader::new(stream);
        let mut line = String::new();
        while line != "\r\n" {
            line.clear();
            stream.read_line(&mut line).await.unwrap();
        }
        stream.write_all(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nfirst\r\n").await.unwrap();
        stream
    });

    let mut response = get(proxy.address(), &url).await;
    let mut site = site.await.unwrap();
    let frame = timeout(PATIENCE, response.body_mut().frame()).await.expect("a first part").unwrap().unwrap();
    assert_eq!(frame.into_data().unwrap(), "first");
    site.write_all(b"6\r\nsecond\r\n0\r\n\r\n").await.unwrap();
    assert_eq!(text(response).await, "second");
    proxy.stop().await;
}

#[tokio::test]
async fn a_site_that_cannot_be_reached_is_told_apart_from_a_blocked_one() {
    let (_held, closed) = refusing_port("127.0.0.1");
    let proxy = start(dialer(&["127.0.0.0/8"], &[("empty.test", &[])])).await;
    for (url, word) in [(format!("http://{closed}/"), "refused"), ("http://empty.test/".to_owned(), "unresolved")] {
        let response = get(proxy.address(), &url).await;
        assert_eq!(response.status(), StatusCode::BAD_GATEWAY);
        assert_eq!(response.headers()[EGRESS_HEADER], word);
    }
    assert_eq!(proxy.counts(), EgressCounts { allowed: 0, blocked: 0, failed: 2, starved: 0 });
    assert!(proxy.blocked().is_empty());
    proxy.stop().await;
}

#[tokio::test]
async fn a_request_that_is_not_for_a_proxy_is_refused() {
    let proxy = start(dialer(&["127.0.0.0/8"], &[])).await;
    for target in ["/", "https://example.com/"] {
        let response = get(proxy.address(), target).await;
        assert_eq!(response.status(), StatusCode::BAD_REQUEST, "{target}");
    }
    proxy.stop().await;
}

#[tokio::test]
async fn stopping_ends_open_tunnels_and_awaits_every_task() {
    let site = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let authority = site.local_addr().unwrap().to_string();
    let proxy = start(dialer(&["127.0.0.0/8"], &[])).await;
    let address = proxy.address();
    let response = connect(address, &authority).await;
    let mut browser = TokioIo::new(hyper::upgrade::on(response).await.unwrap());
    let (mut accepted, _) = site.accept().await.unwrap();

    timeout(PATIENCE, proxy.stop()).await.expect("all tasks end");

    assert!(!matches!(browser.read(&mut [0]).await, Ok(1..)));
    assert!(!matches!(accepted.read(&mut [0]).await, Ok(1..)));
}
