//! What a webhook says: the run as of its event, and the headers that name and sign it (SPEC §6). Pure.

use bytes::Bytes;
use errand_domain::Timestamp;
use errand_domain::delivery::WebhookEvent;
use errand_domain::price::PriceTable;
use errand_domain::run::{ObjectOptions, Run, webhook_object};
use errand_vault::{lovely_signature, standard_signature};
use http::{Request, header};
use http_body_util::Full;
use secrecy::SecretString;
use serde_json::{Value, json};

use crate::step::Due;
use crate::target::Target;

const USER_AGENT: &str = concat!("errand/", env!("CARGO_PKG_VERSION"));

/// The raw body. `run` is folded up to the event, which was at `run.last_at`; `data` is given when it is stored apart.
#[must_use]
pub fn body(event: WebhookEvent, run: &Run, data: Option<&Value>, prices: &PriceTable) -> Bytes {
    let run = webhook_object(run, ObjectOptions { now: run.last_at, prices, data });
    json!({"event": event.as_str(), "run": run}).to_string().into()
}

/// The signed request; `now` is when it is signed.
///
/// # Errors
/// When the target's parts cannot stand in a request.
pub fn request(
    due: &Due,
    target: &Target,
    body: Bytes,
    secret: &SecretString,
    now: Timestamp,
) -> Result<Request<Full<Bytes>>, http::Error> {
    let id = webhook_id(due);
    let timestamp = u64::try_from(now.as_millis() / 1_000).unwrap_or_default();
    let mut request = Request::post(&target.path_and_query)
        .header(header::HOST, &target.authority)
        .header(header::USER_AGENT, USER_AGENT)
        .header(header::ACCEPT, "*/*")
        .header(header::CONTENT_TYPE, "application/json")
        .header(header::CONNECTION, "close")
        .header("x-lovely-event", due.event.as_str())
        .header("x-lovely-signature", lovely_signature(secret, &body))
        .header("webhook-id", &id)
        .header("webhook-timestamp", timestamp)
        .header("webhook-signature", standard_signature(secret, &id, timestamp, &body));
    if let Some(authorization) = &target.authorization {
        request = request.header(header::AUTHORIZATION, authorization);
    }
    request.body(Full::new(body))
}

/// Unique to the event, and without the dots that Standard Webhooks signs between its parts.
fn webhook_id(due: &Due) -> String {
    format!("{}-{}", due.run_id, due.event_seq)
}
