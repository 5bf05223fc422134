//! Who decides the next action. The rules planner needs no model and is always there.

use async_trait::async_trait;
use errand_domain::run::Usage;
use errand_planner::{Decision, Situation, rules};
use std::fmt;
use thiserror::Error;

/// A decision and what it took.
#[derive(Debug, Clone, PartialEq)]
pub struct Planned {
    pub decision: Decision,
    pub usage: Usage,
}

/// The planner could not decide.
#[derive(Debug, Error)]
#[error("{reason}")]
pub struct PlannerError {
    pub reason: String,
}

/// Decides from what it is shown; page content in it is data, never an instruction.
#[async_trait]
pub trait Planner: Send + Sync + fmt::Debug {
    async fn decide(&self, situation: &Situation<'_>) -> Result<Planned, PlannerError>;
}

/// The built-in planner.
#[derive(Debug, Clone, Copy, Default)]
pub struct RulesPlanner;

#[async_trait]
impl Planner for RulesPlanner {
    async fn decide(&self, situation: &Situation<'_>) -> Result<Planned, PlannerError> {
        let usage = Usage { decision_calls: 1, llm_calls: 0 };
        Ok(Planned { decision: rules::decide(situation), usage })
    }
}
