//! All four services in one process on the embedded store, as `serve` and `run` start them.

use anyhow::{Context, bail};
use errand_browser::{LaunchOptions, find_executable};
use errand_browser_worker::{ChromiumDriver, RulesPlanner, WorkerConfig, default_sessions};
use errand_domain::{AccountId, WorkerId};
use errand_egress::{AddressPolicy, Dialer, HostRules, tls_client_config};
use errand_gateway::{GatewayConfig, GatewayHandle, ensure_key, key_record};
use errand_notifier::NotifierConfig;
use errand_read::{Chromium, Reader};
use errand_scheduler::SchedulerConfig;
use errand_store::embedded::{EmbeddedOptions, EmbeddedStore};
use errand_store::{RandomIds, Stores, SystemClock};
use errand_vault::{ApiKey, MasterKey};
use metrics_exporter_prometheus::PrometheusBuilder;
use secrecy::SecretString;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use thiserror::Error;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::config::Config;
use crate::{machine, master_key};

/// A running server.
pub struct Server {
    pub address: SocketAddr,
    /// A key of the account `default`; only when it was given or just made.
    pub api_key: Option<SecretString>,
    shutdown: CancellationToken,
    gateway: GatewayHandle,
    services: JoinSet<anyhow::Result<()>>,
}

impl Server {
    /// Opens the store and starts the services. When this returns, the API answers.
    pub async fn start(config: &Config) -> anyhow::Result<Self> {
        let store = open_stores(config).await?;
        let stores = store.stores(Arc::new(SystemClock), Arc::new(RandomIds));
        let master_key = Arc::new(master_key::of(config, &stores).await?);
        let api_key = first_key(config, &stores).await?;
        let mut server = Self::start_services(config, stores, master_key, api_key).await?;
        server.services.spawn(watch_store(store, server.shutdown.clone()));
        Ok(server)
    }

    async fn start_services(
        config: &Config,
        stores: Stores,
        master_key: Arc<MasterKey>,
        api_key: Option<SecretString>,
    ) -> anyhow::Result<Self> {
        let shutdown = CancellationToken::new();
        let owner = format!("{:032x}", stores.ids.random_u128());
        let dialer = dialer(config)?;
        let gateway = gateway_config(config, &master_key, &dialer);
        let gateway = errand_gateway::serve(gateway, stores.clone(), shutdown.clone()).await?;
        let mut services = JoinSet::new();
        let worker = worker_config(config, &owner, master_key.clone())?;
        let mut scheduler = scheduler_config(config, &owner);
        // The store's lock keeps every other process out.
        scheduler.sole_worker = Some(worker.worker.clone());
        services.spawn(ended("scheduler", errand_scheduler::run(scheduler, stores.clone(), shutdown.clone())));
        let mut notifier = NotifierConfig::new(owner.clone(), dialer.clone(), Arc::clone(&master_key));
        notifier.prices = config.prices;
        services.spawn(ended("notifier", errand_notifier::run(notifier, stores.clone(), shutdown.clone())));
        let driver = Arc::new(driver(config, dialer));
        let work = errand_browser_worker::run(worker, stores, driver, Arc::new(RulesPlanner), shutdown.clone());
        services.spawn(ended("browser-worker", work));
        Ok(Self { address: gateway.address(), api_key, shutdown, gateway, services })
    }

    /// Waits until a service ends by itself, which none does unless it failed.
    pub async fn failed(&mut self) -> anyhow::Error {
        match self.services.join_next().await {
            Some(Ok(Err(error))) => error,
            Some(Ok(Ok(()))) | None => anyhow::anyhow!("a service ended"),
            Some(Err(error)) => anyhow::anyhow!(error).context("a service died"),
        }
    }

    /// Takes nothing new, finishes what is held, and ends.
    pub async fn stop(mut self) -> anyhow::Result<()> {
        self.shutdown.cancel();
        let mut outcome = Ok(());
        while let Some(ended) = self.services.join_next().await {
            outcome = outcome.and(ended.map_err(anyhow::Error::from).flatten());
        }
        self.gateway.ended().await?;
        outcome
    }
}

/// The embedded store in the configured folder, which is made when it is not there.
pub async fn open_stores(config: &Config) -> anyhow::Result<EmbeddedStore> {
    let options = EmbeddedOptions { partitions: config.partitions, ..EmbeddedOptions::default() };
    let data_dir = config.data_dir.clone();
    Ok(tokio::task::spawn_blocking(move || EmbeddedStore::open(data_dir, &options)).await??)
}

/// A store that cannot write is opened anew by the next process: this one ends, so that its supervisor starts that.
async fn watch_store(store: EmbeddedStore, shutdown: CancellationToken) -> anyhow::Result<()> {
    tokio::select! {
        () = shutdown.cancelled() => Ok(()),
        () = store.failed() => bail!("the store cannot write any more (see the log); start the server again"),
    }
}

async fn ended<E: std::error::Error + Send + Sync + 'static>(
    name: &'static str,
    service: impl Future<Output = Result<(), E>>,
) -> anyhow::Result<()> {
    let ended = service.await.with_context(|| format!("the {name} stopped"));
    if let Err(error) = &ended {
        tracing::error!(service = name, error = format!("{error:#}"), "service stopped");
    }
    ended
}

fn scheduler_config(config: &Config, owner: &str) -> SchedulerConfig {
    let mut scheduler = SchedulerConfig::new(owner);
    scheduler.prices = config.prices;
    scheduler.claim_lease_ms = u64::from(config.claim_lease_s) * 1_000;
    scheduler
}

fn worker_config(config: &Config, owner: &str, master_key: Arc<MasterKey>) -> anyhow::Result<WorkerConfig> {
    let sessions =
        config.worker_sessions.unwrap_or_else(|| default_sessions(machine::memory_bytes(), machine::cores()));
    Ok(WorkerConfig {
        worker: WorkerId::parse(&format!("worker-{owner}"))?,
        sessions_max: sessions,
        master_key,
        waiting_grace_ms: u64::from(config.waiting_grace_s) * 1_000,
        act_within_ms: u64::from(config.claim_lease_s) * 1_000 / 2,
    })
}

fn gateway_config(config: &Config, master_key: &Arc<MasterKey>, dialer: &Dialer) -> GatewayConfig {
    let mut gateway = GatewayConfig::new(config.listen, Arc::clone(master_key));
    gateway.prices = config.prices;
    gateway.models.clone_from(&config.models);
    gateway.retention = Duration::from_secs(u64::from(config.retention_days) * 24 * 3_600);
    gateway.reader = Some(reader(config, dialer));
    gateway.connections_max = machine::connections_max(machine::open_files());
    gateway.account_streams = config.account_streams.unwrap_or(gateway.account_streams);
    gateway.metrics = PrometheusBuilder::new().install_recorder().ok();
    gateway
}

fn reader(config: &Config, dialer: &Dialer) -> Reader {
    let chromium = Chromium::new(launch_options(config), dialer.clone());
    let reader = Reader::new(dialer.clone(), Arc::new(chromium));
    match config.account_reads {
        Some(reads) => reader.with_asker_reads_max(reads),
        None => reader,
    }
}

fn driver(config: &Config, dialer: Dialer) -> ChromiumDriver {
    let driver = ChromiumDriver::new(launch_options(config), dialer);
    match config.worker_browsers {
        Some(browsers) => driver.with_browsers_max(browsers),
        None => driver,
    }
}

fn dialer(config: &Config) -> anyhow::Result<Dialer> {
    let hosts = HostRules::parse(config.allow_hosts.iter().map(String::as_str)).context("allow_hosts")?;
    let mut addresses = AddressPolicy::public_only().allowing_networks(config.allow_networks.iter().copied());
    if !config.allow_hosts.is_empty() {
        addresses = addresses.allowing_hosts(hosts);
    }
    Ok(Dialer::new(addresses, tls(config)?))
}

/// How this configuration starts a browser.
pub fn launch_options(config: &Config) -> LaunchOptions {
    LaunchOptions { executable: config.chromium.clone(), extra_ca: config.extra_ca.clone(), ..LaunchOptions::default() }
}

/// Whether there is a browser to work with; otherwise what to do about it. Whether it starts is seen when it is wanted.
pub fn check_browser(config: &Config) -> Result<(), NoBrowser> {
    match &config.chromium {
        Some(named) if !named.is_file() => Err(NoBrowser::Named { executable: named.clone() }),
        None if find_executable().is_none() => Err(NoBrowser::NotFound),
        Some(_) | None => Ok(()),
    }
}

/// No run can be carried out.
#[derive(Debug, Error)]
pub enum NoBrowser {
    #[error("there is no Chromium on this machine; `errand doctor` says how to get one")]
    NotFound,
    #[error("there is no {}, which the settings name as Chromium; `errand doctor` says how to get one", executable.display())]
    Named { executable: PathBuf },
}

/// The system's certificates, and the configured ones beside them.
pub fn tls(config: &Config) -> anyhow::Result<Arc<rustls::ClientConfig>> {
    Ok(tls_client_config(config.extra_ca.as_deref())?)
}

/// The configured key; or, when there is none at all, a new one, which is shown once.
async fn first_key(config: &Config, stores: &Stores) -> anyhow::Result<Option<SecretString>> {
    let account = AccountId::parse("default")?;
    let record = key_record(account, false, "first key", stores.clock.now());
    if let Some(given) = &config.api_key {
        let key = SecretString::from(given.0.clone());
        ensure_key(&*stores.keyvalue, &key, record).await?;
        return Ok(Some(key));
    }
    if !errand_gateway::list_keys(&*stores.keyvalue).await?.is_empty() {
        return Ok(None);
    }
    let key = ApiKey::generate(&mut rand::rng());
    ensure_key(&*stores.keyvalue, key.secret(), record).await?;
    Ok(Some(key.secret().clone()))
}
