//! The news goal over REST, as the public documentation shows it.

use anyhow::Context;
use errand_tests::server::{ErrandServer, ServerOptions};
use errand_tests::site::FixtureSite;
use serde_json::{Value, json};
use std::time::Duration;

use crate::goals::{RUN_DEADLINE, id_of, news};

#[tokio::test]
async fn the_news_goal_gives_the_stories_of_three_layouts() -> anyhow::Result<()> {
    let server = ErrandServer::start(ServerOptions::default()).await?;
    for seed in [1, 2, 3] {
        let site = FixtureSite::start(seed).await;
        let (status, created) = server.api.post_run(&news(&site.url("/news"))).await?;
        assert_eq!(status, 201, "{created}");
        let id = id_of(&created);
        assert_is_secret(&created["webhook_secret"]);
        assert_eq!(created["poll"], format!("/v1/browser/runs/{id}?wait=30"));
        assert_eq!(created["reserved_usd"], 0.445);
        let run = server.api.wait_finished(&id, RUN_DEADLINE).await?;
        assert_eq!(run["status"], "succeeded", "seed {seed}: {run}");
        assert_eq!(run["data"], json!({"stories": gold(&site)?}), "seed {seed}");
        assert_eq!(run["webhook_secret"], Value::Null, "the secret is in the 201 only");
        let has_charge = |run: &Value| run["charge_usd"] == 0.006;
        server.api.wait_until(&id, Duration::from_secs(10), has_charge).await?;
        site.stop().await;
    }
    Ok(())
}

fn gold(site: &FixtureSite) -> anyhow::Result<Value> {
    let stories = site.gold_stories();
    let top = stories.get(..3).context("the page has three stories")?;
    let as_json =
        |story: &errand_tests::site::GoldStory| json!({"title": story.title, "url": story.url, "points": story.points});
    Ok(top.iter().map(as_json).collect())
}

fn assert_is_secret(secret: &Value) {
    let secret = secret.as_str().expect("a 201 holds the webhook secret");
    let is_hex = secret.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    assert!(secret.len() == 48 && is_hex, "not 48 lowercase hex digits");
}

#[tokio::test]
async fn every_value_of_the_data_has_its_source() -> anyhow::Result<()> {
    let server = ErrandServer::start(ServerOptions::default()).await?;
    let site = FixtureSite::start(5).await;
    let (_, created) = server.api.post_run(&news(&site.url("/news"))).await?;
    let run = server.api.wait_finished(&id_of(&created), RUN_DEADLINE).await?;
    for place in 0..3 {
        for field in ["title", "url", "points"] {
            let source = &run["data_sources"][format!("/stories/{place}/{field}")];
            assert_eq!(source["url"], site.url("/news"), "{field} of story {place}");
        }
    }
    site.stop().await;
    Ok(())
}

#[tokio::test]
async fn a_page_that_the_server_calls_an_error_is_no_result() -> anyhow::Result<()> {
    let server = ErrandServer::start(ServerOptions::default()).await?;
    let site = FixtureSite::start(7).await;
    let goal = json!({"goal": "Get the title of the story.", "start_url": site.url("/news/item/9999"), "output_schema": {"title": "string"}});
    let (_, created) = server.api.post_run(&goal).await?;
    let run = server.api.wait_finished(&id_of(&created), RUN_DEADLINE).await?;
    assert_eq!((&run["status"], &run["terminal_reason"]), (&json!("failed"), &json!("goal_not_reached")), "{run}");
    assert_eq!(run["error"], "the page answered with HTTP status 404");
    assert_eq!(run["data"], Value::Null, "what the page is called is no story: {run}");
    site.stop().await;
    Ok(())
}

#[tokio::test]
async fn a_refusal_that_passes_is_waited_for() -> anyhow::Result<()> {
    let server = ErrandServer::start(ServerOptions::default()).await?;
    let site = FixtureSite::start(7).await;
    let goal = json!({"goal": "Get the name and the price of the product.", "start_url": site.url("/hostile/checking"),
        "output_schema": {"name": "string", "price": "number"}});
    let (_, created) = server.api.post_run(&goal).await?;
    let run = server.api.wait_finished(&id_of(&created), RUN_DEADLINE).await?;
    assert_eq!(run["data"], json!({"name": "Brass lamp", "price": 12.5}), "{run}");
    assert_eq!(run["steps"], 1, "waiting for the page is no step of its own: {run}");
    site.stop().await;
    Ok(())
}
