//! `errand run`: one goal from the shell. Starts the server in this process on a folder of its own, posts the run, shows
//! progress, asks on the terminal when a person is needed, and prints the run as JSON.

use anyhow::Context;
use errand_client::{Client, ClientError, Event};
use secrecy::ExposeSecret;
use serde_json::{Value, json};
use std::io::{BufRead, IsTerminal, Write};
use std::net::SocketAddr;
use std::path::Path;
use std::process::ExitCode;

use crate::config::{Config, LogFormat};
use crate::options::RunOptions;
use crate::server::Server;
use crate::{logging, progress, schema_option};

const BAD_INPUT: u8 = 2;

/// Carries out the goal.
pub async fn run(options: RunOptions) -> anyhow::Result<ExitCode> {
    let schema = match options.schema.as_deref().map(schema_option::read).transpose() {
        Ok(schema) => schema,
        Err(error) => {
            eprintln!("Error: {error}");
            return Ok(ExitCode::from(BAD_INPUT));
        }
    };
    let folder = tempfile::Builder::new().prefix("errand-run-").tempdir().context("cannot make a folder")?;
    let config = config(&options, folder.path())?;
    logging::start(LogFormat::Human, "error");
    let server = Server::start(&config).await?;
    let key = server.api_key.clone().context("the server gave no key")?;
    let client = Client::new(&format!("http://{}", server.address), key.expose_secret())?;
    let request = body(&options, schema);
    let ended = tokio::select! {
        ended = follow(&client, &request) => ended,
        _ = tokio::signal::ctrl_c() => Err(anyhow::anyhow!("interrupted")),
    };
    server.stop().await?;
    match ended {
        Ok(run) => {
            println!("{}", serde_json::to_string_pretty(&run)?);
            Ok(exit_code(&run))
        }
        Err(error) => match error.downcast::<ClientError>() {
            Ok(ClientError::Api(fault)) if fault.status == 400 => {
                eprintln!("Error: {}", fault.message);
                Ok(ExitCode::from(BAD_INPUT))
            }
            Ok(error) => Err(error.into()),
            Err(error) => Err(error),
        },
    }
}

/// One's own machine may be reached, and nothing outlives the run.
fn config(options: &RunOptions, folder: &Path) -> anyhow::Result<Config> {
    let variables = std::env::vars().collect();
    let mut config = Config::load(options.config.as_deref(), &variables)?;
    config.data_dir = folder.to_path_buf();
    config.listen = SocketAddr::from(([127, 0, 0, 1], 0));
    config.api_key = None;
    config.master_key = None;
    config.allow_networks = vec!["0.0.0.0/0".parse()?, "::/0".parse()?];
    Ok(config)
}

fn body(options: &RunOptions, schema: Option<Value>) -> Value {
    let mut body = json!({
        "goal": options.goal,
        "start_url": options.url,
        "approve": options.approve,
        "max_steps": options.max_steps,
        "timeout_s": options.timeout_s,
    });
    if let Some(schema) = schema {
        body["output_schema"] = schema;
    }
    body
}

/// Shows events until the run has finished; gives the finished run.
async fn follow(client: &Client, body: &Value) -> anyhow::Result<Value> {
    let created = client.create_run(body).await?;
    let id = created["id"].as_str().context("the server gave no id")?.to_owned();
    let mut last_id: Option<String> = None;
    loop {
        let mut events = client.event_stream(&id, last_id.as_deref()).await?;
        while let Ok(Some(event)) = events.next().await {
            last_id.clone_from(&event.id);
            progress::show(&event);
            if event.kind == "run.waiting" {
                ask(client, &id).await?;
            }
            if is_end(&event) {
                return Ok(client.run(&id, 0).await?);
            }
        }
    }
}

fn is_end(event: &Event) -> bool {
    event.kind == "run.finished"
}

/// Asks the person at the terminal; without one, the run is stopped, since nobody can answer.
async fn ask(client: &Client, id: &str) -> anyhow::Result<()> {
    let run = client.run(id, 0).await?;
    let needs = &run["needs"];
    if needs.is_null() {
        return Ok(());
    }
    if !std::io::stdin().is_terminal() {
        eprintln!("  nobody can be asked here: stopping (use --approve never to go on without approval)");
        client.stop(id).await?;
        return Ok(());
    }
    let needs = needs.clone();
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
    eprint!("{prompt}");
    std::io::stderr().flush()?;
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line)?;
    let line = line.trim();
    Ok(match needs["kind"].as_str() {
        Some("approval") => json!({"approve": matches!(line, "y" | "Y" | "yes"), "pause": pause}),
        Some("handoff") => json!({"done": true, "pause": pause}),
        _ => json!({"answer": line, "pause": pause}),
    })
}

fn exit_code(run: &Value) -> ExitCode {
    match run["status"].as_str() {
        Some("succeeded") => ExitCode::SUCCESS,
        Some("timed_out") => ExitCode::from(3),
        Some("stopped") => ExitCode::from(4),
        _ => ExitCode::FAILURE,
    }
}
