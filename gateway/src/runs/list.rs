//! Lists an account's recent runs: the scheduler's index, and the runs that are too new for it.

use errand_domain::run::{Run, Status};
use errand_domain::{AccountId, RunId};
use errand_store::{Bucket, LoadError, recent};
use futures::{StreamExt, TryStreamExt, stream};
use serde_json::{Value, json};
use std::collections::BTreeSet;

use super::run_json;
use crate::app::App;
use crate::fault::Fault;
use crate::limits::{LIST_LOADS, LIST_SCAN_MAX};

use crate::rest::Caller;

/// What narrows a list.
#[derive(Debug)]
pub(crate) struct ListFilter {
    pub limit: usize,
    /// Any of these; empty: all.
    pub statuses: Vec<Status>,
}

/// `{"object": "list", "data": [...]}`, newest run first.
///
/// # Errors
/// What the store said.
pub(crate) async fn list(app: &App, caller: &Caller, filter: &ListFilter) -> Result<Value, Fault> {
    let fits = |run: &Run| filter.statuses.is_empty() || filter.statuses.contains(&run.status());
    let candidates = recent_runs(app, caller).await?.into_iter().rev().take(LIST_SCAN_MAX);
    let loads = stream::iter(candidates).map(|run_id| load(app, caller, run_id)).buffered(LIST_LOADS);
    let found: Vec<Run> = loads
        .try_filter_map(|run| async move { Ok(run.filter(|run| fits(run))) })
        .take(filter.limit)
        .try_collect()
        .await?;
    let mut data = Vec::with_capacity(found.len());
    for run in &found {
        data.push(run_json(app, run).await?);
    }
    Ok(json!({"object": "list", "data": data}))
}

/// Ids sort by time.
async fn recent_runs(app: &App, caller: &Caller) -> Result<BTreeSet<RunId>, Fault> {
    let accounts = if caller.operator {
        app.stores.keyvalue.keys(Bucket::Recent, "").await?
    } else {
        vec![caller.account.as_str().to_owned()]
    };
    let mut run_ids: BTreeSet<RunId> = app.hub.fresh.of(|account| caller.may_see(account)).into_iter().collect();
    for account in accounts {
        let Ok(account) = AccountId::parse(&account) else { continue };
        run_ids.extend(recent::read(&*app.stores.keyvalue, &account).await?);
    }
    Ok(run_ids)
}

/// `None` for what was deleted, or is not the caller's: an index is only a hint.
async fn load(app: &App, caller: &Caller, run_id: RunId) -> Result<Option<Run>, Fault> {
    match app.runs.load(&run_id).await {
        Ok(loaded) => {
            let run = loaded.map(|loaded| loaded.state);
            Ok(run.filter(|run| !run.is_deleted() && caller.may_see(&run.spec.account)))
        }
        Err(LoadError::Deleted { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}
