//! Writes answer and data of an ending run from its stored pages. Nothing here touches the browser's page, so it may
//! happen twice: the log takes one `Finished`.

use errand_domain::ground::Settlement;
use errand_domain::page::PageSnapshot;
use errand_domain::redact::Redactor;
use errand_domain::run::{Conclusion, Ending, Phase, Run, TerminalReason, Usage, WorkerCommand};
use errand_domain::{BlobKey, RunId, limits};
use serde_json::Value;

use crate::context::Context;
use crate::error::{SecretError, TaskError};
use crate::reading::{self, Wanted};
use crate::secrets::RunSecrets;
use crate::{answer, pages, profile};

/// Concludes a run and lets go of its session.
///
/// # Errors
/// When the run is not concluding, or the conclusion cannot be stored.
pub async fn conclude(context: &Context, run_id: &RunId) -> Result<(), TaskError> {
    let Some(loaded) = context.runs.load(run_id).await? else { return Ok(()) };
    let run = loaded.state;
    let Phase::Concluding { ending, .. } = &run.phase else { return Ok(()) };
    let conclusion = write_conclusion(context, &run, ending).await?;
    context.runs.execute(run_id, WorkerCommand::Conclude(Box::new(conclusion))).await?;
    if let Some(session) = context.sessions.take(run_id) {
        session.close().await;
    }
    Ok(())
}

async fn write_conclusion(context: &Context, run: &Run, ending: &Ending) -> Result<Conclusion, TaskError> {
    let seen = pages::load(&*context.stores.blobs, &run.id, &run.pages).await?;
    let is_complete_run = ending.reason == TerminalReason::Completed;
    let (concluded, redactor) = (run.clone(), redactor_of(context, run).await?);
    let read = reading::apart(move || read_data(&concluded, seen, is_complete_run, &redactor)).await;
    let (settlement, from_pages) = read.map_err(|_died| TaskError::Reading)?;
    let answer = from_pages.or_else(|| ending.error.as_ref().map(|error| format!("No page was read: {error}.")));
    let Settlement { data, data_error, sources } = settlement;
    let mut conclusion = Conclusion {
        answer,
        data,
        data_error,
        sources,
        profile_saved: profile::save(context, run).await,
        // Writing the answer is a decision too.
        usage: Usage { decision_calls: 1, llm_calls: 0 },
        ..Conclusion::default()
    };
    move_large_data(context, run, &mut conclusion).await?;
    Ok(conclusion)
}

/// Pages are stored without secrets; redacting here catches those that were stored since, and what is spread over
/// neighbouring values of the data. The answer is written from what is left.
fn read_data(
    run: &Run,
    seen: Vec<PageSnapshot>,
    is_complete_run: bool,
    redactor: &Redactor,
) -> (Settlement, Option<String>) {
    let seen: Vec<PageSnapshot> = seen.into_iter().map(|page| pages::redact(page, redactor)).collect();
    let wanted = Wanted::of(run);
    let mut settlement = wanted.map(|wanted| wanted.settle(&seen, run.spec.mode, is_complete_run)).unwrap_or_default();
    settlement.data = settlement.data.map(|data| redactor.value(data));
    settlement.data_error = settlement.data_error.map(|error| redactor.text(&error));
    let answer = answer::write(&run.spec.goal, settlement.data.as_ref(), &seen);
    (settlement, answer.map(|answer| redactor.text(&answer)))
}

async fn redactor_of(context: &Context, run: &Run) -> Result<Redactor, TaskError> {
    if run.spec.secrets.is_empty() {
        return Ok(Redactor::default());
    }
    let now = context.stores.clock.time_of_day();
    match RunSecrets::open(&*context.stores.keyvalue, &context.config.master_key, &run.spec, now).await {
        // Deleted while the run went on: what it typed was taken out when the pages were stored.
        Err(SecretError::Missing { .. }) => Ok(Redactor::default()),
        opened => Ok(opened?.redactor().clone()),
    }
}

/// Data over the limit is a blob of the run: commits stay small.
async fn move_large_data(context: &Context, run: &Run, conclusion: &mut Conclusion) -> Result<(), TaskError> {
    let Some(data) = &conclusion.data else { return Ok(()) };
    let json = Value::to_string(data);
    if json.len() <= limits::INLINE_DATA_BYTES_MAX {
        return Ok(());
    }
    let key = BlobKey::parse("data")?;
    context.stores.blobs.put(&run.id, &key, json.into()).await?;
    conclusion.data = None;
    conclusion.data_blob = Some(key);
    Ok(())
}
