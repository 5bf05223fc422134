//! A browser over hand-made pages: follows links, submits forms to their action, keeps what was entered. It stands in
//! for Chromium in the planner's own tests only; system tests use the real one.

use std::collections::BTreeMap;

use errand_domain::SecretName;
use errand_domain::action::{Action, Target, TypedText};
use errand_planner::risk::judge;
use errand_planner::rules::decide;
use errand_planner::{Decision, Observation, PastStep, Situation};
use serde_json::Value;

use super::site::{Page, seen, url};

/// Steps after which an errand counts as lost.
const STEPS_MAX: usize = 40;

/// How a person answers approvals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Approver {
    Approves,
    Refuses,
}

type Filled = Box<dyn Fn(&Observation) -> (usize, usize)>;

/// One errand on a small site.
pub struct Errand {
    goal: String,
    pages: BTreeMap<String, Observation>,
    /// Where script buttons lead, by name.
    scripts: BTreeMap<String, String>,
    approver: Approver,
    secrets: Vec<SecretName>,
    answers: BTreeMap<String, String>,
    schema: Option<Value>,
    filled: Filled,
}

/// How an errand went.
#[derive(Debug)]
pub struct Story {
    /// Actions that were carried out, in words.
    pub done: Vec<String>,
    /// Prompts of approvals, in order.
    pub approvals: Vec<String>,
    /// Fields shown with the last approval.
    pub fields: Vec<String>,
    /// Questions that were asked.
    pub questions: Vec<String>,
    pub end: Decision,
    /// URL of the last page.
    pub page: String,
}

impl Errand {
    pub fn new(goal: &str, pages: Vec<Page>) -> Self {
        let pages = pages.into_iter().map(|page| (page.observation.url.clone(), page.observation)).collect();
        Self {
            goal: goal.to_owned(),
            pages,
            scripts: BTreeMap::new(),
            approver: Approver::Approves,
            secrets: Vec::new(),
            answers: BTreeMap::new(),
            schema: None,
            filled: Box::new(|_| (0, 0)),
        }
    }

    pub fn refusing(mut self) -> Self {
        self.approver = Approver::Refuses;
        self
    }

    pub fn script(mut self, button: &str, path: &str) -> Self {
        self.scripts.insert(button.to_owned(), url(path));
        self
    }

    pub fn secret(mut self, name: &str) -> Self {
        self.secrets.push(SecretName::parse(name).expect("a secret name"));
        self
    }

    pub fn answer(mut self, label: &str, answer: &str) -> Self {
        self.answers.insert(label.to_owned(), answer.to_owned());
        self
    }

    /// The schema's fields count as filled on pages that say this.
    pub fn filled_by(mut self, wanted: usize, text: &str) -> Self {
        let text = text.to_owned();
        self.filled = Box::new(move |page| (if page.text.contains(&text) { wanted } else { 0 }, wanted));
        self
    }

    /// The pages never show more than a part of what is wanted.
    pub fn filled_partly(mut self, found: usize, wanted: usize) -> Self {
        self.filled = Box::new(move |_| (found, wanted));
        self
    }

    /// Runs from the page at `path` until the planner ends it.
    pub fn run(&self, path: &str) -> Story {
        let mut tab = Tab { page: self.pages[&url(path)].clone(), back: Vec::new() };
        let mut history = Vec::new();
        let mut story = Story {
            done: Vec::new(),
            approvals: Vec::new(),
            fields: Vec::new(),
            questions: Vec::new(),
            end: Decision::Finish,
            page: String::new(),
        };
        for _ in 0..STEPS_MAX {
            let observation = seen(tab.page.clone());
            let decision = self.decide(&observation, &history);
            match decision {
                Decision::Act(action) => self.carry_out(action, &observation, &mut tab, &mut history, &mut story),
                Decision::Ask { prompt, .. } if self.answer_to(&prompt).is_some() => {
                    let answer = self.answer_to(&prompt).expect("an answer").clone();
                    story.questions.push(prompt.clone());
                    history.push(PastStep::Answered { question: prompt, answer });
                }
                end
                @ (Decision::Ask { .. } | Decision::HandOff { .. } | Decision::Finish | Decision::GiveUp { .. }) => {
                    story.end = end;
                    story.page = observation.url;
                    return story;
                }
            }
        }
        panic!("no end after {STEPS_MAX} steps: {:#?}", story.done);
    }

    fn answer_to(&self, prompt: &str) -> Option<&String> {
        self.answers.iter().find(|(label, _)| prompt.contains(label.as_str())).map(|(_, answer)| answer)
    }

    fn decide(&self, observation: &Observation, history: &[PastStep]) -> Decision {
        decide(&Situation {
            goal: &self.goal,
            start_url: "https://site.test/",
            schema: self.schema.as_ref(),
            secrets: &self.secrets,
            observation,
            history,
            filled: (self.filled)(observation),
            steps_left: 30,
        })
    }

    fn carry_out(
        &self,
        action: Action,
        observation: &Observation,
        tab: &mut Tab,
        history: &mut Vec<PastStep>,
        story: &mut Story,
    ) {
        let risk = judge(&action, observation);
        if risk.committing {
            story.approvals.push(risk.prompt.clone());
            story.fields = risk.fields.clone();
            if self.approver == Approver::Refuses {
                history.push(PastStep::Refused { action, note: None });
                return;
            }
        }
        story.done.push(action.describe());
        self.apply(&action, tab);
        history.push(PastStep::Acted {
            action,
            committing: risk.committing,
            url: observation.url.clone(),
            digest: observation.digest.clone(),
            outcome: "done".to_owned(),
        });
    }

    fn apply(&self, action: &Action, tab: &mut Tab) {
        match action {
            Action::Navigate { url } => self.open(url, tab),
            Action::Click { target } => self.click(target, tab),
            Action::Type { target, text } => {
                let shown = match text {
                    TypedText::Plain(text) => Some(text.clone()),
                    TypedText::Secret(_) => None,
                };
                tab.element(target).value = shown;
            }
            Action::Select { target, option } => tab.element(target).value = Some(option.clone()),
            Action::Check { target, checked } => tab.check(target, *checked),
            Action::Press { target, .. } => {
                if let Some(target) = target {
                    self.submit_by(target, tab);
                }
            }
            Action::Back => {
                if let Some(page) = tab.back.pop() {
                    tab.page = page;
                }
            }
            Action::Scroll { .. } => tab.page.more_below = false,
            Action::Wait { .. } => {}
        }
    }

    fn click(&self, target: &Target, tab: &mut Tab) {
        let element = tab.element(target).clone();
        if let Some(path) = self.scripts.get(&element.name) {
            self.open(path, tab);
        } else if let Some(href) = element.href {
            self.open(&href, tab);
        } else if element.submits {
            self.submit_by(target, tab);
        }
    }

    fn submit_by(&self, target: &Target, tab: &mut Tab) {
        let form = tab.element(target).form;
        if let Some(form) = form {
            let action = tab.page.forms[form].action.clone();
            self.open(&action, tab);
        }
    }

    fn open(&self, url: &str, tab: &mut Tab) {
        let page = self.pages.get(url).unwrap_or_else(|| panic!("no page at {url}")).clone();
        tab.back.push(std::mem::replace(&mut tab.page, page));
    }
}

struct Tab {
    page: Observation,
    back: Vec<Observation>,
}

impl Tab {
    fn element(&mut self, target: &Target) -> &mut errand_planner::Element {
        self.page
            .elements
            .iter_mut()
            .find(|element| element.reference == target.element)
            .expect("the target is on the page")
    }

    fn check(&mut self, target: &Target, checked: bool) {
        let group = self.element(target).control_name.clone();
        let is_radio = self.element(target).role == "radio";
        for element in &mut self.page.elements {
            if is_radio && element.role == "radio" && element.control_name == group {
                element.checked = Some(false);
            }
        }
        self.element(target).checked = Some(checked);
    }
}

impl Story {
    pub fn did(&self, what: &str) -> bool {
        self.done.iter().any(|step| step == what)
    }

    /// The errand ended well, at the page with this path.
    pub fn assert_finished_at(&self, path: &str) {
        assert_eq!(self.end, Decision::Finish, "{self:#?}");
        assert_eq!(self.page, url(path), "{self:#?}");
    }
}
