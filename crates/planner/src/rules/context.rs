//! Everything a rule looks at: the goal, the page, the memory; and the ways to propose an action, each past the guard.

use errand_domain::action::{Action, ScrollDirection, TypedText};

use super::memory::Memory;
use crate::controls::{self, Kind};
use crate::goal::Goal;
use crate::goal::meaning::Meaning;
use crate::observation::{Element, Observation};
use crate::words;
use crate::{Decision, Situation};

/// What a rule found.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Progress {
    /// The intent is carried out; the number is the first step after it.
    Done(usize),
    Decided(Decision),
    /// The page offers no way; why, for a person.
    Stuck(String),
}

/// Asked when the goal's count is no positive whole number.
pub(super) const HOW_MANY: &str = "How many should be ordered? A whole number from 1 is needed.";

pub(super) struct Context<'a> {
    pub(super) situation: &'a Situation<'a>,
    pub(super) page: &'a Observation,
    pub(super) memory: Memory<'a>,
    pub(super) goal: Goal,
    /// Stems of the page's visible text and title.
    pub(super) text: Vec<String>,
    /// The same as written.
    tokens: Vec<String>,
}

impl<'a> Context<'a> {
    pub(super) fn new(situation: &'a Situation<'a>) -> Self {
        let memory = Memory::new(situation.history);
        let mut goal = Goal::read(situation.goal);
        for (question, answer) in &memory.answers {
            goal.facts.add_answer(quoted_in(question).unwrap_or(question), answer);
            if *question == HOW_MANY
                && let Some(count) = words::number(answer.trim()).filter(|count| *count > 0)
            {
                goal.set_quantity(count);
            }
        }
        let page = situation.observation;
        let tokens = words::tokens(&format!("{}\n{}", page.title, page.text));
        let text = tokens.iter().map(|token| words::stem(token)).collect();
        Self { situation, page, memory, goal, text, tokens }
    }

    /// Elements that can be used now, in document order.
    pub(super) fn elements(&self) -> impl Iterator<Item = &'a Element> {
        self.page.elements.iter().filter(|element| !element.disabled)
    }

    /// Links, buttons and all else that is pressed.
    pub(super) fn pressables(&self) -> impl Iterator<Item = &'a Element> {
        self.elements().filter(|element| controls::kind(element) == Kind::Press)
    }

    /// The action, when the guard lets it pass.
    pub(super) fn permit(&self, action: Action) -> Option<Action> {
        self.memory.allows(&action, &self.page.url, &self.page.digest).then_some(action)
    }

    pub(super) fn click(&self, element: &Element) -> Option<Action> {
        self.permit(Action::Click { target: element.target() })
    }

    pub(super) fn type_text(&self, element: &Element, text: TypedText) -> Option<Action> {
        self.permit(Action::Type { target: element.target(), text })
    }

    pub(super) fn select(&self, element: &Element, option: &str) -> Option<Action> {
        self.permit(Action::Select { target: element.target(), option: option.to_owned() })
    }

    pub(super) fn check(&self, element: &Element, checked: bool) -> Option<Action> {
        self.permit(Action::Check { target: element.target(), checked })
    }

    pub(super) fn press_enter(&self, element: &Element) -> Option<Action> {
        self.permit(Action::Press { key: "Enter".to_owned(), target: Some(element.target()) })
    }

    pub(super) fn scroll_down(&self) -> Option<Action> {
        let action = Action::Scroll { direction: ScrollDirection::Down };
        if self.page.more_below { self.permit(action) } else { None }
    }

    /// Whether the page's text says one of the phrases.
    pub(super) fn says(&self, phrases: &[&'static str]) -> bool {
        words::has_any(&self.text, phrases)
    }

    /// The groups of fields on the page: each form, and the fields outside any form.
    pub(super) fn groups(&self) -> Vec<Option<usize>> {
        let mut groups: Vec<Option<usize>> = Vec::new();
        for field in self.elements().filter(|element| controls::is_field(element)) {
            if !groups.contains(&field.form) {
                groups.push(field.form);
            }
        }
        groups
    }

    pub(super) fn fields(&self, group: Option<usize>) -> Vec<&'a Element> {
        self.elements().filter(|element| element.form == group && controls::is_field(element)).collect()
    }

    pub(super) fn search_box(&self) -> Option<&'a Element> {
        self.elements()
            .find(|element| controls::is_text(element) && controls::meaning(element) == Some(Meaning::Search))
    }

    /// Something that confirms that what was submitted arrived.
    pub(super) fn is_confirmed(&self) -> bool {
        words::says_any(&self.tokens, CONFIRMATIONS)
    }

    /// Something that says that what was submitted was not accepted.
    pub(super) fn is_rejected(&self) -> bool {
        words::says_any(&self.tokens, REJECTIONS)
    }

    /// Stems of the lines that say so.
    pub(super) fn error_lines(&self) -> impl Iterator<Item = Vec<String>> {
        let lines = self.page.text.lines().filter(|line| line.chars().count() <= ERROR_CHARS_MAX);
        lines.filter(|line| words::says_any(&words::tokens(line), REJECTIONS)).map(words::stems)
    }
}

/// What pages say when something arrived.
#[rustfmt::skip]
const CONFIRMATIONS: &[&str] = &[
    "thank you", "thanks for", "thanks", "order number", "order confirmed", "order confirmation", "order placed",
    "order received", "order complete", "order is complete", "confirmation number", "is confirmed", "been confirmed",
    "booking confirmed", "confirmed", "successfully", "successful", "has been sent", "was sent", "message sent",
    "we received", "we have received", "has been received", "submitted", "reference number", "your reference",
    "booking reference", "congratulations", "been placed", "registration complete", "you are subscribed",
    "now subscribed", "are registered", "you are in", "request received", "danke", "vielen dank", "merci", "gracias",
    "grazie", "bedankt",
];

/// Longer lines are prose, not messages of a form.
const ERROR_CHARS_MAX: usize = 160;

/// What pages say when a form was not accepted.
#[rustfmt::skip]
const REJECTIONS: &[&str] = &[
    "is required", "are required", "field required", "invalid", "not valid", "please enter", "please fill",
    "please select", "please choose", "please correct", "incorrect", "went wrong", "error occurred", "must be",
    "try again", "not accepted", "does not match", "can not be empty", "cannot be blank", "are needed", "is needed",
    "is missing", "are missing", "wrong username", "wrong password", "wrong email",
];

/// The text in the first pair of quotation marks.
pub(super) fn quoted_in(text: &str) -> Option<&str> {
    text.split('"').nth(1)
}
