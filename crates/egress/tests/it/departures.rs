//! What still leaves through the proxy while a committing request is under way.

use bytes::Bytes;
use errand_egress::EGRESS_HEADER;
use http::{Request, StatusCode};
use http_body_util::Full;
use hyper_util::rt::TokioIo;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    time::timeout,
};
use url::Url;

use crate::proxy::{connect, get, send, start};
use crate::servers::{PATIENCE, Site, dialer, page};

#[tokio::test]
async fn a_plain_request_that_changes_things_goes_once_for_each_word_of_the_guard() {
    let site = Site::start("127.0.0.1", |_| page("done")).await;
    let proxy = start(dialer(&["127.0.0.0/8"], &[])).await;
    let url = site.url("/order");
    let post = || Request::post(&url).body(Full::<Bytes>::from("n=1")).unwrap();
    assert_eq!(send(proxy.address(), post()).await.status(), StatusCode::OK, "without a guard");
    let departures = proxy.departures();
    let undecided = send(proxy.address(), post()).await;
    assert_eq!(
        (undecided.status(), &undecided.headers()[EGRESS_HEADER]),
        (StatusCode::FORBIDDEN, &"undecided".parse().unwrap())
    );
    departures.allow("POST", &Url::parse(&url).unwrap());
    assert_eq!(send(proxy.address(), post()).await.status(), StatusCode::OK);
    let repeated = send(proxy.address(), post()).await;
    assert_eq!(
        (repeated.status(), &repeated.headers()[EGRESS_HEADER]),
        (StatusCode::CONFLICT, &"repeated".parse().unwrap())
    );
    assert_eq!(get(proxy.address(), &url).await.status(), StatusCode::OK);
    proxy.stop().await;
}

/// Misdirected requests: the browser closes the tunnel with the answer, and asks for another at once.
#[tokio::test]
async fn what_an_answer_asks_to_repeat_gets_no_other_tunnel() {
    let site = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let authority = site.local_addr().unwrap().to_string();
    let url = Url::parse(&format!("https://{authority}/order")).unwrap();
    let proxy = start(dialer(&["127.0.0.0/8"], &[])).await;
    let departures = proxy.departures();
    for _race in 0..20 {
        departures.depart(&url).await;
        let mut fresh = TokioIo::new(hyper::upgrade::on(connect(proxy.address(), &authority).await).await.unwrap());
        let (mut accepted, _): (TcpStream, _) = site.accept().await.unwrap();
        fresh.write_all(b"order").await.unwrap();
        accepted.read_exact(&mut [0; 5]).await.unwrap();
        accepted.write_all(&[b'4'; 100]).await.unwrap();
        fresh.read_exact(&mut [0; 100]).await.unwrap();
        let (again, ()) = tokio::join!(connect(proxy.address(), &authority), async { drop(fresh) });
        assert_eq!(&again.headers()[EGRESS_HEADER], "repeated");
        departures.answered(&url);
    }
    proxy.stop().await;
}

#[tokio::test]
async fn what_was_lost_on_a_fresh_tunnel_gets_no_other_before_the_answer() {
    let site = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let authority = site.local_addr().unwrap().to_string();
    let url = Url::parse(&format!("https://{authority}/order")).unwrap();
    let proxy = start(dialer(&["127.0.0.0/8"], &[])).await;
    let departures = proxy.departures();
    let mut idle = TokioIo::new(hyper::upgrade::on(connect(proxy.address(), &authority).await).await.unwrap());
    let (_kept, _) = site.accept().await.unwrap();

    timeout(PATIENCE, departures.depart(&url)).await.expect("idle tunnels are closed");
    assert_eq!(idle.read(&mut [0]).await.unwrap_or_default(), 0, "nothing can go out over it");

    let mut fresh = TokioIo::new(hyper::upgrade::on(connect(proxy.address(), &authority).await).await.unwrap());
    let (mut accepted, _): (TcpStream, _) = site.accept().await.unwrap();
    fresh.write_all(b"order").await.unwrap();
    accepted.read_exact(&mut [0; 5]).await.unwrap();
    assert_eq!(connect(proxy.address(), &authority).await.status(), StatusCode::OK, "others go beside it");
    drop(accepted);
    assert_eq!(timeout(PATIENCE, fresh.read(&mut [0])).await.expect("it ends").unwrap_or_default(), 0);

    let refused = connect(proxy.address(), &authority).await;
    assert_eq!(&refused.headers()[EGRESS_HEADER], "repeated");
    assert!(departures.has_refused(&url));
    departures.answered(&url);
    assert_eq!(connect(proxy.address(), &authority).await.status(), StatusCode::OK);
    proxy.stop().await;
}
