//! A process that is killed while it appends: what it was told is stored must be there.

use bytes::Bytes;
use errand_domain::CommitId;
use errand_store::{Entry, LogKey};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::lines::Lines;
use crate::under_test::{embedded_stores, open, run};

const FOLDER_VARIABLE: &str = "ERRAND_STORE_CRASH_FOLDER";
const RUNS: u64 = 16;
/// An append takes milliseconds; a child that is silent for so long hangs.
const LINE_DEADLINE: Duration = Duration::from_secs(60);

/// The child's part: not a test of its own, it ends at once without a folder.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn append_until_killed() {
    let Some(folder) = std::env::var_os(FOLDER_VARIABLE) else {
        return;
    };
    let store = open(Path::new(&folder));
    let stores = embedded_stores(&store);
    let mut appenders = tokio::task::JoinSet::new();
    for number in 0..RUNS {
        let log = stores.log.clone();
        appenders.spawn(async move {
            let key = run(number);
            let stored = log.read(&key, None).await.unwrap();
            let mut head = stored.last().map(|record| record.position);
            for index in stored.len().. {
                let entry = Entry { commit_id: CommitId(index as u128), payload: payload(&key, index) };
                head = Some(log.append(&key, head, entry).await.unwrap());
                let line = format!("stored {number} {index}\n");
                std::io::stdout().write_all(line.as_bytes()).unwrap();
            }
        });
    }
    appenders.join_all().await;
}

/// Mostly small, sometimes several pieces.
fn payload(key: &LogKey, index: usize) -> Bytes {
    let repeats = if index.is_multiple_of(7) { 700 } else { 20 };
    Bytes::from(format!("{} {index} ", key.run_id).repeat(repeats))
}

fn spawn_child(folder: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "crash::append_until_killed", "--nocapture"])
        .env(FOLDER_VARIABLE, folder)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// `stored <run> <index>`; `None` for what the test harness prints.
fn parse_stored(line: &str) -> Option<(u64, usize)> {
    let (run, index) = line.split_once("stored ")?.1.split_once(' ')?;
    Some((run.parse().ok()?, index.parse().ok()?))
}

/// Lets a child append, kills it, and notes the number of records of each run that it was told are stored.
fn append_and_kill(folder: &Path, lines_before_kill: usize, told: &mut BTreeMap<u64, usize>) {
    let mut child = spawn_child(folder);
    let output = Lines::of(child.stdout.take().unwrap());
    for number in 0.. {
        let Some(line) = output.next_within(LINE_DEADLINE) else { break };
        if let Some((run, index)) = parse_stored(&line) {
            told.insert(run, index + 1);
        }
        if number == lines_before_kill {
            child.kill().unwrap();
        }
    }
    let status = child.wait().unwrap();
    assert_eq!(std::os::unix::process::ExitStatusExt::signal(&status), Some(9), "the child ended by itself");
}

#[tokio::test]
async fn what_was_acknowledged_survives_kill_9() {
    let dir = tempfile::tempdir().unwrap();
    let mut told = BTreeMap::new();
    for lines_before_kill in [1, 300, 77, 1_000] {
        append_and_kill(dir.path(), lines_before_kill, &mut told);
        let store = open(dir.path());
        let log = embedded_stores(&store).log;
        for number in 0..RUNS {
            let key = run(number);
            let records = log.read(&key, None).await.unwrap();
            let told = told.get(&number).copied().unwrap_or_default();
            assert!(records.len() >= told, "run {number}: {} records of {told} acknowledged ones", records.len());
            for (index, record) in records.iter().enumerate() {
                assert_eq!(record.payload, payload(&key, index));
            }
        }
        drop(log);
        store.close().await;
    }
}
