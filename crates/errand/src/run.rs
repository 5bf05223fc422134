//! `errand run`: one goal from the shell. Starts the server in this process on a folder of its own, posts the run, shows
//! progress, asks on the terminal when a person is needed, and prints the run as JSON.

use anyhow::{Context, bail};
use errand_client::{Client, Event};
use errand_vault::ApiKey;
use secrecy::{ExposeSecret, SecretString};
use serde_json::{Value, json};
use std::io::{BufRead, IsTerminal};
use std::net::SocketAddr;
use std::path::Path;
use std::process::ExitCode;
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::config::{Config, Hidden, LogFormat};
use crate::options::RunOptions;
use crate::output::{print_json, tell, tell_line, unless_closed};
use crate::server::{Server, check_browser};
use crate::{exit, follow, logging, progress, schema_option};

/// Carries out the goal.
pub async fn run(options: RunOptions) -> anyhow::Result<ExitCode> {
    let schema = options.schema.as_deref().map(schema_option::read).transpose()?.map(|(given, _)| given);
    let folder = tempfile::Builder::new().prefix("errand-run-").tempdir().context("cannot make a folder")?;
    let key = ApiKey::generate(&mut rand::rng()).secret().clone();
    let config = config(&options, folder.path(), &key)?;
    check_browser(&config)?;
    logging::start(LogFormat::Human, "error");
    let mut interrupts = Interrupts::listen()?;
    let server = Server::start(&config).await?;
    let client = Client::new(&format!("http://{}", server.address), key.expose_secret())?;
    let ended = carry_out(&client, &body(&options, schema), &mut interrupts).await;
    tokio::select! {
        stopped = server.stop() => stopped?,
        () = interrupts.next() => bail!("interrupted while the browser was being closed"),
    }
    let run = ended?;
    // How it ended is told by the status too.
    unless_closed(print_json(&run))?;
    Ok(exit::of_run(&run))
}

/// One's own machine may be reached, and nothing outlives the run unless its data is to be kept.
fn config(options: &RunOptions, folder: &Path, key: &SecretString) -> anyhow::Result<Config> {
    let mut config = Config::of_process(options.config.as_deref())?;
    config.data_dir = options.keep_data.clone().unwrap_or_else(|| folder.to_path_buf());
    config.listen = SocketAddr::from(([127, 0, 0, 1], 0));
    config.api_key = Some(Hidden(key.expose_secret().to_owned()));
    config.master_key = None;
    config.allow_networks = vec!["0.0.0.0/0".parse()?, "::/0".parse()?];
    Ok(config)
}

fn body(options: &RunOptions, schema: Option<Value>) -> Value {
    let mut body = json!({
        "goal": options.goal,
        "start_url": options.url,
        "approve": options.approve,
        "mode": options.mode,
        "max_steps": options.max_steps,
        "timeout_s": options.timeout_s,
    });
    if !options.allowed_hosts.is_empty() {
        body["allowed_hosts"] = json!(options.allowed_hosts);
    }
    if let Some(schema) = schema {
        body["output_schema"] = schema;
    }
    body
}

/// SIGINT and SIGTERM, which would otherwise end the process with the browser at work.
struct Interrupts {
    interrupt: Signal,
    terminate: Signal,
}

impl Interrupts {
    fn listen() -> anyhow::Result<Self> {
        let interrupt = signal(SignalKind::interrupt()).context("cannot await SIGINT")?;
        let terminate = signal(SignalKind::terminate()).context("cannot await SIGTERM")?;
        Ok(Self { interrupt, terminate })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}

/// Creates the run and follows it to its end; an interrupt stops it first.
async fn carry_out(client: &Client, body: &Value, interrupts: &mut Interrupts) -> anyhow::Result<Value> {
    let created = client.create_run(body).await?;
    let id = created["id"].as_str().context("the server gave no id")?.to_owned();
    tokio::select! {
        ended = look_on(client, &id) => ended,
        () = interrupts.next() => {
            tell_line("  interrupted: stopping the run");
            Ok(client.stop(&id).await?)
        }
    }
}

/// Shows events, and asks when the run asks, until it has finished; gives the finished run.
async fn look_on(client: &Client, id: &str) -> anyhow::Result<Value> {
    follow::follow(client, id, async |event| take(client, id, event).await).await?;
    Ok(client.run(id, 0).await?)
}

async fn take(client: &Client, id: &str, event: &Event) -> anyhow::Result<()> {
    if let Some(line) = progress::line(&event.kind, &event.data) {
        tell_line(&line);
    }
    if event.kind == "run.waiting" {
        ask(client, id).await?;
    }
    Ok(())
}

/// Asks the person at the terminal; without one, the run is stopped, since nobody can answer.
async fn ask(client: &Client, id: &str) -> anyhow::Result<()> {
    let run = client.run(id, 0).await?;
    let needs = run["needs"].clone();
    if needs.is_null() {
        return Ok(());
    }
    if !std::io::stdin().is_terminal() {
        tell_line("  nobody can be asked here: stopping (with --approve never it goes on without approval)");
        client.stop(id).await?;
        return Ok(());
    }
    let reply = tokio::task::spawn_blocking(move || read_reply(&needs)).await??;
    client.reply(id, &reply).await?;
    Ok(())
}

fn read_reply(needs: &Value) -> anyhow::Result<Value> {
    let pause = &needs["pause"];
    let prompt = match needs["kind"].as_str() {
        Some("approval") => "  approve? [y/N] ",
        Some("handoff") => "  press Enter when done ",
        _ => "  answer: ",
    };
    tell(prompt);
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line)?;
    let line = line.trim();
    Ok(match needs["kind"].as_str() {
        Some("approval") => json!({"approve": matches!(line, "y" | "Y" | "yes"), "pause": pause}),
        Some("handoff") => json!({"done": true, "pause": pause}),
        _ => json!({"answer": line, "pause": pause}),
    })
}
