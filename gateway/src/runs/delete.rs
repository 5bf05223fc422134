//! Removes a finished run for good (DESIGN §9): tombstone first, then blobs, then the history before the tombstone.

use errand_domain::delivery::due;
use errand_domain::run::{GatewayCommand, Run};
use errand_domain::{RunId, Timestamp};
use errand_store::{LoadError, Loaded, LogKey, Position};
use serde_json::{Value, json};

use crate::app::App;
use crate::fault::{Fault, FaultKind};
use crate::rest::Caller;
use crate::tombstones;

/// `{"id", "object": "browser_run", "deleted": true}`. A call after one that broke off finishes the clean-up.
///
/// # Errors
/// 409 unless the run is finished and its webhooks are done; 404; 410 when it was deleted before.
pub(crate) async fn delete(app: &App, caller: &Caller, id: &str) -> Result<Value, Fault> {
    let run_id = RunId::parse(id).map_err(|_| Fault::run_not_found())?;
    let tombstone = match app.runs.load(&run_id).await {
        Ok(Some(Loaded { state, head })) if state.is_deleted() && caller.may_see(&state.spec.account) => (state, head),
        // The history is gone: nothing is left to do, and the answer is whatever any call gets.
        Ok(_) | Err(LoadError::Deleted { .. }) => {
            let run = app.visible_run(caller, id).await?.state;
            append_tombstone(app, &run).await?
        }
        Err(error) => return Err(error.into()),
    };
    remove(app, &tombstone.0, tombstone.1).await?;
    Ok(json!({"id": run_id, "object": "browser_run", "deleted": true}))
}

/// Deletes a run that finished at or before `cutoff`; true when nothing of it is left.
///
/// # Errors
/// What the store said.
pub(crate) async fn delete_expired(app: &App, run_id: &RunId, cutoff: Timestamp) -> Result<bool, Fault> {
    let Loaded { state: run, head } = match app.runs.load(run_id).await {
        Ok(Some(loaded)) => loaded,
        Ok(None) | Err(LoadError::Deleted { .. }) => return Ok(true),
        Err(error) => return Err(error.into()),
    };
    if run.is_deleted() {
        remove(app, &run, head).await?;
        return Ok(true);
    }
    if run.finished_at().is_none_or(|at| at > cutoff) {
        return Ok(false);
    }
    match append_tombstone(app, &run).await {
        Ok((run, head)) => remove(app, &run, head).await.map(|()| true),
        // Its charge is not settled, or a webhook is still to be sent: the next sweep looks again.
        Err(fault) if fault.kind == FaultKind::Conflict => Ok(false),
        Err(fault) if fault.kind == FaultKind::Gone => Ok(true),
        Err(fault) => Err(fault),
    }
}

async fn append_tombstone(app: &App, run: &Run) -> Result<(Run, Position), Fault> {
    check_deliveries(app, run).await?;
    let deleted = app.runs.execute(&run.id, GatewayCommand::Delete).await?;
    Ok((deleted.state, deleted.head))
}

/// A webhook on its way, or still to be sent, is read from the run's history.
async fn check_deliveries(app: &App, run: &Run) -> Result<(), Fault> {
    if run.spec.webhook.is_none() {
        return Ok(());
    }
    let deliveries = app.deliveries.load(&run.id).await?.map(|loaded| loaded.state);
    let history: Vec<_> = app.runs.history(&run.id).await?.into_iter().map(|(_, commit)| commit).collect();
    let is_open = deliveries.as_ref().is_some_and(|deliveries| deliveries.open().is_some());
    if is_open || due(&history, deliveries.as_ref()).is_some() {
        let message = "a webhook of the run has not been delivered yet";
        return Err(Fault::new(FaultKind::Conflict, "delivery_open", message));
    }
    Ok(())
}

/// The run's own history goes last: while it is there, a retry sees that the clean-up is not complete.
async fn remove(app: &App, run: &Run, tombstone: Position) -> Result<(), Fault> {
    let stores = &app.stores;
    tombstones::keep_owner(&*stores.keyvalue, &run.id, &run.spec.account).await?;
    stores.blobs.delete_run(&run.id).await?;
    stores.log.purge(&LogKey::delivery(&run.id), tombstone).await?;
    stores.log.purge(&LogKey::run(&run.id), tombstone).await?;
    app.runs.forget(&run.id);
    Ok(())
}
