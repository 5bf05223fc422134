//! What all simulated processes share, and how one of them sees it.

use errand_browser_worker::WorkerConfig;
use errand_domain::WorkerId;
use errand_notifier::NotifierConfig;
use errand_scheduler::SchedulerConfig;
use errand_store::memory::MemoryStore;
use errand_store::{EventLog, IdSource, RunLog, Sabotage, Stores};
use errand_vault::MasterKey;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinHandle;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::browser::SimBrowser;
use crate::chaos::{Chaos, Rates, SeededIds};
use crate::client::{Errand, Gateway};
use crate::faults::{Acknowledged, FaultyBlobs, FaultyKeyValue, FaultyLog, FaultyQueue, FaultySignals};
use crate::history::RecordedLog;
use crate::planner::SimPlanner;
use crate::process::{Edge, Fate, Process, SimClock};
use crate::receiver::{Receiver, SimNetwork};
use crate::sabotage::{Break, broken};
use crate::shop::Shop;

/// The services that are simulated; gateways are [`Gateway`]s.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Scheduler,
    Notifier,
    Worker,
}

/// One simulation.
#[derive(Debug, Clone)]
pub struct Options {
    pub seed: u64,
    pub rates: Rates,
    pub faults_for: Duration,
    /// `None`: six, as chance makes them.
    pub errands: Option<Vec<Errand>>,
    pub workers: u32,
    /// All workers die while one of the first orders, so many of them, is under way to the shop.
    pub crashes_in_orders: u32,
    /// What befalls the first process of this kind at its so many-th passage through its gate.
    pub fate: Option<(Kind, u64, Fate)>,
    /// Every scheduler and notifier believes that it owns every partition.
    pub grants_every_lease: bool,
    pub sabotage: Option<Break>,
}

impl Options {
    /// A seed says everything.
    pub fn of_seed(seed: u64) -> Self {
        let rates = match seed % 4 {
            0 => Rates::CRASHES,
            1 => Rates::BAD_STORES,
            _ => Rates::STORM,
        };
        Self {
            seed,
            rates,
            faults_for: Duration::from_secs(90),
            errands: None,
            workers: 2 + (seed % 2) as u32,
            crashes_in_orders: 0,
            fate: None,
            grants_every_lease: seed % 8 == 7,
            sabotage: None,
        }
    }

    /// Nothing fails by chance; these errands, and one worker.
    pub fn quiet(seed: u64, errands: Vec<Errand>) -> Self {
        Self {
            rates: Rates::NONE,
            errands: Some(errands),
            workers: 1,
            grants_every_lease: false,
            ..Self::of_seed(seed)
        }
    }
}

/// Everything outside the processes.
#[derive(Debug)]
pub struct World {
    pub options: Options,
    pub began: Instant,
    pub chaos: Arc<Chaos>,
    pub recorded: Arc<RecordedLog>,
    pub acknowledged: Arc<Acknowledged>,
    pub shop: Arc<Shop>,
    pub receiver: Arc<Receiver>,
    pub master_key: Arc<MasterKey>,
    log: Arc<dyn EventLog>,
    memory: MemoryStore,
    ids: Arc<dyn IdSource>,
}

const MASTER_KEY: &str = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";

impl World {
    pub fn new(options: Options) -> Self {
        let began = Instant::now();
        let recorded = Arc::new(RecordedLog::new(began));
        Self {
            began,
            chaos: Arc::new(Chaos::new(options.seed, options.rates)),
            ids: Arc::new(SeededIds::new(!options.seed)),
            log: broken(Arc::clone(&recorded) as _, options.sabotage),
            recorded,
            acknowledged: Arc::default(),
            shop: Arc::default(),
            receiver: Arc::default(),
            master_key: Arc::new(MasterKey::from_hex(MASTER_KEY).expect("64 hex digits")),
            memory: MemoryStore::new(1),
            options,
        }
    }

    pub fn edge(&self, process: &Arc<Process>) -> Edge {
        Edge { process: Arc::clone(process), chaos: Arc::clone(&self.chaos) }
    }

    /// The stores as they are, for who watches the simulation.
    pub fn plain_stores(&self) -> Stores {
        let clock = Arc::new(SimClock { began: self.began, ahead_ms: 0 });
        Stores { log: Arc::clone(&self.recorded) as _, ..self.memory.stores(clock, Arc::clone(&self.ids)) }
    }

    /// The stores as one process sees them; its clock is not quite right.
    pub fn stores(&self, edge: &Edge) -> Stores {
        let plain = self.plain_stores();
        let edge = || edge.clone();
        Stores {
            log: Arc::new(FaultyLog {
                inner: Arc::clone(&self.log),
                recorded: Arc::clone(&self.recorded),
                acknowledged: Arc::clone(&self.acknowledged),
                edge: edge(),
            }),
            queue: Arc::new(FaultyQueue { inner: plain.queue, edge: edge() }),
            keyvalue: Arc::new(FaultyKeyValue {
                inner: plain.keyvalue,
                edge: edge(),
                grants_every_lease: self.options.grants_every_lease,
            }),
            blobs: Arc::new(FaultyBlobs { inner: plain.blobs, edge: edge() }),
            signals: Arc::new(FaultySignals { inner: plain.signals, edge: edge() }),
            clock: Arc::new(SimClock { began: self.began, ahead_ms: self.chaos.below(300) }),
            ids: plain.ids,
        }
    }

    pub fn gateway(&self, number: u32) -> Gateway {
        let stores = self.stores(&self.edge(&Process::new(format!("gateway-{number}"))));
        Gateway { runs: RunLog::new(&stores), stores }
    }

    /// Starts a service; its end is told as text.
    pub fn start(
        &self,
        kind: Kind,
        process: &Arc<Process>,
        shutdown: CancellationToken,
    ) -> JoinHandle<Result<(), String>> {
        let edge = self.edge(process);
        let stores = self.stores(&edge);
        let name = process.name.clone();
        match kind {
            Kind::Scheduler => {
                let service = errand_scheduler::run(SchedulerConfig::new(name), stores, shutdown);
                tokio::spawn(async move { service.await.map_err(|error| format!("{error:?}")) })
            }
            Kind::Notifier => {
                let service = errand_notifier::run(self.notifier_config(name, edge), stores, shutdown);
                tokio::spawn(async move { service.await.map_err(|error| format!("{error:?}")) })
            }
            Kind::Worker => {
                let browser = Arc::new(SimBrowser { shop: Arc::clone(&self.shop), edge: edge.clone() });
                let planner = Arc::new(SimPlanner { edge });
                let config = self.worker_config(&name);
                let service = errand_browser_worker::run(config, stores, browser, planner, shutdown);
                tokio::spawn(async move { service.await.map_err(|error| format!("{error:?}")) })
            }
        }
    }

    fn notifier_config(&self, owner: String, edge: Edge) -> NotifierConfig {
        let network = SimNetwork { receiver: Arc::clone(&self.receiver), edge };
        let sabotage = match self.options.sabotage {
            Some(Break::ResendInDoubt) => Some(Sabotage::ResendInDoubt),
            Some(Break::ClaimAfterSend) => Some(Sabotage::ClaimAfterSend),
            Some(Break::IgnoreExpected | Break::ForgetDoubt) | None => None,
        };
        let config = NotifierConfig::over(owner, Arc::new(network), Arc::clone(&self.master_key));
        NotifierConfig { sabotage, ..config }
    }

    fn worker_config(&self, name: &str) -> WorkerConfig {
        WorkerConfig {
            worker: WorkerId::parse(name).expect("a valid name"),
            sessions_max: 3,
            master_key: Arc::clone(&self.master_key),
            waiting_grace_ms: 20_000,
            act_within_ms: 5_000,
        }
    }
}
