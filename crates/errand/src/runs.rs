//! `errand runs`: what a server's runs are doing, and telling them something.

use anyhow::bail;
use errand_client::Client;
use serde_json::{Value, json};
use std::process::ExitCode;

use crate::options::{ReplyOptions, RunsCommand, RunsOptions};
use crate::output::{PrintError, print, print_json, print_line};
use crate::table::{is_for_people, table};
use crate::{api, follow, progress};

/// Carries out one of the calls.
pub async fn runs(options: RunsOptions) -> anyhow::Result<ExitCode> {
    let client = api::client(&options.server)?;
    match options.command {
        RunsCommand::List { limit, status } => list(&client.runs(limit, status.as_deref()).await?)?,
        RunsCommand::Get { id, wait } => print_json(&client.run(&id, wait).await?)?,
        RunsCommand::Stop { id } => print_json(&client.stop(&id).await?)?,
        RunsCommand::Reply(options) => print_json(&reply(&client, options).await?)?,
        RunsCommand::Events { id, follow: false } => {
            let events = client.events(&id).await?;
            events["data"].as_array().into_iter().flatten().try_for_each(show)?;
        }
        RunsCommand::Events { id, follow: true } => {
            follow::follow(&client, &id, async |event| Ok(show(&event.data)?)).await?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn list(answer: &Value) -> Result<(), PrintError> {
    if !is_for_people() {
        return print_json(answer);
    }
    let runs = answer["data"].as_array().map(Vec::as_slice).unwrap_or_default();
    let row = |run: &Value| {
        let text = |name: &str| run[name].as_str().unwrap_or_default().to_owned();
        vec![text("id"), text("status"), run["steps"].to_string(), text("created_at"), text("goal")]
    };
    let rows: Vec<Vec<String>> = runs.iter().map(row).collect();
    print(&table(&["ID", "STATUS", "STEPS", "CREATED", "GOAL"], &rows))
}

/// Answers the pause that is seen now; one that ended meanwhile is not taken for the next.
async fn reply(client: &Client, options: ReplyOptions) -> anyhow::Result<Value> {
    let run = client.run(&options.id, 0).await?;
    let pause = &run["needs"]["pause"];
    if pause.is_null() {
        bail!("the run is not waiting for a person (it is {})", run["status"].as_str().unwrap_or("unknown"));
    }
    let mut body = reply_body(&options);
    body["pause"] = pause.clone();
    Ok(client.reply(&options.id, &body).await?)
}

fn reply_body(options: &ReplyOptions) -> Value {
    match &options.kind.answer {
        Some(answer) => json!({"answer": answer}),
        None if options.kind.done => json!({"done": true}),
        None if options.kind.approve => json!({"approve": true}),
        None => match &options.note {
            Some(note) => json!({"approve": false, "note": note}),
            None => json!({"approve": false}),
        },
    }
}

fn show(event: &Value) -> Result<(), PrintError> {
    let kind = event["type"].as_str().unwrap_or_default();
    if !is_for_people() {
        return print_line(&event.to_string());
    }
    progress::line(kind, event).map_or(Ok(()), |line| print_line(&line))
}
