//! A run's events as plain lines for people: one per event that a person wants to see.

use serde_json::Value;

use crate::table::one_line;

/// The line of an event, or several for a pause; `None` when it says nothing new.
#[must_use]
pub fn line(kind: &str, data: &Value) -> Option<String> {
    let text = |name: &str| one_line(data[name].as_str().unwrap_or_default());
    let step = &data["step"];
    match kind {
        "run.created" => Some(format!("run {} begins", text("run_id"))),
        "action.chosen" => {
            let action = one_line(data["action"]["description"].as_str().unwrap_or_default());
            Some(format!("  step {step}: {action}"))
        }
        "step.finished" => outcome(data),
        "run.waiting" => Some(pause(data)),
        "run.replied" => Some(format!("  pause {}: answered", data["pause"])),
        "worker.lost" => Some(format!("  step {step}: the worker was lost")),
        "run.concluding" => Some("  writing answer and data".to_owned()),
        "run.finished" => Some(finished(data)),
        _ => None,
    }
}

fn outcome(data: &Value) -> Option<String> {
    let outcome = &data["outcome"];
    let detail = outcome["detail"].as_str().map(one_line).filter(|detail| !detail.is_empty());
    match outcome["kind"].as_str() {
        Some("goal_reached") => Some(format!("  step {}: the goal is reached", data["step"])),
        Some(_) => detail.map(|detail| format!("          {detail}")),
        None => None,
    }
}

/// The pause of a `run.waiting` event or of a run's `needs`: what is asked, and what the form holds.
#[must_use]
pub fn pause(needs: &Value) -> String {
    let prompt = one_line(needs["prompt"].as_str().unwrap_or_default());
    let mut shown = format!("  waiting for a person ({}): {prompt}", needs["kind"].as_str().unwrap_or("pause"));
    let list = |name: &str| needs[name].as_array().map(Vec::as_slice).unwrap_or_default();
    let lines = list("fields").iter().chain(list("options")).filter_map(Value::as_str).map(str::to_owned);
    for line in lines.chain(stakes(needs)) {
        shown.push_str("\n    ");
        shown.push_str(&one_line(&line));
    }
    shown
}

/// What an approval would cost and where it would send what; hidden values stand here and in no field.
fn stakes(needs: &Value) -> Vec<String> {
    let list = |name: &str| needs[name].as_array().map(Vec::as_slice).unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let items = list("items").iter().map(|item| format!("item: {}", text(item)));
    let total = needs["total"].as_str().map(|total| format!("total: {total}"));
    let target = needs["target"].as_str().map(|target| format!("sent to: {target}"));
    let hidden = list("values").iter().filter(|value| value["label"] == "");
    let hidden = hidden.map(|value| format!("hidden {}: {}", text(&value["name"]), text(&value["value"])));
    items.chain(total).chain(target).chain(hidden).collect()
}

fn finished(data: &Value) -> String {
    let text = |name: &str| one_line(data[name].as_str().unwrap_or_default());
    let error = text("error");
    let ending = format!("run {} ({})", text("status"), text("terminal_reason"));
    if error.is_empty() { ending } else { format!("{ending}: {error}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn steps_pauses_and_the_end_have_lines() {
        let action = json!({"step": 2, "action": {"kind": "click", "description": "click link \"More\""}});
        assert_eq!(line("action.chosen", &action).unwrap(), "  step 2: click link \"More\"");
        let waiting = json!({"kind": "approval", "prompt": "Approve: pay?", "fields": ["Total: \"7\""]});
        let wanted = "  waiting for a person (approval): Approve: pay?\n    Total: \"7\"";
        assert_eq!(line("run.waiting", &waiting).unwrap(), wanted);
        let values = json!([{"name": "n", "label": "Name", "value": "A"}, {"name": "qty", "label": "", "value": "2"}]);
        let order = json!({"kind": "approval", "prompt": "Approve?", "fields": [], "items": ["Mug | $6"], "total": "$12",
            "target": "shop.example", "values": values});
        let wanted = "  waiting for a person (approval): Approve?\n    item: Mug | $6\n    total: $12\n    \
            sent to: shop.example\n    hidden qty: 2";
        assert_eq!(line("run.waiting", &order).unwrap(), wanted);
        let end = json!({"status": "failed", "terminal_reason": "max_steps", "error": "reached the step limit (1)"});
        assert_eq!(line("run.finished", &end).unwrap(), "run failed (max_steps): reached the step limit (1)");
        assert_eq!(line("step.started", &json!({"step": 1})), None);
    }
}
