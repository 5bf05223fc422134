//! Memory of `errand serve`: idle without a browser, and what each held session adds.

use anyhow::Context;
use errand_tests::server::ErrandServer;
use errand_tests::site::FixtureSite;
use serde_json::json;
use std::collections::BTreeMap;
use std::fs;
use std::time::Duration;

use crate::figures::{print_heading, print_row};

const RUN_DEADLINE: Duration = Duration::from_secs(60);
/// Sessions held beside the first one, which brings the browser.
const MORE_SESSIONS: u32 = 4;
/// A process is idle when its start is over for so long.
const REST: Duration = Duration::from_secs(2);

/// Of one process, in kilobytes.
#[derive(Debug, Default, Clone, Copy)]
pub struct Memory {
    pss_kb: u64,
    rss_kb: u64,
}

/// Of a server that has carried out nothing yet.
pub async fn idle(server: &ErrandServer) -> anyhow::Result<Memory> {
    tokio::time::sleep(REST).await;
    of_process(server.process_id())
}

/// Measures sessions of runs that wait for a person, and prints.
pub async fn measure(server: &ErrandServer, idle: Memory) -> anyhow::Result<()> {
    let site = FixtureSite::start(1).await;
    hold_sessions(server, &site, 1).await?;
    let (first_server, first_browser) = of_all(server)?;
    hold_sessions(server, &site, MORE_SESSIONS).await?;
    let (server_memory, browser) = of_all(server)?;
    print_heading("memory", "PSS and RSS from /proc; sessions are order forms that wait for an approval");
    print_row("", &["PSS".into(), "RSS".into()]);
    print_memory("errand serve, idle, no browser", idle);
    print_memory("errand serve, after the wizards", first_server);
    print_memory("Chromium with one session", first_browser);
    print_memory("each further session: errand", share(server_memory, first_server));
    print_memory("each further session: Chromium", share(browser, first_browser));
    site.stop().await;
    Ok(())
}

fn print_memory(what: &str, memory: Memory) {
    let megabytes = |kilobytes: u64| format!("{:.1} MB", kilobytes as f64 / 1_000.0 * 1.024);
    print_row(what, &[megabytes(memory.pss_kb), megabytes(memory.rss_kb)]);
}

fn share(now: Memory, before: Memory) -> Memory {
    let each = |now: u64, before: u64| now.saturating_sub(before) / u64::from(MORE_SESSIONS);
    Memory { pss_kb: each(now.pss_kb, before.pss_kb), rss_kb: each(now.rss_kb, before.rss_kb) }
}

async fn hold_sessions(server: &ErrandServer, site: &FixtureSite, count: u32) -> anyhow::Result<()> {
    let body = json!({
        "goal": "Order one Blue Mug (size large) for Ada Lovelace, 12 Main St, Springfield, IL 62701, \
                 and tell me the order number and total.",
        "start_url": site.url("/shop"),
        "output_schema": {"order_number": "string", "total": "number", "currency": "string"},
    });
    for _ in 0..count {
        let (_, created) = server.api.post_run(&body).await?;
        let id = created["id"].as_str().with_context(|| format!("not created: {created}"))?;
        let run = server.api.wait_paused_or_finished(id, RUN_DEADLINE).await?;
        anyhow::ensure!(run["status"] == "waiting_for_human", "{run}");
    }
    Ok(())
}

/// Of the server, and of all that it started.
fn of_all(server: &ErrandServer) -> anyhow::Result<(Memory, Memory)> {
    let server_id = server.process_id();
    let mut browser = Memory::default();
    for process_id in descendants(server_id)? {
        // A helper may end at any time.
        let Ok(memory) = of_process(process_id) else { continue };
        browser.pss_kb += memory.pss_kb;
        browser.rss_kb += memory.rss_kb;
    }
    Ok((of_process(server_id)?, browser))
}

fn of_process(process_id: i32) -> anyhow::Result<Memory> {
    let rollup = fs::read_to_string(format!("/proc/{process_id}/smaps_rollup"))?;
    let field = |name: &str| -> anyhow::Result<u64> {
        let line = rollup.lines().find(|line| line.starts_with(name)).with_context(|| format!("no {name}"))?;
        Ok(line.split_whitespace().nth(1).unwrap_or_default().parse()?)
    };
    Ok(Memory { pss_kb: field("Pss:")?, rss_kb: field("Rss:")? })
}

fn descendants(ancestor: i32) -> anyhow::Result<Vec<i32>> {
    let mut children = BTreeMap::<i32, Vec<i32>>::new();
    for entry in fs::read_dir("/proc")? {
        let Some(process_id) = entry?.file_name().to_str().and_then(|name| name.parse::<i32>().ok()) else { continue };
        let status = fs::read_to_string(format!("/proc/{process_id}/status")).unwrap_or_default();
        let parent = status.lines().find_map(|line| line.strip_prefix("PPid:")).and_then(|id| id.trim().parse().ok());
        children.entry(parent.unwrap_or_default()).or_default().push(process_id);
    }
    let mut found = Vec::new();
    let mut open = vec![ancestor];
    while let Some(process_id) = open.pop() {
        let started = children.remove(&process_id).unwrap_or_default();
        found.extend(&started);
        open.extend(started);
    }
    Ok(found)
}
