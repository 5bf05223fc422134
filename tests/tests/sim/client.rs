//! Clients: each creates one run through whichever gateway answers, replies to its pauses, perhaps stops it, and checks
//! that no answer is older than what it was told.

use errand_domain::price::PriceTable;
use errand_domain::run::{self, GatewayCommand, Pause, Phase, Reply, Run, RunRequest};
use errand_domain::{AccountId, CommitId, RunId};
use errand_store::{CommandError, RunLog, Stores};
use serde_json::{Value, json};
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout};

use crate::chaos::Chaos;
use crate::shop::{Address, Shop};

/// The note of a person who found that an action in doubt had happened.
pub const HAS_HAPPENED: &str = "it has happened";

/// After so long a client asks another gateway.
const PATIENCE: Duration = Duration::from_secs(20);
/// A person looks into the shop's own books no earlier than this after an action came into doubt, when nothing of it can
/// be under way any more.
const LOOKS_AFTER_MS: u64 = 30_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Task {
    /// Order one lamp; the policy as in SPEC §1.
    Order { approve: &'static str },
    /// Leaf through a newspaper to this issue.
    Read { issue: u32 },
}

/// What one client wants, and what it is like.
#[derive(Debug, Clone)]
pub struct Errand {
    pub number: u32,
    pub task: Task,
    pub starts_after: Duration,
    pub has_webhook: bool,
    pub wants_data: bool,
    /// `None`: nobody ever replies.
    pub approves: Option<bool>,
    pub stops_after: Option<Duration>,
}

impl Errand {
    /// A client of this number, as chance makes it.
    pub fn by_chance(number: u32, chaos: &Chaos) -> Self {
        let policy = ["risky", "risky", "risky", "always", "never"][chaos.below(5) as usize];
        let is_order = chaos.below(3) > 0;
        let task =
            if is_order { Task::Order { approve: policy } } else { Task::Read { issue: chaos.below(5) as u32 + 1 } };
        let approves = match chaos.below(20) {
            0 => None,
            1 | 2 => Some(false),
            _ => Some(true),
        };
        Self {
            number,
            task,
            starts_after: chaos.ms(0..20_000),
            has_webhook: chaos.below(4) > 0,
            wants_data: chaos.below(2) == 0,
            approves,
            stops_after: (chaos.below(12) == 0).then(|| chaos.ms(1_000..60_000)),
        }
    }

    fn body(&self) -> Value {
        let (goal, page, approve) = match self.task {
            Task::Order { approve } => ("Order one brass desk lamp".to_owned(), "product", approve),
            Task::Read { issue } => (format!("Leaf through to issue {issue}"), "0", "risky"),
        };
        let mut body = json!({
            "goal": goal, "start_url": Address::url(self.number, page), "approve": approve, "human_timeout_s": 300,
        });
        if self.has_webhook {
            body["webhook"] = json!(format!("https://hooks.test/{}", self.number));
        }
        if self.wants_data {
            body["output_schema"] = json!({"order_number": "string", "headline": "string"});
        }
        body
    }
}

/// A gateway, as far as it appends and reads.
#[derive(Debug, Clone)]
pub struct Gateway {
    pub stores: Stores,
    pub runs: RunLog,
}

/// What a client was told, for the checks at the end.
#[derive(Debug, Clone)]
pub struct Told {
    pub run_id: RunId,
    pub errand: Errand,
    pub commits: Vec<CommitId>,
    /// Faults that the client itself saw.
    pub complaints: Vec<String>,
}

/// What all clients share.
#[derive(Debug)]
pub struct Clients {
    pub gateways: Vec<Gateway>,
    pub chaos: Arc<Chaos>,
    pub shop: Arc<Shop>,
    pub master_key_id: String,
    pub told: Mutex<Vec<Told>>,
}

impl Clients {
    fn gateway(&self) -> &Gateway {
        &self.gateways[self.chaos.below(self.gateways.len() as u64) as usize]
    }

    fn report(&self, told: Told) {
        self.told.lock().unwrap_or_else(PoisonError::into_inner).push(told);
    }
}

/// Carries one client's errand through, until its run has finished.
pub async fn run_errand(clients: Arc<Clients>, errand: Errand) {
    sleep(errand.starts_after).await;
    let gateway = clients.gateway();
    let (ids, clock) = (&gateway.stores.ids, &gateway.stores.clock);
    let run_id = RunId::new(clock.now(), ids.random_u128() as u64);
    let commit_id = CommitId(ids.random_u128());
    let stops_at = errand.stops_after.map(|after| Instant::now() + after);
    let told = Told { run_id, errand, commits: vec![commit_id], complaints: Vec::new() };
    let mut client = Client { clients: &clients, told, last_seq: 0, stops_at };
    client.create(commit_id).await;
    client.follow().await;
    let told = client.told;
    clients.report(told);
}

struct Client<'a> {
    clients: &'a Clients,
    told: Told,
    /// The newest state it was told of.
    last_seq: u64,
    stops_at: Option<Instant>,
}

impl Client<'_> {
    async fn pause(&self, ms: std::ops::Range<u64>) {
        sleep(self.clients.chaos.ms(ms)).await;
    }

    /// Asks gateways until one answers.
    async fn ask<T, F: Future<Output = Option<T>>>(&self, question: impl Fn(Gateway) -> F) -> T {
        loop {
            let gateway = self.clients.gateway().clone();
            if let Ok(Some(answer)) = timeout(PATIENCE, question(gateway)).await {
                return answer;
            }
            self.pause(100..1_000).await;
        }
    }

    /// As the gateway does it under an idempotency key: the same commit, until its run is there.
    async fn create(&mut self, commit_id: CommitId) {
        let account = AccountId::parse("default").expect("a valid name");
        let request = RunRequest::parse(&self.told.errand.body(), account, self.clients.master_key_id.clone());
        let spec = request.expect("a valid request").into_spec();
        let events = run::create(spec, &PriceTable::default());
        let run_id = self.told.run_id.clone();
        let created = self
            .ask(|gateway| {
                let (run_id, events) = (run_id.clone(), events.clone());
                async move {
                    let created = gateway.runs.create(&run_id, commit_id, events).await;
                    // Another gateway's append of the same commit has another time: what is stored counts.
                    gateway.runs.forget(&run_id);
                    match created {
                        Ok(committed) => Some(Ok(committed.commit.id)),
                        Err(error @ CommandError::Exists { .. }) => Some(Err(error)),
                        Err(_) => None,
                    }
                }
            })
            .await;
        self.last_seq = 1;
        if created.as_ref().ok() != Some(&commit_id) {
            self.told.complaints.push(format!("its own creation was not found again: {created:?}"));
        }
    }

    async fn load(&mut self) -> Run {
        let run_id = self.told.run_id.clone();
        let run = self
            .ask(|gateway| {
                let run_id = run_id.clone();
                async move { Some(gateway.runs.load(&run_id).await.ok()??.state) }
            })
            .await;
        if run.seq < self.last_seq {
            self.told.complaints.push(format!("was told of commit {}, then of {}", self.last_seq, run.seq));
        }
        self.last_seq = self.last_seq.max(run.seq);
        run
    }

    async fn follow(&mut self) {
        loop {
            let run = self.load().await;
            match &run.phase {
                Phase::Finished { .. } | Phase::Deleted => return,
                Phase::Waiting { pause, .. } => self.reply(pause).await,
                Phase::Ready { .. } | Phase::Stepping { .. } | Phase::Concluding { .. } => {}
            }
            if self.stops_at.is_some_and(|at| at <= Instant::now()) {
                self.command(GatewayCommand::Stop).await;
            }
            self.pause(500..3_000).await;
        }
    }

    async fn reply(&mut self, pause: &Pause) {
        let is_in_doubt = pause.proposal.as_ref().is_some_and(|proposal| proposal.in_doubt);
        let think_ms = if is_in_doubt { LOOKS_AFTER_MS..LOOKS_AFTER_MS + 20_000 } else { 500..15_000 };
        let Some(approves) = self.told.errand.approves else { return };
        self.pause(think_ms).await;
        let has_happened = is_in_doubt && self.clients.shop.orders_of(self.told.errand.number) > 0;
        let reply = if has_happened {
            Reply::Refuse { note: Some(HAS_HAPPENED.to_owned()) }
        } else if approves {
            Reply::Approve
        } else {
            Reply::Refuse { note: None }
        };
        self.command(GatewayCommand::Reply { pause: Some(pause.number), reply }).await;
    }

    /// Gives a command until it is stored or no longer fits.
    async fn command(&mut self, command: GatewayCommand) {
        let run_id = self.told.run_id.clone();
        let stored = self
            .ask(|gateway| {
                let (run_id, command) = (run_id.clone(), command.clone());
                async move {
                    match gateway.runs.execute(&run_id, command).await {
                        Ok(committed) => Some(Some(committed.commit)),
                        Err(error) if error.is_rejection() => Some(None),
                        Err(_) => None,
                    }
                }
            })
            .await;
        if let Some(commit) = stored {
            self.last_seq = self.last_seq.max(commit.seq);
            self.told.commits.push(commit.id);
        }
    }
}
