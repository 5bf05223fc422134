//! The `errand` command: the server with all its roles, runs from the shell, and what operators need.

mod api;
mod config;
mod doctor;
mod exit;
mod follow;
mod keys;
mod logging;
mod machine;
mod options;
mod progress;
mod read;
mod run;
mod runs;
mod schema_option;
mod secrets;
mod serve;
mod server;
mod table;

use anyhow::bail;
use clap::Parser;
use options::{Command, Options};
use std::process::ExitCode;

fn main() -> ExitCode {
    let options = Options::parse();
    // One TLS provider for the whole process; a second call would only say that it is installed.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("Error: cannot start: {error}");
            return ExitCode::from(exit::FAILED);
        }
    };
    let ended = runtime.block_on(carry_out(options));
    // A thread that waits for a line of the terminal would keep the process for ever.
    runtime.shutdown_background();
    ended.unwrap_or_else(|error| exit::report(&error))
}

async fn carry_out(options: Options) -> anyhow::Result<ExitCode> {
    match options.command {
        Command::Serve(serve) => serve::serve(serve).await,
        Command::Run(run) => run::run(run).await,
        Command::Read(read) => read::read(read).await,
        Command::Runs(runs) => runs::runs(runs).await,
        Command::Secrets(secrets) => secrets::secrets(secrets).await,
        Command::Keys(keys) => keys::keys(keys).await,
        Command::Doctor(doctor) => doctor::doctor(doctor).await,
        Command::Gateway(_) => one_role("gateway"),
        Command::Scheduler(_) => one_role("scheduler"),
        Command::BrowserWorker(_) => one_role("browser-worker"),
        Command::Notifier(_) => one_role("notifier"),
    }
}

/// The embedded store belongs to one process, so a role of its own needs the other store.
fn one_role(role: &str) -> anyhow::Result<ExitCode> {
    bail!(
        "`errand {role}` needs a NATS store, and this version cannot serve on one yet; `errand serve` runs every role in one process"
    )
}
