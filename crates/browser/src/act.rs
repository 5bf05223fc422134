//! Carries out one action with real input and waits for what it started.

use crate::error::BrowserError;
use crate::guard::Commits;
use crate::limits::{ACT_TIMEOUT, WAIT_ACTION_MS_MAX};
use crate::navigate::NavigateError;
use crate::page::Page;
use crate::session::Session;
use crate::settle::Before;
use crate::subframes::Located;
use errand_domain::action::{Action, ScrollDirection, Target, TypedText};
use secrecy::SecretString;
use serde_json::json;
use std::sync::Arc;
use std::time::{Duration, Instant};
use thiserror::Error;

/// How an action is to be carried out.
#[derive(Debug, Clone, Default)]
pub struct ActOptions {
    /// What to type, when the action names a secret; it is then masked wherever the page is shown.
    pub secret: Option<TypedSecret>,
    /// Accepts `confirm` and `prompt` dialogs that the action brings up, since a person approved it.
    pub accept_dialogs: bool,
    /// What it may send of what commits something; decides only in a session with a guard.
    pub commits: Commits,
    /// Most time for the action and the loading it starts; `None` is 30 s.
    pub patience: Option<Duration>,
}

/// A secret's text and where it may go: it is typed only if that is where the field and its form are at that moment.
#[derive(Debug, Clone)]
pub struct TypedSecret {
    pub text: SecretString,
    /// As [`Element::origin`](errand_planner::Element::origin) of the field; an empty one is no place for a secret.
    pub origin: String,
    /// As [`Element::destinations`](errand_planner::Element::destinations) of the field.
    pub destinations: Vec<String>,
}

/// What came of an action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActOutcome {
    /// Another document, URL or window is shown now.
    pub navigated: bool,
    pub url: String,
    /// The last thing the browser did on its own, such as answering a dialog. The next look reports all of them.
    pub notice: Option<String>,
    /// Why it is not known what came of what it sent.
    pub doubt: Option<String>,
}

/// Why an action was not carried out. Only [`ActError::Browser`] leaves open whether it was.
#[derive(Debug, Error)]
pub enum ActError {
    /// The element of the last look is gone, or is used for something else now: look again.
    #[error("{target} is not on the page any more")]
    StaleElement { target: String },
    #[error("{target} is not visible")]
    Invisible { target: String },
    #[error("{target} is covered by {by}")]
    Covered { target: String, by: String },
    #[error("{target} does not stop moving")]
    Moving { target: String },
    #[error("{target} is disabled")]
    Disabled { target: String },
    #[error("{target} takes no text")]
    NotAField { target: String },
    #[error("{target} has no option {option:?}")]
    OptionNotFound { target: String, option: String, options: Vec<String> },
    #[error("{target} did not change its state")]
    NotChecked { target: String },
    #[error("there is no key {key:?}")]
    UnknownKey { key: String },
    /// The caller did not resolve the secret that the action names.
    #[error("the secret's value is missing")]
    SecretMissing,
    /// The document or the form is another than the caller decided on: look again.
    #[error("{target} is not where the secret may go any more")]
    SecretMoved { target: String },
    #[error("the window or frame was closed before that")]
    Closed,
    #[error(transparent)]
    Navigate(#[from] NavigateError),
    #[error(transparent)]
    Browser(#[from] BrowserError),
}

impl Session {
    /// Carries out one action on the page as the last look showed it, and waits until the page is at rest again.
    ///
    /// # Errors
    /// When the action was not carried out; see [`ActError`].
    pub async fn act(&self, action: &Action, options: &ActOptions) -> Result<ActOutcome, ActError> {
        let deadline = Instant::now() + options.patience.unwrap_or(ACT_TIMEOUT);
        let before = Before::of(self)?;
        let page = self.page()?;
        {
            let mut state = page.state();
            state.accept_dialogs = options.accept_dialogs;
            state.is_touched |= is_input(action);
        }
        if let Some(watch) = self.shared.guard() {
            watch.begin(options.commits.clone(), is_input(action));
        }
        let carried_out = match self.carry_out(&page, action, options, &before, deadline).await {
            Err(ActError::Browser(error @ BrowserError::ScriptEnded)) => {
                // How far the action came is for the next look to tell.
                page.state().notice(error.to_string());
                Ok(())
            }
            // Closed by the action it would be a success.
            Err(ActError::Browser(BrowserError::Closed)) if self.page_count() > 0 => Err(ActError::Closed),
            carried_out => carried_out,
        };
        let settled = match carried_out {
            Ok(()) => self.settle_answered(&before, deadline).await.map_err(ActError::from),
            Err(error) => Err(error),
        };
        page.state().accept_dialogs = false;
        let doubt = self.end_watching();
        let now = settled?;
        let notice = before.new_notice(&now);
        Ok(ActOutcome { navigated: before.has_navigated(&now), url: self.current_url(), notice, doubt })
    }

    /// Waits for rest, and for the answers to what the action committed.
    async fn settle_answered(&self, before: &Before, deadline: Instant) -> Result<Arc<Page>, BrowserError> {
        let page = self.settle(before, deadline).await?;
        match self.shared.guard() {
            Some(watch) if watch.until_answered(deadline).await => self.settle(before, deadline).await,
            Some(_) | None => Ok(page),
        }
    }

    fn end_watching(&self) -> Option<String> {
        let mut guard = self.shared.guard()?.guard();
        guard.end(Instant::now());
        guard.doubt()
    }

    /// Marks a field as holding a secret: its value is never shown again.
    ///
    /// # Errors
    /// When the element is not on the page any more.
    pub async fn mark_secret_field(&self, target: &Target) -> Result<(), ActError> {
        let (located, own) = locate(&self.page()?, target)?;
        let fingerprint = located.frame().mark_secret(&own).await?;
        self.shared.memory().secret_fields.insert(fingerprint);
        Ok(())
    }

    async fn carry_out(
        &self,
        page: &Arc<Page>,
        action: &Action,
        options: &ActOptions,
        before: &Before,
        deadline: Instant,
    ) -> Result<(), ActError> {
        match action {
            Action::Navigate { url } => {
                self.goto_until(url, deadline).await?;
            }
            Action::Back => {
                self.go_back(before, deadline).await?;
            }
            Action::Click { target } => {
                let (located, own) = locate(page, target)?;
                located.frame().click(&own).await?;
            }
            Action::Type { target, text } => self.type_text(page, target, text, options).await?,
            Action::Select { target, option } => self.select(page, target, option, before, deadline).await?,
            Action::Check { target, checked } => {
                let (located, own) = locate(page, target)?;
                located.frame().check(&own, *checked).await?;
            }
            Action::Scroll { direction } => {
                let down = *direction == ScrollDirection::Down;
                let _moved: serde_json::Value = page.frame.script_once("scroll", &json!({ "down": down })).await?;
            }
            Action::Press { key, target: None } => page.frame.press(key, None).await?,
            Action::Press { key, target: Some(target) } => {
                let (located, own) = locate(page, target)?;
                located.frame().press(key, Some(&own)).await?;
            }
            Action::Wait { ms } => {
                page.until_changed(Duration::from_millis((*ms).min(WAIT_ACTION_MS_MAX).into())).await?
            }
        }
        Ok(())
    }

    async fn type_text(
        &self,
        page: &Arc<Page>,
        target: &Target,
        text: &TypedText,
        options: &ActOptions,
    ) -> Result<(), ActError> {
        let (located, own) = locate(page, target)?;
        match text {
            TypedText::Plain(text) => located.frame().type_into(&own, text).await,
            TypedText::Secret(_name) => {
                let secret = options.secret.as_ref().ok_or(ActError::SecretMissing)?;
                // Before the first character is in: a look or a screenshot at any moment then masks the field.
                self.mark_secret_field(target).await?;
                located.frame().type_secret(&own, secret).await
            }
        }
    }

    async fn select(
        &self,
        page: &Arc<Page>,
        target: &Target,
        option: &str,
        before: &Before,
        deadline: Instant,
    ) -> Result<(), ActError> {
        let (located, own) = locate(page, target)?;
        let frame = located.frame();
        if !frame.select(&own, option).await? {
            return Ok(());
        }
        // A list drawn by the page: open it, then press the option as a person would.
        if let Ok(shown) = frame.find_option(&own, option).await {
            return frame.click_prepared(&shown).await;
        }
        frame.click(&own).await?;
        self.settle(before, deadline).await?;
        let shown = frame.find_option(&own, option).await?;
        frame.click_prepared(&shown).await
    }
}

/// What a person does to a document; the rest only looks around.
fn is_input(action: &Action) -> bool {
    match action {
        Action::Click { .. }
        | Action::Type { .. }
        | Action::Select { .. }
        | Action::Check { .. }
        | Action::Press { .. } => true,
        Action::Navigate { .. } | Action::Back | Action::Scroll { .. } | Action::Wait { .. } => false,
    }
}

fn locate(page: &Arc<Page>, target: &Target) -> Result<(Located, Target), ActError> {
    page.locate(target).ok_or_else(|| ActError::StaleElement { target: target.describe() })
}
