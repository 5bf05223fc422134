//! What becomes of a step that did not come to its end: another attempt, or the end of the run.

use errand_domain::redact::Redactor;
use errand_domain::run::{StepFinished, StepOutcome, TerminalReason, Usage, WorkerCommand};

use crate::claim::Claim;
use crate::driver::SessionLost;
use crate::error::TaskError;
use crate::secrets::RunSecrets;
use crate::{captures, turn};

/// Gives a step up that did not come to its end, so that another attempt can start at once.
///
/// # Errors
/// The one that is given.
pub async fn abandon(claim: Claim<'_>, error: TaskError) -> Result<(), TaskError> {
    claim.abandon().await;
    Err(error)
}

/// A page or browser that was lost is tried on other workers first; then the run says why it ended.
///
/// # Errors
/// The loss, when another attempt follows; or when the end cannot be stored.
pub async fn after_loss(mut claim: Claim<'_>, secrets: &RunSecrets, lost: SessionLost) -> Result<(), TaskError> {
    let lost = redacted(&lost, secrets.redactor());
    match turn::after_loss(&claim.run, &lost.reason) {
        None => abandon(claim, lost.into()).await,
        Some(outcome) => {
            tracing::warn!(run_id = %claim.run.id, error = %lost, "run ends after repeated losses");
            claim.append(ended(&claim, outcome)).await
        }
    }
}

/// The loss as it may be stored, logged and handed on: what a page's script throws may hold what was typed into it.
fn redacted(lost: &SessionLost, redactor: &Redactor) -> SessionLost {
    SessionLost { reason: captures::short(&redactor.text(&lost.reason)) }
}

/// The end of a step that ends the run.
#[must_use]
pub fn fatal(claim: &Claim<'_>, reason: TerminalReason, error: String) -> WorkerCommand {
    ended(claim, StepOutcome::Fatal { reason, error })
}

fn ended(claim: &Claim<'_>, outcome: StepOutcome) -> WorkerCommand {
    WorkerCommand::FinishStep(StepFinished {
        step: claim.step(),
        attempt: claim.attempt(),
        outcome,
        url: None,
        pages: Vec::new(),
        screenshot: None,
        checkpoint: None,
        usage: Usage::default(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use errand_domain::SecretName;

    #[test]
    fn a_loss_is_told_without_what_a_page_says_of_a_secret() {
        let redactor = Redactor::new(vec![(SecretName::parse("pin").unwrap(), "s3cr3t-99".to_owned())]);
        let lost = SessionLost { reason: "the page script failed: Error: s3cr3t-99 is wrong".to_owned() };
        let told = redacted(&lost, &redactor);
        assert_eq!(told.reason, "the page script failed: Error: [secret:pin] is wrong");
    }
}
