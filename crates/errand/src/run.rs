//! `errand run`: one goal from the shell. Starts the server in this process on a folder of its own, posts the run, shows
//! progress, asks on the terminal when a person is needed, and prints the run as JSON.

use anyhow::{Context, bail};
use errand_client::{Client, Event, Method};
use errand_vault::ApiKey;
use secrecy::{ExposeSecret, SecretString};
use serde_json::{Map, Value, json};
use std::io::{BufRead, IsTerminal};
use std::net::SocketAddr;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::config::{Config, Hidden, LogFormat};
use crate::exit::BadInput;
use crate::options::RunOptions;
use crate::output::{print_json, tell, tell_line, unless_closed};
use crate::run_secrets::NamedSecret;
use crate::server::{Server, check_browser};
use crate::{exit, follow, logging, progress, run_secrets, schema_option};

/// Once the run has ended, the server has so long to close its browser and tell the webhook's server; what is left then ends
/// with the process.
const STOP_DEADLINE: Duration = Duration::from_millis(1_000);
/// A webhook is told of the end within this, or not at all.
const WEBHOOK_DEADLINE: Duration = Duration::from_secs(15);
/// How often it is looked whether the webhook was told.
const WEBHOOK_PAUSE: Duration = Duration::from_millis(200);

/// Carries out the goal.
pub async fn run(options: RunOptions) -> anyhow::Result<ExitCode> {
    let schema = options.schema.as_deref().map(schema_option::read).transpose()?.map(|(given, _)| given);
    let secrets = options.secrets.iter().map(|given| NamedSecret::parse(given)).collect::<Result<Vec<_>, _>>()?;
    let body = body(&options, schema, &secrets)?;
    let folder = tempfile::Builder::new().prefix("errand-run-").tempdir().context("cannot make a folder")?;
    let key = ApiKey::generate(&mut rand::rng()).secret().clone();
    let config = config(&options, folder.path(), &key)?;
    check_browser(&config)?;
    let values = tokio::task::spawn_blocking(move || values_of(&secrets)).await??;
    logging::start(LogFormat::Human, "error");
    let mut interrupts = Interrupts::listen()?;
    let server = Server::start(&config).await?;
    let client = Client::new(&format!("http://{}", server.address), key.expose_secret())?;
    run_secrets::store(&client, &values).await?;
    let ended = carry_out(&client, &body, &mut interrupts).await;
    tokio::select! {
        // A step that is held goes nowhere any more: it is not waited for, and the browser ends with this process.
        stopped = tokio::time::timeout(STOP_DEADLINE, server.stop()) => stopped.unwrap_or(Ok(()))?,
        () = interrupts.next() => bail!("interrupted while the browser was being closed"),
    }
    let run = ended?;
    // How it ended is told by the status too.
    unless_closed(print_json(&run))?;
    Ok(exit::of_run(&run))
}

fn values_of(secrets: &[NamedSecret]) -> anyhow::Result<Vec<(String, SecretString)>> {
    secrets.iter().map(|secret| Ok((secret.name.clone(), secret.value()?))).collect()
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

fn body(options: &RunOptions, schema: Option<Value>, secrets: &[NamedSecret]) -> Result<Value, BadInput> {
    let mut body = json!({
        "goal": options.goal,
        "start_url": options.url,
        "approve": options.approve,
        "mode": options.mode,
        "max_steps": options.max_steps,
        "timeout_s": options.timeout_s,
        "secrets": secrets.iter().map(|secret| &secret.name).collect::<Vec<_>>(),
        "metadata": metadata(&options.metadata)?,
        "profile": options.profile,
        "save_profile": options.save_profile,
        "webhook": options.webhook,
    });
    if !options.allowed_hosts.is_empty() {
        body["allowed_hosts"] = json!(options.allowed_hosts);
    }
    if let Some(schema) = schema {
        body["output_schema"] = schema;
    }
    Ok(body)
}

fn metadata(given: &[String]) -> Result<Value, BadInput> {
    let pair = |text: &String| {
        let (key, value) = text.split_once('=').ok_or_else(|| BadInput::Metadata { given: text.clone() })?;
        Ok((key.to_owned(), Value::from(value)))
    };
    given.iter().map(pair).collect::<Result<Map<String, Value>, _>>().map(Value::Object)
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
    let has_webhook = !created["webhook"].is_null() || !body["webhook"].is_null();
    if has_webhook {
        tell_line(&format!("  webhook secret: {}", created["webhook_secret"].as_str().unwrap_or_default()));
    }
    tokio::select! {
        ended = look_on(client, &id, has_webhook) => ended,
        () = interrupts.next() => {
            tell_line("  interrupted: stopping the run");
            Ok(client.stop(&id).await?)
        }
    }
}

/// Shows events, and asks when the run asks, until it has finished; gives the finished run.
async fn look_on(client: &Client, id: &str, has_webhook: bool) -> anyhow::Result<Value> {
    follow::follow(client, id, async |event| take(client, id, event).await).await?;
    if has_webhook && tokio::time::timeout(WEBHOOK_DEADLINE, webhook_told(client, id)).await.is_err() {
        tell_line("  the webhook could not be told in time");
    }
    Ok(client.run(id, 0).await?)
}

/// Waits until the delivery of the run's end has come to an outcome.
async fn webhook_told(client: &Client, id: &str) {
    let path = format!("/v1/browser/runs/{id}/deliveries");
    while let Ok(deliveries) = client.call(Method::GET, &path, None).await {
        let all = deliveries["data"].as_array().into_iter().flatten();
        let is_of_end = |event: &Value| event.as_str().is_some_and(|event| !event.contains("waiting"));
        if all.into_iter().any(|delivery| is_of_end(&delivery["event"]) && !delivery["outcome"].is_null()) {
            return;
        }
        tokio::time::sleep(WEBHOOK_PAUSE).await;
    }
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
    Ok(match needs["kind"].as_str() {
        Some("approval") => match read_line("  approve? [y/N] ")?.as_str() {
            "y" | "Y" | "yes" => json!({"approve": true, "pause": pause}),
            _ => refusal(&read_line("  why not? (Enter for no reason) ")?, pause),
        },
        Some("handoff") => {
            read_line("  press Enter when done ")?;
            json!({"done": true, "pause": pause})
        }
        _ => json!({"answer": read_line("  answer: ")?, "pause": pause}),
    })
}

/// A note tells the planner what to do instead.
fn refusal(note: &str, pause: &Value) -> Value {
    if note.is_empty() {
        return json!({"approve": false, "pause": pause});
    }
    json!({"approve": false, "note": note, "pause": pause})
}

fn read_line(prompt: &str) -> anyhow::Result<String> {
    tell(prompt);
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line)?;
    Ok(line.trim().to_owned())
}
