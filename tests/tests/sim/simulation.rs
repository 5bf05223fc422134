//! One simulation from its first commit to the checks.

use errand_domain::delivery::{self, Deliveries};
use errand_domain::run::{Commit, Run, RunEvent};
use errand_store::{DeliveryLog, LogKind, RunLog};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};

use crate::check::{Evidence, Violation, check};
use crate::client::{Clients, Errand, Told, run_errand};
use crate::cluster::Cluster;
use crate::history::StoredCommit;
use crate::world::{Options, World};

/// Without faults, everything comes to its end within this virtual time: a pause that nobody ends lasts five minutes, a
/// run ten, each loss of a worker ten seconds.
const CALM_MAX: Duration = Duration::from_secs(40 * 60);
const ERRANDS: u32 = 6;

/// What became of a simulation.
#[derive(Debug)]
pub struct Outcome {
    pub stored: Vec<StoredCommit>,
    pub violations: Vec<Violation>,
    pub conflicts: u64,
    pub crashes: u32,
    pub halts: u32,
    /// Orders that reached the shop, by errand.
    pub orders: BTreeMap<u32, u32>,
}

/// Runs one simulation on this thread, in virtual time.
pub fn simulate(options: Options) -> Outcome {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    runtime.expect("a runtime without IO").block_on(run(options))
}

async fn run(options: Options) -> Outcome {
    let world = World::new(options);
    let errands = world.options.errands.clone();
    let errands =
        errands.unwrap_or_else(|| (1..=ERRANDS).map(|number| Errand::by_chance(number, &world.chaos)).collect());
    let clients = Arc::new(Clients {
        gateways: vec![world.gateway(1), world.gateway(2)],
        chaos: Arc::clone(&world.chaos),
        shop: Arc::clone(&world.shop),
        master_key_id: world.master_key.id().to_string(),
        told: Mutex::default(),
    });
    let mut going: JoinSet<()> = JoinSet::new();
    for errand in errands {
        going.spawn(run_errand(Arc::clone(&clients), errand));
    }
    let mut cluster = Cluster::start(&world);
    cluster.storm(Instant::now() + world.options.faults_for).await;
    world.chaos.stop();
    cluster.calm();
    let has_ended = end(&world, &mut cluster, &mut going).await;
    let told = std::mem::take(&mut *clients.told.lock().unwrap_or_else(PoisonError::into_inner));
    let views = if has_ended { views(&clients, &told).await } else { Vec::new() };
    let evidence = Evidence { world: &world, told: &told, views: &views, service_faults: &cluster.faults, has_ended };
    let violations = check(&evidence);
    let (conflicts, orders) = (world.recorded.conflicts(), world.shop.all_orders());
    let (crashes, halts) = (cluster.crashes, cluster.halts);
    Outcome { stored: world.recorded.stored(), violations, conflicts, crashes, halts, orders }
}

/// Every run as each gateway folded it, a few commits at a time.
async fn views(clients: &Clients, told: &[Told]) -> Vec<Run> {
    let mut views = Vec::new();
    for gateway in &clients.gateways {
        for told in told {
            let loaded = gateway.runs.load(&told.run_id).await.ok().flatten();
            views.extend(loaded.map(|loaded| loaded.state));
        }
    }
    views
}

/// Waits until every client is done and every run settled and told; false when that takes too long.
async fn end(world: &World, cluster: &mut Cluster<'_>, going: &mut JoinSet<()>) -> bool {
    let deadline = Instant::now() + CALM_MAX;
    while Instant::now() < deadline {
        while going.try_join_next().is_some() {}
        match is_settled(world).await {
            Some(true) if going.is_empty() => return true,
            Some(_) => {}
            None => return false,
        }
        cluster.tick().await;
        sleep(Duration::from_secs(1)).await;
    }
    false
}

/// Whether nothing is left to do for any run; `None` when a log cannot be read, which never becomes better.
async fn is_settled(world: &World) -> Option<bool> {
    let stores = world.plain_stores();
    let (runs, deliveries) = (RunLog::new(&stores), DeliveryLog::new(&stores));
    let stored = world.recorded.stored();
    let run_ids: BTreeSet<_> =
        stored.iter().filter(|commit| commit.key.kind == LogKind::Run).map(|commit| &commit.key.run_id).collect();
    for run_id in run_ids {
        let run = runs.load(run_id).await.ok()??.state;
        let history = runs.history(run_id).await.ok()?;
        let history: Vec<Commit<RunEvent>> = history.into_iter().map(|(_, commit)| commit).collect();
        let deliveries = deliveries.load(run_id).await.ok()?.map(|loaded| loaded.state);
        if !is_run_settled(&run, &history, deliveries.as_ref()) {
            return Some(false);
        }
    }
    Some(true)
}

fn is_run_settled(run: &Run, history: &[Commit<RunEvent>], deliveries: Option<&Deliveries>) -> bool {
    let is_told = run.spec.webhook.is_none()
        || delivery::due(history, deliveries).is_none() && deliveries.and_then(Deliveries::open).is_none();
    run.charge.is_some() && is_told
}
