//! The person who answers approvals, as a careful one would: an order that already stands is not placed again.

use errand_tests::client::{Api, is_finished};
use errand_tests::site::FixtureSite;
use serde_json::{Value, json};

/// A run and whom it orders for; no name when it only reads.
#[derive(Debug, Clone)]
pub struct Errand {
    pub id: String,
    pub secret: String,
    pub customer: Option<String>,
}

/// Looks once at every run and answers those that wait. Gives how many have finished; a server that is down is no fault.
pub async fn look_after(api: &Api, site: &FixtureSite, errands: &[Errand]) -> usize {
    let mut finished = 0;
    for errand in errands {
        let Ok((200, run)) = api.get_run(&errand.id, None).await else { continue };
        if is_finished(&run) {
            finished += 1;
        } else if run["status"] == "waiting_for_human" {
            let reply = reply_to(site, errand, &run);
            // A reply that is lost with the server is given again at the next look.
            let _ = api.reply(&errand.id, &reply).await;
        }
    }
    finished
}

fn reply_to(site: &FixtureSite, errand: &Errand, run: &Value) -> Value {
    let pause = &run["needs"]["pause"];
    let is_placed = errand.customer.as_deref().is_some_and(|name| !site.ledger().orders_for(name).is_empty());
    match run["needs"]["kind"].as_str() {
        Some("approval") if is_placed => json!({"approve": false, "note": "the order stands already", "pause": pause}),
        Some("approval") => json!({"approve": true, "pause": pause}),
        Some("question") => json!({"answer": "I do not know", "pause": pause}),
        _ => json!({"done": true, "pause": pause}),
    }
}
