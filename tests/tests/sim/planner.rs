//! A planner that knows the simulated web by heart: it goes the shortest way, and looks for the order when a person says
//! that it was made.

use async_trait::async_trait;
use errand_browser_worker::{Planned, Planner, PlannerError};
use errand_domain::action::{Action, TypedText};
use errand_domain::run::Usage;
use errand_planner::{Decision, PastStep, Situation};
use tokio::time::sleep;

use crate::client::HAS_HAPPENED;
use crate::process::Edge;
use crate::shop::Address;

/// One worker's planner.
#[derive(Debug)]
pub struct SimPlanner {
    pub edge: Edge,
}

#[async_trait]
impl Planner for SimPlanner {
    async fn decide(&self, situation: &Situation<'_>) -> Result<Planned, PlannerError> {
        self.edge.process.gate().await;
        sleep(self.edge.chaos.ms(10..1_500)).await;
        if self.edge.chaos.strikes(|rates| rates.planner_fails) {
            return Err(PlannerError { reason: "the simulated model is overloaded".to_owned() });
        }
        let decision = decide(situation);
        self.edge.process.gate().await;
        Ok(Planned { decision, usage: Usage { decision_calls: 1, llm_calls: 0 } })
    }
}

fn decide(situation: &Situation<'_>) -> Decision {
    let observation = situation.observation;
    if observation.text.contains("Order number") {
        return Decision::Finish;
    }
    let Some(address) = Address::parse(&observation.url) else { return give_up("this page is unknown") };
    match (address.page.as_str(), refusal(situation.history)) {
        ("orders" | "done", _) => give_up("there is no order"),
        (_, Some(note)) if note == HAS_HAPPENED => {
            Decision::Act(Action::Navigate { url: Address::url(address.errand, "orders") })
        }
        (_, Some(_)) => give_up("a person refused"),
        ("checkout", None) => order(situation),
        (issue, None) if issue.parse().is_ok_and(|issue: u32| issue >= wanted_issue(situation.goal)) => {
            Decision::Finish
        }
        (_, None) => click_first(situation),
    }
}

fn give_up(reason: &str) -> Decision {
    Decision::GiveUp { reason: reason.to_owned() }
}

/// The note of the last refusal.
fn refusal(history: &[PastStep]) -> Option<&str> {
    history.iter().rev().find_map(|step| match step {
        PastStep::Refused { note, .. } => Some(note.as_deref().unwrap_or_default()),
        PastStep::Acted { .. } | PastStep::Answered { .. } | PastStep::HandedBack { .. } => None,
    })
}

fn wanted_issue(goal: &str) -> u32 {
    goal.rsplit(' ').next().and_then(|number| number.parse().ok()).unwrap_or_default()
}

fn order(situation: &Situation<'_>) -> Decision {
    let field = situation.observation.elements.iter().find(|element| element.role == "textbox");
    match field {
        Some(field) if field.value.as_deref() == Some("") => {
            let text = TypedText::Plain("Ada Lovelace".to_owned());
            Decision::Act(Action::Type { target: field.target(), text })
        }
        Some(_) | None => click(situation, "button"),
    }
}

fn click_first(situation: &Situation<'_>) -> Decision {
    click(situation, "link")
}

fn click(situation: &Situation<'_>, role: &str) -> Decision {
    let element = situation.observation.elements.iter().find(|element| element.role == role);
    match element {
        Some(element) => Decision::Act(Action::Click { target: element.target() }),
        None => give_up("there is nothing to click"),
    }
}
