//! Removes a finished run for good (DESIGN §9): tombstone first, then blobs, then the history before the tombstone.

use errand_domain::RunId;
use errand_domain::delivery::due;
use errand_domain::run::{GatewayCommand, Run};
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
            check_deliveries(app, &run).await?;
            let deleted = app.runs.execute(&run_id, GatewayCommand::Delete).await?;
            (deleted.state, deleted.head)
        }
        Err(error) => return Err(error.into()),
    };
    remove(app, &tombstone.0, tombstone.1).await?;
    Ok(json!({"id": run_id, "object": "browser_run", "deleted": true}))
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
