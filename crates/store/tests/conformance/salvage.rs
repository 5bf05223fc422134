//! What is saved of a damaged store, and what is done so that serving it repeats nothing.

use errand_domain::delivery::due;
use errand_domain::price::PriceTable;
use errand_domain::run::{self, GatewayCommand, RunRequest};
use errand_domain::{AccountId, CommitId, RunId};
use errand_store::embedded::{EmbeddedError, EmbeddedOptions, EmbeddedStore, SalvageError, salvage};
use errand_store::{Bucket, DeliveryLog, RunLog, Stores};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use serde_json::json;
use std::fs;
use std::path::Path;

use crate::under_test::{embedded_stores, open, run_id};

const RUNS: u64 = 12;

/// Runs with a webhook each: the odd ones are stopped, the even ones are open.
async fn fill(stores: &Stores) {
    let runs = RunLog::new(stores);
    for number in 0..RUNS {
        let body = json!({"goal": "g", "start_url": "https://example.com/", "webhook": "https://hooks.example.com/"});
        let request = RunRequest::parse(&body, AccountId::parse("a").unwrap(), String::new()).unwrap();
        let events = run::create(request.into_spec(), &PriceTable::default());
        runs.create(&run_id(number), CommitId(number.into()), events).await.unwrap();
        if number % 2 == 1 {
            runs.execute(&run_id(number), GatewayCommand::Stop).await.unwrap();
        }
    }
    stores.keyvalue.put(Bucket::Secrets, "a/shop", "sealed".into()).await.unwrap();
}

fn copy_files(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy_files(&path, &target);
        } else {
            fs::copy(&path, target).unwrap();
        }
    }
}

async fn assert_quiet(folder: &Path) -> usize {
    let store = open(folder);
    let stores = embedded_stores(&store);
    let (runs, deliveries) = (RunLog::new(&stores), DeliveryLog::new(&stores));
    let mut kept = 0;
    for number in 0..RUNS {
        let Some(run) = runs.load(&run_id(number)).await.unwrap() else { continue };
        kept += 1;
        assert!(run.state.status().is_final(), "{} would go on", run.state.id);
        let history: Vec<_> =
            runs.history(&run.state.id).await.unwrap().into_iter().map(|(_, commit)| commit).collect();
        let told = deliveries.load(&run.state.id).await.unwrap().unwrap().state;
        assert_eq!(due(&history, Some(&told)), None, "the webhook of {} would be sent", run.state.id);
        assert!(told.open().is_none());
    }
    drop(stores);
    store.close().await;
    kept
}

#[tokio::test]
async fn a_flipped_bit_costs_one_run_at_most_and_serving_the_rest_repeats_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let original = dir.path().join("original");
    let store = open(&original);
    fill(&embedded_stores(&store)).await;
    store.close().await;
    let whole = fs::read(original.join("log/db")).unwrap();
    let used = whole.iter().rposition(|byte| *byte != 0).unwrap();
    let mut random = StdRng::seed_from_u64(3);
    let mut damaged = 0;
    for number in 0..8 {
        let (copy, new) = (dir.path().join(format!("copy-{number}")), dir.path().join(format!("new-{number}")));
        copy_files(&original, &copy);
        let bit = random.random_range(0..used * 8);
        let mut bytes = whole.clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        fs::write(copy.join("log/db"), bytes).unwrap();
        let report = salvage(&copy, &new).await.unwrap();
        if report.salvaged.damage.is_none() {
            continue;
        }
        damaged += 1;
        let kept = assert_quiet(&new).await;
        assert!(kept + 1 >= RUNS as usize, "bit {bit}: {kept} of {RUNS} runs are left");
        let known: Vec<RunId> = report.salvaged.runs.iter().chain(&report.salvaged.lost).cloned().collect();
        assert!((0..RUNS).all(|number| known.contains(&run_id(number))), "bit {bit}: a run is not reported");
        assert!(!report.stopped.is_empty() && !report.in_doubt.is_empty());
    }
    assert!(damaged > 2, "{damaged} of 8 flips did any damage");
}

#[tokio::test]
async fn a_whole_store_is_copied_as_it_is() {
    let dir = tempfile::tempdir().unwrap();
    let (original, new) = (dir.path().join("original"), dir.path().join("new"));
    let store = open(&original);
    fill(&embedded_stores(&store)).await;
    store.close().await;
    let report = salvage(&original, &new).await.unwrap();
    assert_eq!((report.salvaged.damage, report.salvaged.runs.len()), (None, RUNS as usize));
    assert!(report.stopped.is_empty() && report.in_doubt.is_empty() && report.salvaged.lost.is_empty());
    let stores = embedded_stores(&open(&new));
    let run = RunLog::new(&stores).load(&run_id(0)).await.unwrap().unwrap();
    assert!(!run.state.status().is_final(), "an open run goes on");
    assert!(stores.keyvalue.get(Bucket::Secrets, "a/shop").await.unwrap().is_some());
    let again = salvage(&original, &new).await.unwrap_err();
    assert!(matches!(again, SalvageError::Store(EmbeddedError::NotEmpty { .. })), "{again:?}");
}

#[tokio::test]
async fn what_is_lost_with_the_whole_database_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let (original, new) = (dir.path().join("original"), dir.path().join("new"));
    let store = open(&original);
    fill(&embedded_stores(&store)).await;
    store.close().await;
    fs::remove_dir_all(original.join("log")).unwrap();
    let report = salvage(&original, &new).await.unwrap();
    assert_eq!(report.salvaged.lost.len(), RUNS as usize, "their keys still name them");
    EmbeddedStore::open(&new, &EmbeddedOptions::default()).unwrap();
}
