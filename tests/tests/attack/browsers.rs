//! Browsers that die, freeze or starve: nobody blames the site, and a run gets another attempt.

use anyhow::Context;
use errand_tests::host::{Host, HostReply};
use errand_tests::process::browsers_under;
use errand_tests::server::{ErrandServer, ServerOptions};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

use crate::tally::{Tally, tries};

const PAGE: &str = "<h1>Lamp</h1><p>Price: $5</p>";
const COME_DEADLINE: Duration = Duration::from_secs(60);
const RUN_DEADLINE: Duration = Duration::from_secs(180);
/// From the end of a restart to the next attempt's request: the claim's lease is 10 s.
const NEXT_ATTEMPT_MAX: Duration = Duration::from_secs(5);

fn signal(processes: &[i32], signal: Signal) {
    for process in processes {
        // One that has ended meanwhile needs none.
        let _ = Pid::from_raw(*process).map(|process| kill_process(process, signal));
    }
}

async fn post(server: &ErrandServer, site: &Host) -> anyhow::Result<String> {
    let body = json!({"goal": "Read the price.", "start_url": site.url("/"), "output_schema": {"price": "string"}});
    let (status, created) = server.api.post_run(&body).await?;
    anyhow::ensure!(status == 201, "{created}");
    Ok(created["id"].as_str().context("no id")?.to_owned())
}

/// How many attempts the run's steps took beside the first ones.
async fn further_attempts(server: &ErrandServer, id: &str) -> anyhow::Result<usize> {
    let (_, list) = server.api.events(id).await?;
    let events = list["data"].as_array().cloned().unwrap_or_default();
    Ok(events.iter().filter(|event| event["type"] == "step.started" && event["attempt"].as_u64() > Some(1)).count())
}

/// A site whose first answers hang, so that runs are caught in the middle of a navigation.
async fn hanging_at_first(count: usize) -> Host {
    let seen = std::sync::atomic::AtomicUsize::new(0);
    Host::start("127.0.0.1", move |request| {
        let is_first = request.path() == "/" && seen.fetch_add(1, std::sync::atomic::Ordering::SeqCst) < count;
        if is_first { HostReply::Hang } else { HostReply::Page(PAGE.to_owned()) }
    })
    .await
}

async fn caught(site: &Host, count: usize) -> anyhow::Result<()> {
    let all_came = site.wait_for(COME_DEADLINE, |_| site.requests_of("GET", "/").len() >= count).await;
    anyhow::ensure!(all_came, "{} of {count} requests came", site.requests_of("GET", "/").len());
    Ok(())
}

async fn end_of(server: &ErrandServer, id: &str) -> anyhow::Result<(Value, usize)> {
    Ok((server.api.wait_finished(id, RUN_DEADLINE).await?, further_attempts(server, id).await?))
}

#[tokio::test]
async fn a_frozen_browser_costs_an_attempt_and_no_site_its_name() -> anyhow::Result<()> {
    let mut tally = Tally::new("frozen browsers");
    let server = ErrandServer::start(ServerOptions::default()).await?;
    let site = hanging_at_first(2).await;
    let ids = [post(&server, &site).await?, post(&server, &site).await?];
    caught(&site, 2).await?;
    let began = Instant::now();
    let frozen = browsers_under(&server.folder.path("tmp"))?;
    signal(&frozen, Signal::STOP);
    for (variant, id) in ["one run", "the other"].into_iter().zip(&ids) {
        let (run, attempts) = end_of(&server, id).await?;
        println!("frozen browser: {} after {:?}, {attempts} further attempt(s)", run["status"], began.elapsed());
        tally.add(variant, (run["status"] != "succeeded" || attempts != 1).then(|| format!("{attempts}: {run}")));
    }
    signal(&frozen, Signal::KILL);
    tally.end();
    Ok(())
}

#[tokio::test]
async fn a_killed_browser_costs_each_of_its_runs_one_attempt() -> anyhow::Result<()> {
    let mut tally = Tally::new("killed browsers");
    let server = ErrandServer::start(ServerOptions::default()).await?;
    let count = tries(4, 6);
    let site = hanging_at_first(count).await;
    let mut ids = Vec::new();
    for _ in 0..count {
        ids.push(post(&server, &site).await?);
    }
    caught(&site, count).await?;
    signal(&browsers_under(&server.folder.path("tmp"))?, Signal::KILL);
    for id in &ids {
        let (run, attempts) = end_of(&server, id).await?;
        tally.add(id, (run["status"] != "succeeded" || attempts != 1).then(|| format!("{attempts}: {run}")));
    }
    tally.end();
    Ok(())
}

#[tokio::test]
async fn a_machine_without_files_is_not_the_sites_fault() -> anyhow::Result<()> {
    let mut tally = Tally::new("few open files");
    for files in [96, 128, 64].into_iter().take(tries(1, 3)) {
        let server = ErrandServer::start(ServerOptions::default().with_open_files(files)).await?;
        let site = Host::start("127.0.0.1", |_| HostReply::Page(PAGE.to_owned())).await;
        let (run, _) = end_of(&server, &post(&server, &site).await?).await?;
        println!("{files} files: {} {} {}", run["status"], run["terminal_reason"], run["error"]);
        let holds = run["status"] == "succeeded" || run["terminal_reason"] == "browser_error";
        tally.add(&format!("{files} files"), (!holds).then(|| run.to_string()));
    }
    tally.end();
    Ok(())
}

#[tokio::test]
async fn after_a_kill_the_servers_own_claims_are_known_dead() -> anyhow::Result<()> {
    let mut tally = Tally::new("claims of a killed server");
    let mut server = ErrandServer::start(ServerOptions::default()).await?;
    let site = hanging_at_first(1).await;
    let id = post(&server, &site).await?;
    caught(&site, 1).await?;
    server.kill().await?;
    server.restart().await?;
    let began = Instant::now();
    caught(&site, 2).await?;
    let took = began.elapsed();
    println!("after kill -9: the next attempt's request came {took:?} after the restart");
    tally.add("the next attempt", (took > NEXT_ATTEMPT_MAX).then(|| format!("{took:?}")));
    let (run, _) = end_of(&server, &id).await?;
    tally.add("the run", (run["status"] != "succeeded").then(|| run.to_string()));
    tally.end();
    Ok(())
}
