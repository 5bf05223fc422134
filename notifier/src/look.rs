//! One look at one run: read both logs, decide, carry out. At most one look at a run goes on in a process; another
//! process's is harmless, since the delivery log takes one claim per event.

use bytes::Bytes;
use errand_domain::RunId;
use errand_domain::delivery::DeliveryOutcome;
use errand_domain::run::{self, Commit, CorruptHistory, Run, RunEvent, RunSpec};
use errand_store::{BlobError, CommandError, DeliveryLog, LoadError, RunLog, Sabotage, Stores};
use errand_vault::MasterKeyId;
use http::Request;
use http_body_util::Full;
use serde_json::Value;
use std::time::Duration;
use thiserror::Error;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::config::NotifierConfig;
use crate::hosts::HostSlots;
use crate::limits;
use crate::message;
use crate::plan::Next;
use crate::step::{Due, Step, next_step, spec_of};
use crate::target::{InvalidTarget, Target};
use crate::transport::Connection;

/// What all looks of a process share.
#[derive(Debug)]
pub struct Notifier {
    pub config: NotifierConfig,
    pub stores: Stores,
    pub hosts: HostSlots,
    runs: RunLog,
    pub(crate) deliveries: DeliveryLog,
}

/// Why a look ended without a result; nothing of a request was written then. It is made again later.
#[derive(Debug, Error)]
pub enum LookError {
    #[error(transparent)]
    Load(#[from] LoadError),
    #[error(transparent)]
    Command(#[from] CommandError),
    #[error("the run's data could not be read")]
    Blob(#[from] BlobError),
    #[error(transparent)]
    Unsendable(#[from] Unsendable),
    #[error("the notifier is stopping")]
    Stopping,
}

/// Why an event will never be sent; recorded as `not_sent`.
#[derive(Debug, Error)]
pub enum Unsendable {
    #[error("the webhook is not an https URL")]
    NotHttps(#[from] InvalidTarget),
    #[error("the webhook does not fit into a request")]
    NotARequest(#[source] http::Error),
    #[error("the run's master key {0} is not configured")]
    OtherMasterKey(String),
    /// Without it the body would deny that there is any.
    #[error("the run's data is missing")]
    DataMissing,
}

impl LookError {
    /// How long to wait before the next look, in milliseconds.
    fn retry_ms(&self) -> u64 {
        match self {
            Self::Load(LoadError::Decode { .. } | LoadError::History(_) | LoadError::Deliveries(_)) => {
                limits::UNREADABLE_RETRY_MS
            }
            Self::Load(LoadError::Log(_) | LoadError::Deleted { .. })
            | Self::Command(_)
            | Self::Blob(_)
            | Self::Unsendable(_)
            | Self::Stopping => limits::RETRY_MS,
        }
    }
}

/// A message ready to be connected for.
pub(crate) struct Prepared<'a> {
    pub(crate) due: &'a Due,
    pub(crate) target: Target,
    pub(crate) body: Bytes,
}

impl Notifier {
    #[must_use]
    pub fn new(config: NotifierConfig, stores: Stores) -> Self {
        Self {
            hosts: HostSlots::new(config.exchanges_per_host_max),
            runs: RunLog::new(&stores),
            deliveries: DeliveryLog::new(&stores),
            config,
            stores,
        }
    }

    /// Looks at a run. After `stop` nothing new is claimed; what was claimed is finished.
    pub async fn look(&self, run_id: &RunId, stop: &CancellationToken) -> Next {
        match self.try_look(run_id, stop).await {
            Ok(next) => next,
            Err(error) => {
                let retry_ms = error.retry_ms();
                if !matches!(error, LookError::Stopping) {
                    let error: &dyn std::error::Error = &error;
                    tracing::warn!(%run_id, error, retry_ms, "webhooks of a run are looked at again");
                }
                Next::At(self.stores.clock.now().plus_ms(retry_ms))
            }
        }
    }

    async fn try_look(&self, run_id: &RunId, stop: &CancellationToken) -> Result<Next, LookError> {
        let history = self.runs.history(run_id).await?;
        let history: Vec<Commit<RunEvent>> = history.into_iter().map(|(_, commit)| commit).collect();
        let deliveries = self.deliveries.load(run_id).await?.map(|loaded| loaded.state);
        let now = self.stores.clock.now();
        match next_step(&history, deliveries.as_ref(), now) {
            Step::Forget => Ok(Next::Forget),
            Step::Idle { read_seq } => Ok(Next::Idle { read_seq }),
            Step::WaitUntil(at) => Ok(Next::At(at)),
            Step::ResolveInDoubt(claim) if self.config.is_sabotaged(Sabotage::ResendInDoubt) => {
                self.resend(run_id, &history, claim).await
            }
            Step::ResolveInDoubt(claim) => self.resolve_in_doubt(run_id, &claim).await,
            Step::Deliver(due) => match self.deliver(&due, &history, stop).await {
                Err(LookError::Unsendable(reason)) => self.record_not_sent(&due, reason.to_string()).await,
                answer => answer,
            },
        }
    }

    async fn deliver(
        &self,
        due: &Due,
        history: &[Commit<RunEvent>],
        stop: &CancellationToken,
    ) -> Result<Next, LookError> {
        let Some(spec) = spec_of(history) else { return Ok(Next::Forget) };
        let prepared = self.prepare(due, spec, history).await?;
        let Some(_slot) = self.hosts.take(&prepared.target.host) else {
            return Ok(Next::WhenFree { host: prepared.target.host });
        };
        let connecting = self.config.transport.connect(&prepared.target);
        let connected = tokio::select! {
            biased;
            () = stop.cancelled() => return Err(LookError::Stopping),
            connected = connecting => connected,
        };
        match connected {
            Ok(connection) if self.config.is_sabotaged(Sabotage::ClaimAfterSend) => {
                self.send_then_claim(&prepared, connection).await
            }
            Ok(connection) => self.claim_then_send(&prepared, connection).await,
            Err(fault) => {
                tell_not_reached(due, &fault);
                self.record_not_sent(due, fault.reason().to_owned()).await
            }
        }
    }

    /// Folds the run up to the event and writes the body.
    pub(crate) async fn prepare<'a>(
        &self,
        due: &'a Due,
        spec: &RunSpec,
        history: &[Commit<RunEvent>],
    ) -> Result<Prepared<'a>, LookError> {
        let webhook = spec.webhook.as_deref().unwrap_or_default();
        let target = Target::parse(webhook).map_err(Unsendable::from)?;
        let is_ours = |id: MasterKeyId| id == self.config.master_key.id();
        if !spec.master_key_id.parse().is_ok_and(is_ours) {
            return Err(Unsendable::OtherMasterKey(spec.master_key_id.clone()).into());
        }
        let up_to_event = history.iter().take_while(|commit| commit.seq <= due.event_seq);
        let run = run::fold(up_to_event).map_err(LoadError::from)?;
        let run = run.ok_or_else(|| CorruptHistory::Empty { run_id: due.run_id.clone(), seq: due.event_seq });
        let run = run.map_err(LoadError::from)?;
        let data = self.load_data(&run).await?;
        let body = message::body(due.event, &run, data.as_ref(), &self.config.prices);
        Ok(Prepared { due, target, body })
    }

    /// Data that is stored apart from the run's events.
    async fn load_data(&self, run: &Run) -> Result<Option<Value>, LookError> {
        let Some(key) = run.outcome.as_ref().and_then(|outcome| outcome.data_blob.as_ref()) else { return Ok(None) };
        let bytes = self.stores.blobs.get(&run.id, key).await?;
        let data = bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok());
        Ok(Some(data.ok_or(Unsendable::DataMissing)?))
    }

    pub(crate) fn sign(&self, prepared: &Prepared<'_>) -> Result<Request<Full<Bytes>>, Unsendable> {
        let Prepared { due, target, body } = prepared;
        let secret = self.config.master_key.webhook_secret(due.run_id.as_str());
        message::request(due, target, body.clone(), &secret, self.stores.clock.time_of_day())
            .map_err(Unsendable::NotARequest)
    }

    /// A process that is halted after the last check and goes on when its claim is in doubt still makes its one POST: the
    /// log fences claims, not sockets. Nobody else ever makes it.
    async fn claim_then_send(
        &self,
        prepared: &Prepared<'_>,
        connection: Box<dyn Connection>,
    ) -> Result<Next, LookError> {
        let due = prepared.due;
        let request = self.sign(prepared)?;
        let claiming_since = Instant::now();
        let claim = due.claim(self.epoch(), self.stores.clock.now());
        if !self.claim(due, &claim).await? {
            return Ok(Next::Now);
        }
        let exchange_ends_by = claiming_since + Duration::from_millis(limits::CLAIM_MS);
        let deadline = Instant::now() + limits::EXCHANGE_MAX;
        let is_stale = deadline > exchange_ends_by || self.stores.clock.now() >= claim.deadline;
        if is_stale {
            let reason = "the claim expired before the request was written".to_owned();
            return Ok(self.resolve(due, DeliveryOutcome::NotSent { reason }, Duration::ZERO).await);
        }
        let sending_since = Instant::now();
        let outcome = connection.exchange(request, deadline).await;
        Ok(self.resolve(due, outcome, sending_since.elapsed()).await)
    }
}

fn tell_not_reached(due: &Due, fault: &(dyn std::error::Error + 'static)) {
    tracing::debug!(run_id = %due.run_id, n = due.n, error = fault, "webhook receiver was not reached");
}
