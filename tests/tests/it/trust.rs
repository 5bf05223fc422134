//! Sites whose certificate only the configured CA vouches for (`ERRAND_EXTRA_CA`, SPEC 8).

use errand_tests::receiver::TestCa;
use errand_tests::server::{ErrandServer, ServerOptions};
use errand_tests::site::FixtureSite;
use std::net::SocketAddr;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;

use crate::goals::{RUN_DEADLINE, id_of, news};

/// The site over TLS; it ends when the set is dropped.
async fn behind_tls(ca: &TestCa, site: SocketAddr) -> anyhow::Result<(u16, JoinSet<()>)> {
    let acceptor = TlsAcceptor::from(ca.server_config(&["localhost"]));
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

async fn read_news_over_tls(ca_of_site: &TestCa, trusted: &TestCa) -> anyhow::Result<(FixtureSite, serde_json::Value)> {
    let site = FixtureSite::start(1).await;
    let (port, _serving) = behind_tls(ca_of_site, site.address()).await?;
    let folder = tempfile::tempdir()?;
    let ca_file = folder.path().join("ca.pem");
    // Two in one file: each counts.
    std::fs::write(&ca_file, format!("{}{}", TestCa::new().pem(), trusted.pem()))?;
    let options = ServerOptions::default().with("ERRAND_EXTRA_CA", ca_file.display().to_string());
    let server = ErrandServer::start(options).await?;
    let (status, created) = server.api.post_run(&news(&format!("https://localhost:{port}/news"))).await?;
    assert_eq!(status, 201, "{created}");
    let run = server.api.wait_finished(&id_of(&created), RUN_DEADLINE).await?;
    Ok((site, run))
}

#[tokio::test]
async fn a_page_is_read_whose_certificate_the_extra_ca_vouches_for() -> anyhow::Result<()> {
    let ca = TestCa::new();
    let (site, run) = read_news_over_tls(&ca, &ca).await?;
    assert_eq!(run["status"], "succeeded", "{run}");
    assert_eq!(run["data"]["stories"][0]["title"], site.gold_stories()[0].title.as_str(), "{run}");
    Ok(())
}

#[tokio::test]
async fn a_page_with_a_certificate_of_nobody_is_not_read() -> anyhow::Result<()> {
    let (site, run) = read_news_over_tls(&TestCa::new(), &TestCa::new()).await?;
    assert_eq!((&run["status"], &run["terminal_reason"]), (&"failed".into(), &"navigation_error".into()), "{run}");
    assert_eq!(site.requests("/news"), 0);
    Ok(())
}
