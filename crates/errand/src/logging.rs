//! Structured logs on stderr: for people or as JSON lines.

use crate::config::LogFormat;
use crate::output::tell_line;
use std::io::IsTerminal;
use tracing_subscriber::EnvFilter;

/// Starts logging at `default_level` unless `ERRAND_LOG` says otherwise (the syntax of `RUST_LOG`).
pub fn start(format: LogFormat, default_level: &str) {
    let filter = EnvFilter::try_from_env("ERRAND_LOG").unwrap_or_else(|_| EnvFilter::new(default_level));
    // The HTML parser would log every tag of every page.
    let quiet = "html5ever=off".parse();
    let filter = quiet.map_or_else(|_| EnvFilter::new(default_level), |directive| filter.add_directive(directive));
    let is_for_people = std::io::stderr().is_terminal();
    // A log that nobody reads any more must not end the process: without it, tracing prints the failure, and panics.
    let builder = tracing_subscriber::fmt().log_internal_errors(false);
    let builder = builder.with_env_filter(filter).with_writer(std::io::stderr).with_ansi(is_for_people);
    let started = match format {
        LogFormat::Human => builder.try_init(),
        LogFormat::Json => builder.json().try_init(),
    };
    if started.is_err() {
        tell_line("logging was started before");
    }
}
