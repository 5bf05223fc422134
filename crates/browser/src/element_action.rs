//! What is done to one element, in the frame it stands in: found again, brought into view, then real input.

use crate::act::{ActError, TypedSecret};
use crate::error::BrowserError;
use crate::frame::Frame;
use crate::input::Point;
use crate::keys::parse_key;
use crate::limits::{MOVEMENT_PAUSE, MOVEMENT_WAIT_MAX, SECRET_TRIES_MAX};
use errand_domain::action::Target;
use secrecy::ExposeSecret;
use serde::Deserialize;
use serde_json::json;
use std::time::Instant;

/// What the page script answers.
#[derive(Debug, Deserialize)]
pub(crate) struct Prepared {
    fault: Option<Fault>,
    #[serde(default)]
    x: f64,
    #[serde(default)]
    y: f64,
    #[serde(default)]
    is_moving: bool,
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
    Moved,
}

impl Frame {
    pub(crate) async fn click(&self, target: &Target) -> Result<(), ActError> {
        let at = self.prepare(target, "click").await?;
        self.click_prepared(&at).await
    }

    pub(crate) async fn click_prepared(&self, at: &Prepared) -> Result<(), ActError> {
        let point = self.to_session(Point { x: at.x, y: at.y }).await?;
        self.click_at(point).await?;
        Ok(())
    }

    /// Marks a field as holding a secret and tells its fingerprint.
    pub(crate) async fn mark_secret(&self, target: &Target) -> Result<String, ActError> {
        let marked = check(self.script("markSecret", &json!({ "target": target })).await?, target, None)?;
        Ok(marked.fingerprint.unwrap_or_else(|| target.fingerprint.clone()))
    }

    /// Chooses an option, and tells whether the list is one that the page draws itself; then nothing was chosen.
    pub(crate) async fn select(&self, target: &Target, option: &str) -> Result<bool, ActError> {
        let argument = json!({ "target": target, "option": option });
        match while_open(self.script_once("select", &argument).await)? {
            Some(selected) => Ok(check(selected, target, Some(option))?.custom),
            None => Ok(false),
        }
    }

    /// Where the visible option of a list drawn by the page is.
    pub(crate) async fn find_option(&self, target: &Target, option: &str) -> Result<Prepared, ActError> {
        let argument = json!({ "target": target, "option": option });
        check(self.script("findOption", &argument).await?, target, Some(option))
    }

    pub(crate) async fn type_into(&self, target: &Target, text: &str) -> Result<(), ActError> {
        let mut field = self.prepare(target, "type").await?;
        if field.needs_click {
            self.click_prepared(&field).await?;
            field = self.prepare(target, "type").await?;
        }
        if text.is_empty() {
            let delete = parse_key("Delete").ok_or_else(|| ActError::UnknownKey { key: "Delete".to_owned() })?;
            self.press_key(&delete).await?;
        } else if !field.must_set {
            self.insert_text(text).await?;
        }
        let argument = json!({ "text": text, "set": field.must_set });
        let _left: Option<serde_json::Value> = while_open(self.script_once("typed", &argument).await)?;
        Ok(())
    }

    /// Types a secret in one call of the page script, which checks where it goes; then come the key events that fields listen
    /// for, and the field is left.
    pub(crate) async fn type_secret(&self, target: &Target, secret: &TypedSecret) -> Result<(), ActError> {
        let TypedSecret { text, origin, destinations } = secret;
        let text = text.expose_secret();
        let argument = json!({ "target": target, "text": text, "origin": origin, "destinations": destinations });
        for _ in 0..SECRET_TRIES_MAX {
            let Some(typed) = while_open(self.script_once("typeSecret", &argument).await)? else { return Ok(()) };
            let typed = check(typed, target, None)?;
            if !typed.needs_click {
                self.rest_of_typing().await?;
                let _left: Option<serde_json::Value> =
                    while_open(self.script_once("typed", &json!({ "text": "", "set": false })).await)?;
                return Ok(());
            }
            self.click_prepared(&typed).await?;
        }
        Err(ActError::NotAField { target: target.describe() })
    }

    pub(crate) async fn check(&self, target: &Target, checked: bool) -> Result<(), ActError> {
        let argument = json!({ "target": target, "checked": checked });
        let now: Prepared = self.script("isChecked", &argument).await?;
        if check(now, target, None)?.checked == Some(checked) {
            return Ok(());
        }
        self.click(target).await?;
        // A box that is gone after its press did what its page meant it to do.
        let now: Option<Prepared> = while_open(self.script("isChecked", &argument).await)?;
        if now.is_none_or(|now| now.fault.is_some() || now.checked == Some(checked)) {
            return Ok(());
        }
        let forced: Option<Prepared> = while_open(self.script_once("setChecked", &argument).await)?;
        match forced.and_then(|forced| forced.checked) {
            Some(state) if state != checked => Err(ActError::NotChecked { target: target.describe() }),
            Some(_) | None => Ok(()),
        }
    }

    pub(crate) async fn press(&self, key: &str, target: Option<&Target>) -> Result<(), ActError> {
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
        let argument = json!({ "target": target, "kind": kind });
        let mut prepared: Prepared = self.script("prepare", &argument).await?;
        let rest = Instant::now() + MOVEMENT_WAIT_MAX;
        while prepared.is_moving {
            if Instant::now() >= rest {
                return Err(ActError::Moving { target: target.describe() });
            }
            tokio::time::sleep(MOVEMENT_PAUSE).await;
            prepared = self.script("prepare", &argument).await?;
        }
        check(prepared, target, None)
    }
}

/// `None` when the window or frame was closed by what was done to it.
fn while_open<T>(answer: Result<T, BrowserError>) -> Result<Option<T>, BrowserError> {
    match answer {
        Ok(answer) => Ok(Some(answer)),
        Err(BrowserError::Closed) => Ok(None),
        Err(error) => Err(error),
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
        Fault::Moved => ActError::SecretMoved { target },
        Fault::NoOption => {
            let option = option.unwrap_or_default().to_owned();
            ActError::OptionNotFound { target, option, options: prepared.options }
        }
    })
}
