//! All four services in one process on the embedded store, as `serve` and `run` start them.

use anyhow::{Context, bail};
use errand_browser::{LaunchOptions, find_certutil, find_executable};
use errand_browser_worker::{ChromiumDriver, RulesPlanner, WorkerConfig, default_sessions};
use errand_domain::{AccountId, WorkerId};
use errand_egress::{AddressPolicy, Dialer, HostRules, tls_client_config};
use errand_gateway::{GatewayConfig, GatewayHandle, ensure_key, key_record};
use errand_notifier::NotifierConfig;
use errand_read::{Chromium, Reader};
use errand_scheduler::SchedulerConfig;
use errand_store::embedded::{EmbeddedOptions, EmbeddedStore};
use errand_store::{Bucket, RandomIds, Stores, SystemClock};
use errand_vault::{ApiKey, MasterKey};
use metrics_exporter_prometheus::PrometheusBuilder;
use secrecy::{ExposeSecret, SecretString};
use std::io::Write;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use thiserror::Error;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::config::Config;
use crate::machine;

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
        let master_key = Arc::new(master_key(config, &stores).await?);
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
        let mut gateway = GatewayConfig::new(config.listen, Arc::clone(&master_key));
        gateway.prices = config.prices;
        gateway.models.clone_from(&config.models);
        gateway.retention = Duration::from_secs(u64::from(config.retention_days) * 24 * 3_600);
        let launch = launch_options(config);
        let chromium = Chromium::new(launch.clone(), dialer.clone());
        gateway.reader = Some(Reader::new(dialer.clone(), Arc::new(chromium)));
        gateway.metrics = PrometheusBuilder::new().install_recorder().ok();
        let gateway = errand_gateway::serve(gateway, stores.clone(), shutdown.clone()).await?;
        let mut services = JoinSet::new();
        let scheduler = scheduler_config(config, &owner);
        services.spawn(ended("scheduler", errand_scheduler::run(scheduler, stores.clone(), shutdown.clone())));
        let mut notifier = NotifierConfig::new(owner.clone(), dialer.clone(), Arc::clone(&master_key));
        notifier.prices = config.prices;
        services.spawn(ended("notifier", errand_notifier::run(notifier, stores.clone(), shutdown.clone())));
        let driver = Arc::new(ChromiumDriver::new(launch, dialer));
        let worker = worker_config(config, &owner, master_key)?;
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
        Some(_) | None if config.extra_ca.is_some() && find_certutil().is_none() => Err(NoBrowser::NoCertutil),
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
    #[error("Chromium needs certutil to trust the extra CA (Debian: apt-get install libnss3-tools)")]
    NoCertutil,
}

/// The system's certificates, and the configured ones beside them.
pub fn tls(config: &Config) -> anyhow::Result<Arc<rustls::ClientConfig>> {
    Ok(tls_client_config(config.extra_ca.as_deref())?)
}

/// The configured master key, or the one in the data folder, made on first start.
async fn master_key(config: &Config, stores: &Stores) -> anyhow::Result<MasterKey> {
    if let Some(given) = &config.master_key {
        return Ok(given.clone());
    }
    let file = config.data_dir.join("master.key");
    if file.exists() {
        let content = std::fs::read(&file).with_context(|| format!("cannot read {}", file.display()))?;
        return MasterKey::from_file_content(&content).with_context(|| format!("{}", file.display()));
    }
    if holds_runs_or_secrets(stores).await? {
        bail!(
            "{} is missing, and the data folder holds runs or secrets that only its key opens: put the file back, or set \
             \"master_key\" to the key that was used",
            file.display()
        );
    }
    let key = MasterKey::generate(&mut rand::rng());
    write_private(&file, key.to_hex().expose_secret())?;
    Ok(key)
}

/// Whether anything was sealed, or promised a webhook secret, under an earlier master key.
async fn holds_runs_or_secrets(stores: &Stores) -> anyhow::Result<bool> {
    for bucket in [Bucket::Secrets, Bucket::Profiles, Bucket::Idempotency, Bucket::Recent] {
        if !stores.keyvalue.keys(bucket, "").await?.is_empty() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Writes a file that only its owner may read: whole and on disk under its name, or not at all.
fn write_private(file: &Path, text: &str) -> anyhow::Result<()> {
    let write = || {
        let folder = file.parent().unwrap_or(Path::new("."));
        let mut unfinished = tempfile::NamedTempFile::new_in(folder)?;
        unfinished.write_all(text.as_bytes())?;
        unfinished.as_file().sync_all()?;
        unfinished.persist_noclobber(file)?;
        std::fs::File::open(folder)?.sync_all()
    };
    write().with_context(|| format!("cannot write {}", file.display()))
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

#[cfg(test)]
mod tests {
    use super::*;
    use errand_store::memory::MemoryStore;
    use std::collections::BTreeMap;
    use std::os::unix::fs::PermissionsExt;

    #[tokio::test]
    async fn a_master_key_is_made_once_and_never_beside_data_of_another() {
        let dir = tempfile::tempdir().unwrap();
        let mut config = Config::load(None, &BTreeMap::new()).unwrap();
        config.data_dir = dir.path().to_path_buf();
        let stores = MemoryStore::new(1).stores(Arc::new(SystemClock), Arc::new(RandomIds));
        let made = master_key(&config, &stores).await.unwrap();
        let file = dir.path().join("master.key");
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1, "nothing unfinished is left");
        stores.keyvalue.put(Bucket::Secrets, "a/b", "sealed".into()).await.unwrap();
        assert_eq!(master_key(&config, &stores).await.unwrap().id(), made.id());
        std::fs::remove_file(&file).unwrap();
        let refused = master_key(&config, &stores).await.unwrap_err().to_string();
        assert!(refused.contains("master.key is missing"), "{refused}");
        assert!(!file.exists());
    }
}
