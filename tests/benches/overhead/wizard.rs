//! What a step costs above the browser: the whole server carries a goal out on a wizard of ten actions, beside a raw CDP
//! script that does the same, and beside one that does it through our own browser session and nothing else.

use anyhow::{Context, bail, ensure};
use errand_browser::{ActOptions, Browser, LaunchOptions, SessionOptions};
use errand_domain::action::{Action, TypedText};
use errand_planner::Observation;
use errand_tests::server::ErrandServer;
use errand_tests::site::FixtureSite;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

use crate::figures::{median, print_heading, print_row};
use crate::phases::Phases;
use crate::raw_cdp::RawCdp;

/// Actions that the wizard takes.
const ACTIONS: u32 = 10;
/// Each figure is the median of so many rounds; one more goes before, to warm both up.
const ROUNDS: usize = 7;
const RUN_DEADLINE: Duration = Duration::from_secs(60);

/// Measures and prints.
pub async fn measure(server: &ErrandServer) -> anyhow::Result<()> {
    let site = FixtureSite::start(1).await;
    let url = site.url("/wizard");
    let browser = Browser::launch(LaunchOptions::default()).await?;
    let mut raw = RawCdp::launch().await?;
    raw.wizard(&url, ACTIONS).await?;
    by_script(&browser, &url).await?;
    by_server(server, &url).await?;
    let before = Phases::of(server).await?;
    let (mut bare, mut scripted, mut served) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        bare.push(raw.wizard(&url, ACTIONS).await?);
        scripted.push(by_script(&browser, &url).await?);
        served.push(by_server(server, &url).await?);
    }
    let phases = Phases::of(server).await?;
    let product = browser.product().to_owned();
    browser.shutdown().await;
    raw.shutdown().await?;
    print_overhead(&product, &bare, &scripted, &served);
    print_phases(&phases, &before, &served);
    site.stop().await;
    Ok(())
}

fn print_overhead(product: &str, bare: &[f64], scripted: &[f64], served: &[f64]) {
    print_heading(
        "step overhead, wizard of 10 actions",
        &format!(
            "{product}; each opens a context and a page; the raw script waits for load events, the others for rest"
        ),
    );
    print_row("", &["a run".into(), "an action".into(), "of the raw script".into()]);
    let per_action = |seconds: f64| format!("{:.1} ms", seconds * 1_000.0 / f64::from(ACTIONS));
    let per_run = |seconds: f64| format!("{:.0} ms", seconds * 1_000.0);
    let (bare, scripted, served) = (median(bare), median(scripted), median(served));
    let row = |what: &str, seconds: f64| {
        print_row(what, &[per_run(seconds), per_action(seconds), format!("{:.2}", seconds / bare)]);
    };
    row("raw CDP script", bare);
    row("our session: look and act, no more", scripted);
    row("server: POST to finished", served);
    print_row("overhead of the server", &[per_run(served - bare), per_action(served - bare), String::new()]);
}

fn print_phases(now: &Phases, before: &Phases, served: &[f64]) {
    let runs = served.len() as f64;
    let total = served.iter().sum::<f64>() / runs;
    print_heading("where a run's time goes", "means, from the server's errand_step_phase_seconds");
    print_row("phase", &["each".into(), "times a run".into(), "of a run".into()]);
    let mut accounted = 0.0;
    let milliseconds = |seconds: f64| format!("{:.1} ms", seconds * 1_000.0);
    for (name, phase) in now.since(before) {
        let (of_run, times) = (phase.seconds / runs, phase.count / runs);
        accounted += of_run;
        let each = milliseconds(phase.seconds / phase.count.max(1.0));
        print_row(&name, &[each, format!("{times:.0}"), milliseconds(of_run)]);
    }
    print_row("dispatch, API, conclusion", &[String::new(), String::new(), milliseconds(total - accounted)]);
}

/// Seconds from the POST until the client knows that the run has finished.
async fn by_server(server: &ErrandServer, url: &str) -> anyhow::Result<f64> {
    let body = json!({
        "goal": "Complete the wizard with name Ada, city Paris and colour green, and tell me the code.",
        "start_url": url,
        "output_schema": {"code": "string"},
        "approve": "never",
    });
    let began = Instant::now();
    let (status, created) = server.api.post_run(&body).await?;
    ensure!(status == 201, "{created}");
    let run = server.api.wait_finished(created["id"].as_str().context("a run has an id")?, RUN_DEADLINE).await?;
    let elapsed = began.elapsed();
    let actions = run["steps"].as_u64().unwrap_or_default().saturating_sub(1);
    ensure!(run["status"] == "succeeded" && run["data"]["code"] != Value::Null, "{run}");
    ensure!(actions == u64::from(ACTIONS), "the server took {actions} actions: {run}");
    Ok(elapsed.as_secs_f64())
}

/// Seconds for the same in a session of its own.
async fn by_script(browser: &Browser, url: &str) -> anyhow::Result<f64> {
    let began = Instant::now();
    let session = browser.new_session(SessionOptions::default()).await?;
    session.goto(url).await?;
    let mut actions = 0;
    loop {
        let seen = session.observe().await?;
        if seen.text.contains("Your code") {
            break;
        }
        session.act(&next_action(&seen)?, &ActOptions::default()).await?;
        actions += 1;
        ensure!(actions <= ACTIONS, "the wizard does not end");
    }
    session.close().await;
    ensure!(actions == ACTIONS, "the script took {actions} actions");
    Ok(began.elapsed().as_secs_f64())
}

/// Fills an empty field, else presses the button.
fn next_action(seen: &Observation) -> anyhow::Result<Action> {
    let empty = seen
        .elements
        .iter()
        .find(|element| element.role == "textbox" && element.value.as_deref().unwrap_or_default().is_empty());
    if let Some(field) = empty {
        return Ok(Action::Type { target: field.target(), text: TypedText::Plain("Ada".to_owned()) });
    }
    let Some(button) = seen.elements.iter().find(|element| element.role == "button") else {
        bail!("{} has no button", seen.url);
    };
    Ok(Action::Click { target: button.target() })
}
