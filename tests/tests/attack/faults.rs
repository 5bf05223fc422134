//! Disks that change what they were given: flipped bits, cut files, parts that are gone. A start is refused with the
//! reason, or everything is there; nothing is lost without a word, and no webhook is sent again.

use errand_domain::RunId;
use errand_domain::delivery::due;
use errand_store::embedded::{EmbeddedError, EmbeddedOptions, EmbeddedStore};
use errand_store::{Bucket, DeliveryLog, RandomIds, RunLog, Stores, SystemClock};
use errand_tests::client::Api;
use errand_tests::host::{Host, HostReply};
use errand_tests::receiver::{Behaviour, Receiver, TestCa};
use errand_tests::server::{ErrandServer, ServerOptions, errand_binary};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;

use crate::tally::{Tally, tries};

const RUN_DEADLINE: Duration = Duration::from_secs(120);
const WEBHOOK_DEADLINE: Duration = Duration::from_secs(60);
const GOAL: &str = "Read the price of the zebra-striped kettle.";
const PAGE_TEXT: &str = "A page about a quokka-shaped kettle";

/// A server's folder after a clean stop, with finished runs whose webhooks were delivered, and a secret.
struct Made {
    server: ErrandServer,
    runs: Vec<RunId>,
    receiver: Receiver,
    ca_file: PathBuf,
    _ca_folder: TempDir,
    shop: Host,
}

async fn make(runs: usize) -> anyhow::Result<Made> {
    let ca = TestCa::new();
    let ca_folder = tempfile::tempdir()?;
    let ca_file = ca_folder.path().join("ca.pem");
    ca.write_pem(&ca_file)?;
    let receiver = Receiver::start(&ca, Behaviour::Ok200).await;
    let page = format!("<title>Kettle</title><h1>{PAGE_TEXT}</h1><p>Price: $5</p>");
    let shop = Host::start("127.0.0.1", move |_request| HostReply::Page(page.clone())).await;
    let server = ErrandServer::start(trusting(&ca_file)).await?;
    let mut made = Made { server, runs: Vec::new(), receiver, ca_file, _ca_folder: ca_folder, shop };
    let (status, stored) =
        made.server.api.put_secret("shop", &json!({"value": "pw-Zebra", "hosts": ["127.0.0.1"]})).await?;
    anyhow::ensure!(status < 300, "{stored}");
    for _ in 0..runs {
        let id = order(&made.server.api, &made).await?;
        made.runs.push(RunId::parse(&id)?);
    }
    for id in &made.runs {
        made.server.api.wait_finished(id.as_str(), RUN_DEADLINE).await?;
        told(&made.server.api, id.as_str()).await?;
    }
    made.server.terminate().await?;
    Ok(made)
}

fn trusting(ca_file: &Path) -> ServerOptions {
    ServerOptions::default().with("ERRAND_EXTRA_CA", ca_file.display().to_string())
}

async fn order(api: &Api, made: &Made) -> anyhow::Result<String> {
    let body = json!({"goal": GOAL, "start_url": made.shop.url("/"), "webhook": made.receiver.url()});
    let (status, created) = api.post_run(&body).await?;
    anyhow::ensure!(status == 201, "{created}");
    Ok(created["id"].as_str().unwrap_or_default().to_owned())
}

/// Waits until the run's webhook has an outcome.
async fn told(api: &Api, id: &str) -> anyhow::Result<Value> {
    let deadline = tokio::time::Instant::now() + WEBHOOK_DEADLINE;
    loop {
        let (_, deliveries) = api.deliveries(id).await?;
        if deliveries["data"][0]["outcome"].is_string() {
            return Ok(deliveries["data"][0]["outcome"].clone());
        }
        anyhow::ensure!(tokio::time::Instant::now() < deadline, "no outcome: {deliveries}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

fn copy_of(from: &Path) -> anyhow::Result<TempDir> {
    let to = tempfile::tempdir()?;
    copy_files(from, to.path())?;
    Ok(to)
}

fn copy_files(from: &Path, to: &Path) -> std::io::Result<()> {
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            fs::create_dir_all(&target)?;
            copy_files(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), &target)?;
        }
    }
    Ok(())
}

fn files_under(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() { found.extend(files_under(&path)?) } else { found.push(path) }
    }
    Ok(found)
}

/// Opens the store as the server does. `None`: refused with a reason, or everything is there.
async fn fault_of(folder: &Path, runs: &[RunId]) -> anyhow::Result<Option<String>> {
    let store = match EmbeddedStore::open(folder, &EmbeddedOptions::default()) {
        Ok(store) => store,
        Err(EmbeddedError::Damaged { .. } | EmbeddedError::FormatFile { .. } | EmbeddedError::Format { .. }) => {
            return Ok(None);
        }
        Err(EmbeddedError::Partitions { .. }) => return Ok(None),
        Err(other) => return Ok(Some(format!("refused without naming the damage: {other}"))),
    };
    let stores = store.stores(Arc::new(SystemClock), Arc::new(RandomIds));
    let lacking = lacking(&stores, runs).await;
    drop(stores);
    store.close().await;
    lacking
}

async fn lacking(stores: &Stores, runs: &[RunId]) -> anyhow::Result<Option<String>> {
    let (run_log, deliveries) = (RunLog::new(stores), DeliveryLog::new(stores));
    for run_id in runs {
        let Some(run) = run_log.load(run_id).await? else { return Ok(Some(format!("{run_id} is gone"))) };
        if !run.state.status().is_final() {
            return Ok(Some(format!("{run_id} is {}", run.state.status().as_str())));
        }
        let told = deliveries.load(run_id).await?.map(|loaded| loaded.state);
        let history: Vec<_> = run_log.history(run_id).await?.into_iter().map(|(_, commit)| commit).collect();
        if due(&history, told.as_ref()).is_some() || told.is_none_or(|told| told.open().is_some()) {
            return Ok(Some(format!("the webhook of {run_id} would be sent again")));
        }
    }
    let secret = stores.keyvalue.get(Bucket::Secrets, "default/shop").await?;
    Ok(secret.is_none().then(|| "the secret is gone".to_owned()))
}

#[tokio::test]
async fn flips_and_cuts_are_refused_or_harmless() -> anyhow::Result<()> {
    let made = make(tries(6, 20)).await?;
    let data = made.server.folder.data();
    let mut random = StdRng::seed_from_u64(7);
    let files: Vec<PathBuf> = files_under(&data)?
        .into_iter()
        .map(|file| file.strip_prefix(&data).unwrap_or(&file).to_path_buf())
        .filter(|file| {
            !file.starts_with("blobs") && file.file_name().is_none_or(|name| name != "lock" && name != "master.key")
        })
        .collect();
    let mut flips = Tally::new("flipped bits");
    for number in 0..tries(20, 200) {
        // Three of four in the database, the others in what stands beside it.
        let file = if number % 4 == 3 { files[number % files.len()].clone() } else { PathBuf::from("log/db") };
        let copy = copy_of(&data)?;
        let mut bytes = fs::read(copy.path().join(&file))?;
        let bit = random.random_range(0..bytes.len().max(1) * 8);
        let Some(byte) = bytes.get_mut(bit / 8) else { continue };
        *byte ^= 1 << (bit % 8);
        fs::write(copy.path().join(&file), bytes)?;
        flips.add(&format!("bit {bit} of {}", file.display()), fault_of(copy.path(), &made.runs).await?);
    }
    let mut cuts = Tally::new("cut logs");
    let whole = fs::metadata(data.join("log/db"))?.len();
    for _ in 0..tries(5, 50) {
        let copy = copy_of(&data)?;
        let length = random.random_range(0..whole);
        fs::OpenOptions::new().write(true).open(copy.path().join("log/db"))?.set_len(length)?;
        cuts.add(&format!("cut to {length} of {whole}"), fault_of(copy.path(), &made.runs).await?);
    }
    flips.end();
    cuts.end();
    real_servers(&made, &data).await
}

/// The same with the server itself: a few flips, parts that are gone, and what the doctor makes of them.
async fn real_servers(made: &Made, data: &Path) -> anyhow::Result<()> {
    let mut tally = Tally::new("damaged stores under the server");
    let bytes = fs::read(data.join("log/db"))?;
    let middle = damaged_in_the_middle(data, &bytes)?;
    let without = |part: &str| {
        let copy = copy_of(data)?;
        let path = copy.path().join(part);
        if path.is_dir() {
            fs::remove_dir_all(path)?
        } else {
            fs::remove_file(path)?
        }
        anyhow::Ok(copy)
    };
    for (what, folder) in
        [("drop db", without("log/db")?), ("drop folder", without("log")?), ("drop mark", without("mark")?)]
    {
        tally.add(what, unless_refused(made, folder.path()).await);
    }
    tally.add("a bit in the middle", unless_refused(made, middle.path()).await);
    let doctor = doctor(middle.path(), &[])?;
    let said = String::from_utf8_lossy(&doctor.stdout).into_owned();
    let is_told = doctor.status.code() == Some(1) && said.contains("is damaged");
    tally.add("doctor", (!is_told).then_some(said));
    tally.add("salvage", salvaged_fault(made, middle.path()).await?);
    tally.end();
    Ok(())
}

/// A bit flipped where it hurts: between the first runs and the last.
fn damaged_in_the_middle(data: &Path, bytes: &[u8]) -> anyhow::Result<TempDir> {
    let copy = copy_of(data)?;
    let used = bytes.iter().rposition(|byte| *byte != 0).unwrap_or(0);
    let mut flipped = bytes.to_vec();
    flipped[used / 2] ^= 4;
    fs::write(copy.path().join("log/db"), flipped)?;
    Ok(copy)
}

async fn unless_refused(made: &Made, folder: &Path) -> Option<String> {
    let options = trusting(&made.ca_file).with("ERRAND_DATA_DIR", folder.display().to_string());
    match ErrandServer::start(options).await {
        Ok(_) => Some("it started".to_owned()),
        Err(error) => {
            let said = format!("{error:#}");
            let is_named = said.contains("is damaged") && said.contains("--salvage");
            (!is_named).then_some(said)
        }
    }
}

fn doctor(folder: &Path, arguments: &[&str]) -> anyhow::Result<Output> {
    let mut command = Command::new(errand_binary()?);
    command.arg("doctor").args(arguments).env("ERRAND_DATA_DIR", folder).env("ERRAND_LISTEN", "127.0.0.1:0");
    // Meant for this suite; the command refuses settings that it does not know.
    command.env_remove("ERRAND_ATTACK");
    Ok(command.output()?)
}

/// Salvages, serves what came of it, and looks for a webhook that is sent a second time.
async fn salvaged_fault(made: &Made, damaged: &Path) -> anyhow::Result<Option<String>> {
    let target = tempfile::tempdir()?;
    let new = target.path().join("new");
    let salvaged = doctor(damaged, &["--salvage", &new.display().to_string()])?;
    let said = format!("{}{}", String::from_utf8_lossy(&salvaged.stdout), String::from_utf8_lossy(&salvaged.stderr));
    if !salvaged.status.success() || !said.contains("damage ") {
        return Ok(Some(said));
    }
    let posts_before = made.receiver.posts().len();
    let options = trusting(&made.ca_file).with("ERRAND_DATA_DIR", new.display().to_string());
    let mut server = ErrandServer::start(options).await?;
    let mut fault = None;
    for run_id in &made.runs {
        let (status, run) = server.api.get_run(run_id.as_str(), None).await?;
        let is_told = said.contains(run_id.as_str());
        if status != 200 && !is_told {
            fault = Some(format!("{run_id} answers {status} and was not reported: {said}"));
        }
        if status == 200 && run["status"] == "running" {
            fault = Some(format!("{run_id} runs again"));
        }
    }
    // One that is new is told: whatever was due before it has been sent by then.
    let id = order(&server.api, made).await?;
    server.api.wait_finished(&id, RUN_DEADLINE).await?;
    told(&server.api, &id).await?;
    server.terminate().await?;
    let again = made.receiver.posts().len() - posts_before - 1;
    Ok(fault.or_else(|| (again > 0).then(|| format!("{again} webhooks were sent again"))))
}

#[tokio::test]
async fn a_deleted_run_is_nowhere_on_the_disk() -> anyhow::Result<()> {
    let mut made = make(1).await?;
    let id = made.runs[0].as_str().to_owned();
    made.server.restart().await?;
    let deadline = tokio::time::Instant::now() + RUN_DEADLINE;
    loop {
        let (status, answer) = made.server.api.delete_run(&id).await?;
        if status == 200 {
            break;
        }
        // Its charge is settled two seconds after its end.
        anyhow::ensure!(status == 409 && tokio::time::Instant::now() < deadline, "{answer}");
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    made.server.terminate().await?;
    let mut tally = Tally::new("traces of a deleted run");
    for file in files_under(&made.server.folder.data())? {
        let bytes = fs::read(&file)?;
        for text in ["zebra-striped", "quokka-shaped"] {
            let is_there = bytes.windows(text.len()).any(|window| window == text.as_bytes());
            tally.add(&format!("{text} in {}", file.display()), is_there.then(|| "it is still there".to_owned()));
        }
    }
    tally.end();
    Ok(())
}
