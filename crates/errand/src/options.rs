//! The command line.

use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;

/// Runs errands in a real browser.
#[derive(Debug, Parser)]
#[command(version, max_term_width = 100)]
pub struct Options {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Serves everything in one process on the embedded store.
    Serve(ServeOptions),
    /// Carries out one goal and prints the run as JSON.
    ///
    /// Progress goes to stderr. Exit status: 0 succeeded, 1 failed, 2 bad input, 3 timed out, 4 stopped.
    Run(RunOptions),
}

#[derive(Debug, Args)]
pub struct ServeOptions {
    /// Settings file; every setting can also be an `ERRAND_*` variable.
    #[arg(long, env = "ERRAND_CONFIG")]
    pub config: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct RunOptions {
    /// What is to be done.
    pub goal: String,
    /// Where to begin: an absolute http or https URL.
    #[arg(long)]
    pub url: String,
    /// Shape of the wanted data: shorthand or JSON Schema, as text or the name of a file.
    #[arg(long, visible_alias = "json-schema")]
    pub schema: Option<String>,
    /// When an action waits for approval.
    #[arg(long, default_value = "risky", value_parser = ["risky", "always", "never"])]
    pub approve: String,
    /// Most steps.
    #[arg(long, default_value_t = 50)]
    pub max_steps: u32,
    /// Run time in seconds.
    #[arg(long, default_value_t = 600)]
    pub timeout_s: u32,
    /// Settings file.
    #[arg(long, env = "ERRAND_CONFIG")]
    pub config: Option<PathBuf>,
}
