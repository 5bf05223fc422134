//! What all calls share, and the questions they all ask first.

use errand_domain::AccountId;
use errand_domain::RunId;
use errand_domain::run::Run;
use errand_store::{DeliveryLog, LoadError, Loaded, RunLog, Stores};
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

use crate::config::GatewayConfig;
use crate::fault::{Fault, FaultKind};
use crate::hub::Hub;
use crate::limits::{STREAMS_MAX, STREAMS_RETRY_S};
use crate::owners::Owners;
use crate::recent::RecentIndex;
use crate::rest::Caller;
use crate::shares::{Share, Shares};
use crate::tombstones;

/// One gateway.
#[derive(Debug)]
pub(crate) struct App {
    pub config: GatewayConfig,
    pub stores: Stores,
    pub runs: RunLog,
    pub deliveries: DeliveryLog,
    pub hub: Arc<Hub>,
    pub owners: Owners,
    pub recent: RecentIndex,
    pub shutdown: CancellationToken,
    streams: Arc<Semaphore>,
    account_streams: Arc<Shares>,
}

/// A place among the live streams; it is free again when this is dropped.
#[derive(Debug)]
pub(crate) struct StreamPlace {
    _among_all: OwnedSemaphorePermit,
    _of_account: Share,
}

impl App {
    pub(crate) fn new(config: GatewayConfig, stores: Stores, hub: Arc<Hub>, shutdown: CancellationToken) -> Self {
        Self {
            runs: RunLog::new(&stores),
            deliveries: DeliveryLog::new(&stores),
            account_streams: Shares::new(config.account_streams),
            config,
            stores,
            hub,
            owners: Owners::default(),
            recent: RecentIndex::default(),
            shutdown,
            streams: Arc::new(Semaphore::new(STREAMS_MAX)),
        }
    }

    /// The run as of now, if the caller may see it. Another account's run looks like one that never was.
    ///
    /// # Errors
    /// 404, 410 after its deletion, or what the store said.
    pub(crate) async fn visible_run(&self, caller: &Caller, id: &str) -> Result<Loaded<Run>, Fault> {
        let run_id = RunId::parse(id).map_err(|_| Fault::run_not_found())?;
        match self.runs.load(&run_id).await {
            Ok(Some(loaded)) if !caller.may_see(&loaded.state.spec.account) => Err(Fault::run_not_found()),
            Ok(Some(loaded)) if loaded.state.is_deleted() => Err(Fault::run_deleted()),
            Ok(Some(loaded)) => Ok(loaded),
            Ok(None) => Err(Fault::run_not_found()),
            Err(LoadError::Deleted { .. }) => Err(self.deleted_fault(caller, &run_id).await?),
            Err(error) => Err(error.into()),
        }
    }

    /// 410 for the account that had the run, 404 for others.
    async fn deleted_fault(&self, caller: &Caller, run_id: &RunId) -> Result<Fault, Fault> {
        let owner = tombstones::owner(&*self.stores.keyvalue, run_id).await?;
        let is_foreign = owner.is_some_and(|owner: AccountId| !caller.may_see(&owner));
        Ok(if is_foreign { Fault::run_not_found() } else { Fault::run_deleted() })
    }

    /// # Errors
    /// When the account has all its live streams, or all accounts together have [`STREAMS_MAX`].
    pub(crate) fn take_stream(&self, account: &AccountId) -> Result<StreamPlace, Fault> {
        let of_account = self.account_streams.take(account).ok_or_else(|| self.too_many_streams())?;
        let full = |_| Fault::new(FaultKind::Unavailable, "too_many_streams", "the server has too many live streams");
        let among_all = Arc::clone(&self.streams).try_acquire_owned().map_err(full)?;
        Ok(StreamPlace { _among_all: among_all, _of_account: of_account })
    }

    fn too_many_streams(&self) -> Fault {
        let max = self.account_streams.each_max();
        let message = format!("the account has {max} live streams, which is its limit; close one first");
        let fault = Fault::new(FaultKind::TooMany, "too_many_streams", message);
        Fault { retry_after_s: Some(STREAMS_RETRY_S), ..fault }
    }
}
