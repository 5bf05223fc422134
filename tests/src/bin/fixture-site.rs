//! Serves the fixture site until it is told to stop; prints its address on the first line.

use std::net::SocketAddr;
use std::time::Duration;

use anyhow::Context;
use clap::Parser;
use errand_tests::site::{FixtureSite, SiteOptions};
use tokio::signal::unix::{SignalKind, signal};

/// A seeded web site on loopback: news, a shop with an order ledger, forms, awkward and hostile pages.
#[derive(Debug, Parser)]
struct Arguments {
    /// Decides pages, prices, tokens and order numbers.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Where to listen; port 0 takes a free one.
    #[arg(long, default_value = "127.0.0.1:0")]
    listen: SocketAddr,
    /// Milliseconds the shop holds back its answer after it has recorded an order.
    #[arg(long, default_value_t = 0)]
    order_delay_ms: u64,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let mut terminate = signal(SignalKind::terminate()).context("cannot listen for SIGTERM")?;
    let options = SiteOptions {
        seed: arguments.seed,
        listen: arguments.listen,
        order_delay: Duration::from_millis(arguments.order_delay_ms),
    };
    let site =
        FixtureSite::start_with(options).await.with_context(|| format!("cannot listen on {}", arguments.listen))?;
    println!("fixture site: {}", site.url("/"));
    tokio::select! {
        _ = tokio::signal::ctrl_c() => {}
        _ = terminate.recv() => {}
    }
    site.stop().await;
    Ok(())
}
