//! What a page would have sent and was not let: the step that asks a person about it.

use errand_domain::action::Action;
use errand_domain::run::{Usage, WorkerCommand};
use errand_planner::Observation;

use super::Attempt;
use crate::error::TaskError;
use crate::held;
use crate::turn::PauseRequest;

impl Attempt<'_> {
    /// The action would have sent what it was not judged to: a person decides, on the page as it is after it.
    pub(super) async fn ask_about_held(&mut self, action: &Action) -> Result<Option<WorkerCommand>, TaskError> {
        let held = self.session.driver.take_held();
        if held.is_empty() {
            return Ok(None);
        }
        let look = self.look_once().await?;
        match held::question(&self.claim.run, action, &held, &look.observation) {
            Some(request) => self.pause(request, look, Usage::default()).await.map(Some),
            None => Ok(None),
        }
    }

    /// As [`Attempt::ask_about_held`], about what came after the last action, from a timer of the page perhaps.
    pub(super) fn held_question(&mut self, observation: &Observation) -> Option<PauseRequest> {
        let held = self.session.driver.take_held();
        let run = &self.claim.run;
        held::question(run, held::last_action(run)?, &held, observation)
    }
}
