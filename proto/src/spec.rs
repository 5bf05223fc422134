//! What a client asked for.

use errand_domain::ids::{AccountId, SecretName};
use errand_domain::run::{ApprovePolicy, Mode, RunSpec};
use serde_json::Value;

use crate::error::DecodeError;
use crate::field::{enumeration, id, optional_json, unspecified};
use crate::wire;

impl From<&RunSpec> for wire::RunSpec {
    fn from(spec: &RunSpec) -> Self {
        let secret_text = |name: &SecretName| name.as_str().to_owned();
        Self {
            account: spec.account.as_str().to_owned(),
            goal: spec.goal.clone(),
            start_url: spec.start_url.clone(),
            output_schema_json: spec.output_schema.as_ref().map(Value::to_string),
            output_format_json: spec.output_format.as_ref().map(Value::to_string),
            webhook: spec.webhook.clone(),
            secrets: spec.secrets.iter().map(secret_text).collect(),
            approve: wire::ApprovePolicy::from(spec.approve).into(),
            mode: wire::Mode::from(spec.mode).into(),
            model: spec.model.clone(),
            max_steps: spec.max_steps,
            timeout_s: spec.timeout_s,
            human_timeout_s: spec.human_timeout_s,
            profile: spec.profile.clone(),
            save_profile: spec.save_profile,
            allowed_hosts: spec.allowed_hosts.clone().map(|hosts| wire::HostList { hosts }),
            metadata: spec.metadata.clone(),
            master_key_id: spec.master_key_id.clone(),
        }
    }
}

pub(crate) fn read(spec: wire::RunSpec) -> Result<RunSpec, DecodeError> {
    let read_secret = |name: &String| id(name, SecretName::parse, "spec.secrets");
    Ok(RunSpec {
        account: id(&spec.account, AccountId::parse, "spec.account")?,
        goal: spec.goal,
        start_url: spec.start_url,
        output_schema: optional_json(spec.output_schema_json.as_ref(), "spec.output_schema_json")?,
        output_format: optional_json(spec.output_format_json.as_ref(), "spec.output_format_json")?,
        webhook: spec.webhook,
        secrets: spec.secrets.iter().map(read_secret).collect::<Result<_, _>>()?,
        approve: read_approve(spec.approve)?,
        mode: read_mode(spec.mode)?,
        model: spec.model,
        max_steps: spec.max_steps,
        timeout_s: spec.timeout_s,
        human_timeout_s: spec.human_timeout_s,
        profile: spec.profile,
        save_profile: spec.save_profile,
        allowed_hosts: spec.allowed_hosts.map(|list| list.hosts),
        metadata: spec.metadata,
        master_key_id: spec.master_key_id,
    })
}

fn read_mode(mode: i32) -> Result<Mode, DecodeError> {
    match enumeration(mode, "spec.mode")? {
        wire::Mode::Unspecified => Err(unspecified("spec.mode")),
        wire::Mode::Fast => Ok(Mode::Fast),
        wire::Mode::Precise => Ok(Mode::Precise),
    }
}

fn read_approve(approve: i32) -> Result<ApprovePolicy, DecodeError> {
    match enumeration(approve, "spec.approve")? {
        wire::ApprovePolicy::Unspecified => Err(unspecified("spec.approve")),
        wire::ApprovePolicy::Risky => Ok(ApprovePolicy::Risky),
        wire::ApprovePolicy::Always => Ok(ApprovePolicy::Always),
        wire::ApprovePolicy::Never => Ok(ApprovePolicy::Never),
    }
}

impl From<Mode> for wire::Mode {
    fn from(mode: Mode) -> Self {
        match mode {
            Mode::Fast => Self::Fast,
            Mode::Precise => Self::Precise,
        }
    }
}

impl From<ApprovePolicy> for wire::ApprovePolicy {
    fn from(approve: ApprovePolicy) -> Self {
        match approve {
            ApprovePolicy::Risky => Self::Risky,
            ApprovePolicy::Always => Self::Always,
            ApprovePolicy::Never => Self::Never,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mode_that_was_never_set_is_refused() {
        assert_eq!(read_mode(0).unwrap_err().to_string(), "spec.mode has the unknown value 0");
    }

    #[test]
    fn a_spec_without_an_account_is_refused() {
        let error = read(wire::RunSpec::default()).unwrap_err();
        assert_eq!(error.to_string(), "spec.account is not an identifier");
    }

    #[test]
    fn a_schema_that_is_not_json_is_named() {
        let spec = wire::RunSpec {
            account: "default".to_owned(),
            output_schema_json: Some("{".to_owned()),
            ..wire::RunSpec::default()
        };
        assert_eq!(read(spec).unwrap_err().to_string(), "spec.output_schema_json is not JSON");
    }
}
