//! Screenshots of a run: the latest, or one step's.

use bytes::Bytes;
use errand_domain::BlobKey;
use errand_domain::run::Run;

use crate::app::App;
use crate::fault::{Fault, FaultKind};
use crate::rest::Caller;

/// A picture as the worker stored it.
#[derive(Debug)]
pub(crate) struct Screenshot {
    /// Names the picture within its run; another picture has another name.
    pub key: BlobKey,
    pub png: Bytes,
}

/// # Errors
/// 404 when there is none.
pub(crate) async fn screenshot(app: &App, caller: &Caller, id: &str, step: Option<u32>) -> Result<Screenshot, Fault> {
    let none = || Fault::new(FaultKind::NotFound, "no_screenshot", "there is no such screenshot");
    let run = app.visible_run(caller, id).await?.state;
    let key = find(&run, step).ok_or_else(none)?.clone();
    let png = app.stores.blobs.get(&run.id, &key).await?.ok_or_else(none)?;
    Ok(Screenshot { key, png })
}

fn find(run: &Run, step: Option<u32>) -> Option<&BlobKey> {
    let Some(step) = step else { return run.screenshot.as_ref() };
    run.step_screenshots.iter().find(|(of_step, _)| *of_step == step).map(|(_, key)| key)
}
