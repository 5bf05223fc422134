//! Durable steps a second without a browser: runs from `Created` to `Finished` through the real aggregate and the embedded
//! log, beside sled alone that stores as many records of the same sizes with a flush and `fdatasync` a batch.

use errand_domain::action::{Action, Target};
use errand_domain::price::PriceTable;
use errand_domain::run::{
    self, ActionChosen, Conclusion, PageRef, RunRequest, RunSpec, StepFinished, StepOutcome, StepStarted, Usage,
    WorkerCommand,
};
use errand_domain::{AccountId, BlobKey, CommitId, RunId, Timestamp, WorkerId};
use errand_store::embedded::{EmbeddedOptions, EmbeddedStore};
use errand_store::memory::MemoryStore;
use errand_store::{LogKey, RandomIds, RunLog, SystemClock};
use serde_json::json;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::figures::{median, print_heading, print_row};

/// Steps of one run: with `Created` and the conclusion 32 commits.
const STEPS: u32 = 10;
/// Each figure is the median of so many rounds.
const ROUNDS: usize = 3;
const ROUND: Duration = Duration::from_secs(2);
/// Runs at a time.
const CONCURRENT: [usize; 3] = [1, 32, 256];

/// Measures and prints.
pub async fn measure() -> anyhow::Result<()> {
    print_heading(
        "durable steps, no browser",
        "create, 10 x (claim, action, outcome), conclude; every commit on disk before it is acknowledged",
    );
    print_row("runs at a time", &["errand".into(), "sled alone".into(), "errand / sled".into()]);
    let sizes = record_sizes().await?;
    let mut serial = None;
    for concurrent in CONCURRENT {
        let (mut ours, mut bare) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            ours.push(event_log(concurrent).await?);
            bare.push(sled_alone(&sizes, concurrent)?);
        }
        let (ours, bare) = (median(&ours), median(&bare));
        serial.get_or_insert(ours);
        let ratio = format!("{:.2}", ours / bare);
        print_row(&concurrent.to_string(), &[format!("{ours:.0} steps/s"), format!("{bare:.0} steps/s"), ratio]);
    }
    let mean = sizes.iter().sum::<usize>() / sizes.len();
    println!("  sled's batch holds as many records as runs at a time, the most that one group commit can hold;");
    println!("  {} records of {mean} bytes on average a run, for both", sizes.len());
    Ok(())
}

/// Steps a second of so many runs at a time.
async fn event_log(concurrent: usize) -> anyhow::Result<f64> {
    let folder = tempfile::tempdir()?;
    let store = EmbeddedStore::open(folder.path(), &EmbeddedOptions::default())?;
    let stores = store.stores(Arc::new(SystemClock), Arc::new(RandomIds));
    let runs = RunLog::new(&stores);
    let began = Instant::now();
    let mut tasks = tokio::task::JoinSet::new();
    for number in 0..concurrent {
        tasks.spawn(carry_out_until(runs.clone(), number as u64, began + ROUND));
    }
    let mut steps = 0;
    while let Some(ended) = tasks.join_next().await {
        steps += ended??;
    }
    let elapsed = began.elapsed();
    drop((runs, stores));
    store.close().await;
    Ok(f64::from(steps) / elapsed.as_secs_f64())
}

/// One run after the other; gives the finished steps.
async fn carry_out_until(runs: RunLog, number: u64, until: Instant) -> anyhow::Result<u32> {
    let mut steps = 0;
    for round in 0.. {
        let run_id = RunId::new(Timestamp::from_millis(1_700_000_000_000 + round), number);
        steps += carry_out(&runs, &run_id, until).await?;
        if Instant::now() >= until {
            break;
        }
    }
    Ok(steps)
}

async fn carry_out(runs: &RunLog, run_id: &RunId, until: Instant) -> anyhow::Result<u32> {
    let commit_id = CommitId(u128::from_str_radix(&run_id.as_str()["brun_".len()..], 16)?);
    runs.create(run_id, commit_id, run::create(spec()?, &PriceTable::default())).await?;
    for step in 1..=STEPS {
        for command in step_commands(step)? {
            runs.execute(run_id, command).await?;
        }
        if Instant::now() >= until {
            return Ok(step);
        }
    }
    runs.execute(run_id, WorkerCommand::Conclude(Box::new(conclusion()))).await?;
    Ok(STEPS)
}

fn spec() -> anyhow::Result<RunSpec> {
    let body = json!({
        "goal": "Complete the wizard with name Ada, city Paris and colour green, and tell me the code.",
        "start_url": "https://wizard.example.com/wizard",
        "output_schema": {"code": "string"},
        "approve": "never",
    });
    let request = RunRequest::parse(&body, AccountId::parse("default")?, "0123456789abcdef".to_owned())?;
    Ok(request.into_spec())
}

fn step_commands(step: u32) -> anyhow::Result<[WorkerCommand; 3]> {
    let attempt = 1;
    let url = format!("https://wizard.example.com/wizard/{step}?key=abcdefghij");
    let worker = WorkerId::parse("worker-0123456789abcdef0123456789abcdef")?;
    let page = PageRef {
        url: url.clone(),
        title: format!("Wizard, step {step}"),
        blob: BlobKey::parse(&format!("page-{step}-{attempt}-0123456789abcdef"))?,
    };
    let target = Target {
        element: "e4".to_owned(),
        role: "button".to_owned(),
        name: "Next".to_owned(),
        fingerprint: "button|submit|form:/wizard/4|Next".to_owned(),
    };
    let chosen = ActionChosen {
        step,
        attempt,
        action: Action::Click { target },
        committing: false,
        url: url.clone(),
        digest: "0123456789abcdef0123456789abcdef".to_owned(),
        pages: vec![page],
        usage: Usage { decision_calls: 1, llm_calls: 0 },
    };
    let acted = StepOutcome::Acted { result: format!("opened {url}") };
    let finished = StepFinished {
        step,
        attempt,
        outcome: if step == STEPS { StepOutcome::GoalReached } else { acted },
        url: Some(url),
        pages: Vec::new(),
        screenshot: Some(BlobKey::parse(&format!("shot-{step}-{attempt}"))?),
        checkpoint: Some(BlobKey::parse(&format!("checkpoint-{step}-{attempt}"))?),
        usage: Usage::default(),
    };
    let started = StepStarted { step, attempt, worker };
    Ok([WorkerCommand::StartStep(started), WorkerCommand::ChooseAction(chosen), WorkerCommand::FinishStep(finished)])
}

fn conclusion() -> Conclusion {
    Conclusion {
        answer: Some("code: WZ-123456".to_owned()),
        data: Some(json!({"code": "WZ-123456"})),
        usage: Usage { decision_calls: 1, llm_calls: 0 },
        ..Conclusion::default()
    }
}

/// Sizes of one run's records, in bytes.
async fn record_sizes() -> anyhow::Result<Vec<usize>> {
    let stores = MemoryStore::new(1).stores(Arc::new(SystemClock), Arc::new(RandomIds));
    let runs = RunLog::new(&stores);
    let run_id = RunId::new(Timestamp::from_millis(1_700_000_000_000), 1);
    carry_out(&runs, &run_id, Instant::now() + Duration::from_secs(60)).await?;
    let records = stores.log.read(&LogKey::run(&run_id), None).await?;
    Ok(records.iter().map(|record| record.payload.len()).collect())
}

/// Steps a second of sled with batches of so many records.
fn sled_alone(sizes: &[usize], batch_records: usize) -> anyhow::Result<f64> {
    let folder = tempfile::tempdir()?;
    let database = sled::Config::new().path(folder.path()).cache_capacity(16 << 20).flush_every_ms(None).open()?;
    let file = File::open(Path::new(folder.path()).join("db"))?;
    let payload = vec![7; sizes.iter().copied().max().unwrap_or_default()];
    let mut records = 0;
    let began = Instant::now();
    while began.elapsed() < ROUND {
        let mut batch = sled::Batch::default();
        for _ in 0..batch_records {
            batch.insert(&(records as u64).to_be_bytes(), &payload[..sizes[records % sizes.len()]]);
            records += 1;
        }
        database.apply_batch(batch)?;
        database.flush()?;
        file.sync_data()?;
    }
    let runs = records as f64 / sizes.len() as f64;
    Ok(runs * f64::from(STEPS) / began.elapsed().as_secs_f64())
}
