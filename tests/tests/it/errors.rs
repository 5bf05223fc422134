//! Bad input over REST: the status, the text and the field.

use errand_tests::server::{ErrandServer, ServerOptions};
use errand_tests::site::FixtureSite;
use serde_json::{Value, json};

use crate::goals::{RUN_DEADLINE, id_of, news, order, with};

fn message(answer: &Value) -> &str {
    answer["error"]["message"].as_str().unwrap_or_default()
}

#[tokio::test]
async fn bad_requests_are_refused_with_the_contracts_texts() -> anyhow::Result<()> {
    let server = ErrandServer::start(ServerOptions::default()).await?;
    let base = json!({"goal": "g", "start_url": "https://example.com/"});
    let padding = "x".repeat(20_481 - r#"{"a":""}"#.len());
    let cases = [
        ("webhook", json!("http://example.com/hook"), "\"webhook\" must be an https URL"),
        ("output_schema", json!({"type": "nonsense"}), "\"output_schema\" is not a usable JSON Schema: "),
        ("output_schema", json!({"$schema": "urn:x", "type": "object"}), "no schema with key or ref \"urn:x\""),
        ("output_schema", json!({"a": padding}), "\"output_schema\" "),
        ("colour", json!("red"), "\"colour\""),
        ("secrets", json!(["nobody"]), "\"secrets\" "),
    ];
    for (field, value, text) in cases {
        let (status, answer) = server.api.post_run(&with(base.clone(), field, value)).await?;
        assert_eq!(status, 400, "{field}: {answer}");
        assert!(message(&answer).contains(text), "{field}: {answer}");
        assert_eq!(answer["error"]["param"], field, "{answer}");
        assert!(answer["error"]["code"].is_string(), "{answer}");
    }
    let (status, listed) = server.api.list_runs("").await?;
    assert_eq!((status, listed["data"].as_array().map(Vec::len)), (200, Some(0)), "a refused request leaves no run");
    Ok(())
}

#[tokio::test]
async fn a_schema_of_exactly_the_limit_is_accepted() -> anyhow::Result<()> {
    let server = ErrandServer::start(ServerOptions::default()).await?;
    let padding = "x".repeat(20_480 - r#"{"a":""}"#.len());
    let site = FixtureSite::start(1).await;
    let body = with(news(&site.url("/news")), "output_schema", json!({"a": padding}));
    let (status, answer) = server.api.post_run(&body).await?;
    assert_eq!(status, 201, "{answer}");
    Ok(())
}

#[tokio::test]
async fn keys_runs_and_replies_of_others_are_refused() -> anyhow::Result<()> {
    let server = ErrandServer::start(ServerOptions::default()).await?;
    let site = FixtureSite::start(2).await;
    let (status, answer) = server.api.with_key("wrong").list_runs("").await?;
    assert_eq!((status, answer["error"]["code"].is_string()), (401, true), "{answer}");
    let (status, answer) = server.api.get_run("brun_000000000000000000000000", None).await?;
    assert_eq!(status, 404, "{answer}");
    let (_, created) = server.api.post_run(&order(&site.url("/shop"))).await?;
    let id = id_of(&created);
    server.api.wait_paused_or_finished(&id, RUN_DEADLINE).await?;
    for bad in [json!({"answer": "yes"}), json!({"approve": "yes"}), json!({}), json!([])] {
        let (status, answer) = server.api.reply(&id, &bad).await?;
        assert_eq!(status, 400, "{bad}: {answer}");
    }
    let (status, _) = server.api.reply(&id, &json!({"approve": true, "pause": 2})).await?;
    assert_eq!(status, 409, "another pause than the current one");
    Ok(())
}

#[tokio::test]
async fn an_idempotency_key_gives_the_same_run_again_also_after_a_crash() -> anyhow::Result<()> {
    let mut server = ErrandServer::start(ServerOptions::default()).await?;
    let site = FixtureSite::start(1).await;
    let body = news(&site.url("/news"));
    let (status, first) = server.api.post_run_once("key-1", &body).await?;
    assert_eq!(status, 201, "{first}");
    server.kill().await?;
    server.restart().await?;
    let (status, again) = server.api.post_run_once("key-1", &body).await?;
    assert_eq!(status, 201);
    assert_eq!((&again["id"], &again["webhook_secret"]), (&first["id"], &first["webhook_secret"]));
    let (status, answer) = server.api.post_run_once("key-1", &with(body, "max_steps", 3)).await?;
    assert_eq!(status, 409, "{answer}");
    Ok(())
}

#[tokio::test]
async fn a_browser_that_cannot_be_started_is_named_in_the_runs_error() -> anyhow::Result<()> {
    let server = ErrandServer::start(ServerOptions::default().with("ERRAND_CHROMIUM", "/nowhere/chromium")).await?;
    let (_, created) = server.api.post_run(&json!({"goal": "Read it.", "start_url": "https://example.com/"})).await?;
    let run = server.api.wait_finished(&id_of(&created), RUN_DEADLINE).await?;
    assert_eq!(run["terminal_reason"], "browser_error", "{run}");
    assert!(run["error"].as_str().unwrap_or_default().contains("/nowhere/chromium"), "{run}");
    Ok(())
}
