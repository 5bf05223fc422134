//! What a planner can make a browser do. An action names an element as one observation showed it; the same words are
//! stored in the log, so that a run can be read back step by step.

use crate::ids::SecretName;
use serde::{Deserialize, Serialize};

/// An element of one observation: where it was, and what makes it recognisable on a later look at the same page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Target {
    /// The observation's reference, such as `e12`; it means nothing on another document.
    pub element: String,
    /// ARIA role: `button`, `link`, `textbox`, …
    pub role: String,
    /// Accessible name, or the nearest text when it has none.
    pub name: String,
    /// Stable description of the element (tag, id, name, place in its form): equal fingerprints on the same page mean
    /// the same element.
    pub fingerprint: String,
}

/// Text to be typed: given in the goal, or held by a stored secret whose value the log never sees.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum TypedText {
    Plain(String),
    Secret(SecretName),
}

/// Direction of a scroll by one screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ScrollDirection {
    Up,
    Down,
}

/// One thing done in the browser.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Action {
    /// Opens an absolute http(s) URL.
    Navigate {
        url: String,
    },
    Click {
        target: Target,
    },
    /// Replaces the field's content.
    Type {
        target: Target,
        text: TypedText,
    },
    /// Chooses the option with this label in a select or listbox.
    Select {
        target: Target,
        option: String,
    },
    /// Sets a checkbox, radio button or switch.
    Check {
        target: Target,
        checked: bool,
    },
    Scroll {
        direction: ScrollDirection,
    },
    /// Presses one key by its DOM name (`Enter`, `Escape`, `Tab`, …), on the target when one is given.
    Press {
        key: String,
        target: Option<Target>,
    },
    /// One entry back in the session's history.
    Back,
    /// Waits for the page to change, at most this long.
    Wait {
        ms: u32,
    },
}

impl Action {
    /// The element the action works on, when it has one.
    #[must_use]
    pub fn target(&self) -> Option<&Target> {
        match self {
            Self::Click { target }
            | Self::Type { target, .. }
            | Self::Select { target, .. }
            | Self::Check { target, .. } => Some(target),
            Self::Press { target, .. } => target.as_ref(),
            Self::Navigate { .. } | Self::Scroll { .. } | Self::Back | Self::Wait { .. } => None,
        }
    }

    /// The action in a person's words, such as `click button "Place order"`.
    #[must_use]
    pub fn describe(&self) -> String {
        match self {
            Self::Navigate { url } => format!("open {url}"),
            Self::Click { target } => format!("click {}", target.describe()),
            Self::Type { target, text: TypedText::Plain(text) } => {
                format!("type {text:?} into {}", target.describe())
            }
            Self::Type { target, text: TypedText::Secret(name) } => {
                format!("type [secret:{name}] into {}", target.describe())
            }
            Self::Select { target, option } => format!("select {option:?} in {}", target.describe()),
            Self::Check { target, checked: true } => format!("check {}", target.describe()),
            Self::Check { target, checked: false } => format!("uncheck {}", target.describe()),
            Self::Scroll { direction: ScrollDirection::Up } => "scroll up".to_owned(),
            Self::Scroll { direction: ScrollDirection::Down } => "scroll down".to_owned(),
            Self::Press { key, .. } => format!("press {key}"),
            Self::Back => "go back".to_owned(),
            Self::Wait { ms } => format!("wait {ms} ms"),
        }
    }
}

impl Target {
    /// Role and name, such as `button "Place order"`.
    #[must_use]
    pub fn describe(&self) -> String {
        format!("{} \"{}\"", self.role, self.name)
    }
}
