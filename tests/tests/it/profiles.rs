//! A saved profile: a later run begins signed in.

use errand_tests::server::{ErrandServer, ServerOptions};
use errand_tests::site::{ACCOUNT_PASSWORD, ACCOUNT_USERNAME, FixtureSite};
use serde_json::json;

use crate::goals::{RUN_DEADLINE, id_of};

#[tokio::test]
async fn a_run_with_a_saved_profile_begins_signed_in() -> anyhow::Result<()> {
    let server = ErrandServer::start(ServerOptions::default()).await?;
    let site = FixtureSite::start(1).await;
    server.api.put_secret("shop_password", &json!({"value": ACCOUNT_PASSWORD})).await?;
    let schema = json!({"balance": "balance as shown"});
    let sign_in = json!({
        "goal": format!("Sign in with username {ACCOUNT_USERNAME} and password [secret:shop_password] and tell me the balance."),
        "start_url": site.url("/account/login"),
        "secrets": ["shop_password"],
        "output_schema": schema,
        "profile": "harbour",
        "save_profile": true,
    });
    let (status, created) = server.api.post_run(&sign_in).await?;
    assert_eq!(status, 201, "{created}");
    let first = server.api.wait_finished(&id_of(&created), RUN_DEADLINE).await?;
    assert_eq!((&first["status"], &first["profile_saved"]), (&json!("succeeded"), &json!("harbour")), "{first}");
    let look = json!({
        "goal": "Tell me the balance.",
        "start_url": site.url("/account"),
        "output_schema": schema,
        "profile": "harbour",
    });
    let (_, created) = server.api.post_run(&look).await?;
    let second = server.api.wait_finished(&id_of(&created), RUN_DEADLINE).await?;
    assert_eq!((&second["steps"], &second["data"]), (&json!(1), &first["data"]), "{second}");
    let (status, answer) =
        server.api.post_run(&json!({"goal": "g", "start_url": site.url("/"), "profile": "nobody"})).await?;
    assert_eq!((status, &answer["error"]["param"]), (400, &json!("profile")), "{answer}");
    Ok(())
}
