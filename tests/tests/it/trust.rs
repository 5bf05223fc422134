//! Sites whose certificate only the configured CA vouches for (`ERRAND_EXTRA_CA`, SPEC 8).

use errand_tests::receiver::{TestCa, self_signed};
use errand_tests::server::{ErrandServer, ServerOptions};
use errand_tests::site::FixtureSite;
use rustls::ServerConfig;
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;

use crate::goals::{RUN_DEADLINE, id_of, news};

/// The site over TLS; it ends when the set is dropped.
async fn behind_tls(server: Arc<ServerConfig>, site: SocketAddr) -> anyhow::Result<(u16, JoinSet<()>)> {
    let acceptor = TlsAcceptor::from(server);
    let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
    let port = listener.local_addr()?.port();
    let mut serving = JoinSet::new();
    serving.spawn(async move {
        let mut connections = JoinSet::new();
        while let Ok((stream, _)) = listener.accept().await {
            let acceptor = acceptor.clone();
            connections.spawn(async move {
                // A browser that does not trust the certificate ends the connection here: nothing to forward.
                let Ok(mut outside) = acceptor.accept(stream).await else { return };
                let Ok(mut inside) = TcpStream::connect(site).await else { return };
                let _closed = tokio::io::copy_bidirectional(&mut outside, &mut inside).await;
            });
        }
    });
    Ok((port, serving))
}

/// Reads a page of a server with this certificate, while these are trusted.
async fn read_news_over_tls(
    certificate: Arc<ServerConfig>,
    trusted: &str,
) -> anyhow::Result<(FixtureSite, serde_json::Value)> {
    let site = FixtureSite::start(1).await;
    let (port, _serving) = behind_tls(certificate, site.address()).await?;
    let folder = tempfile::tempdir()?;
    let ca_file = folder.path().join("ca.pem");
    // Two in one file: each counts.
    std::fs::write(&ca_file, format!("{}{trusted}", TestCa::new().pem()))?;
    let options = ServerOptions::default().with("ERRAND_EXTRA_CA", ca_file.display().to_string());
    let server = ErrandServer::start(options).await?;
    let (status, created) = server.api.post_run(&news(&format!("https://localhost:{port}/news"))).await?;
    assert_eq!(status, 201, "{created}");
    let is_settled = |run: &serde_json::Value| run["charge_usd"].is_number();
    let run = server.api.wait_until(&id_of(&created), RUN_DEADLINE, is_settled).await?;
    Ok((site, run))
}

fn assert_was_read(site: &FixtureSite, run: &serde_json::Value) {
    assert_eq!(run["status"], "succeeded", "{run}");
    assert_eq!(run["data"]["stories"][0]["title"], site.gold_stories()[0].title.as_str(), "{run}");
}

fn assert_was_not_read(site: &FixtureSite, run: &serde_json::Value) {
    assert_eq!((&run["status"], &run["terminal_reason"]), (&"failed".into(), &"navigation_error".into()), "{run}");
    assert_eq!(site.requests("/news"), 0);
    assert_eq!(run["charge_usd"], 0.0, "a step that opened no page is not charged: {run}");
}

#[tokio::test]
async fn a_page_is_read_whose_certificate_the_extra_ca_vouches_for() -> anyhow::Result<()> {
    let ca = TestCa::new();
    let (site, run) = read_news_over_tls(ca.server_config(&["localhost"]), &ca.pem()).await?;
    assert_was_read(&site, &run);
    Ok(())
}

#[tokio::test]
async fn a_page_is_read_whose_own_certificate_is_named() -> anyhow::Result<()> {
    let (pem, server) = self_signed(&["localhost"]);
    let (site, run) = read_news_over_tls(server, &pem).await?;
    assert_was_read(&site, &run);
    Ok(())
}

#[tokio::test]
async fn a_named_certificate_vouches_for_no_other() -> anyhow::Result<()> {
    let (_, other) = self_signed(&["localhost"]);
    let (site, run) = read_news_over_tls(other, &self_signed(&["localhost"]).0).await?;
    assert_was_not_read(&site, &run);
    Ok(())
}

#[tokio::test]
async fn a_page_with_a_certificate_of_nobody_is_not_read() -> anyhow::Result<()> {
    let (site, run) = read_news_over_tls(TestCa::new().server_config(&["localhost"]), &TestCa::new().pem()).await?;
    assert_was_not_read(&site, &run);
    Ok(())
}

#[tokio::test]
async fn without_certutil_other_pages_are_read_all_the_same() -> anyhow::Result<()> {
    let site = FixtureSite::start(1).await;
    let folder = tempfile::tempdir()?;
    let ca_file = folder.path().join("ca.pem");
    TestCa::new().write_pem(&ca_file)?;
    // A PATH without any command; the browser is named.
    let options = ServerOptions::default()
        .with("ERRAND_EXTRA_CA", ca_file.display().to_string())
        .with("PATH", folder.path().display().to_string());
    let server = ErrandServer::start(options).await?;
    let (status, created) = server.api.post_run(&news(&site.url("/news"))).await?;
    assert_eq!(status, 201, "{created}");
    let run = server.api.wait_finished(&id_of(&created), RUN_DEADLINE).await?;
    assert_was_read(&site, &run);
    Ok(())
}
