//! Where a step's page is opened, and how it ends when none can be.

use errand_domain::run::{TerminalReason, WorkerCommand};
use tokio::time::timeout;

use super::Attempt;
use crate::driver::{GotoError, SessionLost};
use crate::error::TaskError;
use crate::limits::GOTO_DEADLINE;
use crate::loss::fatal;

impl Attempt<'_> {
    /// A fresh session opens the start URL, or where the run was last; a restored one is where its checkpoint says.
    pub(super) async fn open_page(&mut self) -> Result<(), GotoError> {
        if self.is_restored {
            return Ok(());
        }
        let run = &self.claim.run;
        let url = run.current_url.clone().unwrap_or_else(|| run.spec.start_url.clone());
        self.goto(&url).await
    }

    pub(super) async fn goto(&mut self, url: &str) -> Result<(), GotoError> {
        let opening = timeout(GOTO_DEADLINE, self.session.driver.goto(url));
        match self.claim.while_beating(opening).await {
            Ok(opened) => opened,
            Err(_) => Err(SessionLost { reason: "navigation hung".to_owned() }.into()),
        }
    }

    pub(super) fn navigation_failed(&self, error: GotoError) -> Result<WorkerCommand, TaskError> {
        let error = match error {
            GotoError::Lost(lost) => return Err(lost.into()),
            GotoError::Blocked { reason } | GotoError::Failed { reason } => reason,
        };
        let error = self.secrets.redactor().text(&error);
        Ok(fatal(&self.claim, TerminalReason::NavigationError, error))
    }
}
