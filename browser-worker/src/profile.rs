//! Named browser profiles: the cookies and local storage that a run begins with, and leaves behind when it is asked to
//! (SPEC §4). Sealed for their account and name.

use bytes::Bytes;
use errand_domain::run::Run;
use errand_store::{Bucket, KeyValueError};

use crate::context::Context;
use crate::opening::stored_checkpoint;

const PURPOSE: &str = "profile";

/// The profile to begin with; a run without one, or whose profile is gone, begins with an empty browser.
pub async fn load(context: &Context, run: &Run) -> Option<Bytes> {
    let key = key(run, run.spec.profile.as_ref()?);
    let entry = match context.stores.keyvalue.get(Bucket::Profiles, &key).await {
        Ok(entry) => entry?,
        Err(error) => {
            tracing::warn!(run_id = %run.id, %error, "profile cannot be read");
            return None;
        }
    };
    match context.config.master_key.open(PURPOSE, key.as_bytes(), &entry.value) {
        Ok(profile) => Some(Bytes::copy_from_slice(&profile)),
        Err(error) => {
            tracing::warn!(run_id = %run.id, %error, "profile cannot be opened");
            None
        }
    }
}

/// Saves the profile when the run asks for it; gives its name when it was saved. A run that names none leaves one under
/// its own id.
pub async fn save(context: &Context, run: &Run) -> Option<String> {
    if !run.spec.save_profile {
        return None;
    }
    let checkpoint = stored_checkpoint(context, run).await.ok().flatten()?;
    let profile = context.driver.profile_of(&checkpoint)?;
    let name = run.spec.profile.clone().unwrap_or_else(|| run.id.to_string());
    match put(context, &key(run, &name), &profile).await {
        Ok(()) => Some(name),
        Err(error) => {
            tracing::warn!(run_id = %run.id, %error, "profile cannot be saved");
            None
        }
    }
}

async fn put(context: &Context, key: &str, profile: &[u8]) -> Result<(), KeyValueError> {
    let sealed = context.config.master_key.seal(PURPOSE, key.as_bytes(), profile);
    context.stores.keyvalue.put(Bucket::Profiles, key, sealed.into()).await.map(|_| ())
}

/// As the gateway lists them.
fn key(run: &Run, name: &str) -> String {
    format!("{}/{name}", run.spec.account)
}
