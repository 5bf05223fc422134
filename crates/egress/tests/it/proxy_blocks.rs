//! The proxy as a boundary: what is blocked gets no connection, by whatever spelling, name or redirect.

use std::net::SocketAddr;

use errand_egress::{BlockReason, BlockedAttempt, EGRESS_HEADER, EgressProxy, HostRules};
use http::{Response, StatusCode};
use hyper::body::Incoming;

use crate::{
    proxy::{connect, get, start, text},
    servers::{Sentinel, Site, dialer, page, redirect},
};

/// Every way this suite knows to write a loopback address, or an address that leads there.
const WAYS_TO_LOOPBACK: [&str; 14] = [
    "127.0.0.1",
    "127.1",
    "0x7f.0.0.1",
    "0177.0.0.1",
    "2130706433",
    "127.0.0.1.",
    "localhost",
    "LocalHost.",
    "rebinding.test",
    "0.0.0.0",
    "[::1]",
    "[::]",
    "[::ffff:127.0.0.1]",
    "[64:ff9b::7f00:1]",
];

fn assert_blocked(response: &Response<Incoming>, way: &str) {
    assert_eq!(response.status(), StatusCode::FORBIDDEN, "{way}");
    assert_eq!(response.headers()[EGRESS_HEADER], "blocked", "{way}");
}

async fn try_both_forms(proxy: SocketAddr, host: &str, port: u16) {
    assert_blocked(&connect(proxy, &format!("{host}:{port}")).await, host);
    assert_blocked(&get(proxy, &format!("http://{host}:{port}/")).await, host);
}

#[tokio::test]
async fn a_blocked_address_gets_no_connection_however_it_is_written() {
    let (v4, v6) = (Sentinel::bind("127.0.0.1").await, Sentinel::bind("::1").await);
    let names: &[(&str, &[&str])] = &[("rebinding.test", &["127.0.0.1", "::1", "::ffff:127.0.0.1"])];
    let proxy = start(dialer(&[], names)).await;
    for port in [v4.port(), v6.port()] {
        for host in WAYS_TO_LOOPBACK {
            try_both_forms(proxy.address(), host, port).await;
        }
    }
    assert_eq!(proxy.counts().allowed, 0);
    proxy.stop().await;
    v4.assert_untouched().await;
    v6.assert_untouched().await;
}

#[tokio::test]
async fn metadata_and_private_addresses_are_blocked_and_told() {
    let proxy = start(dialer(&[], &[])).await;
    for host in ["169.254.169.254", "10.0.0.1", "192.168.1.1", "100.100.100.200", "[fd00:ec2::254]", "[fe80::1]"] {
        try_both_forms(proxy.address(), host, 80).await;
    }
    let body = text(get(proxy.address(), "http://169.254.169.254/latest/").await).await;
    let told = "blocked: 169.254.169.254: 169.254.169.254 is not a public address: \
                cloud instance metadata (RFC 3927)\n";
    assert_eq!(body, told);
    assert_eq!(proxy.counts().blocked, 13);
    proxy.stop().await;
}

#[tokio::test]
async fn a_redirect_to_a_blocked_address_is_blocked_when_it_is_requested() {
    let sentinel = Sentinel::bind("127.0.0.1").await;
    let target = format!("http://localhost:{}/admin", sentinel.port());
    let location = target.clone();
    let site = Site::start("127.0.0.2", move |_| redirect(&location)).await;
    let proxy = start(dialer(&["127.0.0.2/32"], &[])).await;

    let first = get(proxy.address(), &site.url("/")).await;
    assert_eq!((first.status(), first.headers()["location"].to_str().unwrap()), (StatusCode::FOUND, target.as_str()));
    assert_blocked(&get(proxy.address(), &target).await, "the redirect's target");

    proxy.stop().await;
    sentinel.assert_untouched().await;
}

#[tokio::test]
async fn only_allowed_hosts_are_reached() {
    let site = Site::start("127.0.0.1", |_| page("hello")).await;
    let port = site.address.port();
    let here: &[&str] = &["127.0.0.1"];
    let names =
        [("shop.test", here), ("www.shop.test", here), ("cdn.test", here), ("a.cdn.test", here), ("evil.test", here)];
    let rules = HostRules::parse(["shop.test", "*.cdn.test"]).unwrap();
    let proxy = EgressProxy::start(dialer(&["127.0.0.0/8"], &names), rules).await.unwrap();

    for allowed in ["shop.test", "SHOP.test.", "a.cdn.test"] {
        let response = get(proxy.address(), &format!("http://{allowed}:{port}/")).await;
        assert_eq!(text(response).await, "hello", "{allowed}");
    }
    for blocked in ["www.shop.test", "cdn.test", "evil.test", "127.0.0.1", "shop.test.evil.test"] {
        try_both_forms(proxy.address(), blocked, port).await;
    }
    let last = proxy.blocked().pop().unwrap();
    let reason = BlockReason::HostNotAllowed;
    assert_eq!(last, BlockedAttempt { host: "shop.test.evil.test".to_owned(), port, reason });
    assert_eq!(proxy.counts().allowed, 3);
    proxy.stop().await;
}

#[tokio::test]
async fn blocked_attempts_are_listed_once_each_with_their_reason() {
    let proxy = start(dialer(&[], &[("inside.test", &["10.1.2.3"])])).await;
    for _ in 0..2 {
        try_both_forms(proxy.address(), "inside.test", 8443).await;
    }
    let blocked = proxy.blocked();
    assert_eq!(blocked.len(), 1);
    assert_eq!((blocked[0].host.as_str(), blocked[0].port), ("inside.test", 8443));
    assert_eq!(blocked[0].reason.to_string(), "10.1.2.3 is not a public address: private network (RFC 1918)");
    proxy.stop().await;
}
