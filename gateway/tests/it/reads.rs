//! `POST /v1/read`: pages of this process, and a browser that the test makes up.

use async_trait::async_trait;
use bytes::Bytes;
use errand_egress::{AddressPolicy, Dialer, HostRules, tls_client_config};
use errand_read::{Browse, Page, Reader, ToolError};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::sync::Notify;
use url::Url;

use crate::client::Api;
use crate::harness::Harness;

pub const EMPTY: &str = "<title>Shop</title><div id=root></div>";
pub const LAMP: &str = "<title>Lamp</title><script type='application/ld+json'>{\"@type\": \"Product\", \"name\": \"Lamp\", \
    \"offers\": {\"price\": \"5\", \"priceCurrency\": \"EUR\"}}</script><h1>Lamp</h1>";

/// Gives the lamp, of `/long` as a beginning; stays at a page that is named `/slow`, and says so.
#[derive(Debug, Default)]
struct MadeUp {
    is_at_slow: Notify,
}

#[async_trait]
impl Browse for MadeUp {
    async fn open(&self, url: &Url) -> Result<Page, ToolError> {
        match url.path() {
            "/slow" => {
                self.is_at_slow.notify_one();
                std::future::pending().await
            }
            "/unable" => Err(ToolError::Proxy(std::io::Error::other("no port"))),
            "/gone" => Err(ToolError::Status { status: 404 }),
            path => Ok(Page { url: url.to_string(), html: LAMP.to_owned(), is_cut: path == "/long" }),
        }
    }
}

/// Serves one page for every path but `/gone`; its address has a name of its own.
pub async fn site(html: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut request = [0; 4096];
            let length = stream.read(&mut request).await.unwrap_or_default();
            let status = if request[..length].starts_with(b"GET /gone") { "404 Not Found" } else { "200 OK" };
            let head = format!("HTTP/1.1 {status}\r\ncontent-type: text/html\r\ncontent-length: {}", html.len());
            // A client that goes away is no fault of the test.
            let _ = stream.write_all(format!("{head}\r\nconnection: close\r\n\r\n{html}").as_bytes()).await;
        }
    });
    format!("http://{address}")
}

fn reader(browser: Arc<dyn Browse>) -> Reader {
    let addresses = AddressPolicy::public_only().allowing_hosts(HostRules::parse(["127.0.0.1"]).unwrap());
    Reader::new(Dialer::new(addresses, tls_client_config(None).unwrap()), browser)
}

pub async fn harness() -> Harness {
    Harness::reading(reader(Arc::new(MadeUp::default()))).await
}

fn schema() -> Value {
    json!({"type": "object", "properties": {"name": {"type": "string"}, "price": {"type": "number"}}, "required": ["price"]})
}

#[tokio::test]
async fn a_page_that_lacks_a_required_property_is_read_in_the_browser() {
    let harness = harness().await;
    let body = json!({"url": site(EMPTY).await, "schema": schema()});
    let answer = harness.api.post("/v1/read", &body).await;
    assert_eq!(answer.status, 200, "{:?}", answer.body);
    let read = answer.json();
    assert_eq!(read["extracted"]["data"], json!({"name": "Lamp", "price": 5}));
    assert_eq!(read["extracted"]["sources"]["price"], "jsonld:product.offers.price");
    let tools: Vec<(&Value, &Value)> =
        read["receipt"]["tools"].as_array().unwrap().iter().map(|tool| (&tool["tool"], &tool["found"])).collect();
    assert_eq!(tools, [(&json!("http"), &json!(0)), (&json!("chromium"), &json!(2))]);
    let plain = json!({"url": site(LAMP).await, "schema": schema(), "engine": "auto"});
    let plain = harness.api.post("/v1/read", &plain).await.json();
    assert_eq!(plain["receipt"]["tools"].as_array().map(Vec::len), Some(1));
}

#[tokio::test]
async fn bad_input_is_refused_before_anything_is_fetched() {
    let harness = harness().await;
    let cases = [
        (json!({"url": "https://a.example/", "colour": 1}), "colour", "\"colour\" is not a field of a read request"),
        (json!({"schema": schema()}), "url", "\"url\" is required"),
        (json!({"url": "/lamp"}), "url", "\"url\" must be an absolute http or https URL"),
        (
            json!({"url": "https://a.example/", "engine": "curl"}),
            "engine",
            "\"engine\" must be \"http\", \"chromium\" or \"auto\"",
        ),
        (
            json!({"url": "https://a.example/", "schema": {"type": "string"}}),
            "schema",
            "extract_schema must be a JSON Schema object with properties",
        ),
    ];
    for (body, param, message) in cases {
        let answer = harness.api.post("/v1/read", &body).await;
        assert_eq!(answer.status, 400, "{body}");
        let wanted = ("invalid_request".to_owned(), message.to_owned(), Some(param.to_owned()));
        assert_eq!(answer.error(), wanted, "{body}");
    }
    let large = Bytes::from(vec![b' '; 1024 * 1024 + 1]);
    assert_eq!(harness.api.call("POST", "/v1/read", &[], large).await.status, 413);
    assert_eq!(harness.api.get("/v1/read").await.status, 405);
}

#[tokio::test]
async fn a_key_is_needed() {
    let harness = harness().await;
    let api = Api { key: "wrong".to_owned(), ..harness.api.clone() };
    let answer = api.post("/v1/read", &json!({"url": "https://a.example/"})).await;
    assert_eq!((answer.status, answer.error().0.as_str()), (401, "unauthorized"));
}

#[tokio::test]
async fn an_address_that_may_not_be_reached_is_400_and_names_the_field() {
    let harness = harness().await;
    let port = site(LAMP).await.rsplit(':').next().unwrap().to_owned();
    for host in ["localhost", "[::1]", "[::ffff:127.0.0.1]", "10.0.0.1", "169.254.169.254"] {
        let answer = harness.api.post("/v1/read", &json!({"url": format!("http://{host}:{port}/")})).await;
        let (code, message, param) = answer.error();
        assert_eq!(
            (answer.status, code.as_str(), param.as_deref()),
            (400, "address_not_allowed", Some("url")),
            "{host}"
        );
        assert!(message.starts_with("\"url\" may not be read: "), "{message}");
    }
}

#[tokio::test]
async fn a_page_that_is_not_there_is_502_and_says_what_each_tool_met() {
    let harness = harness().await;
    let answer = harness.api.post("/v1/read", &json!({"url": format!("{}/gone", site(LAMP).await)})).await;
    assert_eq!((answer.status, answer.error().0.as_str()), (502, "page_not_read"));
    let wanted = "the page could not be read: http: the server answered 404; chromium: the server answered 404";
    assert_eq!(answer.message(), wanted);
}

#[tokio::test]
async fn a_browser_that_cannot_be_started_is_503_without_details() {
    let harness = harness().await;
    let body = json!({"url": format!("{}/unable", site(LAMP).await), "engine": "chromium"});
    let answer = harness.api.post("/v1/read", &body).await;
    assert_eq!((answer.status, answer.error().0.as_str()), (503, "unavailable"));
    assert_eq!(answer.message(), "the page could not be read: chromium: the browser could not be started");
}

#[tokio::test]
async fn more_reads_than_the_bound_are_503_until_one_ends() {
    let browser = Arc::new(MadeUp::default());
    let harness = Harness::reading(reader(Arc::clone(&browser) as Arc<_>).with_reads_max(1)).await;
    let base = site(LAMP).await;
    let slow = json!({"url": format!("{base}/slow"), "engine": "chromium"});
    let api = harness.api.clone();
    let first = tokio::spawn(async move { api.post("/v1/read", &slow).await });
    browser.is_at_slow.notified().await;
    let answer = harness.api.post("/v1/read", &json!({"url": base})).await;
    assert_eq!((answer.status, answer.error().0.as_str()), (503, "too_many_reads"));
    assert!(answer.headers.contains_key("retry-after"));
    // A client that goes away ends its read.
    first.abort();
    let room = async {
        while harness.api.post("/v1/read", &json!({"url": base})).await.status != 200 {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(crate::client::PATIENCE, room).await.unwrap();
}

#[tokio::test]
async fn a_read_that_outlasts_the_shutdown_is_answered_503_before_its_connection_is_cut() {
    let browser = Arc::new(MadeUp::default());
    let mut harness = Harness::reading_within(reader(Arc::clone(&browser) as Arc<_>), Duration::from_secs(2)).await;
    let slow = json!({"url": format!("{}/slow", site(LAMP).await), "engine": "chromium"});
    let api = harness.api.clone();
    let reading = tokio::spawn(async move { api.post("/v1/read", &slow).await });
    browser.is_at_slow.notified().await;
    harness.shutdown.cancel();
    let answer = reading.await.unwrap();
    assert_eq!((answer.status, answer.error().0.as_str()), (503, "unavailable"));
    tokio::time::timeout(crate::client::PATIENCE, harness.handle.take().unwrap().ended()).await.unwrap().unwrap();
}

#[tokio::test]
async fn a_gateway_without_a_reader_says_that_it_cannot_now() {
    let harness = Harness::start().await;
    let answer = harness.api.post("/v1/read", &json!({"url": "https://a.example/"})).await;
    assert_eq!((answer.status, answer.error().0.as_str()), (503, "unavailable"));
}
