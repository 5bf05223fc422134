//! Fetching one page: redirects, encodings, bounds, and the boundary at each hop.

use std::{io::Write, time::Duration};

use bytes::Bytes;
use errand_egress::{ConnectError, FetchError, FetchLimits, HttpFetch};
use flate2::{Compression, write::GzEncoder};
use http::{Request, Response, StatusCode};
use http_body_util::Full;
use hyper::body::Incoming;
use tokio::net::TcpListener;
use url::Url;

use crate::servers::{Certificate, Sentinel, Site, dialer, dialer_trusting, page, redirect};

fn fetch() -> HttpFetch {
    HttpFetch::new(dialer(&["127.0.0.2/32"], &[]))
}

fn url(text: &str) -> Url {
    text.parse().unwrap()
}

fn news(request: Request<Incoming>) -> Response<Full<Bytes>> {
    match request.uri().path() {
        "/moved" => redirect("/a/?page=2"),
        "/a/" => redirect("../news"),
        "/loop" => redirect("/loop"),
        "/odd" => redirect("http://"),
        "/file" => redirect("file:///etc/passwd"),
        "/gone" => Response::builder().status(404).body(Full::from("no such page")).unwrap(),
        "/big" => page(&"x".repeat(1001)),
        "/gzip" => {
            let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
            encoder.write_all("café".as_bytes()).unwrap();
            let body = Full::from(encoder.finish().unwrap());
            Response::builder().header("content-encoding", "gzip").body(body).unwrap()
        }
        _ => Response::builder().header("content-type", "Text/HTML; charset=utf-8").body(Full::from("news")).unwrap(),
    }
}

#[tokio::test]
async fn a_page_is_fetched_over_its_redirects() {
    let site = Site::start("127.0.0.2", news).await;
    let page = fetch().get(&url(&site.url("/moved#top")), &FetchLimits::default()).await.unwrap();
    assert_eq!(page.final_url.as_str(), site.url("/news#top"));
    let redirects: Vec<String> = page.redirects.iter().map(Url::to_string).collect();
    assert_eq!(redirects, [site.url("/moved#top"), site.url("/a/?page=2#top")]);
    assert_eq!((page.status, page.body.as_slice()), (StatusCode::OK, b"news".as_slice()));
    assert_eq!(page.media_type(), "text/html");
}

#[tokio::test]
async fn an_error_page_is_a_page() {
    let site = Site::start("127.0.0.2", news).await;
    let page = fetch().get(&url(&site.url("/gone")), &FetchLimits::default()).await.unwrap();
    assert_eq!((page.status, page.body.as_slice()), (StatusCode::NOT_FOUND, b"no such page".as_slice()));
}

#[tokio::test]
async fn an_encoded_page_is_decoded() {
    let site = Site::start("127.0.0.2", news).await;
    let page = fetch().get(&url(&site.url("/gzip")), &FetchLimits::default()).await.unwrap();
    assert_eq!(page.body, "café".as_bytes());
}

#[tokio::test]
async fn https_pages_are_fetched_with_an_extra_ca() {
    let certificate = Certificate::for_name("news.test");
    let site = Site::start_tls("127.0.0.2", &certificate, news).await;
    let names: &[(&str, &[&str])] = &[("news.test", &["127.0.0.2"])];
    let dialer = dialer_trusting(Some(&certificate.pem), &["127.0.0.2/32"], names);
    let address = url(&format!("https://news.test:{}/moved", site.address.port()));
    let page = HttpFetch::new(dialer).get(&address, &FetchLimits::default()).await.unwrap();
    assert_eq!((page.final_url.path(), page.body.as_slice()), ("/news", b"news".as_slice()));
}

#[tokio::test]
async fn a_redirect_to_a_blocked_address_opens_no_connection() {
    let sentinel = Sentinel::bind("127.0.0.1").await;
    for host in ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]"] {
        let target = format!("http://{host}:{}/", sentinel.port());
        let site = Site::start("127.0.0.2", move |_| redirect(&target)).await;
        let error = fetch().get(&url(&site.url("/")), &FetchLimits::default()).await.unwrap_err();
        assert!(matches!(error, FetchError::Connect(ConnectError::Blocked { .. })), "{host}: {error}");
    }
    sentinel.assert_untouched().await;
}

#[tokio::test]
async fn every_bound_is_kept_and_named() {
    let site = Site::start("127.0.0.2", news).await;
    let limits = FetchLimits { body_bytes_max: 1000, redirects_max: 3, ..FetchLimits::default() };
    let failure = async |path: &str| fetch().get(&url(&site.url(path)), &limits).await.unwrap_err();
    assert!(matches!(failure("/loop").await, FetchError::TooManyRedirects { max: 3 }));
    assert!(matches!(failure("/big").await, FetchError::BodyTooLarge { max_bytes: 1000 }));
    assert!(matches!(failure("/odd").await, FetchError::BadRedirect { .. }));
    assert!(matches!(failure("/file").await, FetchError::NotHttp { .. }));
}

#[tokio::test]
async fn a_server_that_never_answers_times_out() {
    let silent = TcpListener::bind("127.0.0.2:0").await.unwrap();
    let address = url(&format!("http://{}/", silent.local_addr().unwrap()));
    let limits = FetchLimits { total: Duration::from_millis(100), ..FetchLimits::default() };
    let error = fetch().get(&address, &limits).await.unwrap_err();
    assert!(matches!(error, FetchError::TimedOut { .. }) && error.is_transient(), "{error}");
}
