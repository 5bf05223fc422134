//! The public run object (SPEC §1), as JSON.

use serde_json::{Map, Value, json};

use super::pause::Pause;
use super::state::{Phase, Run};
use crate::price::PriceTable;
use crate::time::Timestamp;

/// What the object depends on besides the run.
#[derive(Debug, Clone, Copy)]
pub struct ObjectOptions<'a> {
    pub now: Timestamp,
    pub prices: &'a PriceTable,
    /// Data that was stored as a blob, when the outcome says so.
    pub data: Option<&'a Value>,
}

/// The run as the API answers it.
#[must_use]
pub fn run_object(run: &Run, options: ObjectOptions<'_>) -> Value {
    let mut object = base_object(run, options);
    let charge = run.charge.map(crate::price::MicroUsd::as_usd);
    object.insert("poll".to_owned(), json!(format!("/v1/browser/runs/{}?wait=30", run.id)));
    object.insert("charge_usd".to_owned(), json!(charge));
    object.insert("reserved_usd".to_owned(), json!(run.reserved.as_usd()));
    Value::Object(object)
}

/// The run as a webhook's body holds it: without money, secret and poll address (SPEC §6).
#[must_use]
pub fn webhook_object(run: &Run, options: ObjectOptions<'_>) -> Value {
    Value::Object(base_object(run, options))
}

fn base_object(run: &Run, options: ObjectOptions<'_>) -> Map<String, Value> {
    let outcome = run.outcome.as_ref();
    let run_ms = run.run_ms_at(options.now);
    let data = options.data.or_else(|| outcome.and_then(|outcome| outcome.data.as_ref()));
    let mut object = Map::new();
    let mut put = |name: &str, value: Value| {
        object.insert(name.to_owned(), value);
    };
    put("id", json!(run.id));
    put("object", json!("browser_run"));
    put("status", json!(run.status().as_str()));
    put("goal", json!(run.spec.goal));
    put("start_url", json!(run.spec.start_url));
    put("engine", json!("chromium"));
    put("mode", json!(run.spec.mode));
    put("model", json!(run.spec.model));
    put("steps", json!(run.steps));
    put("max_steps", json!(run.spec.max_steps));
    put("billable_time_s", json!(options.prices.billable_time_s(run_ms)));
    put("time_usd", usd(options.prices.time(run_ms).as_usd()));
    put("current_url", json!(run.current_url));
    put("answer", json!(outcome.and_then(|outcome| outcome.answer.as_ref())));
    put("data", data.cloned().unwrap_or(Value::Null));
    put("error", json!(outcome.and_then(|outcome| outcome.error.as_ref())));
    put("needs", run.pause().map_or(Value::Null, |pause| needs(run, pause)));
    put("profile_saved", json!(outcome.and_then(|outcome| outcome.profile_saved.as_ref())));
    put("usage", json!(run.usage));
    put("metadata", json!(run.spec.metadata));
    put("created_at", json!(run.created_at.to_string()));
    put("finished_at", json!(run.finished_at().map(|at| at.to_string())));
    if let Some(outcome) = outcome {
        put("terminal_reason", json!(outcome.reason.as_str()));
        put("data_sources", json!(outcome.sources));
        if let Some(data_error) = &outcome.data_error {
            put("data_error", json!(data_error));
        }
    }
    object
}

/// Zero is written `0`, as the contract shows it.
fn usd(amount: f64) -> Value {
    if amount == 0.0 { json!(0) } else { json!(amount) }
}

fn needs(run: &Run, pause: &Pause) -> Value {
    let base = format!("/v1/browser/runs/{}", run.id);
    let mut object = Map::new();
    object.insert("kind".to_owned(), json!(pause.kind));
    object.insert("pause".to_owned(), json!(pause.number));
    object.insert("prompt".to_owned(), json!(pause.prompt));
    object.insert("fields".to_owned(), json!(pause.fields));
    let stakes = &pause.stakes;
    object.insert("total".to_owned(), json!(stakes.total));
    object.insert("items".to_owned(), json!(stakes.items));
    object.insert("target".to_owned(), json!(stakes.target));
    object.insert("values".to_owned(), json!(stakes.values));
    if let Some(proposal) = &pause.proposal {
        object.insert("action".to_owned(), json!(proposal.label));
    }
    if !pause.options.is_empty() {
        object.insert("options".to_owned(), json!(pause.options));
    }
    object.insert("screenshot".to_owned(), json!(format!("{base}/screenshot")));
    object.insert("since".to_owned(), json!(pause.since.to_string()));
    object.insert("reply".to_owned(), json!(format!("{base}/reply")));
    Value::Object(object)
}

impl Run {
    /// Whether clients may still see this run.
    #[must_use]
    pub fn is_deleted(&self) -> bool {
        matches!(self.phase, Phase::Deleted)
    }
}
