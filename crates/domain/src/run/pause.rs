//! Pauses and the replies that end them (SPEC §3).

use serde::{Deserialize, Serialize};
use serde_json::Value;
use thiserror::Error;

use super::stakes::Stakes;
use crate::action::Action;
use crate::ids::BlobKey;
use crate::limits;
use crate::time::Timestamp;

/// Why a run waits for a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PauseKind {
    Question,
    Approval,
    Handoff,
}

/// The action that an approval is for, and the page it was shown on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proposal {
    pub action: Action,
    /// Short label, such as the button's name.
    pub label: String,
    pub url: String,
    pub digest: String,
    /// It may already have happened: a worker was lost in it.
    pub in_doubt: bool,
    /// Digest of the request that the action would send, where that was held back: only this one is approved.
    #[serde(default)]
    pub request: Option<String>,
}

/// One pause, while it lasts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pause {
    pub number: u32,
    pub kind: PauseKind,
    pub prompt: String,
    pub fields: Vec<String>,
    #[serde(default)]
    pub stakes: Stakes,
    pub options: Vec<String>,
    pub proposal: Option<Proposal>,
    pub screenshot: Option<BlobKey>,
    pub since: Timestamp,
}

/// What a person answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Reply {
    Answer { answer: String },
    Approve,
    Refuse { note: Option<String> },
    Done,
}

/// A reply body that does not fit.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct ReplyFault {
    pub param: Option<String>,
    pub message: String,
}

impl ReplyFault {
    fn new(param: &str, message: String) -> Self {
        Self { param: Some(param.to_owned()), message }
    }
}

impl Reply {
    /// Reads a reply body for a pause of this kind; also gives the pause number that it names.
    ///
    /// # Errors
    /// When a field is unknown, missing, of the wrong type, or belongs to another kind of pause.
    pub fn parse(body: &Value, kind: PauseKind, options: &[String]) -> Result<(Self, Option<u32>), ReplyFault> {
        let Some(fields) = body.as_object() else {
            return Err(ReplyFault { param: None, message: "the body must be a JSON object".to_owned() });
        };
        let allowed: &[&str] = match kind {
            PauseKind::Question => &["answer", "pause"],
            PauseKind::Approval => &["approve", "note", "pause"],
            PauseKind::Handoff => &["done", "pause"],
        };
        if let Some(unknown) = fields.keys().find(|name| !allowed.contains(&name.as_str())) {
            let wanted = allowed[0];
            let message = format!("\"{unknown}\" does not fit a pause that waits for \"{wanted}\"");
            return Err(ReplyFault::new(unknown, message));
        }
        let pause = read_pause_number(fields.get("pause"))?;
        let reply = match kind {
            PauseKind::Question => read_answer(fields.get("answer"), options)?,
            PauseKind::Approval => read_approval(fields.get("approve"), fields.get("note"))?,
            PauseKind::Handoff => read_done(fields.get("done"))?,
        };
        Ok((reply, pause))
    }
}

fn read_pause_number(value: Option<&Value>) -> Result<Option<u32>, ReplyFault> {
    let Some(value) = value else { return Ok(None) };
    let number = value.as_u64().and_then(|n| u32::try_from(n).ok()).filter(|n| *n >= 1);
    match number {
        Some(number) => Ok(Some(number)),
        None => Err(ReplyFault::new("pause", "\"pause\" must be a positive integer".to_owned())),
    }
}

fn read_answer(value: Option<&Value>, options: &[String]) -> Result<Reply, ReplyFault> {
    let Some(answer) = value.and_then(Value::as_str) else {
        return Err(ReplyFault::new("answer", "\"answer\" must be a string".to_owned()));
    };
    if answer.trim().is_empty() || answer.chars().count() > limits::REPLY_CHARS_MAX {
        let max = limits::REPLY_CHARS_MAX;
        return Err(ReplyFault::new("answer", format!("\"answer\" must have 1 to {max} characters")));
    }
    if !options.is_empty() && !options.iter().any(|option| option == answer) {
        let message = format!("\"answer\" must be one of {}", Value::from(options.to_vec()));
        return Err(ReplyFault::new("answer", message));
    }
    Ok(Reply::Answer { answer: answer.to_owned() })
}

fn read_approval(approve: Option<&Value>, note: Option<&Value>) -> Result<Reply, ReplyFault> {
    let note = match note {
        None | Some(Value::Null) => None,
        Some(Value::String(note)) if note.chars().count() <= limits::REPLY_CHARS_MAX => Some(note.clone()),
        Some(_) => {
            let max = limits::REPLY_CHARS_MAX;
            return Err(ReplyFault::new("note", format!("\"note\" must be a string of at most {max} characters")));
        }
    };
    match approve.and_then(Value::as_bool) {
        Some(true) => Ok(Reply::Approve),
        Some(false) => Ok(Reply::Refuse { note }),
        None => Err(ReplyFault::new("approve", "\"approve\" must be true or false".to_owned())),
    }
}

fn read_done(value: Option<&Value>) -> Result<Reply, ReplyFault> {
    match value.and_then(Value::as_bool) {
        Some(true) => Ok(Reply::Done),
        Some(false) | None => Err(ReplyFault::new("done", "\"done\" must be true".to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_reply_of_another_kind_names_the_field() {
        let fault = Reply::parse(&json!({"answer": "x"}), PauseKind::Approval, &[]).unwrap_err();
        assert_eq!(fault.param.as_deref(), Some("answer"));
        assert_eq!(fault.message, "\"answer\" does not fit a pause that waits for \"approve\"");
    }

    #[test]
    fn an_answer_outside_the_options_is_refused() {
        let options = ["red".to_owned(), "blue".to_owned()];
        let fault = Reply::parse(&json!({"answer": "green"}), PauseKind::Question, &options).unwrap_err();
        assert_eq!(fault.message, "\"answer\" must be one of [\"red\",\"blue\"]");
    }

    #[test]
    fn a_refusal_keeps_its_note_and_pause_number() {
        let body = json!({"approve": false, "note": "too dear", "pause": 2});
        let (reply, pause) = Reply::parse(&body, PauseKind::Approval, &[]).unwrap();
        assert_eq!(reply, Reply::Refuse { note: Some("too dear".to_owned()) });
        assert_eq!(pause, Some(2));
    }

    #[test]
    fn done_false_is_not_a_reply() {
        assert!(Reply::parse(&json!({"done": false}), PauseKind::Handoff, &[]).is_err());
    }
}
