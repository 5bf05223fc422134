//! What every request passes: a deadline, counting, and headers that all answers carry.

use axum::extract::{MatchedPath, Request};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::{HeaderValue, Method, header};
use std::time::Instant;

use crate::fault::{Fault, FaultKind};
use crate::limits::REQUEST_DEADLINE;

/// Serves one request within its deadline and counts it by route.
pub(crate) async fn guard(request: Request, next: Next) -> Response {
    let method = known_method(request.method());
    let route = request.extensions().get::<MatchedPath>().map_or("unknown", MatchedPath::as_str).to_owned();
    let began = Instant::now();
    let changes_nothing = request.method().is_safe();
    let answered = tokio::time::timeout(REQUEST_DEADLINE, next.run(request)).await;
    let mut response = answered.unwrap_or_else(|_| late(changes_nothing).into_response());
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
    use http::StatusCode;
    use std::future::pending;
    use tower::ServiceExt;

    async fn code_of_late(method: Method) -> (StatusCode, String) {
        let router: Router = Router::new().route("/", get(pending::<()>).post(pending::<()>).delete(pending::<()>));
        let router = router.layer(axum::middleware::from_fn(guard));
        let request = Request::builder().method(method).uri("/").body(Body::empty()).unwrap();
        let response = router.oneshot(request).await.unwrap();
        let status = response.status();
        let body = axum::body::to_bytes(response.into_body(), 10_000).await.unwrap();
        let body: serde_json::Value = serde_json::from_slice(&body).unwrap();
        (status, body["error"]["code"].as_str().unwrap().to_owned())
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
