//! The `errand` command: the server with all its roles, runs from the shell, and what operators need.

mod config;
mod logging;
mod machine;
mod options;
mod progress;
mod run;
mod schema_option;
mod serve;
mod server;

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
            return ExitCode::FAILURE;
        }
    };
    let ended = runtime.block_on(carry_out(options));
    match ended {
        Ok(code) => code,
        Err(error) => {
            eprintln!("Error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

async fn carry_out(options: Options) -> anyhow::Result<ExitCode> {
    match options.command {
        Command::Serve(serve) => serve::serve(serve).await,
        Command::Run(run) => run::run(run).await,
    }
}
