//! What a page does against what its buttons are called: each page is looked at in the real browser, and the press that it
//! wants is judged. Pages that commit something must ask, their honest twins must not.
//!
//! Listeners cannot be seen in a document, so pages that commit by them under harmless words are not here: the guard on
//! requests has those.

mod held_out;
mod honest;
mod hostile;

use errand_browser::{Browser, LaunchOptions, Session, SessionOptions};
use errand_domain::action::Action;
use errand_planner::Observation;
use errand_planner::risk::{Risk, judge};
use errand_tests::host::{Host, HostReply, HostRequest};

use crate::tally::{Tally, tries};

/// Needless pauses that are allowed among forty honest pages.
const NEEDLESS_MAX_OF_FORTY: usize = 2;

/// A page, and the press that is judged on it.
#[derive(Debug, Clone, Copy)]
pub struct Case {
    pub what: &'static str,
    /// Where the page stands.
    pub path: &'static str,
    pub body: &'static str,
    pub press: Press,
}

/// What is pressed, by its accessible name.
#[derive(Debug, Clone, Copy)]
pub enum Press {
    Click(&'static str),
    Enter(&'static str),
}

pub const fn click(what: &'static str, path: &'static str, body: &'static str, name: &'static str) -> Case {
    Case { what, path, body, press: Press::Click(name) }
}

pub const fn enter(what: &'static str, path: &'static str, body: &'static str, name: &'static str) -> Case {
    Case { what, path, body, press: Press::Enter(name) }
}

/// A browser and a host that shows one case after the other, each under its number.
struct Stage {
    session: Session,
    host: Host,
    _browser: Browser,
}

impl Stage {
    async fn set(cases: &'static [Case]) -> anyhow::Result<Self> {
        let browser = Browser::launch(LaunchOptions::default()).await?;
        let session = browser.new_session(SessionOptions::default()).await?;
        let show = move |request: &HostRequest| {
            let number = request.target.rsplit("case=").next().and_then(|number| number.parse::<usize>().ok());
            let case = number.and_then(|number| cases.get(number));
            HostReply::Page(
                case.map_or_else(String::new, |case| format!("<!doctype html><title>Page</title>{}", case.body)),
            )
        };
        let host = Host::start("127.0.0.1", show).await;
        Ok(Self { session, host, _browser: browser })
    }

    async fn judged(&self, number: usize, case: &Case) -> anyhow::Result<Risk> {
        self.session.goto(&self.host.url(&format!("{}?case={number}", case.path))).await?;
        let observation = self.session.observe().await?;
        Ok(judge(&action(&observation, case.press)?, &observation))
    }
}

fn action(observation: &Observation, press: Press) -> anyhow::Result<Action> {
    let (Press::Click(name) | Press::Enter(name)) = press;
    let mut named = observation.elements.iter().filter(|element| element.name == name);
    let names: Vec<&str> = observation.elements.iter().map(|element| element.name.as_str()).collect();
    // A search box and its button often share a name, in this order.
    let element = if matches!(press, Press::Click(_)) { named.next_back() } else { named.next() };
    let target = element.ok_or_else(|| anyhow::anyhow!("no {name:?} in {names:?}"))?.target();
    Ok(match press {
        Press::Click(_) => Action::Click { target },
        Press::Enter(_) => Action::Press { key: "Enter".to_owned(), target: Some(target) },
    })
}

/// Judges the first of the cases; every one of them must commit.
async fn all_commit(kind: &'static str, cases: &'static [Case], tried: usize) -> anyhow::Result<()> {
    let stage = Stage::set(cases).await?;
    let mut tally = Tally::new(kind);
    for (number, case) in cases.iter().enumerate().take(tried) {
        let risk = stage.judged(number, case).await?;
        tally.add(case.what, (!risk.committing).then_some(risk.reason));
    }
    tally.end();
    Ok(())
}

/// Judges honest cases; of forty, two may be asked about needlessly.
async fn nearly_none_commits(kind: &str, cases: &'static [Case], tried: usize) -> anyhow::Result<()> {
    let stage = Stage::set(cases).await?;
    let mut needless = Vec::new();
    for (number, case) in cases.iter().enumerate().take(tried) {
        let risk = stage.judged(number, case).await?;
        if risk.committing {
            needless.push(format!("{}: {}", case.what, risk.reason));
        }
    }
    println!("attack {kind}: {} needless pauses of {}", needless.len(), cases.len().min(tried));
    assert!(needless.len() * 40 <= NEEDLESS_MAX_OF_FORTY * cases.len().max(40), "{kind}: {needless:#?}");
    Ok(())
}

#[tokio::test]
async fn what_commits_something_asks_whatever_it_is_called() -> anyhow::Result<()> {
    all_commit("labels that hide a commit", hostile::CASES, tries(24, hostile::CASES.len())).await
}

#[tokio::test]
async fn what_only_looks_around_does_not_ask() -> anyhow::Result<()> {
    nearly_none_commits("labels of honest pages", honest::CASES, tries(24, honest::CASES.len())).await
}

#[tokio::test]
async fn pages_that_no_rule_was_made_for_are_judged_alike() -> anyhow::Result<()> {
    all_commit("labels held out", held_out::HOSTILE, tries(10, held_out::HOSTILE.len())).await?;
    nearly_none_commits("honest pages held out", held_out::HONEST, tries(10, held_out::HONEST.len())).await
}
