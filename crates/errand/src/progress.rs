//! A run's progress on stderr, a line per event that a person wants to see.

use errand_client::Event;
use serde_json::Value;

/// Shows one event.
pub fn show(event: &Event) {
    if let Some(line) = line(&event.kind, &event.data) {
        eprintln!("{line}");
    }
}

fn line(kind: &str, data: &Value) -> Option<String> {
    let text = |name: &str| data[name].as_str().unwrap_or_default().to_owned();
    match kind {
        "run.created" => Some(format!("run {} begins", text("run_id"))),
        "action.chosen" => Some(format!("  step {}: {}", data["step"], text("description"))),
        "step.finished" => outcome(data),
        "run.waiting" => Some(format!("  {}{}", text("prompt"), fields(data))),
        "worker.lost" => Some(format!("  step {}: the worker was lost", data["step"])),
        "run.concluding" => Some("  writing answer and data".to_owned()),
        "run.finished" => Some(format!("run {} ({})", text("status"), text("terminal_reason"))),
        _ => None,
    }
}

fn outcome(data: &Value) -> Option<String> {
    let outcome = &data["outcome"];
    let reason =
        outcome["reason"].as_str().or_else(|| outcome["result"].as_str()).or_else(|| outcome["error"].as_str());
    match outcome["kind"].as_str() {
        Some("goal_reached") => Some(format!("  step {}: the goal is reached", data["step"])),
        Some(_) => reason.map(|reason| format!("          {reason}")),
        None => None,
    }
}

fn fields(data: &Value) -> String {
    let fields = data["fields"].as_array().map(Vec::as_slice).unwrap_or_default();
    fields.iter().filter_map(Value::as_str).map(|field| format!("\n    {field}")).collect()
}
