//! What a client asked for, as it is stored in `Created`.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

use crate::ids::{AccountId, SecretName};

/// How pages are read (SPEC §1, `mode`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    #[default]
    Fast,
    Precise,
}

/// When an action waits for a person's approval (SPEC §1, `approve`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ApprovePolicy {
    #[default]
    Risky,
    Always,
    Never,
}

/// A validated request, with every default filled in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunSpec {
    pub account: AccountId,
    pub goal: String,
    pub start_url: String,
    /// As the client gave it; [`crate::schema::OutputContract`] reads it.
    pub output_schema: Option<Value>,
    pub output_format: Option<Value>,
    pub webhook: Option<String>,
    pub secrets: Vec<SecretName>,
    pub approve: ApprovePolicy,
    pub mode: Mode,
    pub model: Option<String>,
    pub max_steps: u32,
    pub timeout_s: u32,
    pub human_timeout_s: u32,
    pub profile: Option<String>,
    pub save_profile: bool,
    /// `None`: any public host.
    pub allowed_hosts: Option<Vec<String>>,
    pub metadata: BTreeMap<String, String>,
    /// Which master key the webhook secret is derived from, for rotation.
    pub master_key_id: String,
}
