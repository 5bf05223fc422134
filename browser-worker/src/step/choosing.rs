//! What is recorded before an action: that it was chosen, or that it is not done; and the secret that it types.

use errand_browser::TypedSecret;
use errand_domain::action::{Action, TypedText};
use errand_domain::run::{ActionChosen, StepOutcome, Usage, WorkerCommand};
use errand_planner::Observation;

use super::{Attempt, Look};
use crate::error::{SecretError, TaskError};
use crate::phase::{StepPhase, timed};
use crate::{captures, secret_place};

impl Attempt<'_> {
    /// The planner hears of it by the run's history, so that it does not try the same for ever.
    pub(super) async fn refuse(
        &mut self,
        action: Action,
        reason: String,
        look: Look,
        usage: Usage,
    ) -> Result<WorkerCommand, TaskError> {
        self.choose(action, false, look, usage).await?;
        let reason = captures::short(&reason);
        self.record_outcome(StepOutcome::NotActed { reason }).await
    }

    pub(super) async fn choose(
        &mut self,
        action: Action,
        committing: bool,
        look: Look,
        usage: Usage,
    ) -> Result<(), TaskError> {
        let chosen = ActionChosen {
            step: self.claim.step(),
            attempt: self.claim.attempt(),
            action,
            committing,
            url: look.observation.url,
            digest: look.observation.digest,
            pages: look.pages,
            usage,
        };
        timed(StepPhase::Choose, self.claim.append(WorkerCommand::ChooseAction(chosen))).await
    }

    /// The secret that the action names, if it may be typed where the field stood at the last look.
    pub(super) fn typed_secret(
        &self,
        action: &Action,
        observation: &Observation,
    ) -> Result<Option<TypedSecret>, SecretError> {
        let Action::Type { text: TypedText::Secret(name), .. } = action else { return Ok(None) };
        let (origin, destinations) = secret_place::element_of(action, observation)
            .map(|element| (element.origin.clone(), element.destinations.clone()))
            .unwrap_or_default();
        let text = self.secrets.text_for(name, &origin, self.context.stores.clock.time_of_day())?;
        Ok(Some(TypedSecret { text, origin, destinations }))
    }
}
