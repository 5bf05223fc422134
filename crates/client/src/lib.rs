//! A client of Errand's REST API: the calls that the command line makes, with typed errors. Answers are JSON values, as
//! the API documents them.

mod error;
mod sse;

pub use error::{ApiFault, ClientError};
pub use sse::{Event, EventStream};

pub use reqwest::Method;
use reqwest::{RequestBuilder, Response};
use secrecy::{ExposeSecret, SecretString};
use serde_json::{Value, json};
use std::time::Duration;
use url::Url;

/// Any call but a long poll or a stream.
const CALL_DEADLINE: Duration = Duration::from_secs(30);
/// A read may climb to a browser: the server gives it 60 s, and no call more than 90.
const READ_DEADLINE: Duration = Duration::from_secs(95);
/// What a long poll may take beyond the wait that was asked for.
const POLL_MARGIN: Duration = Duration::from_secs(15);
/// SPEC §1: the longest wait of one poll, in seconds.
pub const WAIT_S_MAX: u64 = 60;

/// One server and one key.
#[derive(Debug, Clone)]
pub struct Client {
    http: reqwest::Client,
    base: Url,
    key: SecretString,
}

impl Client {
    /// # Errors
    /// When the address is not an absolute http(s) URL, or the TLS set-up fails.
    pub fn new(base: &str, key: &str) -> Result<Self, ClientError> {
        let base = Url::parse(base).map_err(|source| ClientError::Address { address: base.to_owned(), source })?;
        let http = reqwest::Client::builder().user_agent(concat!("errand/", env!("CARGO_PKG_VERSION"))).build();
        Ok(Self { http: http.map_err(ClientError::Setup)?, base, key: SecretString::from(key) })
    }

    /// `POST /v1/browser/runs`.
    ///
    /// # Errors
    /// As every call: [`ClientError::Api`] when the server refused, [`ClientError::Http`] when it could not be reached.
    pub async fn create_run(&self, body: &Value) -> Result<Value, ClientError> {
        let request = self.request(Method::POST, "/v1/browser/runs").json(body);
        self.send(request, CALL_DEADLINE).await
    }

    /// `GET /v1/browser/runs/{id}`; with a wait (seconds, at most 60) it answers when the run is paused or finished.
    ///
    /// # Errors
    /// As [`Self::create_run`].
    pub async fn run(&self, id: &str, wait_s: u64) -> Result<Value, ClientError> {
        let wait_s = wait_s.min(WAIT_S_MAX);
        let path = format!("/v1/browser/runs/{}?wait={wait_s}", segment(id));
        self.send(self.request(Method::GET, &path), Duration::from_secs(wait_s) + POLL_MARGIN).await
    }

    /// `GET /v1/browser/runs`.
    ///
    /// # Errors
    /// As [`Self::create_run`].
    pub async fn runs(&self, limit: Option<u32>, status: Option<&str>) -> Result<Value, ClientError> {
        let mut request = self.request(Method::GET, "/v1/browser/runs");
        if let Some(limit) = limit {
            request = request.query(&[("limit", limit)]);
        }
        if let Some(status) = status {
            request = request.query(&[("status", status)]);
        }
        self.send(request, CALL_DEADLINE).await
    }

    /// `POST /v1/browser/runs/{id}/reply`.
    ///
    /// # Errors
    /// As [`Self::create_run`].
    pub async fn reply(&self, id: &str, body: &Value) -> Result<Value, ClientError> {
        let request = self.request(Method::POST, &format!("/v1/browser/runs/{}/reply", segment(id))).json(body);
        self.send(request, CALL_DEADLINE).await
    }

    /// `POST /v1/browser/runs/{id}/stop`.
    ///
    /// # Errors
    /// As [`Self::create_run`].
    pub async fn stop(&self, id: &str) -> Result<Value, ClientError> {
        self.send(self.request(Method::POST, &format!("/v1/browser/runs/{}/stop", segment(id))), CALL_DEADLINE).await
    }

    /// `GET /v1/browser/runs/{id}/events` as a list.
    ///
    /// # Errors
    /// As [`Self::create_run`].
    pub async fn events(&self, id: &str) -> Result<Value, ClientError> {
        self.send(self.request(Method::GET, &format!("/v1/browser/runs/{}/events", segment(id))), CALL_DEADLINE).await
    }

    /// `GET /v1/browser/runs/{id}/events` as a live stream, from after an event when its id is given.
    ///
    /// # Errors
    /// As [`Self::create_run`].
    pub async fn event_stream(&self, id: &str, last_event_id: Option<&str>) -> Result<EventStream, ClientError> {
        let path = format!("/v1/browser/runs/{}/events", segment(id));
        let mut request = self.request(Method::GET, &path).header("accept", "text/event-stream");
        if let Some(last_event_id) = last_event_id {
            request = request.header("last-event-id", last_event_id);
        }
        let response = tokio::time::timeout(CALL_DEADLINE, request.send()).await.map_err(|_| ClientError::TimedOut)?;
        Ok(EventStream::new(accepted(response.map_err(ClientError::Http)?).await?))
    }

    /// `POST /v1/read`: one page without a model; `schema` is JSON Schema or shorthand, `engine` `http`, `chromium` or
    /// `auto`, which is what it is without.
    ///
    /// # Errors
    /// As [`Self::create_run`].
    pub async fn read(&self, url: &str, schema: Option<&Value>, engine: Option<&str>) -> Result<Value, ClientError> {
        let body = json!({"url": url, "schema": schema, "engine": engine});
        self.send(self.request(Method::POST, "/v1/read").json(&body), READ_DEADLINE).await
    }

    /// Any other call with a JSON answer; `path` begins with a slash.
    ///
    /// # Errors
    /// As [`Self::create_run`].
    pub async fn call(&self, method: Method, path: &str, body: Option<&Value>) -> Result<Value, ClientError> {
        let request = self.request(method, path);
        let request = match body {
            Some(body) => request.json(body),
            None => request,
        };
        self.send(request, CALL_DEADLINE).await
    }

    fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let url = format!("{}{path}", self.base.as_str().trim_end_matches('/'));
        self.http.request(method, url).bearer_auth(self.key.expose_secret())
    }

    async fn send(&self, request: RequestBuilder, deadline: Duration) -> Result<Value, ClientError> {
        let exchange = async {
            let response = accepted(request.send().await.map_err(ClientError::Http)?).await?;
            let stranger = not_errand(&response);
            let text = response.text().await.map_err(ClientError::Http)?;
            if text.is_empty() { Ok(Value::Null) } else { serde_json::from_str(&text).map_err(|_| stranger) }
        };
        tokio::time::timeout(deadline, exchange).await.map_err(|_| ClientError::TimedOut)?
    }
}

/// One segment of a path: what is given as an id never leads to another call.
fn segment(id: &str) -> String {
    url::form_urlencoded::byte_serialize(id.as_bytes()).collect()
}

/// The response, unless it is an error of the API.
async fn accepted(response: Response) -> Result<Response, ClientError> {
    let status = response.status();
    if status.is_success() {
        return Ok(response);
    }
    let stranger = not_errand(&response);
    let text = response.text().await.map_err(ClientError::Http)?;
    Err(ApiFault::read(status.as_u16(), &text).map_or(stranger, ClientError::Api))
}

/// What is said when the body turns out to be none of the API's.
fn not_errand(response: &Response) -> ClientError {
    let address = response.url().origin().ascii_serialization();
    ClientError::NotErrand { address, status: response.status().as_u16() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_is_never_printed() {
        let _already_installed = rustls::crypto::ring::default_provider().install_default();
        let client = Client::new("http://127.0.0.1:1", "erk_secret").unwrap();
        assert!(!format!("{client:?}").contains("erk_secret"));
    }
}

#[cfg(test)]
mod path_tests {
    use super::segment;

    #[test]
    fn an_id_cannot_lead_to_another_call() {
        assert_eq!(segment("brun_0a"), "brun_0a");
        assert_eq!(segment("../secrets"), "..%2Fsecrets");
    }
}
