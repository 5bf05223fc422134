//! Saved browser profiles by name. Their content is the workers' alone.

use errand_domain::{AccountId, SecretName, is_dots};
use errand_store::Bucket;
use serde_json::{Value, json};

use crate::app::App;
use crate::fault::{Fault, FaultKind};
use crate::rest::Caller;

/// Where a profile is stored.
///
/// # Errors
/// 400 for a name that cannot be part of a key; the rule is that of secrets' names.
pub(crate) fn key(account: &AccountId, name: &str) -> Result<String, Fault> {
    let wanted = "\"profile\" must have 1 to 128 letters, digits, \"_\", \"-\" or \".\", and not be \".\" or \"..\"";
    if is_dots(name) || SecretName::parse(name).is_err() {
        return Err(Fault::field("profile", wanted));
    }
    Ok(format!("{account}/{name}"))
}

/// The account's profiles by name.
///
/// # Errors
/// What the store said.
pub(crate) async fn list(app: &App, caller: &Caller) -> Result<Value, Fault> {
    let prefix = format!("{}/", caller.account);
    let keys = app.stores.keyvalue.keys(Bucket::Profiles, &prefix).await?;
    let names = keys.iter().filter_map(|key| key.strip_prefix(&prefix));
    let data: Vec<Value> = names.map(profile_json).collect();
    Ok(json!({"object": "list", "data": data}))
}

/// One profile.
///
/// # Errors
/// 404.
pub(crate) async fn get(app: &App, caller: &Caller, name: &str) -> Result<Value, Fault> {
    let key = key(&caller.account, name).map_err(|_| unknown())?;
    match app.stores.keyvalue.get(Bucket::Profiles, &key).await? {
        Some(_) => Ok(profile_json(name)),
        None => Err(unknown()),
    }
}

/// Removes a profile. Runs that have loaded it already keep what they loaded.
///
/// # Errors
/// 404.
pub(crate) async fn delete(app: &App, caller: &Caller, name: &str) -> Result<Value, Fault> {
    let key = key(&caller.account, name).map_err(|_| unknown())?;
    let was_there = app.stores.keyvalue.delete(Bucket::Profiles, &key).await?;
    if was_there { Ok(json!({"object": "profile", "name": name, "deleted": true})) } else { Err(unknown()) }
}

fn profile_json(name: &str) -> Value {
    json!({"object": "profile", "name": name})
}

fn unknown() -> Fault {
    Fault::new(FaultKind::NotFound, "profile_not_found", "there is no such profile")
}
