//! Carries out one action with real input and waits for what it started.

use crate::error::BrowserError;
use crate::input::Point;
use crate::keys::parse_key;
use crate::limits::{ACT_TIMEOUT, CALL_TIMEOUT, WAIT_ACTION_MS_MAX};
use crate::navigate::NavigateError;
use crate::page::Page;
use crate::session::Session;
use crate::settle::Before;
use errand_domain::action::{Action, ScrollDirection, Target, TypedText};
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;
use serde_json::json;
use std::sync::Arc;
use std::time::{Duration, Instant};
use thiserror::Error;

/// How an action is to be carried out.
#[derive(Debug, Clone, Default)]
pub struct ActOptions {
    /// The text to type, when the action names a secret; the secret is then masked wherever the page is shown.
    pub secret: Option<SecretString>,
    /// Accepts `confirm` and `prompt` dialogs that the action brings up, since a person approved it.
    pub accept_dialogs: bool,
    /// Most time for the action and the loading it starts; `None` is 30 s.
    pub patience: Option<Duration>,
}

/// What came of an action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActOutcome {
    /// Another document, URL or window is shown now.
    pub navigated: bool,
    pub url: String,
    /// The last thing the browser did on its own, such as answering a dialog. The next look reports all of them.
    pub notice: Option<String>,
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
    #[error(transparent)]
    Navigate(#[from] NavigateError),
    #[error(transparent)]
    Browser(#[from] BrowserError),
}

/// What the page script answers.
#[derive(Debug, Deserialize)]
struct Prepared {
    fault: Option<Fault>,
    #[serde(default)]
    x: f64,
    #[serde(default)]
    y: f64,
    #[serde(default)]
    needs_click: bool,
    #[serde(default)]
    must_set: bool,
    #[serde(default)]
    custom: bool,
    checked: Option<bool>,
    by: Option<String>,
    #[serde(default)]
    options: Vec<String>,
    fingerprint: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Fault {
    Stale,
    Invisible,
    Covered,
    Disabled,
    NotAField,
    NoOption,
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
        page.state().accept_dialogs = options.accept_dialogs;
        let carried_out = self.carry_out(&page, action, options, &before, deadline).await;
        let settled = match carried_out {
            Ok(()) => self.settle(&before, deadline).await.map_err(ActError::from),
            Err(error) => Err(error),
        };
        page.state().accept_dialogs = false;
        let now = settled?;
        let notice = now.state().last_notice().map(str::to_owned);
        Ok(ActOutcome { navigated: before.has_navigated(&now), url: self.current_url(), notice })
    }

    /// Marks a field as holding a secret: its value is never shown again.
    ///
    /// # Errors
    /// When the element is not on the page any more.
    pub async fn mark_secret_field(&self, target: &Target) -> Result<(), ActError> {
        let page = self.page()?;
        let marked: Prepared = page.script("markSecret", &json!({ "target": target })).await?;
        let marked = check(marked, target, None)?;
        self.remember_secret_field(marked.fingerprint.unwrap_or_else(|| target.fingerprint.clone()));
        Ok(())
    }

    fn remember_secret_field(&self, fingerprint: String) {
        self.shared.memory().secret_fields.insert(fingerprint);
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
            Action::Click { target } => page.click(target).await?,
            Action::Type { target, text } => self.type_text(page, target, text, options).await?,
            Action::Select { target, option } => self.select(page, target, option, before, deadline).await?,
            Action::Check { target, checked } => page.check(target, *checked).await?,
            Action::Scroll { direction } => {
                let down = *direction == ScrollDirection::Down;
                let _moved: serde_json::Value = page.script("scroll", &json!({ "down": down })).await?;
            }
            Action::Press { key, target } => page.press(key, target.as_ref()).await?,
            Action::Wait { ms } => {
                page.until_changed(Duration::from_millis((*ms).min(WAIT_ACTION_MS_MAX).into())).await?
            }
        }
        Ok(())
    }

    async fn type_text(
        &self,
        page: &Page,
        target: &Target,
        text: &TypedText,
        options: &ActOptions,
    ) -> Result<(), ActError> {
        let (text, is_secret) = match text {
            TypedText::Plain(text) => (text.as_str(), false),
            TypedText::Secret(_name) => (options.secret.as_ref().ok_or(ActError::SecretMissing)?.expose_secret(), true),
        };
        if is_secret {
            // Before the first character is in: a look or a screenshot at any moment then masks the field.
            self.mark_secret_field(target).await?;
        }
        page.type_into(target, text).await
    }

    async fn select(
        &self,
        page: &Arc<Page>,
        target: &Target,
        option: &str,
        before: &Before,
        deadline: Instant,
    ) -> Result<(), ActError> {
        let argument = json!({ "target": target, "option": option });
        let chosen: Prepared = page.script("select", &argument).await?;
        if !check(chosen, target, Some(option))?.custom {
            return Ok(());
        }
        // A list drawn by the page: open it, then press the option as a person would.
        let shown: Prepared = page.script("findOption", &argument).await?;
        if shown.fault.is_some() {
            page.click(target).await?;
            self.settle(before, deadline).await?;
        }
        let shown: Prepared = page.script("findOption", &argument).await?;
        let shown = check(shown, target, Some(option))?;
        page.click_at(Point { x: shown.x, y: shown.y }).await?;
        Ok(())
    }
}

impl Page {
    async fn click(&self, target: &Target) -> Result<(), ActError> {
        let at = self.prepare(target, "click").await?;
        self.click_at(Point { x: at.x, y: at.y }).await?;
        Ok(())
    }

    async fn type_into(&self, target: &Target, text: &str) -> Result<(), ActError> {
        let mut field = self.prepare(target, "type").await?;
        if field.needs_click {
            self.click_at(Point { x: field.x, y: field.y }).await?;
            field = self.prepare(target, "type").await?;
        }
        if text.is_empty() {
            let delete = parse_key("Delete").ok_or_else(|| ActError::UnknownKey { key: "Delete".to_owned() })?;
            self.press_key(&delete).await?;
        } else if !field.must_set {
            self.insert_text(text).await?;
        }
        let _left: serde_json::Value = self.script("typed", &json!({ "text": text, "set": field.must_set })).await?;
        Ok(())
    }

    async fn check(&self, target: &Target, checked: bool) -> Result<(), ActError> {
        let argument = json!({ "target": target, "checked": checked });
        let now: Prepared = self.script("isChecked", &argument).await?;
        if check(now, target, None)?.checked == Some(checked) {
            return Ok(());
        }
        self.click(target).await?;
        let now: Prepared = self.script("isChecked", &argument).await?;
        if now.fault.is_some() || now.checked == Some(checked) {
            // A box that is gone after its press did what its page meant it to do.
            return Ok(());
        }
        let forced: Prepared = self.script("setChecked", &argument).await?;
        match forced.checked {
            Some(state) if state != checked => Err(ActError::NotChecked { target: target.describe() }),
            Some(_) | None => Ok(()),
        }
    }

    async fn press(&self, key: &str, target: Option<&Target>) -> Result<(), ActError> {
        let press = parse_key(key).ok_or_else(|| ActError::UnknownKey { key: key.to_owned() })?;
        match target {
            Some(target) => {
                self.prepare(target, "focus").await?;
            }
            None => {
                let _focused: serde_json::Value = self.script("refocus", &()).await?;
            }
        }
        self.press_key(&press).await?;
        Ok(())
    }

    async fn prepare(&self, target: &Target, kind: &str) -> Result<Prepared, ActError> {
        let prepared: Prepared = self.script("prepare", &json!({ "target": target, "kind": kind })).await?;
        check(prepared, target, None)
    }

    /// Waits until the page changes in any way, at most so long.
    async fn until_changed(&self, patience: Duration) -> Result<(), BrowserError> {
        let mut changes = self.watch();
        changes.borrow_and_update();
        let cap_ms = patience.as_millis().to_string();
        let mutation = self.script_promise("mutated", &cap_ms, patience + CALL_TIMEOUT);
        tokio::select! {
            _ = changes.changed() => Ok(()),
            () = tokio::time::sleep(patience) => Ok(()),
            mutated = mutation => mutated,
        }
    }
}

fn check(prepared: Prepared, target: &Target, option: Option<&str>) -> Result<Prepared, ActError> {
    let Some(fault) = prepared.fault else { return Ok(prepared) };
    let target = target.describe();
    Err(match fault {
        Fault::Stale => ActError::StaleElement { target },
        Fault::Invisible => ActError::Invisible { target },
        Fault::Covered => ActError::Covered { target, by: prepared.by.unwrap_or_default() },
        Fault::Disabled => ActError::Disabled { target },
        Fault::NotAField => ActError::NotAField { target },
        Fault::NoOption => {
            let option = option.unwrap_or_default().to_owned();
            ActError::OptionNotFound { target, option, options: prepared.options }
        }
    })
}
