//! What is written into a run's delivery log: claims before anything is sent, results after.

use errand_domain::RunId;
use errand_domain::delivery::{
    Deliveries, DeliveryClaimed, DeliveryCommand, DeliveryOutcome, DeliveryResolved, WebhookEvent,
};
use std::time::Duration;

use crate::limits;
use crate::look::{LookError, Notifier};
use crate::plan::Next;
use crate::step::Due;

impl Notifier {
    /// Appends the claim; true when it is ours. An epoch names one attempt, so a claim that is found under it was made
    /// here, whatever the append answered, and nothing was written yet.
    pub(crate) async fn claim(&self, due: &Due, claim: &DeliveryClaimed) -> Result<bool, LookError> {
        let answer = self.deliveries.execute(&due.run_id, DeliveryCommand::Claim(claim.clone())).await;
        let error = match answer {
            Ok(_) => return Ok(true),
            Err(error) => error,
        };
        let deliveries = self.deliveries.load(&due.run_id).await?.map(|loaded| loaded.state);
        let is_ours = deliveries.as_ref().and_then(Deliveries::open).is_some_and(|open| open.claim == *claim);
        if is_ours || error.is_rejection() { Ok(is_ours) } else { Err(error.into()) }
    }

    /// Names one attempt.
    pub(crate) fn epoch(&self) -> String {
        format!("{}/{:032x}", self.config.owner, self.stores.ids.random_u128())
    }

    /// Claim and result in one commit: nothing connected, so nothing can have been written.
    pub(crate) async fn record_not_sent(&self, due: &Due, reason: String) -> Result<Next, LookError> {
        let claim = due.claim(self.epoch(), self.stores.clock.now());
        let outcome = DeliveryOutcome::NotSent { reason: reason.clone() };
        match self.deliveries.execute(&due.run_id, DeliveryCommand::RecordNotSent { claim, reason }).await {
            Ok(_) => tell(&due.run_id, due.n, due.event, &outcome, Duration::ZERO),
            Err(error) if error.is_rejection() => return Ok(Next::Now),
            Err(error) => return Err(error.into()),
        }
        Ok(after(due))
    }

    /// Appends the result, several times if need be: it is known here alone.
    /// When it cannot be stored, the claim stays open, and is in doubt once its time is over.
    pub(crate) async fn resolve(&self, due: &Due, outcome: DeliveryOutcome, duration: Duration) -> Next {
        let duration_ms = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
        let resolved = DeliveryResolved { n: due.n, outcome: outcome.clone(), duration_ms };
        let mut tries = 1;
        loop {
            let command = DeliveryCommand::Resolve(resolved.clone());
            let Err(error) = self.deliveries.execute(&due.run_id, command).await else {
                tell(&due.run_id, due.n, due.event, &outcome, duration);
                return after(due);
            };
            if error.is_rejection() || tries == limits::RESULT_TRIES_MAX {
                tell_not_stored(due, &outcome, &error);
                return Next::Now;
            }
            tries += 1;
            tokio::time::sleep(limits::RESULT_RETRY_PAUSE).await;
        }
    }

    /// For a claim whose maker is gone. Another notifier may have done it first; that is as good.
    pub(crate) async fn resolve_in_doubt(&self, run_id: &RunId, claim: &DeliveryClaimed) -> Result<Next, LookError> {
        match self.deliveries.execute(run_id, DeliveryCommand::ResolveInDoubt { n: claim.n }).await {
            Ok(_) => tell(run_id, claim.n, claim.event, &DeliveryOutcome::InDoubt, Duration::ZERO),
            Err(error) if error.is_rejection() => {}
            Err(error) => return Err(error.into()),
        }
        Ok(Next::Now)
    }
}

/// Nothing follows `run.finished`.
fn after(due: &Due) -> Next {
    match due.event {
        WebhookEvent::Waiting => Next::Now,
        WebhookEvent::Finished => Next::Idle { read_seq: due.event_seq },
    }
}

/// A result that is stored is told once, here.
fn tell(run_id: &RunId, n: u32, event: WebhookEvent, outcome: &DeliveryOutcome, duration: Duration) {
    let (status, reason) = match outcome {
        DeliveryOutcome::Delivered { status } | DeliveryOutcome::Rejected { status } => (Some(*status), None),
        DeliveryOutcome::NoResponse { reason } | DeliveryOutcome::NotSent { reason } => (None, Some(reason.as_str())),
        DeliveryOutcome::InDoubt => (None, None),
    };
    let (event, outcome) = (event.as_str(), outcome.as_str());
    metrics::counter!("errand_webhook_deliveries_total", "event" => event, "outcome" => outcome).increment(1);
    if !duration.is_zero() {
        metrics::histogram!("errand_webhook_duration_seconds", "outcome" => outcome).record(duration.as_secs_f64());
    }
    let duration_ms = duration.as_millis() as u64;
    tracing::info!(%run_id, n, event, outcome, status, reason, duration_ms, "webhook delivery resolved");
}

fn tell_not_stored(due: &Due, outcome: &DeliveryOutcome, error: &(dyn std::error::Error + 'static)) {
    let outcome = outcome.as_str();
    tracing::error!(run_id = %due.run_id, n = due.n, outcome, error, "webhook result was not stored");
}
