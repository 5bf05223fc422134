//! A thin REST client for tests: it sends what it is told and gives back status and JSON, judging nothing.

use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use reqwest::{Client, ClientBuilder, Method, RequestBuilder};
use serde_json::Value;

/// Longest wait for one answer: a long poll may take 60 s (SPEC 1).
const ANSWER_DEADLINE: Duration = Duration::from_secs(75);
/// How long one long poll of `wait_until` asks for, in seconds.
const POLL_S: u64 = 10;

/// Status and body of an answer; the body is null when it was not JSON.
pub type Answer = (u16, Value);

/// A builder that works whatever TLS provider the process has, and never uses a proxy from the environment.
pub fn http_builder() -> ClientBuilder {
    // Fails only when a provider is already installed, and then that one serves.
    let _already_installed = rustls::crypto::ring::default_provider().install_default();
    Client::builder().no_proxy()
}

/// One client of one server, with one API key.
#[derive(Debug, Clone)]
pub struct Api {
    base: String,
    key: String,
    http: Client,
}

impl Api {
    /// A client of `base` (`http://127.0.0.1:8080`, no trailing slash) that sends `key`.
    ///
    /// # Panics
    /// When the HTTP client cannot be built, which only a broken build causes.
    #[must_use]
    pub fn new(base: &str, key: &str) -> Self {
        let http = http_builder().timeout(ANSWER_DEADLINE).build().expect("plain client options are valid");
        Self { base: base.trim_end_matches('/').to_owned(), key: key.to_owned(), http }
    }

    /// Address of the server, without a trailing slash.
    #[must_use]
    pub fn base(&self) -> &str {
        &self.base
    }

    /// The same server with another key.
    #[must_use]
    pub fn with_key(&self, key: &str) -> Self {
        Self { key: key.to_owned(), ..self.clone() }
    }

    /// `POST /v1/browser/runs`
    ///
    /// # Errors
    /// When no answer came; so for every call.
    pub async fn post_run(&self, body: &Value) -> anyhow::Result<Answer> {
        self.post("/v1/browser/runs", body).await
    }

    /// `POST /v1/browser/runs` with an `Idempotency-Key`.
    ///
    /// # Errors
    /// When no answer came.
    pub async fn post_run_once(&self, idempotency_key: &str, body: &Value) -> anyhow::Result<Answer> {
        let request = self.request(Method::POST, "/v1/browser/runs");
        send(request.header("idempotency-key", idempotency_key).json(body)).await
    }

    /// `GET /v1/browser/runs/{id}`, with `?wait=` in seconds if given.
    ///
    /// # Errors
    /// When no answer came.
    pub async fn get_run(&self, id: &str, wait_s: Option<u64>) -> anyhow::Result<Answer> {
        let query = wait_s.map(|seconds| format!("?wait={seconds}")).unwrap_or_default();
        self.get(&format!("/v1/browser/runs/{id}{query}")).await
    }

    /// `GET /v1/browser/runs` with a query such as `?limit=5`, or an empty one.
    ///
    /// # Errors
    /// When no answer came.
    pub async fn list_runs(&self, query: &str) -> anyhow::Result<Answer> {
        self.get(&format!("/v1/browser/runs{query}")).await
    }

    /// `POST /v1/browser/runs/{id}/reply`
    ///
    /// # Errors
    /// When no answer came.
    pub async fn reply(&self, id: &str, body: &Value) -> anyhow::Result<Answer> {
        self.post(&format!("/v1/browser/runs/{id}/reply"), body).await
    }

    /// `POST /v1/browser/runs/{id}/stop`
    ///
    /// # Errors
    /// When no answer came.
    pub async fn stop(&self, id: &str) -> anyhow::Result<Answer> {
        send(self.request(Method::POST, &format!("/v1/browser/runs/{id}/stop"))).await
    }

    /// `GET /v1/browser/runs/{id}/events` as a JSON list.
    ///
    /// # Errors
    /// When no answer came.
    pub async fn events(&self, id: &str) -> anyhow::Result<Answer> {
        let request = self.request(Method::GET, &format!("/v1/browser/runs/{id}/events"));
        send(request.header("accept", "application/json")).await
    }

    /// `GET /v1/browser/runs/{id}/deliveries`
    ///
    /// # Errors
    /// When no answer came.
    pub async fn deliveries(&self, id: &str) -> anyhow::Result<Answer> {
        self.get(&format!("/v1/browser/runs/{id}/deliveries")).await
    }

    /// `DELETE /v1/browser/runs/{id}`
    ///
    /// # Errors
    /// When no answer came.
    pub async fn delete_run(&self, id: &str) -> anyhow::Result<Answer> {
        send(self.request(Method::DELETE, &format!("/v1/browser/runs/{id}"))).await
    }

    /// `PUT /v1/browser/secrets/{name}`
    ///
    /// # Errors
    /// When no answer came.
    pub async fn put_secret(&self, name: &str, body: &Value) -> anyhow::Result<Answer> {
        send(self.request(Method::PUT, &format!("/v1/browser/secrets/{name}")).json(body)).await
    }

    /// `GET` of any path, with the key.
    ///
    /// # Errors
    /// When no answer came.
    pub async fn get(&self, path: &str) -> anyhow::Result<Answer> {
        send(self.request(Method::GET, path)).await
    }

    /// `POST` of JSON to any path, with the key.
    ///
    /// # Errors
    /// When no answer came.
    pub async fn post(&self, path: &str, body: &Value) -> anyhow::Result<Answer> {
        send(self.request(Method::POST, path).json(body)).await
    }

    /// A request with the key, for what the other calls do not cover: screenshots, event streams.
    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.http.request(method, format!("{}{path}", self.base)).bearer_auth(&self.key)
    }

    /// Long-polls until the run satisfies `is_reached`, and gives the run.
    ///
    /// # Errors
    /// When the run cannot be read, or `deadline` passes; the message then holds the run as last seen.
    pub async fn wait_until(
        &self,
        id: &str,
        deadline: Duration,
        is_reached: impl Fn(&Value) -> bool,
    ) -> anyhow::Result<Value> {
        let ends_at = Instant::now() + deadline;
        let mut wait_s = 0;
        loop {
            let (status, run) = self.get_run(id, Some(wait_s)).await?;
            if status != 200 {
                bail!("reading run {id} answered {status}: {run}");
            }
            if is_reached(&run) {
                return Ok(run);
            }
            let left = ends_at.saturating_duration_since(Instant::now());
            if left.is_zero() {
                bail!("run {id} did not get there within {deadline:?}: {run}");
            }
            // A long poll returns at once for a paused or finished run: whoever waits for more must not spin.
            if run["status"] != "running" {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
            wait_s = left.as_secs().clamp(1, POLL_S);
        }
    }

    /// Long-polls until the run is finished.
    ///
    /// # Errors
    /// As `wait_until`.
    pub async fn wait_finished(&self, id: &str, deadline: Duration) -> anyhow::Result<Value> {
        self.wait_until(id, deadline, is_finished).await
    }

    /// Long-polls until the run waits for a person or is finished.
    ///
    /// # Errors
    /// As `wait_until`.
    pub async fn wait_paused_or_finished(&self, id: &str, deadline: Duration) -> anyhow::Result<Value> {
        self.wait_until(id, deadline, |run| run["status"] == "waiting_for_human" || is_finished(run)).await
    }
}

/// Whether a run object has its final status (SPEC 1).
#[must_use]
pub fn is_finished(run: &Value) -> bool {
    matches!(run["status"].as_str(), Some("succeeded" | "failed" | "timed_out" | "stopped"))
}

async fn send(request: RequestBuilder) -> anyhow::Result<Answer> {
    let answer = request.send().await.context("no answer")?;
    let status = answer.status().as_u16();
    let body = answer.bytes().await.context("the answer broke off")?;
    Ok((status, serde_json::from_slice(&body).unwrap_or(Value::Null)))
}
