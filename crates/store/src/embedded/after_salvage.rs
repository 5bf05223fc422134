//! Makes a salvaged store safe to serve: what it says may be older than what had happened. A run that is open there is
//! stopped, since its next action may have been carried out; a webhook that it does not know to be settled is in doubt,
//! since it may have been sent.

use errand_domain::delivery::{DeliveryClaimed, DeliveryCommand, due};
use errand_domain::run::GatewayCommand;
use errand_domain::{RunId, Timestamp};
use std::path::Path;
use std::sync::Arc;
use thiserror::Error;

use super::salvage::{Salvaged, copy_whole};
use super::{EmbeddedError, EmbeddedOptions, EmbeddedStore};
use crate::commits::{CommandError, DeliveryLog, LoadError, RunLog};
use crate::{RandomIds, Stores, SystemClock};

/// What `doctor --salvage` reports.
#[derive(Debug)]
pub struct SalvageReport {
    pub salvaged: Salvaged,
    /// Runs that were open in what could be read.
    pub stopped: Vec<RunId>,
    /// Runs with a webhook that may have been sent, and is not sent any more.
    pub in_doubt: Vec<RunId>,
}

/// Why nothing was salvaged.
#[derive(Debug, Error)]
pub enum SalvageError {
    #[error(transparent)]
    Store(#[from] EmbeddedError),
    #[error("a salvaged run cannot be read")]
    Load(#[from] LoadError),
    #[error("a salvaged run cannot be closed")]
    Command(#[from] CommandError),
    #[error("copying was cut short")]
    CutShort,
}

/// Copies what is whole of the store in `from` into a new folder, and makes that safe to serve.
///
/// # Errors
/// When `from` is in use or no store, or `to` cannot be written.
pub async fn salvage(from: &Path, to: &Path) -> Result<SalvageReport, SalvageError> {
    let (source, target) = (from.to_owned(), to.to_owned());
    let copied = tokio::task::spawn_blocking(move || copy_whole(&source, &target)).await;
    let salvaged = copied.map_err(|_| SalvageError::CutShort)??;
    let options = EmbeddedOptions { partitions: salvaged.partitions, ..EmbeddedOptions::default() };
    let store = EmbeddedStore::open(to, &options)?;
    let stores = store.stores(Arc::new(SystemClock), Arc::new(RandomIds));
    let mut report = SalvageReport { salvaged, stopped: Vec::new(), in_doubt: Vec::new() };
    let closed = if report.salvaged.damage.is_some() { close_runs(&stores, &mut report).await } else { Ok(()) };
    drop(stores);
    store.close().await;
    closed.map(|()| report)
}

async fn close_runs(stores: &Stores, report: &mut SalvageReport) -> Result<(), SalvageError> {
    let (runs, deliveries) = (RunLog::new(stores), DeliveryLog::new(stores));
    for run_id in report.salvaged.runs.clone() {
        let loaded = match runs.load(&run_id).await {
            Ok(Some(loaded)) => loaded,
            Ok(None) | Err(LoadError::Deleted { .. }) => continue,
            Err(error) => return Err(error.into()),
        };
        if loaded.state.finished_at().is_none() {
            runs.execute(&run_id, GatewayCommand::Stop).await?;
            report.stopped.push(run_id.clone());
        }
        if loaded.state.spec.webhook.is_some() && doubt_webhooks(stores, &runs, &deliveries, &run_id).await? {
            report.in_doubt.push(run_id);
        }
    }
    Ok(())
}

/// Settles every webhook of a run that is due or under way; true when there was one.
async fn doubt_webhooks(
    stores: &Stores,
    runs: &RunLog,
    deliveries: &DeliveryLog,
    run_id: &RunId,
) -> Result<bool, SalvageError> {
    let history: Vec<_> = runs.history(run_id).await?.into_iter().map(|(_, commit)| commit).collect();
    let mut is_any = false;
    // Each round settles one event, and a run has no more of them than commits.
    for _ in 0..=history.len() {
        let state = deliveries.load(run_id).await?.map(|loaded| loaded.state);
        if let Some(open) = state.as_ref().and_then(|state| state.open()) {
            deliveries.execute(run_id, DeliveryCommand::ResolveInDoubt { n: open.claim.n }).await?;
            is_any = true;
            continue;
        }
        let Some((event_seq, event)) = due(&history, state.as_ref()) else { break };
        let n = state.as_ref().map_or(1, |state| state.all.len() as u32 + 1);
        let deadline: Timestamp = stores.clock.now();
        let claim = DeliveryClaimed { n, event_seq, event, epoch: "salvage".to_owned(), deadline };
        deliveries.execute(run_id, DeliveryCommand::Claim(claim)).await?;
    }
    Ok(is_any)
}
