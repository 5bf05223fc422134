//! Reads the body of a run request (SPEC §1). Every fault names its field.

use serde_json::{Map, Value};
use std::collections::BTreeMap;
use thiserror::Error;
use url::Url;

use super::spec::{ApprovePolicy, Mode, RunSpec};
use crate::ids::{AccountId, SecretName};
use crate::limits;
use crate::schema::OutputContract;

/// A field that does not hold what it must.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct FieldFault {
    /// The field, or `None` when the body as a whole is at fault.
    pub param: Option<String>,
    pub message: String,
}

impl FieldFault {
    /// A fault of one field; the message names it in double quotes.
    #[must_use]
    pub fn new(param: &str, message: impl Into<String>) -> Self {
        Self { param: Some(param.to_owned()), message: message.into() }
    }

    fn wanted(param: &str, what: &str) -> Self {
        Self::new(param, format!("\"{param}\" must be {what}"))
    }
}

const FIELDS: [&str; 17] = [
    "goal",
    "start_url",
    "output_schema",
    "output_format",
    "webhook",
    "secrets",
    "approve",
    "mode",
    "engine",
    "model",
    "max_steps",
    "timeout_s",
    "human_timeout_s",
    "profile",
    "save_profile",
    "allowed_hosts",
    "metadata",
];

/// A request whose fields are valid by themselves. Whether its secrets, model and profile exist is the gateway's to say.
#[derive(Debug, Clone, PartialEq)]
pub struct RunRequest {
    spec: RunSpec,
}

impl RunRequest {
    /// # Errors
    /// When a field is unknown, missing, of the wrong type or outside its bounds.
    pub fn parse(body: &Value, account: AccountId, master_key_id: String) -> Result<Self, FieldFault> {
        let Some(fields) = body.as_object() else {
            return Err(FieldFault { param: None, message: "the body must be a JSON object".to_owned() });
        };
        if let Some(unknown) = fields.keys().find(|name| !FIELDS.contains(&name.as_str())) {
            return Err(FieldFault::new(unknown, format!("\"{unknown}\" is not a field of a run request")));
        }
        let reader = Reader { fields };
        reader.engine()?;
        let spec = RunSpec {
            account,
            master_key_id,
            goal: reader.goal()?,
            start_url: reader.start_url()?,
            output_schema: reader.present("output_schema").cloned(),
            output_format: reader.present("output_format").cloned(),
            webhook: reader.webhook()?,
            secrets: reader.secrets()?,
            approve: reader.approve()?,
            mode: reader.mode()?,
            model: reader.name("model")?,
            max_steps: reader.integer("max_steps", limits::MAX_STEPS_DEFAULT, limits::MAX_STEPS_MAX)?,
            timeout_s: reader.integer("timeout_s", limits::TIMEOUT_S_DEFAULT, limits::TIMEOUT_S_MAX)?,
            human_timeout_s: reader.integer(
                "human_timeout_s",
                limits::HUMAN_TIMEOUT_S_DEFAULT,
                limits::HUMAN_TIMEOUT_S_MAX,
            )?,
            profile: reader.name("profile")?,
            save_profile: reader.boolean("save_profile")?,
            allowed_hosts: reader.allowed_hosts()?,
            metadata: reader.metadata()?,
        };
        check_output(&spec)?;
        Ok(Self { spec })
    }

    /// The spec to store.
    #[must_use]
    pub fn into_spec(self) -> RunSpec {
        self.spec
    }

    /// The fields, before they are stored.
    #[must_use]
    pub fn spec(&self) -> &RunSpec {
        &self.spec
    }
}

fn check_output(spec: &RunSpec) -> Result<(), FieldFault> {
    OutputContract::from_request(spec.output_schema.as_ref(), spec.output_format.as_ref())
        .map(|_| ())
        .map_err(|fault| FieldFault::new(fault.param(), fault.to_string()))
}

/// Reads an absolute URL of one of the schemes.
///
/// # Errors
/// When it is not one; the message says which schemes are accepted.
pub fn check_url(param: &str, text: &str, schemes: &[&str], wanted: &str) -> Result<Url, FieldFault> {
    let fault = || FieldFault::wanted(param, wanted);
    if text.len() > limits::URL_CHARS_MAX {
        return Err(FieldFault::wanted(param, &format!("at most {} characters long", limits::URL_CHARS_MAX)));
    }
    let url = Url::parse(text).map_err(|_| fault())?;
    let has_host = url.host_str().is_some_and(|host| !host.is_empty());
    if has_host && schemes.contains(&url.scheme()) { Ok(url) } else { Err(fault()) }
}

struct Reader<'a> {
    fields: &'a Map<String, Value>,
}

impl<'a> Reader<'a> {
    /// The field's value; an explicit null is an absent field.
    fn present(&self, name: &str) -> Option<&'a Value> {
        self.fields.get(name).filter(|value| !value.is_null())
    }

    fn text(&self, name: &str) -> Result<Option<&'a str>, FieldFault> {
        match self.present(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(FieldFault::wanted(name, "a string")),
        }
    }

    fn required_text(&self, name: &str) -> Result<&'a str, FieldFault> {
        self.text(name)?.ok_or_else(|| FieldFault::new(name, format!("\"{name}\" is required")))
    }

    fn goal(&self) -> Result<String, FieldFault> {
        let goal = self.required_text("goal")?;
        let chars = goal.chars().count();
        if goal.trim().is_empty() || chars > limits::GOAL_CHARS_MAX {
            return Err(FieldFault::new(
                "goal",
                format!("\"goal\" must have 1 to {} characters", limits::GOAL_CHARS_MAX),
            ));
        }
        Ok(goal.to_owned())
    }

    fn start_url(&self) -> Result<String, FieldFault> {
        let text = self.required_text("start_url")?;
        let url = check_url("start_url", text, &["http", "https"], "an absolute http or https URL")?;
        Ok(url.into())
    }

    fn webhook(&self) -> Result<Option<String>, FieldFault> {
        let wanted = "an https URL";
        match self.present("webhook") {
            None => Ok(None),
            Some(Value::String(text)) => {
                let url = check_url("webhook", text, &["https"], wanted)?;
                Ok(Some(url.into()))
            }
            Some(_) => Err(FieldFault::wanted("webhook", wanted)),
        }
    }

    fn secrets(&self) -> Result<Vec<SecretName>, FieldFault> {
        let names = self.strings("secrets", limits::SECRETS_MAX)?.unwrap_or_default();
        names
            .iter()
            .map(|name| {
                SecretName::parse(name)
                    .map_err(|_| FieldFault::new("secrets", format!("\"secrets\" names an unknown secret: {name:?}")))
            })
            .collect()
    }

    fn strings(&self, name: &str, count_max: usize) -> Result<Option<Vec<String>>, FieldFault> {
        let Some(value) = self.present(name) else { return Ok(None) };
        let items = value.as_array().ok_or_else(|| FieldFault::wanted(name, "a list of strings"))?;
        if items.len() > count_max {
            return Err(FieldFault::wanted(name, &format!("a list of at most {count_max} strings")));
        }
        let texts: Option<Vec<String>> = items.iter().map(|item| item.as_str().map(str::to_owned)).collect();
        texts.map(Some).ok_or_else(|| FieldFault::wanted(name, "a list of strings"))
    }

    fn approve(&self) -> Result<ApprovePolicy, FieldFault> {
        match self.text("approve")? {
            None | Some("risky") => Ok(ApprovePolicy::Risky),
            Some("always") => Ok(ApprovePolicy::Always),
            Some("never") => Ok(ApprovePolicy::Never),
            Some(_) => Err(FieldFault::wanted("approve", "\"risky\", \"always\" or \"never\"")),
        }
    }

    fn mode(&self) -> Result<Mode, FieldFault> {
        match self.text("mode")? {
            None | Some("fast") => Ok(Mode::Fast),
            Some("precise") => Ok(Mode::Precise),
            Some(_) => Err(FieldFault::wanted("mode", "\"fast\" or \"precise\"")),
        }
    }

    fn engine(&self) -> Result<(), FieldFault> {
        match self.text("engine")? {
            None | Some("chromium") => Ok(()),
            Some(_) => Err(FieldFault::wanted("engine", "\"chromium\"")),
        }
    }

    fn name(&self, name: &str) -> Result<Option<String>, FieldFault> {
        let Some(text) = self.text(name)? else { return Ok(None) };
        if text.is_empty() || text.chars().count() > limits::NAME_CHARS_MAX {
            let max = limits::NAME_CHARS_MAX;
            return Err(FieldFault::new(name, format!("\"{name}\" must have 1 to {max} characters")));
        }
        Ok(Some(text.to_owned()))
    }

    fn integer(&self, name: &str, default: u32, max: u32) -> Result<u32, FieldFault> {
        let Some(value) = self.present(name) else { return Ok(default) };
        let number = value.as_u64().and_then(|n| u32::try_from(n).ok()).filter(|n| (1..=max).contains(n));
        number.ok_or_else(|| FieldFault::wanted(name, &format!("an integer from 1 to {max}")))
    }

    fn boolean(&self, name: &str) -> Result<bool, FieldFault> {
        match self.present(name) {
            None => Ok(false),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(_) => Err(FieldFault::wanted(name, "true or false")),
        }
    }

    fn allowed_hosts(&self) -> Result<Option<Vec<String>>, FieldFault> {
        let Some(hosts) = self.strings("allowed_hosts", limits::ALLOWED_HOSTS_MAX)? else { return Ok(None) };
        for host in &hosts {
            let name = host.strip_prefix("*.").unwrap_or(host);
            let is_host = !name.contains('*') && url::Host::parse(name).is_ok();
            if !is_host {
                let wanted = format!("a list of host names such as \"example.com\" or \"*.example.com\", not {host:?}");
                return Err(FieldFault::wanted("allowed_hosts", &wanted));
            }
        }
        Ok(Some(hosts))
    }

    fn metadata(&self) -> Result<BTreeMap<String, String>, FieldFault> {
        let Some(value) = self.present("metadata") else { return Ok(BTreeMap::new()) };
        let (keys_max, chars_max) = (limits::METADATA_KEYS_MAX, limits::METADATA_CHARS_MAX);
        let wanted = format!("an object of at most {keys_max} strings of at most {chars_max} characters each");
        let fault = || FieldFault::wanted("metadata", &wanted);
        let entries = value.as_object().ok_or_else(fault)?;
        if entries.len() > keys_max {
            return Err(fault());
        }
        let read = |(key, value): (&String, &Value)| -> Option<(String, String)> {
            let text = value.as_str()?;
            let fits = key.chars().count() <= chars_max && text.chars().count() <= chars_max;
            fits.then(|| (key.clone(), text.to_owned()))
        };
        entries.iter().map(|entry| read(entry).ok_or_else(fault)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn parse(body: Value) -> Result<RunSpec, FieldFault> {
        let account = AccountId::parse("default").unwrap();
        RunRequest::parse(&body, account, "00000000".to_owned()).map(RunRequest::into_spec)
    }

    fn message(extra: Value) -> String {
        let mut body = json!({"goal": "g", "start_url": "https://example.com/"});
        for (name, value) in extra.as_object().unwrap() {
            body[name] = value.clone();
        }
        parse(body).unwrap_err().message
    }

    #[test]
    fn defaults_are_the_specs() {
        let spec = parse(json!({"goal": "g", "start_url": "https://example.com"})).unwrap();
        assert_eq!((spec.max_steps, spec.timeout_s, spec.human_timeout_s), (50, 600, 86_400));
        assert_eq!((spec.approve, spec.mode), (ApprovePolicy::Risky, Mode::Fast));
        assert_eq!(spec.start_url, "https://example.com/");
    }

    #[test]
    fn every_fault_names_its_field() {
        assert_eq!(message(json!({"webhook": "http://example.com/"})), "\"webhook\" must be an https URL");
        assert_eq!(message(json!({"webhook": 7})), "\"webhook\" must be an https URL");
        assert_eq!(message(json!({"colour": "red"})), "\"colour\" is not a field of a run request");
        assert_eq!(message(json!({"goal": " "})), "\"goal\" must have 1 to 10000 characters");
        assert_eq!(
            message(json!({"start_url": "file:///etc/passwd"})),
            "\"start_url\" must be an absolute http or https URL"
        );
        assert_eq!(message(json!({"max_steps": 201})), "\"max_steps\" must be an integer from 1 to 200");
        assert_eq!(message(json!({"max_steps": 1.5})), "\"max_steps\" must be an integer from 1 to 200");
        assert_eq!(message(json!({"engine": "firefox"})), "\"engine\" must be \"chromium\"");
        assert_eq!(message(json!({"save_profile": "yes"})), "\"save_profile\" must be true or false");
        assert!(
            message(json!({"allowed_hosts": ["a.*.b"]})).starts_with("\"allowed_hosts\" must be a list of host names")
        );
        assert!(message(json!({"metadata": {"a": 1}})).starts_with("\"metadata\" must be an object"));
    }

    #[test]
    fn a_missing_goal_is_said_to_be_required() {
        let fault = parse(json!({"start_url": "https://example.com"})).unwrap_err();
        assert_eq!(fault.message, "\"goal\" is required");
        assert_eq!(fault.param.as_deref(), Some("goal"));
    }
}
