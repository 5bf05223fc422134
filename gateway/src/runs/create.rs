//! Creates a run, once per idempotency key.

use errand_domain::run::{self, Commit, ObjectOptions, Run, RunEvent, RunRequest, RunSpec, run_object};
use errand_domain::{CommitId, RunId, SecretName};
use errand_egress::HostRules;
use errand_store::{Bucket, CommandError, Committed, LoadError};
use errand_vault::SecretPlace;
use secrecy::ExposeSecret;
use serde_json::{Value, json};
use url::Url;

use crate::app::App;
use crate::fault::{Fault, FaultKind};
use crate::idempotency::{IdempotencyKey, Reservation};
use crate::rest::Caller;

/// The run object, with the webhook's secret.
///
/// # Errors
/// 400 that names the field, 409 for a key that came with another body, or what the store said.
pub(crate) async fn create(
    app: &App,
    caller: &Caller,
    idempotency_key: Option<&str>,
    body: &Value,
) -> Result<Value, Fault> {
    let master_key_id = app.config.master_key.id().to_string();
    let spec = RunRequest::parse(body, caller.account.clone(), master_key_id)?.into_spec();
    let Some(key) = idempotency_key else {
        check_references(app, &spec).await?;
        let (run_id, commit_id) = new_ids(app);
        let created = append(app, &run_id, commit_id, spec).await?;
        return answer(app, &created.state);
    };
    let key = IdempotencyKey::new(&caller.account, key, body)?;
    let now = app.stores.clock.now();
    let reservation = match key.find(&*app.stores.keyvalue, now).await? {
        Some(reservation) => reservation,
        None => {
            // Checked once: a retry after a crash must find the same run, even when a secret was removed meanwhile.
            check_references(app, &spec).await?;
            let (run_id, commit_id) = new_ids(app);
            key.reserve(&*app.stores.keyvalue, run_id, commit_id, now).await?
        }
    };
    let created = create_reserved(app, reservation, spec).await?;
    answer(app, &created)
}

fn new_ids(app: &App) -> (RunId, CommitId) {
    let random = app.stores.ids.random_u128();
    let run_id = RunId::new(app.stores.clock.now(), random as u64);
    (run_id, CommitId(app.stores.ids.random_u128()))
}

/// Appends the run's first commit unless it is there, and reads it back: every retry answers the same, whoever
/// appended it and whatever happened since.
async fn create_reserved(app: &App, reservation: Reservation, spec: RunSpec) -> Result<Run, Fault> {
    let run_id = &reservation.run_id;
    if let Some(first) = first_commit(app, run_id).await? {
        return as_created(&first);
    }
    let created = append(app, run_id, reservation.commit_id, spec).await;
    // Another gateway's append of the same commit has another time: what is stored counts.
    app.runs.forget(run_id);
    match created {
        Ok(_) | Err(CommandError::Exists { .. }) => {}
        Err(error) => return Err(error.into()),
    }
    let first = first_commit(app, run_id).await?;
    as_created(&first.ok_or_else(Fault::unavailable)?)
}

/// Appends the first commit, and at the same time enters the run into the index of recent ones.
async fn append(
    app: &App,
    run_id: &RunId,
    commit_id: CommitId,
    spec: RunSpec,
) -> Result<Committed<Run, RunEvent>, CommandError> {
    let account = spec.account.clone();
    let events = run::create(spec, &app.config.prices);
    let created = app.runs.create(run_id, commit_id, events);
    let indexed = app.recent.add(&*app.stores.keyvalue, &account, run_id);
    tokio::join!(created, indexed).0
}

async fn first_commit(app: &App, run_id: &RunId) -> Result<Option<Commit<RunEvent>>, Fault> {
    let history = app.runs.history(run_id).await?;
    Ok(history.into_iter().next().map(|(_, commit)| commit))
}

fn as_created(first: &Commit<RunEvent>) -> Result<Run, Fault> {
    if first.seq > 1 {
        return Err(Fault::run_deleted());
    }
    Ok(run::evolve(None, first).map_err(LoadError::from)?)
}

/// The 201. The secret stands in no other answer, log, event or page.
fn answer(app: &App, created: &Run) -> Result<Value, Fault> {
    app.hub.fresh.add(&created.id, &created.spec.account);
    app.owners.put(&created.id, &created.spec.account);
    metrics::counter!("errand_gateway_runs_created_total").increment(1);
    if created.spec.master_key_id != app.config.master_key.id().to_string() {
        let message = "the run was created under another master key; its webhook secret cannot be told again";
        return Err(Fault::new(FaultKind::Conflict, "master_key_changed", message));
    }
    let options = ObjectOptions { now: created.created_at, prices: &app.config.prices, data: None };
    let mut object = run_object(created, options);
    let secret = app.config.master_key.webhook_secret(created.id.as_str());
    object["webhook_secret"] = json!(secret.expose_secret());
    Ok(object)
}

/// Whether what the request names exists (SPEC §1).
async fn check_references(app: &App, spec: &RunSpec) -> Result<(), Fault> {
    check_model(app, spec)?;
    check_start_host(spec)?;
    for name in &spec.secrets {
        check_secret(app, spec, name).await?;
    }
    check_profile(app, spec).await
}

fn check_model(app: &App, spec: &RunSpec) -> Result<(), Fault> {
    match &spec.model {
        Some(model) if !app.config.models.contains(model) => {
            Err(Fault::field("model", format!("\"model\" names a model that is not configured: {model:?}")))
        }
        Some(_) | None => Ok(()),
    }
}

fn check_start_host(spec: &RunSpec) -> Result<(), Fault> {
    let Some(hosts) = &spec.allowed_hosts else { return Ok(()) };
    let rules = HostRules::parse(hosts)
        .map_err(|error| Fault::field("allowed_hosts", format!("\"allowed_hosts\": {error}")))?;
    let url = Url::parse(&spec.start_url).ok();
    let host = url.as_ref().and_then(Url::host_str).unwrap_or_default();
    if rules.allows(host) {
        return Ok(());
    }
    Err(Fault::field("start_url", format!("\"start_url\" must be on one of \"allowed_hosts\", not on {host:?}")))
}

async fn check_secret(app: &App, spec: &RunSpec, name: &SecretName) -> Result<(), Fault> {
    let place = SecretPlace { account: spec.account.as_str(), name: name.as_str() };
    match app.stores.keyvalue.get(Bucket::Secrets, &place.key()).await? {
        Some(_) => Ok(()),
        None => Err(Fault::field("secrets", format!("\"secrets\" names an unknown secret: {:?}", name.as_str()))),
    }
}

/// A profile that is to be saved need not exist yet: that is how one is made.
async fn check_profile(app: &App, spec: &RunSpec) -> Result<(), Fault> {
    let Some(profile) = &spec.profile else { return Ok(()) };
    let key = crate::profiles::key(&spec.account, profile)?;
    if spec.save_profile || app.stores.keyvalue.get(Bucket::Profiles, &key).await?.is_some() {
        return Ok(());
    }
    Err(Fault::field("profile", format!("\"profile\" names an unknown profile: {profile:?}")))
}
