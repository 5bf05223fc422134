//! The command line: what can be asked of `errand`, and the help that it shows.

use clap::builder::NonEmptyStringValueParser;
use clap::{Args, Parser, Subcommand, ValueEnum};
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
    /// Serves everything in one process on the embedded store, until SIGTERM or SIGINT.
    ///
    /// Makes an API key on first start, when none is configured, and prints it once.
    /// Exit status: 0 drained and ended, 1 failed, 2 faulty settings.
    Serve(ServeOptions),
    /// Carries out one goal and prints the run as JSON.
    ///
    /// Needs no server: it runs one in this process, which may reach this machine and its networks too. Progress goes to
    /// stderr. When a person is needed it asks on the terminal; without a terminal the run is stopped.
    /// Exit status: 0 succeeded, 1 failed, 2 bad input, 3 timed out, 4 stopped.
    Run(RunOptions),
    /// Reads one page without a model: its text, and the fields of a schema with their sources.
    ///
    /// Prints a table on a terminal, otherwise JSON. It needs no server and may reach this machine and its networks too.
    /// Exit status: 0 the page was read (the JSON says what it lacks), 1 it could not be read, 2 bad input.
    Read(ReadOptions),
    /// Lists, shows, stops and answers the runs of a server.
    ///
    /// Exit status: 0 done, 1 failed or refused, 2 bad input.
    Runs(RunsOptions),
    /// Stores, lists and removes a server's secrets; their values never come out again.
    ///
    /// Exit status: 0 done, 1 failed or refused, 2 bad input.
    Secrets(SecretsOptions),
    /// Makes, lists and revokes API keys in the data folder, while no server uses it.
    ///
    /// Exit status: 0 done, 1 failed, 2 bad input.
    Keys(KeysOptions),
    /// Says what this machine lacks for serving, and how to get it; checks the data folder's store without changing it.
    ///
    /// Exit status: 0 nothing needed is missing and the store is whole, 1 otherwise, 2 faulty settings.
    Doctor(DoctorOptions),
    /// Only the gateway (needs a NATS store, which this version cannot serve on).
    Gateway(ServeOptions),
    /// Only the scheduler (needs a NATS store, which this version cannot serve on).
    Scheduler(ServeOptions),
    /// Only a browser worker (needs a NATS store, which this version cannot serve on).
    BrowserWorker(ServeOptions),
    /// Only the notifier (needs a NATS store, which this version cannot serve on).
    Notifier(ServeOptions),
}

#[derive(Debug, Args)]
pub struct DoctorOptions {
    #[command(flatten)]
    pub serve: ServeOptions,
    /// Copies what is whole of a damaged store into this new folder, and says what is lost.
    #[arg(long, value_name = "NEW_FOLDER")]
    pub salvage: Option<PathBuf>,
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
    /// `precise` may read a page's code (long tables and lists whole), not only its visible text.
    #[arg(long, default_value = "fast", value_parser = ["fast", "precise"])]
    pub mode: String,
    /// Reach no other host than this; `*.example.com` covers subdomains. May be repeated.
    #[arg(long = "allow-host", visible_alias = "allowed-host", value_name = "HOST")]
    pub allowed_hosts: Vec<String>,
    /// A secret that the goal names as [secret:NAME], for pages of the start URL's origin. May be repeated. The value comes
    /// from a file with NAME=@FILE, from a variable with NAME=env:VARIABLE, and is asked for on the terminal with NAME alone.
    #[arg(long = "secret", value_name = "NAME[=@FILE|=env:VARIABLE]")]
    pub secrets: Vec<String>,
    /// Start from this profile of the kept data (cookies, local storage).
    #[arg(long, value_name = "NAME", requires = "keep_data")]
    pub profile: Option<String>,
    /// Save the profile when the run ends.
    #[arg(long, requires = "profile")]
    pub save_profile: bool,
    /// Tell this https URL what becomes of the run; the webhook's secret is shown once, on stderr.
    #[arg(long, value_name = "URL")]
    pub webhook: Option<String>,
    /// Kept with the run and given back as it is. May be repeated.
    #[arg(long = "metadata", value_name = "KEY=VALUE")]
    pub metadata: Vec<String>,
    /// Most steps.
    #[arg(long, default_value_t = 50)]
    pub max_steps: u32,
    /// Run time in seconds.
    #[arg(long, default_value_t = 600)]
    pub timeout_s: u32,
    /// Keep the run's log, pages and screenshots in this folder; `errand serve` shows them with ERRAND_DATA_DIR.
    #[arg(long, value_name = "DIR")]
    pub keep_data: Option<PathBuf>,
    /// Settings file.
    #[arg(long, env = "ERRAND_CONFIG")]
    pub config: Option<PathBuf>,
}

/// How a page is fetched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Engine {
    /// One plain request, no scripts.
    Http,
    /// A real browser.
    Chromium,
    /// A plain request; a browser when that page is incomplete.
    Auto,
}

#[derive(Debug, Args)]
pub struct ReadOptions {
    /// An absolute http or https URL, the name of an HTML file, or `-` for HTML on stdin.
    #[arg(value_name = "URL-OR-FILE")]
    pub page: String,
    /// The address that the HTML of a file or of stdin came from: its links lead on from there.
    #[arg(long)]
    pub url: Option<String>,
    /// The wanted fields: JSON Schema of an object, or shorthand; as text or the name of a file.
    #[arg(long, visible_alias = "json-schema")]
    pub schema: Option<String>,
    /// How the page is fetched; a file is only read.
    #[arg(long, value_enum, default_value = "auto")]
    pub engine: Engine,
    /// List every candidate considered for each field, and why it won or lost.
    #[arg(long, requires = "schema")]
    pub explain: bool,
    /// Print JSON on a terminal too.
    #[arg(long)]
    pub json: bool,
    /// Settings file (`chromium`, `extra_ca`).
    #[arg(long, env = "ERRAND_CONFIG")]
    pub config: Option<PathBuf>,
}

/// Which server, and with which key.
#[derive(Debug, Args)]
pub struct ServerOptions {
    /// The server's address.
    #[arg(long, global = true, env = "ERRAND_SERVER", default_value = "http://127.0.0.1:8080")]
    pub server: String,
    /// An API key; better given as the variable, since other users of a machine see its command lines.
    #[arg(long, global = true, env = "ERRAND_API_KEY", hide_env_values = true)]
    pub key: Option<String>,
}

#[derive(Debug, Args)]
pub struct RunsOptions {
    #[command(flatten)]
    pub server: ServerOptions,
    #[command(subcommand)]
    pub command: RunsCommand,
}

#[derive(Debug, Subcommand)]
pub enum RunsCommand {
    /// Lists recent runs, newest first: a table on a terminal, otherwise JSON.
    List {
        /// Most runs, 1 to 50.
        #[arg(long)]
        limit: Option<u32>,
        /// Only runs with this status; several with commas between.
        #[arg(long)]
        status: Option<String>,
    },
    /// Prints a run.
    Get {
        id: String,
        /// Wait so many seconds (at most 60) for the run to pause or finish.
        #[arg(long, default_value_t = 0)]
        wait: u64,
    },
    /// Stops a run and prints it.
    Stop { id: String },
    /// Answers the pause that a run is in now, and prints the run.
    Reply(ReplyOptions),
    /// Prints a run's events: lines for people on a terminal, otherwise one JSON object a line.
    Events {
        id: String,
        /// Go on until the run has finished.
        #[arg(long)]
        follow: bool,
    },
}

#[derive(Debug, Args)]
pub struct ReplyOptions {
    pub id: String,
    #[command(flatten)]
    pub kind: ReplyKind,
    /// Why it is refused; the planner is told.
    #[arg(long, conflicts_with_all = ["approve", "answer", "done"])]
    pub note: Option<String>,
}

/// Exactly one of them.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub struct ReplyKind {
    /// Approve the action that is shown.
    #[arg(long)]
    pub approve: bool,
    /// Refuse it.
    #[arg(long)]
    pub refuse: bool,
    /// Answer a question.
    #[arg(long, value_name = "TEXT")]
    pub answer: Option<String>,
    /// What a person had to do is done.
    #[arg(long)]
    pub done: bool,
}

#[derive(Debug, Args)]
pub struct SecretsOptions {
    #[command(flatten)]
    pub server: ServerOptions,
    #[command(subcommand)]
    pub command: SecretsCommand,
}

#[derive(Debug, Subcommand)]
pub enum SecretsCommand {
    /// Stores a secret, or replaces it. The value is read from stdin, without the end of its line.
    Put {
        name: String,
        /// Read the value from a file instead.
        #[arg(long, value_name = "FILE")]
        from_file: Option<PathBuf>,
        /// Type it only into pages of this host (`shop.example.com`, `127.0.0.1:3000`, `https://shop.example.com`); may be
        /// repeated. Without it: the scheme, host and port of the run's start URL.
        #[arg(long = "host", value_name = "HOST")]
        hosts: Vec<String>,
        /// The value is a TOTP seed; the current code is typed.
        #[arg(long)]
        totp: bool,
    },
    /// Lists secrets without their values.
    List,
    /// Removes a secret.
    Delete { name: String },
}

#[derive(Debug, Args)]
pub struct KeysOptions {
    /// Settings file (`data_dir`).
    #[arg(long, global = true, env = "ERRAND_CONFIG")]
    pub config: Option<PathBuf>,
    #[command(subcommand)]
    pub command: KeysCommand,
}

#[derive(Debug, Subcommand)]
pub enum KeysCommand {
    /// Makes a key and prints it, this once.
    Create {
        /// The account that it opens.
        #[arg(long, default_value = "default")]
        account: String,
        /// It sees all accounts.
        #[arg(long)]
        operator: bool,
        /// What it is for.
        #[arg(long, default_value = "")]
        label: String,
    },
    /// Lists keys by id; the keys themselves are not stored.
    List,
    /// Revokes the key with this id.
    Revoke {
        /// As `list` shows it.
        #[arg(value_parser = NonEmptyStringValueParser::new())]
        id: String,
    },
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Options::command().debug_assert();
    }

    #[test]
    fn a_reply_is_exactly_one_of_its_kinds() {
        let parse = |reply: &[&str]| {
            let words = ["errand", "runs", "reply", "brun_1"].iter().chain(reply);
            Options::try_parse_from(words).is_ok()
        };
        assert!(parse(&["--approve"]) && parse(&["--refuse", "--note", "too dear"]) && parse(&["--answer", "7"]));
        assert!(!parse(&[]) && !parse(&["--approve", "--done"]) && !parse(&["--approve", "--note", "x"]));
    }
}
