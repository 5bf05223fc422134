//! Opening pages, and pages that do not open.

use crate::server::{Answer, Server};
use crate::support::{launch, open, open_page};
use errand_browser::{BrowserError, NavigateError, SessionOptions};
use errand_domain::action::Action;
use std::net::TcpListener;
use std::time::{Duration, Instant};

#[tokio::test]
async fn status_and_final_url_are_told() {
    let server = Server::with_page("home");
    server.route("/gone", Answer::html("no such thing").status(404));
    server.route("/old", Answer::redirect("/"));
    let opened = open(&server).await;
    let gone = opened.session.goto(&server.url("/gone")).await.unwrap();
    assert_eq!(gone.status, Some(404));
    let moved = opened.session.goto(&server.url("/old")).await.unwrap();
    assert_eq!((moved.url, moved.status), (server.url("/"), Some(200)));
}

#[tokio::test]
async fn page_with_an_unreachable_cdn_is_not_waited_for() {
    let server = Server::with_page(
        "<p>content</p><script async src='/cdn.js'></script><img src='/cdn.png'><link rel=stylesheet href=/cdn.css media=print>",
    );
    for path in ["/cdn.js", "/cdn.png", "/cdn.css"] {
        server.route(path, Answer::hanging());
    }
    let began = Instant::now();
    let opened = open(&server).await;
    assert!(opened.text().await.contains("content"));
    assert!(began.elapsed() < Duration::from_secs(9), "{:?}", began.elapsed());
}

#[tokio::test]
async fn redirects_without_end_and_refused_connections_are_errors() {
    let server = Server::with_page("home");
    server.route("/loop", Answer::redirect("/loop"));
    let opened = open(&server).await;
    let endless = opened.session.goto(&server.url("/loop")).await;
    assert!(matches!(endless, Err(NavigateError::TooManyRedirects { .. })), "{endless:?}");
    let closed_port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let refused = opened.session.goto(&format!("http://{closed_port}/")).await;
    let Err(NavigateError::Refused { reason, .. }) = refused else { panic!("{refused:?}") };
    assert_eq!(reason, "net::ERR_CONNECTION_REFUSED");
    let not_web = opened.session.goto("file:///etc/passwd").await;
    assert!(matches!(not_web, Err(NavigateError::NotWeb { .. })), "{not_web:?}");
    opened.session.goto(&server.url("/")).await.expect("the session is still of use");
}

#[tokio::test]
async fn downloads_are_refused() {
    let server = Server::with_page("<a href=/file>Get it</a>");
    server.route("/file", Answer::of("application/zip", "PK").header("content-disposition", "attachment"));
    let opened = open(&server).await;
    let outcome = opened.click("Get it").await;
    assert!(outcome.notice.unwrap_or_default().contains("download"));
    let opened_directly = opened.session.goto(&server.url("/file")).await;
    assert!(matches!(opened_directly, Err(NavigateError::Download { .. })), "{opened_directly:?}");
}

#[tokio::test]
async fn back_returns_to_the_page_before_and_no_further() {
    let server = Server::with_page("<p>first</p><a href=/two>On</a>");
    server.route("/two", Answer::html("second"));
    let opened = open(&server).await;
    assert!(opened.click("On").await.navigated);
    assert_eq!(opened.text().await, "second");
    assert!(opened.act(Action::Back).await.navigated);
    assert!(opened.text().await.contains("first"));
    assert!(opened.try_act(Action::Back).await.is_err());
}

#[tokio::test]
async fn crashed_page_is_told_at_once_and_spares_other_sessions() {
    let server = Server::with_page("<p>content</p>");
    let opened = open(&server).await;
    let other = opened.browser.new_session(SessionOptions::default()).await.unwrap();
    other.goto(&server.url("/")).await.unwrap();
    let began = Instant::now();
    let crash = opened.session.crash_page().await;
    assert!(matches!(crash, Err(BrowserError::Crashed)), "{crash:?}");
    let look = opened.session.observe().await;
    assert!(matches!(look, Err(BrowserError::Crashed)), "{look:?}");
    assert!(began.elapsed() < Duration::from_secs(5));
    assert!(other.observe().await.unwrap().text.contains("content"));
}

#[tokio::test]
async fn all_traffic_of_a_session_goes_through_its_proxy() {
    // The server answers absolute-form requests too, so it serves as the proxy.
    let proxy = Server::with_page("<p>through the proxy</p><img src='http://127.0.0.1:7001/pixel'>");
    let browser = launch().await;
    let options = SessionOptions { proxy: Some(proxy.address()), ..SessionOptions::default() };
    let session = browser.new_session(options).await.unwrap();
    session.goto("http://nowhere.test/").await.unwrap();
    assert_eq!(session.observe().await.unwrap().text, "through the proxy");
    proxy.wait_for("/pixel");
    let tunnel = session.goto("https://nowhere.test/").await;
    assert!(matches!(tunnel, Err(NavigateError::Blocked { .. })), "{tunnel:?}");
}

#[tokio::test]
async fn redirects_made_by_scripts_are_followed_to_the_end() {
    let server = Server::with_page("<script>location = '/second'</script>");
    server.route("/second", Answer::html("<script>setTimeout(() => location.replace('/third'))</script>"));
    server.route("/third", Answer::html("arrived"));
    let opened = open(&server).await;
    assert_eq!(opened.session.current_url(), server.url("/third"));
    assert_eq!(opened.text().await, "arrived");
}

#[tokio::test]
async fn address_of_a_dead_end_is_shown_with_the_reason() {
    let closed_port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let (_server, opened) = open_page(&format!("<a href='http://{closed_port}/x'>Dead end</a>")).await;
    opened.click("Dead end").await;
    let observation = opened.observe().await;
    assert_eq!(observation.url, format!("http://{closed_port}/x"));
    assert!(observation.notice.unwrap().contains("ERR_CONNECTION_REFUSED"));
    assert_eq!(observation.text, "");
}

#[tokio::test]
async fn server_that_says_nothing_is_a_timeout_and_the_session_goes_on() {
    let server = Server::with_page("home");
    server.route("/silent", Answer::hanging());
    let opened = open(&server).await;
    let silent = opened.session.goto_within(&server.url("/silent"), Duration::from_millis(500)).await;
    assert!(matches!(silent, Err(NavigateError::Timeout { .. })), "{silent:?}");
    opened.session.goto(&server.url("/")).await.unwrap();
    assert_eq!(opened.text().await, "home");
}

#[tokio::test]
async fn documents_that_are_not_html_are_read() {
    let server = Server::with_page("home");
    server.route("/json", Answer::of("application/json", "{\"price\": 9}"));
    server.route("/text", Answer::of("text/plain", "one\ntwo"));
    server.route("/xml", Answer::of("application/xml", "<a><b>three</b></a>"));
    let opened = open(&server).await;
    for (path, text) in [("/json", "{\"price\": 9}"), ("/text", "one\ntwo"), ("/xml", "three")] {
        opened.session.goto(&server.url(path)).await.unwrap();
        let seen = opened.session.look().await.unwrap().observation.text;
        assert!(seen.contains(text), "{path}: {seen:?}");
    }
}

#[tokio::test]
async fn refresh_written_into_the_page_is_followed() {
    let server = Server::with_page("<meta http-equiv=refresh content='0;url=/second'>wait");
    server.route("/second", Answer::html("<meta http-equiv=refresh content='1;url=/third'>wait again"));
    server.route("/third", Answer::html("arrived"));
    let opened = open(&server).await;
    assert_eq!(opened.text().await, "arrived");
}

#[tokio::test]
async fn answer_without_content_leaves_the_page() {
    let server = Server::with_page("<p>still here</p><a href=/nothing>Nothing</a>");
    server.route("/nothing", Answer::html("").status(204));
    let opened = open(&server).await;
    let began = Instant::now();
    let outcome = opened.click("Nothing").await;
    assert!(!outcome.navigated && began.elapsed() < Duration::from_secs(3), "{:?}", began.elapsed());
    assert!(opened.text().await.contains("still here"));
}
