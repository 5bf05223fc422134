//! The routine by which every writer appends, on each log.

use async_trait::async_trait;
use errand_domain::price::MicroUsd;
use errand_domain::run::{ApprovePolicy, GatewayCommand, Mode, RunEvent, RunSpec, SchedulerCommand};
use errand_domain::{AccountId, CommitId};
use errand_store::{
    AppendError, CommandError, Entry, EventLog, LogError, LogKey, Position, Record, RunLog, Stores, TailFrom,
    TailStream,
};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use crate::under_test::{on_every_log, run, run_id};

on_every_log!(
    the_same_commit_again_finds_what_it_stored,
    a_run_made_by_another_commit_exists,
    an_append_whose_answer_was_lost_is_recognised_as_ours,
    an_append_whose_answer_was_lost_is_recognised_below_a_newer_one,
);

fn created() -> Vec<RunEvent> {
    let spec = RunSpec {
        account: AccountId::parse("acme").unwrap(),
        goal: "Find the opening hours".to_owned(),
        start_url: "https://museum.example/".to_owned(),
        output_schema: None,
        output_format: None,
        webhook: None,
        secrets: Vec::new(),
        approve: ApprovePolicy::default(),
        mode: Mode::default(),
        model: None,
        max_steps: 5,
        timeout_s: 60,
        human_timeout_s: 60,
        profile: None,
        save_profile: false,
        allowed_hosts: None,
        metadata: BTreeMap::new(),
        master_key_id: "00000000".to_owned(),
    };
    vec![RunEvent::Created { spec: Box::new(spec), reserved: serde_json::from_str("1000").unwrap() }]
}

async fn the_same_commit_again_finds_what_it_stored(stores: &Stores) {
    let first = RunLog::new(stores).create(&run_id(1), CommitId(7), created()).await.unwrap();
    // A retry of a client's request, which another process may serve.
    let again = RunLog::new(stores).create(&run_id(1), CommitId(7), created()).await.unwrap();
    assert_eq!(again.head, first.head);
    assert_eq!(stores.log.read(&run(1), None).await.unwrap().len(), 1);
}

async fn a_run_made_by_another_commit_exists(stores: &Stores) {
    let runs = RunLog::new(stores);
    runs.create(&run_id(1), CommitId(7), created()).await.unwrap();
    let answer = runs.create(&run_id(1), CommitId(8), created()).await;
    assert!(matches!(answer, Err(CommandError::Exists { .. })), "{answer:?}");
}

async fn an_append_whose_answer_was_lost_is_recognised_as_ours(stores: &Stores) {
    let lossy = losing_answers(stores, None);
    let committed = RunLog::new(&lossy).create(&run_id(1), CommitId(7), created()).await.unwrap();
    let stored = stores.log.read(&run(1), None).await.unwrap();
    assert_eq!(stored.iter().map(|record| record.position).collect::<Vec<_>>(), [committed.head]);
}

async fn an_append_whose_answer_was_lost_is_recognised_below_a_newer_one(stores: &Stores) {
    let runs = RunLog::new(stores);
    runs.create(&run_id(1), CommitId(7), created()).await.unwrap();
    let settle = SchedulerCommand::SettleCharge { charge: MicroUsd(0) };
    let lossy = RunLog::new(&losing_answers(stores, Some(settle)));
    let stopped = lossy.execute(&run_id(1), GatewayCommand::Stop).await.unwrap();
    let history = runs.history(&run_id(1)).await.unwrap();
    let stored: Vec<(Position, CommitId)> = history.iter().map(|(position, commit)| (*position, commit.id)).collect();
    assert_eq!(stored.len(), 3, "created, stopped, settled: {history:?}");
    assert_eq!((stopped.head, stopped.commit.id), stored[1]);
    let loaded = lossy.load(&run_id(1)).await.unwrap().unwrap();
    assert_eq!((loaded.head, loaded.state.seq), (stored[2].0, 3), "what was appended since is read");
}

fn losing_answers(stores: &Stores, overtaken_by: Option<SchedulerCommand>) -> Stores {
    let log = LosesAnswers { stores: stores.clone(), overtaken_by: Mutex::new(overtaken_by) };
    Stores { log: Arc::new(log), ..stores.clone() }
}

/// A log behind a connection that breaks after every append; another writer may append before the first read-back.
#[derive(Debug)]
struct LosesAnswers {
    stores: Stores,
    overtaken_by: Mutex<Option<SchedulerCommand>>,
}

#[async_trait]
impl EventLog for LosesAnswers {
    fn partitions(&self) -> u32 {
        self.stores.log.partitions()
    }

    async fn append(&self, key: &LogKey, expected: Option<Position>, entry: Entry) -> Result<Position, AppendError> {
        self.stores.log.append(key, expected, entry).await?;
        let overtaken_by = self.overtaken_by.lock().unwrap().take();
        if let Some(command) = overtaken_by {
            RunLog::new(&self.stores).execute(&key.run_id, command).await.unwrap();
        }
        Err(AppendError::Unknown(LogError::Unavailable { reason: "the connection broke".to_owned() }))
    }

    async fn last(&self, key: &LogKey) -> Result<Option<Record>, LogError> {
        self.stores.log.last(key).await
    }

    async fn read(&self, key: &LogKey, after: Option<Position>) -> Result<Vec<Record>, LogError> {
        self.stores.log.read(key, after).await
    }

    async fn tail(&self, partition: u32, from: TailFrom) -> Result<TailStream, LogError> {
        self.stores.log.tail(partition, from).await
    }

    async fn purge(&self, key: &LogKey, before: Position) -> Result<(), LogError> {
        self.stores.log.purge(key, before).await
    }
}
