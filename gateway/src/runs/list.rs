//! Lists an account's runs, page by page: the index of runs, and those that are too new for it.

use errand_domain::run::{Run, Status};
use errand_domain::{AccountId, RunId};
use errand_store::{LoadError, recent};
use futures::{StreamExt, TryStreamExt, stream};
use serde_json::{Value, json};
use std::collections::BTreeSet;

use super::run_json;
use crate::app::App;
use crate::fault::Fault;
use crate::limits::{LIST_LOADS, LIST_SCAN_MAX};
use crate::rest::Caller;

/// Where a list goes on: after this run. Opaque to clients.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ListCursor(RunId);

const CURSOR_FORM: &str = "r1.";
const RUN_PREFIX: &str = "brun_";

impl ListCursor {
    /// # Errors
    /// When a client's text is no list's `next_cursor`.
    pub(crate) fn parse(text: &str) -> Result<Self, Fault> {
        let digits = text.strip_prefix(CURSOR_FORM);
        let run_id = digits.and_then(|digits| RunId::parse(&format!("{RUN_PREFIX}{digits}")).ok());
        run_id.map(Self).ok_or_else(|| Fault::field("cursor", "\"cursor\" must be the \"next_cursor\" of a list"))
    }

    fn write(&self) -> String {
        format!("{CURSOR_FORM}{}", self.0.as_str().trim_start_matches(RUN_PREFIX))
    }
}

/// What narrows a list.
#[derive(Debug)]
pub(crate) struct ListFilter {
    pub limit: usize,
    /// Any of these; empty: all.
    pub statuses: Vec<Status>,
    /// Only runs after this place.
    pub before: Option<ListCursor>,
}

/// `{"object": "list", "data": [...], "next_cursor": …}`, newest run first. A page of a narrowed list may be short, or
/// empty, and still have a next one.
///
/// # Errors
/// What the store said.
pub(crate) async fn list(app: &App, caller: &Caller, filter: &ListFilter) -> Result<Value, Fault> {
    let fits = |run: &Run| filter.statuses.is_empty() || filter.statuses.contains(&run.status());
    let before = filter.before.as_ref().map(|cursor| &cursor.0);
    let candidates = candidates(app, caller, before).await?;
    let scanned: Vec<RunId> = candidates.iter().rev().take(LIST_SCAN_MAX).cloned().collect();
    let loads = scanned.into_iter().map(|run_id| async move {
        let run = load(app, caller, run_id.clone()).await?;
        Ok::<_, Fault>((run_id, run))
    });
    let mut loads = stream::iter(loads).buffered(LIST_LOADS);
    let mut data = Vec::new();
    let mut last = None;
    while data.len() < filter.limit
        && let Some((run_id, run)) = loads.try_next().await?
    {
        last = Some(run_id);
        if let Some(run) = run.filter(|run| fits(run)) {
            data.push(run_json(app, &run).await?);
        }
    }
    let has_more = last.as_ref() != candidates.first();
    let next_cursor = last.filter(|_| has_more).map(|run_id| ListCursor(run_id).write());
    Ok(json!({"object": "list", "data": data, "next_cursor": next_cursor}))
}

/// Ids sort by time. One more than is looked through, if there are so many: then there is a next page.
async fn candidates(app: &App, caller: &Caller, before: Option<&RunId>) -> Result<BTreeSet<RunId>, Fault> {
    let keyvalue = &*app.stores.keyvalue;
    let accounts: Vec<AccountId> =
        if caller.operator { recent::accounts(keyvalue).await? } else { vec![caller.account.clone()] };
    let fresh = app.hub.fresh.of(|account| caller.may_see(account));
    let is_older = |run_id: &RunId| before.is_none_or(|before| run_id < before);
    let mut run_ids: BTreeSet<RunId> = fresh.into_iter().filter(is_older).collect();
    for account in accounts {
        run_ids.extend(recent::list(keyvalue, &account, before, LIST_SCAN_MAX + 1).await?);
    }
    let surplus = run_ids.len().saturating_sub(LIST_SCAN_MAX + 1);
    Ok(run_ids.into_iter().skip(surplus).collect())
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

#[cfg(test)]
mod tests {
    use super::*;
    use errand_domain::Timestamp;

    #[test]
    fn a_cursor_reads_back_and_other_texts_are_refused() {
        let cursor = ListCursor(RunId::new(Timestamp::from_millis(1_791_711_621_005), 7));
        assert_eq!(ListCursor::parse(&cursor.write()).unwrap(), cursor);
        for text in ["", "r1.", "r1.x", "r2.000000000000000000000000", "brun_000000000000000000000000"] {
            assert_eq!(ListCursor::parse(text).unwrap_err().param.as_deref(), Some("cursor"), "{text}");
        }
    }
}
