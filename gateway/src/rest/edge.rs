//! What every request passes: a check of its head, a deadline, counting, and headers that all answers carry.

use axum::body::Body;
use axum::extract::{MatchedPath, Request};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, HeaderValue, Method, StatusCode, Version, header};
use std::time::Instant;

use super::leftover::SharedBody;
use crate::fault::{Fault, FaultKind};
use crate::limits::REQUEST_DEADLINE;

/// Serves one request within its deadline and counts it by route.
pub(crate) async fn guard(request: Request, next: Next) -> Response {
    let method = known_method(request.method());
    let route = request.extensions().get::<MatchedPath>().map_or("unknown", MatchedPath::as_str).to_owned();
    let began = Instant::now();
    let mut response = answer(request, next).await;
    let headers = response.headers_mut();
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    let status = response.status().as_u16();
    let elapsed = began.elapsed();
    tracing::debug!(method, route, status, elapsed_ms = elapsed.as_millis() as u64, "request answered");
    let labels = [("method", method.to_owned()), ("route", route), ("status", status.to_string())];
    metrics::counter!("errand_gateway_requests_total", &labels).increment(1);
    metrics::histogram!("errand_gateway_request_seconds", &labels).record(elapsed.as_secs_f64());
    response
}

/// The call's answer, when its body has been read or dropped.
async fn answer(request: Request, next: Next) -> Response {
    let changes_nothing = request.method().is_safe();
    let checked = check_head(request.version(), request.headers());
    let (parts, body) = request.into_parts();
    let body = SharedBody::new(body, parts.headers.contains_key(header::EXPECT));
    let request = Request::from_parts(parts, Body::new(body.clone()));
    let response = match checked {
        Ok(()) => {
            let answered = tokio::time::timeout(REQUEST_DEADLINE, next.run(request)).await;
            answered.unwrap_or_else(|_| late(changes_nothing).into_response())
        }
        Err(fault) => fault.into_response(),
    };
    // A server without room gives none to a client that is still sending.
    if response.status() != StatusCode::SERVICE_UNAVAILABLE {
        body.drain().await;
    }
    response
}

/// Headers of which this server reads one value. A proxy before it might read another one than it does.
const SINGLE: [&str; 7] =
    ["authorization", "content-type", "expect", "host", "idempotency-key", "if-none-match", "last-event-id"];

fn check_head(version: Version, headers: &HeaderMap) -> Result<(), Fault> {
    // RFC 9112 §3.2.
    if version >= Version::HTTP_11 && !headers.contains_key(header::HOST) {
        return Err(Fault::field("Host", "\"Host\" must be given, as HTTP/1.1 requires"));
    }
    match SINGLE.into_iter().find(|name| headers.get_all(*name).iter().nth(1).is_some()) {
        Some(name) => Err(Fault::field(name, format!("\"{name}\" must be given once"))),
        None => Ok(()),
    }
}

/// A call that changes something may have been stored before its deadline.
fn late(changes_nothing: bool) -> Fault {
    if changes_nothing { Fault::unavailable() } else { Fault::outcome_unknown() }
}

/// A label of few values: clients may make up methods.
fn known_method(method: &Method) -> &'static str {
    match method.as_str() {
        "GET" => "GET",
        "HEAD" => "HEAD",
        "POST" => "POST",
        "PUT" => "PUT",
        "DELETE" => "DELETE",
        _ => "other",
    }
}

/// Answers a path that no route has.
pub(crate) async fn no_route() -> Fault {
    Fault::new(FaultKind::NotFound, "not_found", "there is nothing at this path")
}

/// Answers whoever finds every connection at work.
pub(crate) async fn no_room() -> Fault {
    Fault::new(FaultKind::Unavailable, "too_many_connections", "the server has too many connections; try again")
}

/// Answers a method that a route does not have.
pub(crate) async fn no_method() -> Fault {
    Fault::new(FaultKind::MethodNotAllowed, "method_not_allowed", "this path does not take this method")
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::Router;
    use axum::body::Body;
    use axum::routing::get;
    use std::future::pending;
    use tower::ServiceExt;

    async fn code_of_late(method: Method) -> (StatusCode, String) {
        let router: Router = Router::new().route("/", get(pending::<()>).post(pending::<()>).delete(pending::<()>));
        let router = router.layer(axum::middleware::from_fn(guard));
        let request = Request::builder().method(method).uri("/").header("host", "h").body(Body::empty()).unwrap();
        let response = router.oneshot(request).await.unwrap();
        let status = response.status();
        let body = axum::body::to_bytes(response.into_body(), 10_000).await.unwrap();
        let body: serde_json::Value = serde_json::from_slice(&body).unwrap();
        (status, body["error"]["code"].as_str().unwrap().to_owned())
    }

    #[test]
    fn a_head_that_can_be_read_in_two_ways_is_refused() {
        let head = |names: &[&'static str]| -> HeaderMap {
            names.iter().map(|name| (http::HeaderName::from_static(name), HeaderValue::from_static("x"))).collect()
        };
        let refused = |version, names: &[&'static str]| check_head(version, &head(names)).err().and_then(|f| f.param);
        assert_eq!(refused(Version::HTTP_11, &[]).as_deref(), Some("Host"));
        assert_eq!(refused(Version::HTTP_10, &[]), None);
        assert_eq!(refused(Version::HTTP_11, &["host", "accept", "accept"]), None);
        for twice in SINGLE {
            assert_eq!(refused(Version::HTTP_11, &["host", twice, twice]).as_deref(), Some(twice));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_late_call_that_may_have_changed_something_has_an_unknown_outcome() {
        let unavailable = StatusCode::SERVICE_UNAVAILABLE;
        assert_eq!(code_of_late(Method::GET).await, (unavailable, "unavailable".to_owned()));
        for method in [Method::POST, Method::DELETE] {
            assert_eq!(code_of_late(method).await, (unavailable, "outcome_unknown".to_owned()));
        }
    }
}
