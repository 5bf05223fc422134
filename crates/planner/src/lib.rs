//! Decides the next action from an observation, and judges which actions commit something. Pure: it takes what it needs
//! as arguments and awaits nothing.

mod controls;
pub mod goal;
pub mod observation;
pub mod risk;
pub mod rules;
mod words;

use errand_domain::SecretName;
use errand_domain::action::Action;
use serde_json::Value;

pub use observation::{Element, Form, FormField, Observation, SentControl};

/// All a planner may know when it decides.
#[derive(Debug)]
pub struct Situation<'a> {
    pub goal: &'a str,
    pub start_url: &'a str,
    /// JSON Schema of the wanted data, when there is one; its top-level names and descriptions steer.
    pub schema: Option<&'a Value>,
    /// Names of secrets the run may type.
    pub secrets: &'a [SecretName],
    pub observation: &'a Observation,
    /// What was done so far, oldest first.
    pub history: &'a [PastStep],
    /// Schema fields that the current page already shows: filled and wanted, so `(3, 3)` is complete.
    pub filled: (usize, usize),
    /// Steps left after this one.
    pub steps_left: u32,
}

/// One thing that happened earlier in the run.
#[derive(Debug, Clone, PartialEq)]
pub enum PastStep {
    /// An action and what came of it; `url` and `digest` are those of the page it was chosen on, and `committing` was judged
    /// there.
    Acted { action: Action, committing: bool, url: String, digest: String, outcome: String },
    /// A person refused this action, perhaps with a note.
    Refused { action: Action, note: Option<String> },
    /// A person answered a question.
    Answered { question: String, answer: String },
    /// A person took over and finished.
    HandedBack { prompt: String },
}

/// What to do next.
#[derive(Debug, Clone, PartialEq)]
pub enum Decision {
    Act(Action),
    /// Ask a person for a fact.
    Ask {
        prompt: String,
        options: Vec<String>,
    },
    /// A person must act in the browser (captcha, second factor, payment).
    HandOff {
        prompt: String,
    },
    /// The goal is reached: what is wanted stands on a page that was visited.
    Finish,
    /// The goal cannot be reached; the reason is for a person.
    GiveUp {
        reason: String,
    },
}
