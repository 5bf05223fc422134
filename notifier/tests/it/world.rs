//! One store, one CA, a clock that can be moved on, and the writers that a notifier does not play itself.

use errand_domain::delivery::{Deliveries, DeliveryOutcome};
use errand_domain::price::{MicroUsd, PriceTable};
use errand_domain::run::{
    self, Commit, Conclusion, GatewayCommand, HumanAsked, PauseKind, Reply, RunEvent, RunRequest, SchedulerCommand,
    Stakes, StepFinished, StepOutcome, StepStarted, Usage, WorkerCommand,
};
use errand_domain::{AccountId, CommitId, RunId, Timestamp, WorkerId};
use errand_egress::{AddressPolicy, Dialer, tls_client_config};
use errand_notifier::{NotifierConfig, NotifierError};
use errand_store::memory::MemoryStore;
use errand_store::{Clock, DeliveryLog, RandomIds, RunLog, Stores, SystemClock, TailFrom};
use errand_tests::receiver::TestCa;
use errand_vault::MasterKey;
use futures::StreamExt;
use secrecy::ExposeSecret;
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// Longer than anything here takes on a busy machine.
pub const DEADLINE: Duration = Duration::from_secs(30);

/// The machine's clock, moved on by tests that wait for a claim's deadline.
#[derive(Debug, Default)]
pub struct MovedClock {
    ahead_ms: AtomicU64,
}

impl MovedClock {
    pub fn move_on(&self, by: Duration) {
        self.ahead_ms.fetch_add(by.as_millis() as u64, Ordering::SeqCst);
    }
}

impl Clock for MovedClock {
    fn now(&self) -> Timestamp {
        SystemClock.now().plus_ms(self.ahead_ms.load(Ordering::SeqCst))
    }
}

pub struct World {
    pub ca: TestCa,
    pub clock: Arc<MovedClock>,
    pub stores: Stores,
    pub key: Arc<MasterKey>,
    pub runs: RunLog,
}

/// A notifier that runs. Dropping it crashes it.
pub struct Running {
    shutdown: CancellationToken,
    task: JoinHandle<Result<(), NotifierError>>,
}

impl Running {
    /// Asks it to stop and waits until it has.
    pub async fn stop(mut self) {
        self.shutdown.cancel();
        tokio::time::timeout(DEADLINE, &mut self.task).await.unwrap().unwrap().unwrap();
    }

    /// Ends it wherever it is, as a killed process ends.
    pub async fn crash(mut self) {
        self.task.abort();
        assert!((&mut self.task).await.unwrap_err().is_cancelled());
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl World {
    pub fn new() -> Self {
        Self::with_partitions(1)
    }

    pub fn with_partitions(partitions: u32) -> Self {
        Self::over(|clock| MemoryStore::new(partitions).stores(clock, Arc::new(RandomIds)))
    }

    pub fn over(stores: impl FnOnce(Arc<dyn Clock>) -> Stores) -> Self {
        let clock = Arc::new(MovedClock::default());
        let stores = stores(Arc::clone(&clock) as _);
        let key = Arc::new(MasterKey::from_hex(&"7f".repeat(32)).unwrap());
        Self { ca: TestCa::new(), clock, runs: RunLog::new(&stores), stores, key }
    }

    /// Lets go of the stores.
    pub fn into_ca(self) -> TestCa {
        self.ca
    }

    pub fn dialer(&self, policy: AddressPolicy) -> Dialer {
        Dialer::new(policy, tls_client_config(Some(self.ca.pem().as_bytes())).unwrap())
    }

    /// Receivers on loopback may be reached.
    pub fn config(&self) -> NotifierConfig {
        let policy = AddressPolicy::public_only().allowing_networks(["127.0.0.0/8".parse().unwrap()]);
        NotifierConfig::new("notifier-test", self.dialer(policy), Arc::clone(&self.key))
    }

    pub fn start(&self) -> Running {
        self.start_with(self.config(), self.stores.clone())
    }

    pub fn start_with(&self, config: NotifierConfig, stores: Stores) -> Running {
        let shutdown = CancellationToken::new();
        let task = tokio::spawn(errand_notifier::run(config, stores, shutdown.clone()));
        Running { shutdown, task }
    }

    pub fn secret(&self, run_id: &RunId) -> String {
        self.key.webhook_secret(run_id.as_str()).expose_secret().to_owned()
    }

    pub async fn create(&self, webhook: &str) -> RunId {
        self.create_under(webhook, &self.key.id().to_string()).await
    }

    pub async fn create_under(&self, webhook: &str, master_key_id: &str) -> RunId {
        let body = json!({"goal": "buy a lamp", "start_url": "https://shop.example/", "webhook": webhook});
        let account = AccountId::parse("default").unwrap();
        let request = RunRequest::parse(&body, account, master_key_id.to_owned()).unwrap();
        let run_id = RunId::new(self.stores.clock.now(), self.stores.ids.random_u128() as u64);
        let events = run::create(request.into_spec(), &PriceTable::default());
        self.runs.create(&run_id, CommitId(self.stores.ids.random_u128()), events).await.unwrap();
        run_id
    }

    /// A created run that ended at once.
    pub async fn create_finished(&self, webhook: &str) -> RunId {
        let run_id = self.create(webhook).await;
        self.stop(&run_id).await;
        run_id
    }

    pub async fn start_step(&self, run_id: &RunId) -> (u32, u32) {
        let run = self.runs.load(run_id).await.unwrap().unwrap().state;
        let run::Phase::Ready { attempt, .. } = run.phase else { panic!("{:?}", run.phase) };
        let step = run.steps + 1;
        let started = StepStarted { step, attempt, worker: WorkerId::parse("worker").unwrap() };
        self.runs.execute(run_id, WorkerCommand::StartStep(started)).await.unwrap();
        (step, attempt)
    }

    pub async fn ask(&self, run_id: &RunId, pause: u32) {
        let (step, attempt) = self.start_step(run_id).await;
        let asked = HumanAsked {
            pause,
            step,
            attempt,
            kind: PauseKind::Question,
            prompt: "Which colour?".to_owned(),
            fields: Vec::new(),
            stakes: Stakes::default(),
            options: Vec::new(),
            proposal: None,
            url: Some("https://shop.example/lamps".to_owned()),
            pages: Vec::new(),
            screenshot: None,
            checkpoint: None,
            usage: Usage { decision_calls: 1, llm_calls: 0 },
        };
        self.runs.execute(run_id, WorkerCommand::AskHuman(Box::new(asked))).await.unwrap();
    }

    pub async fn reply(&self, run_id: &RunId) {
        let reply = Reply::Answer { answer: "brass".to_owned() };
        self.runs.execute(run_id, GatewayCommand::Reply { pause: None, reply }).await.unwrap();
    }

    pub async fn stop(&self, run_id: &RunId) {
        self.runs.execute(run_id, GatewayCommand::Stop).await.unwrap();
    }

    pub async fn conclude(&self, run_id: &RunId, conclusion: Conclusion) {
        let (step, attempt) = self.start_step(run_id).await;
        let finished = StepFinished {
            step,
            attempt,
            outcome: StepOutcome::GoalReached,
            url: None,
            pages: Vec::new(),
            screenshot: None,
            checkpoint: None,
            usage: Usage::default(),
        };
        self.runs.execute(run_id, WorkerCommand::FinishStep(finished)).await.unwrap();
        self.runs.execute(run_id, WorkerCommand::Conclude(Box::new(conclusion))).await.unwrap();
    }

    pub async fn settle(&self, run_id: &RunId) {
        let settle = SchedulerCommand::SettleCharge { charge: MicroUsd(6_000) };
        self.runs.execute(run_id, settle).await.unwrap();
    }

    pub async fn history(&self, run_id: &RunId) -> Vec<Commit<RunEvent>> {
        self.runs.history(run_id).await.unwrap().into_iter().map(|(_, commit)| commit).collect()
    }

    pub async fn deliveries(&self, run_id: &RunId) -> Option<Deliveries> {
        DeliveryLog::new(&self.stores).load(run_id).await.unwrap().map(|loaded| loaded.state)
    }

    /// The outcomes of a run's deliveries, once there are so many.
    pub async fn outcomes(&self, run_id: &RunId, wanted: usize) -> Vec<DeliveryOutcome> {
        let partition = errand_store::LogKey::delivery(run_id).partition(self.stores.log.partitions());
        let mut tail = self.stores.log.tail(partition, TailFrom::Start).await.unwrap();
        let enough = async {
            loop {
                let outcomes: Vec<_> = self
                    .deliveries(run_id)
                    .await
                    .map(|deliveries| deliveries.all.into_iter().filter_map(|delivery| delivery.outcome).collect())
                    .unwrap_or_default();
                if outcomes.len() >= wanted {
                    return outcomes;
                }
                tail.next().await.unwrap().unwrap();
            }
        };
        tokio::time::timeout(DEADLINE, enough).await.unwrap()
    }
}
