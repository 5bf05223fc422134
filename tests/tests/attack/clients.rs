//! Clients that speak HTTP or JSON in ways that two parsers could read differently: each gets one clear refusal in the
//! API's own form, changes nothing, and leaves the server as it was.

use anyhow::Context;
use errand_tests::server::{API_KEY, ErrandServer, ServerOptions};
use serde_json::Value;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::tally::Tally;

/// No answer takes longer, the one that waits for a slow body aside.
const ANSWER_DEADLINE: Duration = Duration::from_secs(20);
/// Beyond what the API takes, and within what it reads and drops.
const LARGE_BODY_BYTES: usize = 4 * 1024 * 1024;

/// What one client sends, and what it must get.
struct Case {
    name: &'static str,
    request: Vec<u8>,
    status: u16,
    /// Stands in the message of the refusal.
    named: &'static str,
}

fn case(name: &'static str, status: u16, named: &'static str, head: &str, body: &[u8]) -> Case {
    Case { name, request: [head.as_bytes(), body].concat(), status, named }
}

fn get(target: &str, more: &str) -> String {
    format!("GET {target} HTTP/1.1\r\nhost: h\r\nauthorization: Bearer {API_KEY}\r\nconnection: close\r\n{more}\r\n")
}

fn post(target: &str, length: usize, more: &str) -> String {
    format!(
        "POST {target} HTTP/1.1\r\nhost: h\r\nauthorization: Bearer {API_KEY}\r\nconnection: close\r\n\
         content-type: application/json\r\ncontent-length: {length}\r\n{more}\r\n"
    )
}

fn create(name: &'static str, named: &'static str, body: &str) -> Case {
    case(name, 400, named, &post("/v1/browser/runs", body.len(), ""), body.as_bytes())
}

fn heads() -> Vec<Case> {
    let key = format!("authorization: Bearer {API_KEY}\r\n");
    vec![
        case("no host", 400, "Host", "GET /v1/browser/runs HTTP/1.1\r\nconnection: close\r\n\r\n", b""),
        case("two hosts", 400, "host", &get("/v1/browser/runs", "host: other\r\n"), b""),
        case("two keys", 400, "authorization", &get("/v1/browser/runs", "authorization: Bearer other\r\n"), b""),
        case("the same key twice", 400, "authorization", &get("/v1/browser/runs", &key), b""),
        case(
            "two media types",
            400,
            "content-type",
            &post("/v1/browser/runs", 2, "content-type: text/plain\r\n"),
            b"{}",
        ),
        case("a path that is no text", 400, "path", &get("/v1/browser/secrets/%C0%AE", ""), b""),
        case("a run that is no text", 400, "path", &get("/v1/browser/runs/%FF/events", ""), b""),
        case("an unknown parameter", 400, "offset", &get("/v1/browser/runs?offset=5", ""), b""),
        case("a parameter twice", 400, "limit", &get("/v1/browser/runs?limit=1&limit=2", ""), b""),
        case("an unknown type of event", 400, "run.paused", &get("/v1/events?type=run.paused", ""), b""),
        case(
            "a token that was made up",
            401,
            "token",
            "GET /v1/events?token=est_0.o.default.00 HTTP/1.1\r\nhost: h\r\nconnection: close\r\n\r\n",
            b"",
        ),
    ]
}

fn bodies() -> Vec<Case> {
    let large = vec![b' '; LARGE_BODY_BYTES];
    let head = |target: &str| post(target, LARGE_BODY_BYTES, "");
    let without_key = head("/v1/browser/runs").replace(API_KEY, "wrong");
    vec![
        create("a key twice", "goal", r#"{"goal": "a", "goal": "b", "start_url": "https://example.com/"}"#),
        create(
            "a key twice, escaped",
            "goal",
            r#"{"goal": "a", "go\u0061l": "b", "start_url": "https://example.com/"}"#,
        ),
        create(
            "a key twice, inside",
            "metadata.a",
            r#"{"goal": "a", "start_url": "https://example.com/", "metadata": {"a": "1", "a": "2"}}"#,
        ),
        create("a NUL character", "goal", r#"{"goal": "a\u0000b", "start_url": "https://example.com/"}"#),
        create("two values", "JSON", r#"{"goal": "a", "start_url": "https://example.com/"} {}"#),
        create("no text", "JSON", "{\"goal\": \"\u{1}\"}"),
        create("too deep", "JSON", &"[".repeat(50_000)),
        case("too large", 413, "1048576", &head("/v1/browser/runs"), &large),
        case("too large, no key", 401, "key", &without_key, &large),
        case("too large, nowhere", 404, "path", &head("/v1/nowhere"), &large),
        case("too large, wrong method", 405, "method", &head("/healthz"), &large),
    ]
}

/// Sends all of the request before it reads, as simple clients do.
async fn send(address: &str, request: &[u8]) -> anyhow::Result<(u16, Value)> {
    let mut stream = TcpStream::connect(address).await?;
    stream.write_all(request).await.context("the server stopped reading")?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.context("the answer was lost")?;
    let answer = String::from_utf8_lossy(&answer).into_owned();
    let (head, body) = answer.split_once("\r\n\r\n").context("no answer")?;
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).context("no status")?;
    Ok((status, serde_json::from_str(body).unwrap_or(Value::Null)))
}

async fn fault_of(address: &str, case: &Case) -> Option<String> {
    let sent = tokio::time::timeout(ANSWER_DEADLINE, send(address, &case.request)).await;
    let (status, body) = match sent {
        Ok(Ok(answer)) => answer,
        Ok(Err(error)) => return Some(format!("{error:#}")),
        Err(_) => return Some("no answer in time".to_owned()),
    };
    let message = body["error"]["message"].as_str().unwrap_or_default();
    let holds = status == case.status && message.contains(case.named) && body["error"]["code"].is_string();
    (!holds).then(|| format!("{status} {body}"))
}

#[tokio::test]
async fn what_can_be_read_in_two_ways_is_refused_and_the_refusal_arrives() -> anyhow::Result<()> {
    let server = ErrandServer::start(ServerOptions::default()).await?;
    let address = server.api.base().trim_start_matches("http://").to_owned();
    let mut tally = Tally::new("clients: malformed requests");
    for case in heads().into_iter().chain(bodies()) {
        tally.add(case.name, fault_of(&address, &case).await);
    }
    let (status, list) = server.api.list_runs("").await?;
    assert_eq!((status, list["data"].as_array().map(Vec::len)), (200, Some(0)), "a refused request started nothing");
    tally.end();
    Ok(())
}

/// What the server's own parser refuses has no body, but a status, and ends that connection only.
#[tokio::test]
async fn what_is_no_http_ends_its_own_connection_only() -> anyhow::Result<()> {
    let server = ErrandServer::start(ServerOptions::default()).await?;
    let address = server.api.base().trim_start_matches("http://").to_owned();
    let mut tally = Tally::new("clients: no HTTP");
    let long = format!("GET / HTTP/1.1\r\nhost: h\r\nx: {}\r\n\r\n", "a".repeat(1 << 20));
    let requests: [(&str, &[u8]); 8] = [
        ("TLS", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n"),
        ("HTTP/2", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
        ("HTTP/0.9", b"GET /\r\n\r\n"),
        ("a header without a name", b"GET / HTTP/1.1\r\nhost: h\r\n: x\r\n\r\n"),
        ("a folded header", b"GET / HTTP/1.1\r\nhost: h\r\nx: a\r\n b\r\n\r\n"),
        ("two lengths", b"POST /v1/read HTTP/1.1\r\nhost: h\r\ncontent-length: 2\r\ncontent-length: 9\r\n\r\n{}"),
        ("a length that is none", b"POST /v1/read HTTP/1.1\r\nhost: h\r\ncontent-length: +2\r\n\r\n{}"),
        ("a header of 1 MiB", long.as_bytes()),
    ];
    for (name, request) in requests {
        let mut stream = TcpStream::connect(&address).await?;
        // It may be cut off in the middle: that it ends, and does nothing, is what counts.
        let _ = stream.write_all(request).await;
        let mut answer = Vec::new();
        let ended = tokio::time::timeout(ANSWER_DEADLINE, stream.read_to_end(&mut answer)).await;
        let accepted = String::from_utf8_lossy(&answer).starts_with("HTTP/1.1 2");
        let fault = if ended.is_err() { Some("the connection stays open") } else { accepted.then_some("accepted") };
        tally.add(name, fault.map(str::to_owned));
        assert_eq!(server.api.get("/healthz").await?.0, 200, "{name}");
    }
    tally.end();
    Ok(())
}

const URLLIB: &str = r#"
import sys, urllib.error, urllib.request
request = urllib.request.Request(sys.argv[1] + "/v1/browser/runs", data=b" " * int(sys.argv[3]), method="POST",
    headers={"authorization": "Bearer " + sys.argv[2], "content-type": "application/json"})
try:
    urllib.request.urlopen(request, timeout=20)
except urllib.error.HTTPError as refused:
    print(refused.code, refused.read().decode())
"#;

#[tokio::test]
async fn a_python_client_sees_413_although_it_is_still_sending() -> anyhow::Result<()> {
    let server = ErrandServer::start(ServerOptions::default()).await?;
    let mut tally = Tally::new("clients: 413 reaches urllib");
    for bytes in [1_048_577, 2_000_000, 12_000_000] {
        let mut python = tokio::process::Command::new("python3");
        python.args(["-c", URLLIB, server.api.base(), API_KEY, &bytes.to_string()]).stdin(Stdio::null());
        let output = tokio::time::timeout(ANSWER_DEADLINE, python.kill_on_drop(true).output()).await??;
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        let fault =
            (!printed.starts_with("413 ")).then(|| format!("{printed}{}", String::from_utf8_lossy(&output.stderr)));
        tally.add(&bytes.to_string(), fault);
    }
    tally.end();
    Ok(())
}

#[tokio::test]
async fn a_stream_token_opens_a_stream_and_never_stands_in_a_log() -> anyhow::Result<()> {
    let server = ErrandServer::start(ServerOptions::default().with("ERRAND_LOG", "trace")).await?;
    let mut tally = Tally::new("clients: stream tokens in logs");
    let (status, made) = server.api.post("/v1/stream_tokens", &Value::Null).await?;
    assert_eq!(status, 201, "{made}");
    let token = made["token"].as_str().context("no token")?.to_owned();
    let url = format!("{}/v1/events?token={token}", server.api.base());
    let opened = errand_tests::client::http_builder().build()?.get(&url).send().await?;
    assert_eq!(opened.status(), 200);
    let refused = errand_tests::client::http_builder().build()?.get(format!("{url}0")).send().await?;
    assert_eq!(refused.status(), 401);
    let shown = server.output().contains(&token);
    tally.add("at the finest level", shown.then(|| "the token is in the log".to_owned()));
    tally.end();
    Ok(())
}
