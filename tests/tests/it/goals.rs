//! The goals that several tests give, and how they wait.

use serde_json::{Value, json};
use std::time::Duration;

/// Most a run takes on a busy machine.
pub const RUN_DEADLINE: Duration = Duration::from_secs(120);
/// A webhook follows its event within seconds.
pub const WEBHOOK_DEADLINE: Duration = Duration::from_secs(30);

/// The news goal of the public documentation.
pub fn news(start_url: &str) -> Value {
    json!({
        "goal": "Get the top 3 stories on the front page.",
        "start_url": start_url,
        "output_schema": {"stories": [{"title": "string", "url": "string", "points": "integer"}]},
    })
}

/// The order goal.
pub fn order(start_url: &str) -> Value {
    json!({
        "goal": "Order one Blue Mug (size large) for Ada Lovelace, 12 Main St, Springfield, IL 62701, \
                 and tell me the order number and total.",
        "start_url": start_url,
        "output_schema": {"order_number": "string", "total": "number", "currency": "string"},
    })
}

/// The body with one more field.
pub fn with(mut body: Value, name: &str, value: impl Into<Value>) -> Value {
    body[name] = value.into();
    body
}

/// The id of a created run.
pub fn id_of(created: &Value) -> String {
    created["id"].as_str().expect("a created run has an id").to_owned()
}
