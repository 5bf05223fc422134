//! Which tools are tried, which page is kept, and what bounds a read.

use errand_egress::AddressPolicy;
use errand_read::{Engine, ReadError, ReadSchema, Reader, Reading, Tool, answer, limits, read_file};
use serde_json::json;
use std::sync::Arc;

use crate::site::{MadeUp, Site, Stuck, Unable, dialer, reader};

const LAMP: &str = "<title>Lamp</title><script type='application/ld+json'>{\"@type\": \"Product\", \"name\": \"Lamp\", \
    \"offers\": {\"price\": \"5\", \"priceCurrency\": \"EUR\"}}</script><h1>Lamp</h1>";
const EMPTY: &str = "<title>Shop</title><div id=root></div>";
const NAMED: &str =
    "<title>Lamp</title><script type='application/ld+json'>{\"@type\": \"Product\", \"name\": \"Lamp\"}</script>";

fn schema() -> ReadSchema {
    let properties = json!({"name": {"type": "string"}, "price": {"type": "number"}, "sku": {"type": "string"}});
    ReadSchema::new(json!({"type": "object", "properties": properties, "required": ["name", "price"]})).unwrap()
}

async fn read(html: &str, browser: &Arc<MadeUp>, engine: Engine) -> Result<Reading, ReadError> {
    let site = Site::html(html).await;
    reader(Arc::clone(browser) as Arc<_>).read("test", &site.url, engine, Some(&schema())).await
}

fn tried(reading: &Reading) -> Vec<(Tool, Option<usize>)> {
    reading.attempts.iter().map(|attempt| (attempt.tool, attempt.outcome.clone().ok())).collect()
}

#[tokio::test]
async fn a_complete_page_opens_no_browser() {
    let browser = MadeUp::pages(&[LAMP]);
    let reading = read(LAMP, &browser, Engine::Auto).await.unwrap();
    assert_eq!((tried(&reading), browser.left()), (vec![(Tool::Http, Some(2))], 1));
    let answer = answer(&reading);
    assert_eq!(answer["extracted"]["data"], json!({"name": "Lamp", "price": 5}));
    assert_eq!(answer["receipt"]["extracted"], json!({"found": 2, "of": 3, "missing": []}));
}

#[tokio::test]
async fn an_incomplete_page_is_read_in_the_browser_and_the_fuller_one_is_kept() {
    let reading = read(EMPTY, &MadeUp::pages(&[LAMP]), Engine::Auto).await.unwrap();
    assert_eq!(tried(&reading), [(Tool::Http, Some(0)), (Tool::Chromium, Some(2))]);
    assert_eq!(reading.title, "Lamp");
    let reading = read(NAMED, &MadeUp::pages(&[EMPTY]), Engine::Auto).await.unwrap();
    assert_eq!(tried(&reading), [(Tool::Http, Some(1)), (Tool::Chromium, Some(0))]);
    assert_eq!(reading.extracted.unwrap().missing, ["price"]);
}

#[tokio::test]
async fn a_json_document_is_read_by_the_plain_tool() {
    for media_type in ["application/json", "application/problem+json; charset=utf-8"] {
        let head = format!("200 OK\r\ncontent-type: {media_type}");
        let site = Site::start(&head, br#"{"product": {"name": "Lamp", "price": 5}}"#).await;
        let read = reader(MadeUp::pages(&[])).read("test", &site.url, Engine::Http, Some(&schema())).await.unwrap();
        assert_eq!(read.extracted.unwrap().data, json!({"name": "Lamp", "price": 5}), "{media_type}");
    }
}

#[tokio::test]
async fn an_engine_that_is_named_is_the_only_one() {
    let browser = MadeUp::pages(&[LAMP]);
    assert_eq!(tried(&read(EMPTY, &browser, Engine::Http).await.unwrap()), [(Tool::Http, Some(0))]);
    assert_eq!(tried(&read(EMPTY, &browser, Engine::Chromium).await.unwrap()), [(Tool::Chromium, Some(2))]);
}

#[tokio::test]
async fn a_browser_that_fails_leaves_the_plain_page_and_is_in_the_receipt() {
    let reading = read(NAMED, &MadeUp::pages(&[]), Engine::Auto).await.unwrap();
    assert_eq!(tried(&reading), [(Tool::Http, Some(1)), (Tool::Chromium, None)]);
    assert_eq!(answer(&reading)["receipt"]["tools"][1]["error"], "the server answered 500");
}

#[tokio::test]
async fn without_a_page_every_tool_says_why() {
    let site = Site::start("200 OK\r\ncontent-type: application/pdf", b"%PDF").await;
    let error = reader(MadeUp::pages(&[])).read("test", &site.url, Engine::Auto, None).await.unwrap_err();
    let wanted = "http: the page is application/pdf, not HTML or JSON; chromium: the server answered 500";
    assert_eq!(error.to_string(), format!("the page could not be read: {wanted}"));
}

#[tokio::test]
async fn faults_of_this_machine_are_told_apart_and_without_their_details() {
    let site = Site::start("404 Not Found", b"").await;
    let reader = reader(Arc::new(Unable));
    let error = reader.read("test", &site.url, Engine::Auto, None).await.unwrap_err();
    assert!(matches!(error, ReadError::Failed { .. }), "{error:?}");
    let wanted = "http: the server answered 404; chromium: the browser could not be started";
    assert_eq!(error.to_string(), format!("the page could not be read: {wanted}"));
    let site = Site::html(NAMED).await;
    let reading = reader.read("test", &site.url, Engine::Auto, Some(&schema())).await.unwrap();
    assert_eq!(answer(&reading)["receipt"]["tools"][1]["error"], "the browser could not be started");
}

#[tokio::test]
async fn a_blocked_address_is_tried_by_no_further_tool() {
    let site = Site::html(LAMP).await;
    let browser = MadeUp::pages(&[LAMP]);
    let reader = Reader::new(dialer(AddressPolicy::public_only()), Arc::clone(&browser) as Arc<_>);
    let error = reader.read("test", &site.url, Engine::Auto, None).await.unwrap_err();
    assert!(
        matches!(&error, ReadError::Blocked { reason } if reason.contains("127.0.0.1 may not be reached")),
        "{error}"
    );
    assert_eq!(browser.left(), 1);
}

#[tokio::test]
async fn a_redirect_to_a_blocked_address_is_not_followed() {
    let inner = Site::html(LAMP).await;
    let outer =
        Site::start(&format!("302 Found\r\nlocation: http://localhost:{}/", inner.url.port().unwrap()), b"").await;
    let addresses =
        AddressPolicy::public_only().allowing_hosts(errand_egress::HostRules::parse(["127.0.0.1"]).unwrap());
    let reader = Reader::new(dialer(addresses), MadeUp::pages(&[]));
    let error = reader.read("test", &outer.url, Engine::Auto, None).await.unwrap_err();
    assert!(matches!(&error, ReadError::Blocked { reason } if reason.contains("localhost")), "{error}");
}

/// The clock goes on by itself once nothing but the deadline is waited for.
#[tokio::test]
async fn a_browser_that_never_answers_ends_at_the_deadline() {
    let site = Site::html(LAMP).await;
    let reader = reader(Arc::new(Stuck));
    tokio::time::pause();
    let error = reader.read("test", &site.url, Engine::Chromium, None).await.unwrap_err();
    assert_eq!(error.to_string(), "the page could not be read: chromium: there was no page in time");
}

#[tokio::test]
async fn reads_beyond_the_bound_are_refused_and_a_finished_one_makes_room() {
    let site = Site::html(LAMP).await;
    let reader = reader(Arc::new(Stuck)).with_reads_max(1);
    let mut stuck = Box::pin(reader.read("test", &site.url, Engine::Chromium, None));
    assert!(tokio::time::timeout(std::time::Duration::ZERO, stuck.as_mut()).await.is_err(), "it never ends");
    let error = reader.read("test", &site.url, Engine::Http, None).await.unwrap_err();
    assert!(matches!(error, ReadError::Busy { max: 1 }), "{error}");
    drop(stuck);
    reader.read("test", &site.url, Engine::Http, None).await.unwrap();
}

#[tokio::test]
async fn a_file_larger_than_a_page_may_be_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("large.html");
    std::fs::File::create(&file).unwrap().set_len(limits::PAGE_BYTES_MAX as u64 + 1).unwrap();
    let error = read_file(&file, None, None).await.unwrap_err().to_string();
    assert_eq!(error, "the page could not be read: file: the file is larger than can be read");
}
