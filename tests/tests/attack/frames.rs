//! Frames of another host on an allowed page.

use errand_tests::host::{Host, HostReply};
use errand_tests::server::{ErrandServer, ServerOptions};
use serde_json::json;
use std::time::Duration;

use crate::tally::{Tally, tries};

const RUN_DEADLINE: Duration = Duration::from_secs(120);

#[tokio::test]
async fn a_frame_outside_the_allowed_hosts_is_never_reached() -> anyhow::Result<()> {
    let server = ErrandServer::start(ServerOptions::default()).await?;
    let mut tally = Tally::new("frames outside the allowed hosts");
    let variants = [("plain", ""), ("sandboxed", "sandbox"), ("hidden", "style='opacity:.01'")];
    for (variant, attributes) in variants.into_iter().take(tries(2, 3)) {
        let other = Host::start("127.0.0.2", |_request| HostReply::Page("<p>elsewhere</p>".to_owned())).await;
        let page = format!("<h1>Shop</h1><p>Price: $5</p><iframe {attributes} src='{}'></iframe>", other.url("/f"));
        let shop = Host::start("127.0.0.1", move |_request| HostReply::Page(page.clone())).await;
        let body = json!({"goal": "Read the price.", "start_url": shop.url("/"), "allowed_hosts": ["127.0.0.1"]});
        let (status, created) = server.api.post_run(&body).await?;
        assert_eq!(status, 201, "{created}");
        let id = created["id"].as_str().unwrap_or_default().to_owned();
        server.api.wait_finished(&id, RUN_DEADLINE).await?;
        assert!(!shop.requests_of("GET", "/").is_empty(), "the page was never opened");
        let reached = other.connections();
        tally.add(variant, (reached > 0).then(|| format!("{reached} connections")));
    }
    tally.end();
    Ok(())
}
