//! What is kept of the browser after a step: a screenshot and, when it changed, a checkpoint.

use bytes::Bytes;
use errand_domain::{BlobKey, limits};
use std::hash::{DefaultHasher, Hash, Hasher};
use tokio::time::timeout;

use crate::claim::Claim;
use crate::context::Context;
use crate::driver::{Capture, SessionLost};
use crate::error::TaskError;
use crate::limits::CAPTURE_DEADLINE;
use crate::opening::CHECKPOINT_PURPOSE;
use crate::phase::{StepPhase, timed};
use crate::secrets::RunSecrets;
use crate::sessions::HeldSession;

/// Names of the blobs that were stored.
#[derive(Debug, Default)]
pub struct Captured {
    pub url: Option<String>,
    pub screenshot: Option<BlobKey>,
    pub checkpoint: Option<BlobKey>,
}

/// Takes and stores both. A browser that cannot give them is lost.
///
/// # Errors
/// When the session is lost or a blob cannot be stored.
pub async fn capture(
    context: &Context,
    claim: &mut Claim<'_>,
    secrets: &RunSecrets,
    session: &mut HeldSession,
) -> Result<Captured, TaskError> {
    let hung = |_| SessionLost { reason: "the page could not be captured in time".to_owned() };
    let capturing = timeout(CAPTURE_DEADLINE, session.driver.capture());
    let capturing = timed(StepPhase::Capture, claim.while_beating(capturing));
    let Capture { mut screenshot, checkpoint, url } = capturing.await.map_err(hung)??;
    if shows_secret(claim, secrets, session).await? {
        screenshot = Bytes::new();
    }
    let storing = async {
        let screenshot = store_screenshot(context, claim, screenshot);
        // Two files at once share what the disk does for one.
        tokio::try_join!(screenshot, store_checkpoint(context, claim, session, &checkpoint))
    };
    let (screenshot, checkpoint) = timed(StepPhase::StoreCaptures, storing).await?;
    Ok(Captured { url: Some(short(&secrets.redactor().text(&url))), screenshot, checkpoint })
}

/// Typed secrets are masked in their fields; a page that repeats one elsewhere is not kept as a picture.
async fn shows_secret(
    claim: &mut Claim<'_>,
    secrets: &RunSecrets,
    session: &mut HeldSession,
) -> Result<bool, TaskError> {
    if secrets.redactor().is_empty() {
        return Ok(false);
    }
    let hung = |_| SessionLost { reason: "the page could not be read in time".to_owned() };
    let looking = timeout(CAPTURE_DEADLINE, session.driver.look());
    let (observation, snapshot) = claim.while_beating(looking).await.map_err(hung)??;
    let redactor = secrets.redactor();
    let shown = [&observation.text, &observation.title, &snapshot.text];
    let values = observation.elements.iter().filter_map(|element| element.value.as_ref());
    Ok(shown.into_iter().chain(values).any(|text| redactor.found_in(text)))
}

/// An empty picture means that none may be kept: the page shows a secret.
async fn store_screenshot(context: &Context, claim: &Claim<'_>, png: Bytes) -> Result<Option<BlobKey>, TaskError> {
    if png.is_empty() {
        return Ok(None);
    }
    let key = BlobKey::parse(&format!("shot-{}-{}", claim.step(), claim.attempt()))?;
    context.stores.blobs.put(&claim.run.id, &key, png).await?;
    Ok(Some(key))
}

async fn store_checkpoint(
    context: &Context,
    claim: &Claim<'_>,
    session: &mut HeldSession,
    checkpoint: &Bytes,
) -> Result<Option<BlobKey>, TaskError> {
    let content = content_hash(&[checkpoint]);
    if session.last_checkpoint == Some(content) {
        return Ok(None);
    }
    let run_id = &claim.run.id;
    let sealed = context.config.master_key.seal(CHECKPOINT_PURPOSE, run_id.as_str().as_bytes(), checkpoint);
    let key = BlobKey::parse(&format!("checkpoint-{}-{}", claim.step(), claim.attempt()))?;
    context.stores.blobs.put(run_id, &key, sealed.into()).await?;
    session.last_checkpoint = Some(content);
    Ok(Some(key))
}

/// Tells whether something was stored before; never kept.
#[must_use]
pub fn content_hash<T: AsRef<[u8]>>(parts: &[T]) -> u64 {
    let mut hasher = DefaultHasher::new();
    for part in parts {
        part.as_ref().hash(&mut hasher);
    }
    hasher.finish()
}

/// Text for an event, cut to the limit.
#[must_use]
pub fn short(text: &str) -> String {
    if text.chars().count() <= limits::EVENT_TEXT_CHARS_MAX {
        return text.to_owned();
    }
    let mut cut: String = text.chars().take(limits::EVENT_TEXT_CHARS_MAX - 1).collect();
    cut.push('…');
    cut
}
