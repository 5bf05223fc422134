//! `POST /v1/read` of the real server, with real Chromium.

use errand_tests::server::{ErrandServer, ServerOptions};
use errand_tests::site::FixtureSite;
use serde_json::{Value, json};

fn schema() -> Value {
    json!({"type": "object", "required": ["name", "price"], "properties": {
        "name": {"type": "string"}, "price": {"type": "number"}, "currency": {"type": "string"}}})
}

#[tokio::test]
async fn a_page_that_shows_its_values_by_script_is_read_in_a_browser() -> anyhow::Result<()> {
    let site = FixtureSite::start(1).await;
    let server = ErrandServer::start(ServerOptions::default()).await?;
    let body = json!({"url": site.url("/pages/scripted"), "schema": schema()});
    let (status, read) = server.api.post("/v1/read", &body).await?;
    assert_eq!(status, 200, "{read}");
    assert_eq!(
        read["extracted"]["data"],
        json!({"name": "Brass desk lamp", "price": 89.95, "currency": "AUD"}),
        "{read}"
    );
    assert_eq!(read["extracted"]["valid"], true, "{read}");
    let tools: Vec<&Value> = read["receipt"]["tools"].as_array().into_iter().flatten().collect();
    let names: Vec<&Value> = tools.iter().map(|tool| &tool["tool"]).collect();
    assert_eq!((names, &tools[0]["found"]), (vec![&json!("http"), &json!("chromium")], &json!(0)), "{read}");
    let plain = json!({"url": site.url("/pages/scripted"), "schema": schema(), "engine": "http"});
    let (status, read) = server.api.post("/v1/read", &plain).await?;
    assert_eq!((status, &read["extracted"]["missing"]), (200, &json!(["price"])), "{read}");
    Ok(())
}

#[tokio::test]
async fn blocked_addresses_are_refused_by_every_engine_and_reached_by_none() -> anyhow::Result<()> {
    let site = FixtureSite::start(1).await;
    let server = ErrandServer::start(ServerOptions::default().with("ERRAND_ALLOW_NETWORKS", "")).await?;
    let port = site.address().port();
    let urls = [
        format!("http://127.0.0.1:{port}/pages/scripted"),
        format!("http://localhost:{port}/pages/scripted"),
        format!("https://127.0.0.1:{port}/pages/scripted"),
        format!("http://[::ffff:127.0.0.1]:{port}/pages/scripted"),
        "http://169.254.169.254/latest/meta-data/".to_owned(),
    ];
    for url in urls {
        for engine in ["http", "chromium", "auto"] {
            let (status, answer) = server.api.post("/v1/read", &json!({"url": url, "engine": engine})).await?;
            let error = &answer["error"];
            assert_eq!(status, 400, "{url} by {engine}: {answer}");
            assert_eq!((&error["code"], &error["param"]), (&json!("address_not_allowed"), &json!("url")), "{answer}");
        }
    }
    assert_eq!(site.requests_total(), 0);
    Ok(())
}

#[tokio::test]
async fn a_page_cannot_lead_a_read_to_a_blocked_address() -> anyhow::Result<()> {
    let mut options = errand_tests::site::SiteOptions::new(1);
    options.listen = "127.0.0.2:0".parse()?;
    let site = FixtureSite::start_with(options).await?;
    let inner = FixtureSite::start(2).await;
    let network = format!("{}/32", site.address().ip());
    let server = ErrandServer::start(ServerOptions::default().with("ERRAND_ALLOW_NETWORKS", network)).await?;
    for way in ["redirect", "location", "meta", "iframe", "fetch"] {
        for engine in ["http", "chromium"] {
            let url = site.url(&format!("/hostile/{way}?to={}", inner.address()));
            server.api.post("/v1/read", &json!({"url": url, "engine": engine})).await?;
        }
        assert!(site.requests(&format!("/hostile/{way}")) >= 2, "the page of {way} was opened");
    }
    assert_eq!(inner.requests_total(), 0);
    Ok(())
}

#[tokio::test]
async fn bad_input_to_a_read_names_its_field() -> anyhow::Result<()> {
    let server = ErrandServer::start(ServerOptions::default()).await?;
    let cases = [
        (json!({"url": "/lamp"}), "url", "\"url\" must be an absolute http or https URL"),
        (json!({"url": "https://a.example/", "goal": "x"}), "goal", "\"goal\" is not a field of a read request"),
        (
            json!({"url": "https://a.example/", "schema": []}),
            "schema",
            "extract_schema must be a JSON Schema object with properties",
        ),
    ];
    for (body, param, message) in cases {
        let (status, answer) = server.api.post("/v1/read", &body).await?;
        let error = &answer["error"];
        assert_eq!((status, &error["message"], &error["param"]), (400, &json!(message), &json!(param)), "{answer}");
    }
    Ok(())
}
