//! What a run gives of a page with what it shows, with less, and with nothing.

use errand_tests::host::{Host, HostReply};
use errand_tests::server::{ErrandServer, ServerOptions};
use serde_json::{Value, json};
use std::time::Duration;

use crate::goals::{RUN_DEADLINE, id_of};

/// A host with one page, and what a run that reads it comes to.
async fn read_page(reply: HostReply, output_schema: &Value) -> anyhow::Result<Value> {
    let server = ErrandServer::start(ServerOptions::default()).await?;
    let host = Host::start("127.0.0.1", move |_request| reply.clone()).await;
    let body = json!({"goal": "Read the page.", "start_url": host.url("/"), "output_schema": output_schema});
    let (status, created) = server.api.post_run(&body).await?;
    assert_eq!(status, 201, "{created}");
    server.api.wait_finished(&id_of(&created), RUN_DEADLINE).await
}

const LAMP: &str = "<title>Brass lamp</title><h1>Brass lamp</h1><p>Price: $19.99</p><p>In stock, ships today</p>\
                    <table><tr><th>Dimmable</th><td>No</td></tr></table>";

#[tokio::test]
async fn booleans_and_availability_are_what_the_page_shows() -> anyhow::Result<()> {
    let schema = json!({"in_stock": "boolean", "dimmable": "boolean", "availability": "string"});
    let run = read_page(HostReply::Page(LAMP.to_owned()), &schema).await?;
    assert_eq!(run["status"], "succeeded", "{run}");
    assert_eq!(run["data"], json!({"in_stock": true, "dimmable": false, "availability": "InStock"}), "{run}");
    assert_eq!(run["data_sources"].as_object().map(serde_json::Map::len), Some(3), "{run}");
    Ok(())
}

#[tokio::test]
async fn data_that_breaks_the_schema_fails_the_data_and_not_the_run() -> anyhow::Result<()> {
    let schema =
        json!({"type": "object", "properties": {"price": {"type": "number", "maximum": 5}}, "required": ["price"]});
    let run = read_page(HostReply::Page(LAMP.to_owned()), &schema).await?;
    assert_eq!((&run["status"], &run["data"]), (&json!("succeeded"), &Value::Null), "{run}");
    let error = run["data_error"].as_str().unwrap_or_default();
    assert!(error.starts_with("extracted data does not match the schema: ") && error.contains("price"), "{run}");
    Ok(())
}

#[tokio::test]
async fn nothing_seen_and_nothing_there_are_told_apart() -> anyhow::Result<()> {
    let schema = json!({"colour": "string"});
    let absent = read_page(HostReply::Page(LAMP.to_owned()), &schema).await?;
    assert_eq!((&absent["data"], &absent["data_error"]), (&json!({"colour": null}), &Value::Null), "{absent}");
    let unseen = read_page(HostReply::Status(404, "<h1>Not here</h1>".to_owned()), &schema).await?;
    assert_eq!((&unseen["status"], &unseen["data"]), (&json!("failed"), &Value::Null), "{unseen}");
    assert_eq!(unseen["data_error"], "nothing of what was asked was shown", "{unseen}");
    Ok(())
}

#[tokio::test]
async fn a_page_that_is_forbidden_for_good_is_not_waited_for() -> anyhow::Result<()> {
    for status in [401, 403, 404] {
        let page = "<title>Forbidden</title><h1>Forbidden</h1><p>nginx</p>";
        let run = read_page(HostReply::Status(status, page.to_owned()), &json!({"colour": "string"})).await?;
        assert_eq!(run["error"], format!("the page answered with HTTP status {status}"), "{run}");
        let took = time_between(&run["created_at"], &run["finished_at"])?;
        assert!(took < Duration::from_secs(6), "{status}: {took:?}");
    }
    Ok(())
}

/// Between two moments of one day, as the API writes them.
fn time_between(from: &Value, to: &Value) -> anyhow::Result<Duration> {
    let millis = |moment: &Value| -> anyhow::Result<u64> {
        let text = moment.as_str().unwrap_or_default();
        let clock = text.split_once('T').map(|(_, clock)| clock.trim_end_matches('Z')).unwrap_or_default();
        let parts: Vec<u64> = clock.split([':', '.']).map(str::parse).collect::<Result<_, _>>()?;
        let [h, m, s, ms] = parts[..] else { anyhow::bail!("{text} is no moment") };
        Ok(((h * 60 + m) * 60 + s) * 1_000 + ms)
    };
    Ok(Duration::from_millis((millis(to)? + 86_400_000 - millis(from)?) % 86_400_000))
}
