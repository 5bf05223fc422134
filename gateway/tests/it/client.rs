//! A small HTTP client: one connection per request, JSON in and out, and streams read event by event.

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper::{HeaderMap, Request, Response};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::net::TcpStream;

/// No test waits longer for anything.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// A whole answer.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: Bytes,
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|_| panic!("no JSON: {:?}", self.body))
    }

    /// Code, message and parameter of a refusal.
    pub fn error(&self) -> (String, String, Option<String>) {
        let error = &self.json()["error"];
        let text = |name: &str| error[name].as_str().map(str::to_owned);
        (text("code").unwrap(), text("message").unwrap(), text("param"))
    }

    pub fn message(&self) -> String {
        self.error().1
    }
}

/// One gateway and one API key.
#[derive(Debug, Clone)]
pub struct Api {
    pub address: SocketAddr,
    pub key: String,
}

impl Api {
    pub async fn get(&self, path: &str) -> Answer {
        self.call("GET", path, &[], Bytes::new()).await
    }

    pub async fn post(&self, path: &str, body: &Value) -> Answer {
        self.send_json("POST", path, &[], body).await
    }

    pub async fn put(&self, path: &str, body: &Value) -> Answer {
        self.send_json("PUT", path, &[], body).await
    }

    pub async fn delete(&self, path: &str) -> Answer {
        self.call("DELETE", path, &[], Bytes::new()).await
    }

    pub async fn post_once(&self, key: &str, path: &str, body: &Value) -> Answer {
        self.send_json("POST", path, &[("idempotency-key", key)], body).await
    }

    async fn send_json(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &Value) -> Answer {
        let mut headers = headers.to_vec();
        headers.push(("content-type", "application/json"));
        self.call(method, path, &headers, body.to_string().into()).await
    }

    pub async fn call(&self, method: &str, path: &str, headers: &[(&str, &str)], body: Bytes) -> Answer {
        let response = self.open(method, path, headers, body).await;
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let body = tokio::time::timeout(PATIENCE, response.into_body().collect());
        Answer { status, headers, body: body.await.unwrap().unwrap().to_bytes() }
    }

    /// An answer whose body is not read yet.
    pub async fn open(&self, method: &str, path: &str, headers: &[(&str, &str)], body: Bytes) -> Response<Incoming> {
        let stream = TcpStream::connect(self.address).await.unwrap();
        let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.unwrap();
        tokio::spawn(connection);
        let mut request = Request::builder().method(method).uri(path).header("host", "gateway");
        if !self.key.is_empty() {
            request = request.header("authorization", format!("Bearer {}", self.key));
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(Full::new(body)).unwrap();
        tokio::time::timeout(PATIENCE, sender.send_request(request)).await.unwrap().unwrap()
    }

    pub async fn stream(&self, path: &str, last_event_id: Option<&str>) -> EventStream {
        let mut headers = vec![("accept", "text/event-stream")];
        headers.extend(last_event_id.map(|id| ("last-event-id", id)));
        let response = self.open("GET", path, &headers, Bytes::new()).await;
        assert_eq!(response.status(), 200);
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        EventStream { body: response.into_body(), text: String::new() }
    }
}

/// One event of a stream.
#[derive(Debug, Clone)]
pub struct StreamEvent {
    pub id: String,
    pub name: String,
    pub json: Value,
}

#[derive(Debug)]
pub struct EventStream {
    body: Incoming,
    text: String,
}

impl EventStream {
    /// The next event; `None` when the stream has ended.
    pub async fn next(&mut self) -> Option<StreamEvent> {
        loop {
            if let Some(end) = self.text.find("\n\n") {
                let block: String = self.text.drain(..end + 2).collect();
                if let Some(event) = read_event(&block) {
                    return Some(event);
                }
                continue;
            }
            let frame = tokio::time::timeout(PATIENCE, self.body.frame()).await.expect("an event in time")?;
            let data = frame.ok()?.into_data().ok()?;
            self.text.push_str(std::str::from_utf8(&data).unwrap());
        }
    }

    pub async fn names(&mut self, count: usize) -> Vec<String> {
        let mut names = Vec::new();
        for _ in 0..count {
            names.push(self.next().await.expect("another event").name);
        }
        names
    }
}

fn read_event(block: &str) -> Option<StreamEvent> {
    let field = |name: &str| block.lines().find_map(|line| line.strip_prefix(name)).map(|text| text.trim().to_owned());
    let json = serde_json::from_str(&field("data:")?).unwrap();
    Some(StreamEvent { id: field("id:")?, name: field("event:")?, json })
}
