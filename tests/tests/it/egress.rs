//! Addresses that browsers must not reach: a sentinel on loopback sees no connection, whatever the page does.

use errand_tests::server::{ErrandServer, ServerOptions};
use errand_tests::site::FixtureSite;
use serde_json::json;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::net::TcpListener;

use crate::goals::{RUN_DEADLINE, id_of};

/// Counts connections.
struct Sentinel {
    address: SocketAddr,
    connections: Arc<AtomicUsize>,
    task: tokio::task::JoinHandle<()>,
}

impl Sentinel {
    async fn start(address: &str) -> anyhow::Result<Self> {
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        let connections = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&connections);
        let task = tokio::spawn(async move {
            while listener.accept().await.is_ok() {
                counted.fetch_add(1, Ordering::SeqCst);
            }
        });
        Ok(Self { address, connections, task })
    }

    fn seen(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }
}

impl Drop for Sentinel {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Only the fixture site's own address is open: the sentinel's, also on loopback, is not.
async fn server_for(site: &FixtureSite) -> anyhow::Result<ErrandServer> {
    let network = format!("{}/32", site.address().ip());
    ErrandServer::start(ServerOptions::default().with("ERRAND_ALLOW_NETWORKS", network)).await
}

async fn site_beside_loopback() -> anyhow::Result<FixtureSite> {
    let mut options = errand_tests::site::SiteOptions::new(1);
    options.listen = "127.0.0.2:0".parse()?;
    Ok(FixtureSite::start_with(options).await?)
}

#[tokio::test]
async fn start_urls_of_addresses_that_are_not_public_are_blocked() -> anyhow::Result<()> {
    let sentinel = Sentinel::start("127.0.0.1:0").await?;
    let server = ErrandServer::start(ServerOptions::default().with("ERRAND_ALLOW_NETWORKS", "")).await?;
    let port = sentinel.address.port();
    let urls = [
        "http://169.254.169.254/latest/meta-data/".to_owned(),
        format!("http://localhost:{port}/"),
        format!("http://127.0.0.1:{port}/"),
        format!("http://[::ffff:127.0.0.1]:{port}/"),
        format!("http://2130706433:{port}/"),
        "http://10.0.0.1/".to_owned(),
    ];
    for url in urls {
        let (status, created) = server.api.post_run(&json!({"goal": "Read the page.", "start_url": url})).await?;
        assert_eq!(status, 201, "{created}");
        let run = server.api.wait_finished(&id_of(&created), RUN_DEADLINE).await?;
        assert_eq!(
            (&run["status"], &run["terminal_reason"]),
            (&json!("failed"), &json!("navigation_error")),
            "{url}: {run}"
        );
        let error = run["error"].as_str().unwrap_or_default();
        assert!(error.contains("blocked"), "{url}: {error}");
    }
    assert_eq!(sentinel.seen(), 0);
    Ok(())
}

#[tokio::test]
async fn a_page_cannot_reach_a_blocked_address_by_any_way() -> anyhow::Result<()> {
    let site = site_beside_loopback().await?;
    let sentinel = Sentinel::start("127.0.0.1:0").await?;
    let server = server_for(&site).await?;
    let ways = [
        "fetch",
        "websocket",
        "image",
        "iframe",
        "beacon",
        "worker",
        "script",
        "eventsource",
        "all",
        "meta",
        "redirect",
        "location",
    ];
    for way in ways {
        let url = site.url(&format!("/hostile/{way}?to={}", sentinel.address));
        let (status, created) = server.api.post_run(&json!({"goal": "Read the page.", "start_url": url})).await?;
        assert_eq!(status, 201, "{created}");
        server.api.wait_finished(&id_of(&created), RUN_DEADLINE).await?;
        assert!(site.requests(&format!("/hostile/{way}")) >= 1, "the page of {way} was opened");
    }
    assert_eq!(sentinel.seen(), 0);
    Ok(())
}

#[tokio::test]
async fn allowed_hosts_bound_what_a_run_reaches() -> anyhow::Result<()> {
    let site = FixtureSite::start(1).await;
    let other = FixtureSite::start(2).await;
    let server = ErrandServer::start(ServerOptions::default()).await?;
    let url = site.url(&format!("/hostile/redirect?to=localhost:{}", other.address().port()));
    let body = json!({"goal": "Read the page.", "start_url": url, "allowed_hosts": ["127.0.0.1"]});
    let (status, created) = server.api.post_run(&body).await?;
    assert_eq!(status, 201, "{created}");
    let run = server.api.wait_finished(&id_of(&created), RUN_DEADLINE).await?;
    assert_eq!(run["terminal_reason"], "navigation_error", "{run}");
    assert_eq!(other.requests_total(), 0);
    Ok(())
}
