//! `errand serve`.

use anyhow::Context;
use secrecy::ExposeSecret;
use std::process::ExitCode;
use tokio::signal::unix::{SignalKind, signal};

use crate::config::Config;
use crate::logging;
use crate::options::ServeOptions;
use crate::server::{Server, check_browser};

/// Serves until SIGTERM or SIGINT, then drains.
pub async fn serve(options: ServeOptions) -> anyhow::Result<ExitCode> {
    let variables = std::env::vars().collect();
    let config = Config::load(options.config.as_deref(), &variables)?;
    logging::start(config.log_format, "info");
    // Before anything says that the server is there: whoever reads that may end it at once.
    let mut terminate = signal(SignalKind::terminate()).context("cannot await SIGTERM")?;
    let mut interrupt = signal(SignalKind::interrupt()).context("cannot await SIGINT")?;
    let mut server = Server::start(&config).await?;
    tracing::info!(grpc_listen = %config.grpc_listen, "gRPC is not served by this version");
    if let Err(error) = check_browser(&config) {
        tracing::warn!(%error, "runs will fail");
    }
    println!("errand serves on http://{}/ (data in {})", server.address, config.data_dir.display());
    if let Some(key) = server.api_key.as_ref().filter(|_| config.api_key.is_none()) {
        println!("API key of the account \"default\", shown this once: {}", key.expose_secret());
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
