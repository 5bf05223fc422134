//! Stored secrets (SPEC §4): values go in sealed and never come out of the API.

use errand_domain::{SecretName, is_dots};
use errand_egress::OriginRules;
use errand_store::Bucket;
use errand_vault::{SecretPlace, SecretRecord, SecretTerms, totp_code};
use secrecy::SecretString;
use serde_json::{Map, Value, json};

use crate::app::App;
use crate::fault::{Fault, FaultKind};
use crate::limits::{SECRET_HOSTS_MAX, SECRET_VALUE_CHARS_MAX};
use crate::rest::Caller;

fn unknown() -> Fault {
    Fault::new(FaultKind::NotFound, "secret_not_found", "there is no such secret")
}

fn read_name(name: &str) -> Result<SecretName, Fault> {
    let wanted = "\"name\" must have 1 to 128 letters, digits, \"_\", \"-\" or \".\", and not be \".\" or \"..\"";
    let name = SecretName::parse(name).ok().filter(|_| !is_dots(name));
    name.ok_or_else(|| Fault::field("name", wanted))
}

/// Stores a secret, or replaces it.
///
/// # Errors
/// 400 that names the field; never repeats the value.
pub(crate) async fn put(app: &App, caller: &Caller, name: &str, body: &Value) -> Result<Value, Fault> {
    let name = read_name(name)?;
    let created_at_ms = app.stores.clock.now().as_millis();
    let (value, terms) = read_secret(body, created_at_ms)?;
    let place = SecretPlace { account: caller.account.as_str(), name: name.as_str() };
    let record = SecretRecord::seal(&app.config.master_key, &place, &value, terms);
    // Strings, numbers and a flag: serialising them cannot fail.
    let stored = serde_json::to_vec(&record).unwrap_or_default();
    app.stores.keyvalue.put(Bucket::Secrets, &place.key(), stored.into()).await?;
    Ok(secret_json(&name, &record))
}

/// One secret, without its value.
///
/// # Errors
/// 404.
pub(crate) async fn get(app: &App, caller: &Caller, name: &str) -> Result<Value, Fault> {
    let name = SecretName::parse(name).map_err(|_| unknown())?;
    let record = load(app, caller, &name).await?.ok_or_else(unknown)?;
    Ok(secret_json(&name, &record))
}

/// The account's secrets by name, without values.
///
/// # Errors
/// What the store said.
pub(crate) async fn list(app: &App, caller: &Caller) -> Result<Value, Fault> {
    let prefix = format!("{}/", caller.account);
    let mut data = Vec::new();
    for key in app.stores.keyvalue.keys(Bucket::Secrets, &prefix).await? {
        let Some(name) = key.strip_prefix(&prefix).and_then(|name| SecretName::parse(name).ok()) else { continue };
        data.extend(load(app, caller, &name).await?.map(|record| secret_json(&name, &record)));
    }
    Ok(json!({"object": "list", "data": data}))
}

/// Removes a secret.
///
/// # Errors
/// 404.
pub(crate) async fn delete(app: &App, caller: &Caller, name: &str) -> Result<Value, Fault> {
    let name = SecretName::parse(name).map_err(|_| unknown())?;
    let place = SecretPlace { account: caller.account.as_str(), name: name.as_str() };
    let was_there = app.stores.keyvalue.delete(Bucket::Secrets, &place.key()).await?;
    if was_there { Ok(json!({"object": "secret", "name": name, "deleted": true})) } else { Err(unknown()) }
}

async fn load(app: &App, caller: &Caller, name: &SecretName) -> Result<Option<SecretRecord>, Fault> {
    let place = SecretPlace { account: caller.account.as_str(), name: name.as_str() };
    let entry = app.stores.keyvalue.get(Bucket::Secrets, &place.key()).await?;
    Ok(entry.and_then(|entry| serde_json::from_slice(&entry.value).ok()))
}

fn secret_json(name: &SecretName, record: &SecretRecord) -> Value {
    let created_at = errand_domain::Timestamp::from_millis(record.created_at_ms).to_string();
    json!({
        "object": "secret", "name": name, "hosts": record.hosts, "totp": record.totp, "created_at": created_at,
    })
}

fn read_secret(body: &Value, created_at_ms: i64) -> Result<(SecretString, SecretTerms), Fault> {
    let fields = body.as_object().ok_or_else(|| Fault::invalid("the body must be a JSON object"))?;
    if let Some(unknown) = fields.keys().find(|name| !["value", "hosts", "totp"].contains(&name.as_str())) {
        return Err(Fault::field(unknown, format!("\"{unknown}\" is not a field of a secret")));
    }
    let totp = read_totp(fields)?;
    let value = read_value(fields)?;
    if totp && let Err(error) = totp_code(&value, 0) {
        return Err(Fault::field("value", format!("\"value\": {error}")));
    }
    Ok((value, SecretTerms { hosts: read_hosts(fields)?, totp, created_at_ms }))
}

fn read_value(fields: &Map<String, Value>) -> Result<SecretString, Fault> {
    let wanted = || {
        let message = format!("\"value\" must be a string of 1 to {SECRET_VALUE_CHARS_MAX} characters");
        Fault::field("value", message)
    };
    let value = fields.get("value").and_then(Value::as_str).ok_or_else(wanted)?;
    let fits = (1..=SECRET_VALUE_CHARS_MAX).contains(&value.chars().count());
    if fits { Ok(SecretString::from(value)) } else { Err(wanted()) }
}

fn read_totp(fields: &Map<String, Value>) -> Result<bool, Fault> {
    match fields.get("totp") {
        None | Some(Value::Null) => Ok(false),
        Some(Value::Bool(totp)) => Ok(*totp),
        Some(_) => Err(Fault::field("totp", "\"totp\" must be true or false")),
    }
}

/// Hosts as browsers write them, so that they compare with a page's.
fn read_hosts(fields: &Map<String, Value>) -> Result<Vec<String>, Fault> {
    let wanted = || {
        let message = format!("\"hosts\" must be a list of at most {SECRET_HOSTS_MAX} host names");
        Fault::field("hosts", message)
    };
    let hosts = match fields.get("hosts") {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(value) => value.as_array().filter(|hosts| hosts.len() <= SECRET_HOSTS_MAX).ok_or_else(wanted)?,
    };
    hosts.iter().map(|host| read_host(host.as_str().ok_or_else(wanted)?)).collect()
}

fn read_host(text: &str) -> Result<String, Fault> {
    let invalid = |error| Fault::field("hosts", format!("\"hosts\": {error}"));
    let rules = OriginRules::parse([text]).map_err(invalid)?;
    Ok(rules.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use secrecy::ExposeSecret;

    fn fault(body: Value) -> String {
        read_secret(&body, 0).unwrap_err().message
    }

    #[test]
    fn every_fault_names_its_field_and_none_repeats_the_value() {
        assert_eq!(fault(json!({})), "\"value\" must be a string of 1 to 4096 characters");
        assert_eq!(fault(json!({"value": "x", "totp": 1})), "\"totp\" must be true or false");
        assert_eq!(fault(json!({"value": "x", "name": "n"})), "\"name\" is not a field of a secret");
        assert!(fault(json!({"value": "x", "hosts": ["a b"]})).starts_with("\"hosts\": \"a b\" must be"));
        let message = fault(json!({"value": "1 is no base32", "totp": true}));
        assert_eq!(message, "\"value\": a TOTP seed must be Base32 text (letters and the digits 2 to 7)");
    }

    #[test]
    fn hosts_are_kept_as_browsers_write_them() {
        let body = json!({"value": "v", "hosts": ["Shop.Example.COM", "HTTPS://*.bücher.example", "10.0.0.1:81"]});
        let (value, terms) = read_secret(&body, 5).unwrap();
        assert_eq!(value.expose_secret(), "v");
        assert_eq!(terms.hosts, ["shop.example.com", "https://*.xn--bcher-kva.example", "10.0.0.1:81"]);
    }
}
