//! `errand serve`.

use anyhow::Context;
use secrecy::ExposeSecret;
use std::process::ExitCode;
use tokio::signal::unix::{SignalKind, signal};

use crate::config::Config;
use crate::logging;
use crate::options::ServeOptions;
use crate::output::{print_line, print_once, unless_closed};
use crate::server::{Server, check_browser};

/// Serves until SIGTERM or SIGINT, then drains.
pub async fn serve(options: ServeOptions) -> anyhow::Result<ExitCode> {
    let config = Config::of_process(options.config.as_deref())?;
    logging::start(config.log_format, "info");
    // Before anything says that the server is there: whoever reads that may end it at once.
    let mut terminate = signal(SignalKind::terminate()).context("cannot await SIGTERM")?;
    let mut interrupt = signal(SignalKind::interrupt()).context("cannot await SIGINT")?;
    let mut server = Server::start(&config).await?;
    tracing::info!(grpc_listen = %config.grpc_listen, "gRPC is not served by this version");
    if let Err(error) = check_browser(&config) {
        tracing::warn!(%error, "runs will fail");
    }
    if let Err(error) = announce(&server, &config) {
        server.stop().await?;
        return Err(error);
    }
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
        error = server.failed() => {
            let stopped = server.stop().await;
            return Err(stopped.err().unwrap_or(error));
        }
    }
    tracing::info!("draining");
    server.stop().await?;
    Ok(ExitCode::SUCCESS)
}

/// Says where the server is, and shows the key that was made for its first start.
fn announce(server: &Server, config: &Config) -> anyhow::Result<()> {
    unless_closed(print_line(&format!(
        "errand serves on http://{}/ (data in {})",
        server.address,
        config.data_dir.display()
    )))?;
    let made = server.api_key.as_ref().filter(|_| config.api_key.is_none());
    let Some(key) = made else { return Ok(()) };
    let shown = print_once(&format!("API key of the account \"default\", shown this once: {}", key.expose_secret()));
    shown.context("the first API key was made and not shown; make another with `errand keys create`")
}
