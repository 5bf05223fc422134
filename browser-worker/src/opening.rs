//! Finds a run's browser session, or opens one: fresh, or restored from the run's checkpoint.

use bytes::Bytes;
use errand_domain::RunId;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{Instant, timeout};

use crate::claim::Claim;
use crate::context::Context;
use crate::driver::{SessionLost, SessionPlan};
use crate::error::SecretError;
use crate::limits::OPEN_DEADLINE;
use crate::sessions::HeldSession;

/// What a checkpoint is sealed for.
pub const CHECKPOINT_PURPOSE: &str = "checkpoint";

/// A session, and whether its page has yet to be opened.
#[derive(Debug)]
pub struct Opened {
    pub session: HeldSession,
    pub is_new: bool,
}

/// # Errors
/// When the browser does not give a session.
pub async fn open_session(
    context: &Context,
    claim: &mut Claim<'_>,
    place: OwnedSemaphorePermit,
) -> Result<Opened, SessionLost> {
    if let Some(session) = context.sessions.take(&claim.run.id) {
        return Ok(Opened { session, is_new: false });
    }
    let checkpoint = load_checkpoint(context, claim).await;
    let plan = SessionPlan { allowed_hosts: claim.run.spec.allowed_hosts.clone(), checkpoint };
    let opening = timeout(OPEN_DEADLINE, context.driver.open(plan));
    let hung = |_| SessionLost { reason: "the browser did not open a session in time".to_owned() };
    let driver = claim.while_beating(opening).await.map_err(hung)??;
    let session =
        HeldSession { driver, last_stored: None, last_checkpoint: None, used_at: Instant::now(), _place: place };
    Ok(Opened { session, is_new: true })
}

/// A checkpoint that cannot be read means a fresh start from the run's last URL; the planner sees where it is.
async fn load_checkpoint(context: &Context, claim: &Claim<'_>) -> Option<Bytes> {
    let key = claim.run.checkpoint.as_ref()?;
    let run_id = &claim.run.id;
    let sealed = match context.stores.blobs.get(run_id, key).await {
        Ok(sealed) => sealed?,
        Err(error) => {
            tracing::warn!(%run_id, %error, "checkpoint cannot be read");
            return None;
        }
    };
    match open_checkpoint(context, run_id, &sealed) {
        Ok(checkpoint) => Some(checkpoint),
        Err(error) => {
            tracing::warn!(%run_id, %error, "checkpoint cannot be opened");
            None
        }
    }
}

fn open_checkpoint(context: &Context, run_id: &RunId, sealed: &[u8]) -> Result<Bytes, SecretError> {
    let opened = context.config.master_key.open(CHECKPOINT_PURPOSE, run_id.as_str().as_bytes(), sealed);
    opened.map(|plain| Bytes::copy_from_slice(&plain)).map_err(SecretError::Checkpoint)
}
