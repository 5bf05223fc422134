//! The run object with its data, wherever that is stored.

use errand_domain::run::{Finished, ObjectOptions, Run, run_object};
use errand_domain::{RunId, run};
use serde_json::Value;

use crate::app::App;
use crate::fault::Fault;

/// The run as the API answers it.
///
/// # Errors
/// When its data cannot be loaded.
pub(crate) async fn run_json(app: &App, run: &Run) -> Result<Value, Fault> {
    let data = match &run.outcome {
        Some(outcome) => outcome_data(app, &run.id, outcome).await?,
        None => None,
    };
    let options = ObjectOptions { now: app.stores.clock.now(), prices: &app.config.prices, data: data.as_ref() };
    Ok(run_object(run, options))
}

/// Data that was too large for the log.
///
/// # Errors
/// When the blob store does not answer.
pub(crate) async fn outcome_data(app: &App, run_id: &RunId, outcome: &Finished) -> Result<Option<Value>, Fault> {
    let run::Finished { data: None, data_blob: Some(key), .. } = outcome else { return Ok(None) };
    let bytes = app.stores.blobs.get(run_id, key).await?;
    Ok(bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()))
}
