//! The `errand` command: the server with all its roles, runs from the shell, and what operators need.

// Their macros panic when nobody reads any more: `output` is the way to print.
#![warn(clippy::print_stdout, clippy::print_stderr)]

mod api;
mod config;
mod doctor;
mod exit;
mod follow;
mod keys;
mod logging;
mod machine;
mod master_key;
mod options;
mod output;
mod progress;
mod read;
mod run;
mod run_secrets;
mod runs;
mod salvage;
mod schema_option;
mod secrets;
mod serve;
mod server;
mod table;

use anyhow::bail;
use clap::Parser;
use options::{Command, Options};
use std::io::IsTerminal;
use std::process::ExitCode;

fn main() -> ExitCode {
    // Whatever this process makes is its owner's alone from the first moment, the files of libraries too.
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o077));
    let options = match Options::try_parse() {
        Ok(options) => options,
        Err(refusal) => return answer_for(&refusal),
    };
    // One TLS provider for the whole process; a second call would only say that it is installed.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            output::tell_line(&format!("Error: cannot start: {error}"));
            return ExitCode::from(exit::FAILED);
        }
    };
    let ended = runtime.block_on(carry_out(options));
    // A thread that waits for a line of the terminal would keep the process for ever.
    runtime.shutdown_background();
    ended.unwrap_or_else(|error| exit::report(&error))
}

/// Help and version are answers like others; everything else is bad input.
fn answer_for(refusal: &clap::Error) -> ExitCode {
    let text = refusal.render();
    if refusal.use_stderr() {
        let is_for_people = std::io::stderr().is_terminal();
        output::tell(&if is_for_people { text.ansi().to_string() } else { text.to_string() });
        return ExitCode::from(exit::BAD_INPUT);
    }
    let text = if table::is_for_people() { text.ansi().to_string() } else { text.to_string() };
    output::print(&text).map_or_else(|error| exit::report(&error.into()), |()| ExitCode::SUCCESS)
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
