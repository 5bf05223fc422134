//! The dialer: what it connects to, and how it says why not.

use std::time::Duration;

use errand_egress::{AddressPolicy, ConnectError, Dialer, HostRules, tls_client_config};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
    time::Instant,
};

use crate::servers::{Certificate, Sentinel, dialer, dialer_trusting, refusing_port, soon};

#[tokio::test]
async fn a_name_with_a_blocked_and_an_allowed_address_reaches_only_the_allowed_one() {
    let sentinel = Sentinel::bind("127.0.0.1").await;
    let port = sentinel.port();
    let allowed = TcpListener::bind(("127.0.0.5", port)).await.unwrap();
    let dialer = dialer(&["127.0.0.5/32"], &[("mixed.test", &["127.0.0.1", "::1", "127.0.0.5"])]);

    let (_stream, address) = dialer.connect("Mixed.Test.", port, soon()).await.unwrap();

    assert_eq!(address, allowed.local_addr().unwrap());
    sentinel.assert_untouched().await;
}

#[tokio::test]
async fn the_next_address_is_tried_when_one_refuses() {
    let listener = TcpListener::bind("127.0.0.3:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let dialer = dialer(&["127.0.0.0/8"], &[("two.test", &["127.0.0.4", "127.0.0.3"])]);
    let (_stream, reached) = dialer.connect("two.test", address.port(), soon()).await.unwrap();
    assert_eq!(reached, address);
}

#[tokio::test]
async fn failures_are_told_apart() {
    let (_held, closed) = refusing_port("127.0.0.1");
    let dialer = dialer(&["127.0.0.0/8"], &[("empty.test", &[])]);
    for (host, code, is_transient) in [
        ("127.0.0.1", "refused", true),
        ("169.254.169.254", "blocked", false),
        ("[::ffff:127.0.0.1]", "blocked", false),
        ("::1", "blocked", false),
        ("empty.test", "unresolved", false),
        ("not a host", "invalid_host", false),
        ("", "invalid_host", false),
    ] {
        let error = dialer.connect(host, closed.port(), soon()).await.unwrap_err();
        assert_eq!((error.code(), error.is_transient()), (code, is_transient), "{host}: {error}");
    }
}

#[tokio::test]
async fn names_that_the_system_resolves_to_loopback_are_blocked() {
    let sentinel = Sentinel::bind("127.0.0.1").await;
    let error = dialer(&[], &[]).connect("localhost", sentinel.port(), soon()).await.unwrap_err();
    assert!(matches!(error, ConnectError::Blocked { .. }), "{error}");
    sentinel.assert_untouched().await;
}

#[tokio::test]
async fn a_host_opened_by_name_may_resolve_to_loopback() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let policy = AddressPolicy::public_only().allowing_hosts(HostRules::parse(["localhost"]).unwrap());
    let dialer = Dialer::new(policy, tls_client_config(None).unwrap());
    assert!(dialer.connect("localhost", port, soon()).await.is_ok());
    assert_eq!(dialer.connect("127.0.0.1", port, soon()).await.unwrap_err().code(), "blocked");
}

#[tokio::test]
async fn tls_authenticates_the_name_that_was_asked_for() {
    let certificate = Certificate::for_name("shop.test");
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let acceptor = certificate.acceptor();
    tokio::spawn(async move {
        loop {
            let (tcp, _) = listener.accept().await.unwrap();
            let acceptor = acceptor.clone();
            tokio::spawn(async move {
                if let Ok(mut stream) = acceptor.accept(tcp).await {
                    let _ = stream.write_all(b"hello").await;
                }
            });
        }
    });
    let names: &[(&str, &[&str])] = &[("shop.test", &["127.0.0.1"]), ("other.test", &["127.0.0.1"])];
    let trusting = dialer_trusting(Some(&certificate.pem), &["127.0.0.0/8"], names);

    let (mut stream, _) = trusting.connect_tls("shop.test", port, soon()).await.unwrap();
    let mut greeting = [0; 5];
    stream.read_exact(&mut greeting).await.unwrap();
    assert_eq!(&greeting, b"hello");

    let other_name = trusting.connect_tls("other.test", port, soon()).await.unwrap_err();
    let unknown_issuer = dialer(&["127.0.0.0/8"], names).connect_tls("shop.test", port, soon()).await.unwrap_err();
    assert_eq!((other_name.code(), unknown_issuer.code()), ("tls", "tls"));
}

#[tokio::test]
async fn a_server_that_never_finishes_the_handshake_times_out() {
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = silent.local_addr().unwrap().port();
    let deadline = Instant::now() + Duration::from_millis(100);
    let error = dialer(&["127.0.0.0/8"], &[]).connect_tls("127.0.0.1", port, deadline).await.unwrap_err();
    assert_eq!(error.code(), "timed_out");
}
