//! The order goal: approval, exactly one order, honest refusal, step limit, stop.

use errand_tests::client::is_finished;
use errand_tests::receiver::{Behaviour, Receiver, TestCa};
use errand_tests::server::{ErrandServer, ServerOptions};
use errand_tests::site::FixtureSite;
use errand_tests::verify::verify;
use serde_json::{Value, json};

use crate::goals::{RUN_DEADLINE, WEBHOOK_DEADLINE, id_of, order, with};

struct Stage {
    server: ErrandServer,
    site: FixtureSite,
    receiver: Receiver,
}

impl Stage {
    async fn set(seed: u64) -> anyhow::Result<Self> {
        let ca = TestCa::new();
        let site = FixtureSite::start(seed).await;
        let receiver = Receiver::start(&ca, Behaviour::Ok200).await;
        let folder = tempfile::tempdir()?;
        let ca_file = folder.path().join("ca.pem");
        ca.write_pem(&ca_file)?;
        let options = ServerOptions::default().with("ERRAND_EXTRA_CA", ca_file.display().to_string());
        let server = ErrandServer::start(options).await?;
        Ok(Self { server, site, receiver })
    }

    async fn post_order(&self) -> anyhow::Result<Value> {
        let body = with(order(&self.site.url("/shop")), "webhook", self.receiver.url());
        let (status, created) = self.server.api.post_run(&body).await?;
        assert_eq!(status, 201, "{created}");
        Ok(created)
    }
}

#[tokio::test]
async fn an_approved_order_is_placed_once_and_told_by_two_signed_webhooks() -> anyhow::Result<()> {
    let stage = Stage::set(2).await?;
    let api = &stage.server.api;
    let created = stage.post_order().await?;
    let id = id_of(&created);
    let waiting = api.wait_paused_or_finished(&id, RUN_DEADLINE).await?;
    assert_eq!(waiting["needs"]["kind"], "approval", "{waiting}");
    let fields = waiting["needs"]["fields"].to_string();
    for fact in ["Ada Lovelace", "12 Main St", "Springfield", "62701"] {
        assert!(fields.contains(fact), "{fact} is not listed in {fields}");
    }
    assert_eq!(stage.site.ledger().posts.len(), 0, "nothing is ordered before the approval");
    stage.receiver.wait_for_posts(1, WEBHOOK_DEADLINE).await?;

    let (status, _) = api.reply(&id, &json!({"approve": true, "pause": 1})).await?;
    assert_eq!(status, 200);
    let run = api.wait_finished(&id, RUN_DEADLINE).await?;
    assert_eq!(run["status"], "succeeded", "{run}");
    let ledger = stage.site.ledger();
    assert_eq!(ledger.posts.len(), 1);
    let placed = &ledger.orders[0];
    assert_eq!(run["data"]["order_number"], placed.number);
    assert_eq!(run["data"]["total"].as_f64(), placed.total.parse().ok());
    assert_eq!(run["data"]["currency"], placed.currency);
    let (status, _) = api.reply(&id, &json!({"approve": true})).await?;
    assert_eq!(status, 409, "a second reply has no pause to end");

    stage.receiver.wait_for_posts(2, WEBHOOK_DEADLINE).await?;
    let posts = stage.receiver.posts();
    let secret = created["webhook_secret"].as_str().unwrap_or_default();
    let mut events = Vec::new();
    for post in &posts {
        verify(secret, post)?;
        let body = post.json()?;
        for hidden in ["charge_usd", "reserved_usd", "webhook_secret", "poll"] {
            assert!(body["run"].get(hidden).is_none(), "{hidden} is in a webhook");
        }
        events.push((body["event"].clone(), body["run"]["status"].clone()));
    }
    let told = [(json!("run.waiting"), json!("waiting_for_human")), (json!("run.finished"), json!("succeeded"))];
    assert_eq!(events, told);
    Ok(())
}

#[tokio::test]
async fn a_refused_order_is_not_placed_and_ends_honestly() -> anyhow::Result<()> {
    let stage = Stage::set(3).await?;
    let api = &stage.server.api;
    let id = id_of(&stage.post_order().await?);
    api.wait_paused_or_finished(&id, RUN_DEADLINE).await?;
    let (status, _) = api.reply(&id, &json!({"approve": false, "note": "too dear"})).await?;
    assert_eq!(status, 200);
    let run = api.wait_finished(&id, RUN_DEADLINE).await?;
    assert_eq!((&run["status"], &run["terminal_reason"]), (&json!("failed"), &json!("rejected_by_human")), "{run}");
    assert_eq!(stage.site.ledger().posts.len(), 0);
    assert!(run["error"].is_string() && run["answer"].is_string(), "{run}");
    Ok(())
}

#[tokio::test]
async fn the_step_limit_fails_the_run_yet_answers_from_what_was_seen() -> anyhow::Result<()> {
    let server = ErrandServer::start(ServerOptions::default()).await?;
    let site = FixtureSite::start(4).await;
    let (_, created) = server.api.post_run(&with(order(&site.url("/shop")), "max_steps", 1)).await?;
    let run = server.api.wait_finished(&id_of(&created), RUN_DEADLINE).await?;
    assert_eq!(run["status"], "failed");
    assert_eq!(run["terminal_reason"], "max_steps");
    assert_eq!(run["error"], "reached the step limit (1)");
    assert!(run["answer"].is_string(), "{run}");
    Ok(())
}

#[tokio::test]
async fn a_stopped_run_takes_no_later_step() -> anyhow::Result<()> {
    let server = ErrandServer::start(ServerOptions::default()).await?;
    let site = FixtureSite::start(5).await;
    let (_, created) = server.api.post_run(&order(&site.url("/shop"))).await?;
    let id = id_of(&created);
    server.api.wait_until(&id, RUN_DEADLINE, |run| run["steps"].as_u64() >= Some(1)).await?;
    let (status, stopped) = server.api.stop(&id).await?;
    assert_eq!((status, &stopped["status"], &stopped["data"]), (200, &json!("stopped"), &Value::Null), "{stopped}");
    assert!(is_finished(&stopped));
    let has_charge = |run: &Value| run["charge_usd"].is_number();
    server.api.wait_until(&id, RUN_DEADLINE, has_charge).await?;
    let (_, events) = server.api.events(&id).await?;
    let types: Vec<&str> = events["data"].as_array().into_iter().flatten().filter_map(|e| e["type"].as_str()).collect();
    let end = types.iter().position(|kind| *kind == "run.finished").unwrap_or(0);
    assert_eq!(&types[end..], ["run.finished", "charge.settled"], "{types:?}");
    let (status, again) = server.api.stop(&id).await?;
    assert_eq!((status, &again["status"]), (200, &json!("stopped")), "stopping twice is no fault");
    Ok(())
}
