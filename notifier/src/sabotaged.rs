//! What must never happen, so that a test can prove that it would be noticed (`make sabotage`). Reached in debug builds
//! only, and only when asked for.

use errand_domain::RunId;
use errand_domain::delivery::DeliveryClaimed;
use errand_domain::run::{Commit, RunEvent};
use std::time::Duration;
use tokio::time::Instant;

use crate::limits;
use crate::look::{LookError, Notifier, Prepared};
use crate::plan::Next;
use crate::step::{Due, spec_of};
use crate::transport::Connection;

impl Notifier {
    /// [`errand_store::Sabotage::ClaimAfterSend`].
    pub(crate) async fn send_then_claim(
        &self,
        prepared: &Prepared<'_>,
        connection: Box<dyn Connection>,
    ) -> Result<Next, LookError> {
        let due = prepared.due;
        let request = self.sign(prepared)?;
        let outcome = connection.exchange(request, Instant::now() + limits::EXCHANGE_MAX).await;
        let claim = due.claim(self.epoch(), self.stores.clock.now());
        let is_ours = self.claim(due, &claim).await?;
        Ok(if is_ours { self.resolve(due, outcome, Duration::ZERO).await } else { Next::Now })
    }

    /// [`errand_store::Sabotage::ResendInDoubt`].
    pub(crate) async fn resend(
        &self,
        run_id: &RunId,
        history: &[Commit<RunEvent>],
        claim: DeliveryClaimed,
    ) -> Result<Next, LookError> {
        let due = Due { run_id: run_id.clone(), n: claim.n, event_seq: claim.event_seq, event: claim.event };
        let Some(spec) = spec_of(history) else { return Ok(Next::Forget) };
        let prepared = self.prepare(&due, spec, history).await?;
        let Ok(connection) = self.config.transport.connect(&prepared.target).await else {
            return self.resolve_in_doubt(run_id, &claim).await;
        };
        let request = self.sign(&prepared)?;
        let outcome = connection.exchange(request, Instant::now() + limits::EXCHANGE_MAX).await;
        Ok(self.resolve(&due, outcome, Duration::ZERO).await)
    }
}
