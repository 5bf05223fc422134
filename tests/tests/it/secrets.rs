//! A secret's value is typed and appears nowhere else: not in the folder, the log or an answer.

use errand_tests::server::{ErrandServer, ServerOptions};
use errand_tests::site::{ACCOUNT_PASSWORD, ACCOUNT_USERNAME, FixtureSite};
use serde_json::{Value, json};
use std::path::Path;

use crate::goals::{RUN_DEADLINE, id_of};

/// The forms in which a page or a log could show it.
fn forms() -> Vec<Vec<u8>> {
    let encoded: String = url::form_urlencoded::byte_serialize(ACCOUNT_PASSWORD.as_bytes()).collect();
    let percent = encoded.replace('+', "%20");
    [ACCOUNT_PASSWORD.to_owned(), encoded, percent].into_iter().map(String::into_bytes).collect()
}

fn holds(haystack: &[u8]) -> bool {
    forms().iter().any(|form| haystack.windows(form.len()).any(|window| window == form))
}

fn files_holding(folder: &Path, found: &mut Vec<String>) -> anyhow::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            files_holding(&path, found)?;
        } else if path.is_file() && holds(&std::fs::read(&path)?) {
            found.push(path.display().to_string());
        }
    }
    Ok(())
}

async fn sign_in(server: &ErrandServer, start_url: &str) -> anyhow::Result<Value> {
    let (status, answer) = server.api.put_secret("shop_password", &json!({"value": ACCOUNT_PASSWORD})).await?;
    assert!(status == 200 || status == 201 || status == 204, "{status} {answer}");
    let goal = format!(
        "Sign in with username {ACCOUNT_USERNAME} and password [secret:shop_password] and tell me the balance."
    );
    let body = json!({
        "goal": goal,
        "start_url": start_url,
        "secrets": ["shop_password"],
        "output_schema": {"balance": "balance as shown"},
    });
    let (status, created) = server.api.post_run(&body).await?;
    assert_eq!(status, 201, "{created}");
    server.api.wait_finished(&id_of(&created), RUN_DEADLINE).await
}

#[tokio::test]
async fn a_typed_secret_signs_in_and_stands_in_no_stored_byte_log_or_answer() -> anyhow::Result<()> {
    let mut server = ErrandServer::start(ServerOptions::default().with("ERRAND_LOG", "debug")).await?;
    let site = FixtureSite::start(1).await;
    let run = sign_in(&server, &site.url("/account/login")).await?;
    assert_eq!(run["status"], "succeeded", "{run}");
    assert!(run["data"]["balance"].is_string(), "{run}");
    let id = id_of(&run);
    let mut answers = run.to_string();
    for path in ["", "/events", "/deliveries"] {
        answers.push_str(&server.api.get(&format!("/v1/browser/runs/{id}{path}")).await?.1.to_string());
    }
    answers.push_str(&server.api.get("/v1/browser/secrets").await?.1.to_string());
    assert!(!holds(answers.as_bytes()), "an answer holds the secret");
    assert!(!holds(server.output().as_bytes()), "the log holds the secret");
    server.terminate().await?;
    let mut found = Vec::new();
    files_holding(&server.folder.data(), &mut found)?;
    files_holding(&server.folder.logs(), &mut found)?;
    assert!(found.is_empty(), "{found:?} hold the secret");
    Ok(())
}

#[tokio::test]
async fn a_page_that_repeats_the_secret_does_not_bring_it_into_data_or_events() -> anyhow::Result<()> {
    let mut server = ErrandServer::start(ServerOptions::default().with("ERRAND_LOG", "debug")).await?;
    let site = FixtureSite::start(1).await;
    sign_in(&server, &site.url("/account/login")).await?;
    let (_, created) = server
        .api
        .post_run(&json!({
            "goal": format!("Type username {ACCOUNT_USERNAME} and password [secret:shop_password], sign in, then read the page."),
            "start_url": site.url("/account/leaky"),
            "secrets": ["shop_password"],
            "approve": "never",
        }))
        .await?;
    let id = id_of(&created);
    let run = server.api.wait_finished(&id, RUN_DEADLINE).await?;
    let (_, events) = server.api.events(&id).await?;
    assert!(site.requests("/account/leaky/echo") >= 1, "the page was never given the secret: {run}");
    assert!(!holds(format!("{run}{events}").as_bytes()), "an answer holds the secret");
    server.terminate().await?;
    let mut found = Vec::new();
    files_holding(&server.folder.data(), &mut found)?;
    assert!(found.is_empty(), "{found:?} hold the secret");
    Ok(())
}
