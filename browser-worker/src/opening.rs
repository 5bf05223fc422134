//! Finds a run's browser session, or opens one: fresh, or restored from the run's checkpoint.

use bytes::Bytes;
use errand_domain::RunId;
use errand_domain::run::Run;
use tokio::sync::{AcquireError, OwnedSemaphorePermit};
use tokio::time::{Instant, timeout};

use crate::claim::Claim;
use crate::context::Context;
use crate::driver::{SessionLost, SessionPlan};
use crate::error::SecretError;
use crate::limits::OPEN_DEADLINE;
use crate::profile;
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
    place: Option<OwnedSemaphorePermit>,
) -> Result<Opened, SessionLost> {
    if let Some(session) = context.sessions.take(&claim.run.id) {
        return Ok(Opened { session, is_new: false });
    }
    // A profile is where a run begins; later the run's own checkpoint holds more than it.
    let checkpoint = match claim.run.checkpoint {
        Some(_) => load_checkpoint(context, claim).await,
        None => profile::load(context, &claim.run).await,
    };
    let plan = SessionPlan { allowed_hosts: claim.run.spec.allowed_hosts.clone(), checkpoint };
    let opening = timeout(OPEN_DEADLINE, async {
        // Without a place the session was held a moment ago, and let go since.
        let place = match place {
            Some(place) => place,
            None => context.sessions.places().acquire_owned().await.map_err(no_place)?,
        };
        Ok::<_, SessionLost>((context.driver.open(plan).await?, place))
    });
    let hung = |_| SessionLost { reason: "the browser did not open a session in time".to_owned() };
    let (driver, place) = claim.while_beating(opening).await.map_err(hung)??;
    let session =
        HeldSession { driver, last_stored: None, last_checkpoint: None, used_at: Instant::now(), _place: place };
    Ok(Opened { session, is_new: true })
}

fn no_place(_closed: AcquireError) -> SessionLost {
    SessionLost { reason: "the worker takes no more sessions".to_owned() }
}

/// A checkpoint that cannot be read means a fresh start from the run's last URL; the planner sees where it is.
async fn load_checkpoint(context: &Context, claim: &Claim<'_>) -> Option<Bytes> {
    stored_checkpoint(context, &claim.run).await
}

/// The run's last checkpoint, opened.
pub async fn stored_checkpoint(context: &Context, run: &Run) -> Option<Bytes> {
    let key = run.checkpoint.as_ref()?;
    let run_id = &run.id;
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
