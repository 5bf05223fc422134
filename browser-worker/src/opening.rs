//! Finds a run's browser session, or opens one: fresh, or restored from the run's checkpoint.

use bytes::Bytes;
use errand_domain::RunId;
use errand_domain::run::Run;
use errand_store::BlobError;
use tokio::sync::{AcquireError, OwnedSemaphorePermit};
use tokio::time::{Instant, timeout};

use crate::claim::Claim;
use crate::context::Context;
use crate::driver::{SessionLost, SessionPlan};
use crate::error::SecretError;
use crate::limits::OPEN_DEADLINE;
use crate::sessions::HeldSession;
use crate::{held, profile};

/// What a checkpoint is sealed for.
pub const CHECKPOINT_PURPOSE: &str = "checkpoint";

/// A session, and whether its page has yet to be opened.
#[derive(Debug)]
pub struct Opened {
    pub session: HeldSession,
    pub is_new: bool,
    /// It stands where the run's checkpoint says; otherwise its page has yet to be opened.
    pub is_restored: bool,
}

/// # Errors
/// When the browser does not give a session.
pub async fn open_session(
    context: &Context,
    claim: &mut Claim<'_>,
    place: Option<OwnedSemaphorePermit>,
) -> Result<Opened, SessionLost> {
    let holder = (claim.step(), claim.attempt());
    if let Some(mut session) = context.sessions.take(&claim.run.id) {
        session.holder = holder;
        return Ok(Opened { session, is_new: false, is_restored: false });
    }
    // A profile is where a run begins; later the run's own checkpoint holds more than it.
    let own = stored_checkpoint(context, &claim.run).await.map_err(unreadable)?;
    let is_restored = own.is_some();
    let checkpoint = match own {
        Some(own) => Some(own),
        None => profile::load(context, &claim.run).await,
    };
    let allowed_hosts = claim.run.spec.allowed_hosts.clone();
    let is_alone = claim.run.losses > 0;
    let plan = SessionPlan { allowed_hosts, checkpoint, holds: held::holds(&claim.run), is_alone };
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
    let session = HeldSession {
        driver,
        last_stored: None,
        last_checkpoint: None,
        used_at: Instant::now(),
        holder,
        _place: place,
    };
    Ok(Opened { session, is_new: true, is_restored })
}

fn no_place(_closed: AcquireError) -> SessionLost {
    SessionLost { reason: "the worker takes no more sessions".to_owned() }
}

fn unreadable(error: BlobError) -> SessionLost {
    SessionLost { reason: format!("the checkpoint cannot be read: {error}") }
}

/// The run's last checkpoint, opened; `None` when there is none that this worker can open. The run then begins again from
/// its last page.
///
/// # Errors
/// When the store cannot be reached: the checkpoint may be there.
pub async fn stored_checkpoint(context: &Context, run: &Run) -> Result<Option<Bytes>, BlobError> {
    let Some(key) = run.checkpoint.as_ref() else { return Ok(None) };
    let Some(sealed) = context.stores.blobs.get(&run.id, key).await? else { return Ok(None) };
    match open_checkpoint(context, &run.id, &sealed) {
        Ok(checkpoint) => Ok(Some(checkpoint)),
        Err(error) => {
            tracing::warn!(run_id = %run.id, %error, "checkpoint cannot be opened");
            Ok(None)
        }
    }
}

fn open_checkpoint(context: &Context, run_id: &RunId, sealed: &[u8]) -> Result<Bytes, SecretError> {
    let opened = context.config.master_key.open(CHECKPOINT_PURPOSE, run_id.as_str().as_bytes(), sealed);
    opened.map(|plain| Bytes::copy_from_slice(&plain)).map_err(SecretError::Checkpoint)
}
