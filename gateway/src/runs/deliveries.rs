//! A run's webhook deliveries, as its delivery log tells them.

use errand_domain::delivery::{Delivery, DeliveryOutcome};
use serde_json::{Value, json};

use crate::app::App;
use crate::fault::Fault;
use crate::rest::Caller;

/// `{"object": "list", "data": [...]}`, oldest first.
///
/// # Errors
/// 404, 410, or what the store said.
pub(crate) async fn deliveries(app: &App, caller: &Caller, id: &str) -> Result<Value, Fault> {
    let run = app.visible_run(caller, id).await?.state;
    let loaded = app.deliveries.load(&run.id).await?;
    let all = loaded.map(|loaded| loaded.state.all).unwrap_or_default();
    let data: Vec<Value> = all.iter().map(delivery_json).collect();
    Ok(json!({"object": "list", "data": data}))
}

fn delivery_json(delivery: &Delivery) -> Value {
    let outcome = delivery.outcome.as_ref();
    let (http_status, reason) = outcome.map_or((None, None), what_came);
    json!({
        "n": delivery.claim.n,
        "event": delivery.claim.event.as_str(),
        "event_seq": delivery.claim.event_seq,
        "claimed_at": delivery.claimed_at.to_string(),
        "outcome": outcome.map(DeliveryOutcome::as_str),
        "http_status": http_status,
        "reason": reason,
        "duration_ms": outcome.map(|_| delivery.duration_ms),
    })
}

fn what_came(outcome: &DeliveryOutcome) -> (Option<u16>, Option<&str>) {
    match outcome {
        DeliveryOutcome::Delivered { status } | DeliveryOutcome::Rejected { status } => (Some(*status), None),
        DeliveryOutcome::NoResponse { reason } | DeliveryOutcome::NotSent { reason } => (None, Some(reason)),
        DeliveryOutcome::InDoubt => (None, None),
    }
}
