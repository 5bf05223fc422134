//! What was done so far, and the guard against doing it again: the same action is never tried twice on the same page
//! state, and two actions never take turns.

use errand_domain::action::{Action, Target, TypedText};

use crate::PastStep;

/// How often one action may be done on one URL, whatever changed in between.
const CLICKS_PER_URL_MAX: usize = 4;
const TYPES_PER_URL_MAX: usize = 2;
const SCROLLS_PER_URL_MAX: usize = 6;
/// What the browser could not do once, because something moved or covered it, is tried once more.
const FAILURES_PER_PAGE_MAX: usize = 2;
const OTHERS_PER_URL_MAX: usize = 3;

/// An action that was carried out.
#[derive(Debug, Clone, Copy)]
pub(super) struct Acted<'a> {
    pub(super) action: &'a Action,
    /// It was judged to commit something, on the page where it was chosen.
    pub(super) committing: bool,
    pub(super) url: &'a str,
    pub(super) digest: &'a str,
    pub(super) outcome: &'a str,
}

/// The run's history in a form that rules ask questions of.
#[derive(Debug)]
pub(super) struct Memory<'a> {
    /// Oldest first.
    pub(super) acted: Vec<Acted<'a>>,
    pub(super) refused: Vec<(&'a Action, Option<&'a str>)>,
    pub(super) answers: Vec<(&'a str, &'a str)>,
    /// Prompts of what a person took over and finished.
    pub(super) handed_back: Vec<&'a str>,
    /// How much had been done when a person last told or did something.
    last_word: Option<usize>,
}

impl<'a> Memory<'a> {
    pub(super) fn new(history: &'a [PastStep]) -> Self {
        let (acted, refused, answers, handed_back) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut memory = Self { acted, refused, answers, handed_back, last_word: None };
        for step in history {
            if !matches!(step, PastStep::Acted { .. }) {
                memory.last_word = Some(memory.acted.len());
            }
            match step {
                PastStep::Acted { action, committing, url, digest, outcome } => {
                    memory.acted.push(Acted { action, committing: *committing, url, digest, outcome });
                }
                PastStep::Refused { action, note } => memory.refused.push((action, note.as_deref())),
                PastStep::Answered { question, answer } => memory.answers.push((question, answer)),
                PastStep::HandedBack { prompt } => memory.handed_back.push(prompt),
            }
        }
        memory
    }

    /// Whether a person took over at least once.
    pub(super) fn was_handed_back(&self) -> bool {
        !self.handed_back.is_empty()
    }

    /// Whether the guard lets the action pass on the page with this URL and digest.
    pub(super) fn allows(&self, action: &Action, url: &str, digest: &str) -> bool {
        let is_wait = matches!(action, Action::Wait { .. });
        let here = || self.acted.iter().filter(|past| past.digest == digest && same_action(past.action, action));
        let was_done_here = here().any(|past| !past.failed()) || here().count() >= FAILURES_PER_PAGE_MAX;
        let was_refused = self.refused.iter().any(|(refused, _)| same_action(refused, action));
        let times = self.acted.iter().filter(|past| past.url == url && same_action(past.action, action)).count();
        (is_wait || !was_done_here) && !was_refused && times < times_max(action) && !self.would_take_turns(action)
    }

    /// `A B A` was done and `B` would be next.
    fn would_take_turns(&self, action: &Action) -> bool {
        let mut back = self.acted.iter().rev().map(|past| past.action);
        let (Some(last), Some(second), Some(third)) = (back.next(), back.next(), back.next()) else { return false };
        same_action(second, action) && same_action(last, third) && !same_action(last, action)
    }

    /// The first step from `from` on that fits.
    pub(super) fn position(&self, from: usize, fits: impl Fn(&Acted<'a>) -> bool) -> Option<usize> {
        self.acted.iter().enumerate().skip(from).find(|(_, past)| !past.failed() && fits(past)).map(|(at, _)| at)
    }

    /// The last step from `from` on that fits.
    pub(super) fn last_position(&self, from: usize, fits: impl Fn(&Acted<'a>) -> bool) -> Option<usize> {
        self.acted.iter().enumerate().skip(from).rev().find(|(_, past)| !past.failed() && fits(past)).map(|(at, _)| at)
    }

    /// Whether a click on something with a fitting name was done from `from` on.
    pub(super) fn clicked(&self, from: usize, fits: impl Fn(&str) -> bool) -> Option<usize> {
        self.last_position(from, |past| matches!(past.action, Action::Click { target } if fits(&target.name)))
    }

    /// Whether something was entered in this field on this page.
    pub(super) fn typed_into(&self, fingerprint: &str, url: &str) -> Option<&'a TypedText> {
        self.acted.iter().rev().filter(|past| !past.failed()).find_map(|past| {
            let Action::Type { target, text } = past.action else { return None };
            (target.fingerprint == fingerprint && past.url == url).then_some(text)
        })
    }

    /// How often this field was typed into on this URL.
    pub(super) fn times_filled(&self, fingerprint: &str, url: &str) -> usize {
        let fills = self.acted.iter().filter(|past| past.is_fill() && past.url == url);
        fills.filter(|past| past.action.target().is_some_and(|target| target.fingerprint == fingerprint)).count()
    }

    /// Whether this field was filled on any page.
    pub(super) fn was_filled(&self, fingerprint: &str) -> bool {
        let mut fills = self.acted.iter().filter(|past| past.is_fill());
        fills.any(|past| past.action.target().is_some_and(|target| target.fingerprint == fingerprint))
    }

    /// Whether anything was entered from step `from` on.
    pub(super) fn filled_since(&self, from: usize) -> bool {
        self.acted.iter().skip(from).any(Acted::is_fill)
    }

    /// Whether anything is known since step `from` that was not known before: a person said or did something, or a field was
    /// given a value that it had not been given. The same values once more are no news.
    pub(super) fn has_news_since(&self, from: usize) -> bool {
        let is_known =
            |fill: &Acted<'a>| self.acted.iter().take(from).any(|before| same_entry(before.action, fill.action));
        let mut fills = self.acted.iter().skip(from).filter(|past| past.is_fill() && !past.failed());
        self.last_word.is_some_and(|word| word >= from) || fills.any(|fill| !is_known(fill))
    }

    pub(super) fn waits_at_end(&self) -> usize {
        self.acted.iter().rev().take_while(|past| matches!(past.action, Action::Wait { .. })).count()
    }

    pub(super) fn has_visited(&self, url: &str) -> bool {
        self.acted.iter().any(|past| same_page(past.url, url))
    }
}

impl Acted<'_> {
    /// The browser could not do it; workers begin such outcomes with these words.
    pub(super) fn failed(&self) -> bool {
        ["not done", "failed"].iter().any(|start| self.outcome.starts_with(start))
    }

    /// The worker would not type the secret here: the page's host must not have it, or the run has none of that name.
    pub(super) fn is_unusable_secret(&self) -> bool {
        matches!(self.action, Action::Type { text: TypedText::Secret(_), .. })
            && self.outcome.starts_with("not done: ")
            && self.outcome.contains("secret")
    }

    pub(super) fn is_fill(&self) -> bool {
        matches!(self.action, Action::Type { .. } | Action::Select { .. } | Action::Check { .. })
    }

    /// A click on a button, or Enter: what may have submitted a form.
    pub(super) fn is_press(&self) -> bool {
        match self.action {
            Action::Click { target } => target.role != "link",
            Action::Press { key, .. } => key == "Enter",
            Action::Navigate { .. }
            | Action::Type { .. }
            | Action::Select { .. }
            | Action::Check { .. }
            | Action::Scroll { .. }
            | Action::Back
            | Action::Wait { .. } => false,
        }
    }

    pub(super) fn name(&self) -> &str {
        self.action.target().map(|target| target.name.as_str()).unwrap_or_default()
    }
}

fn times_max(action: &Action) -> usize {
    match action {
        Action::Click { .. } => CLICKS_PER_URL_MAX,
        Action::Type { .. } | Action::Select { .. } | Action::Check { .. } => TYPES_PER_URL_MAX,
        Action::Scroll { .. } | Action::Wait { .. } => SCROLLS_PER_URL_MAX,
        Action::Press { .. } | Action::Navigate { .. } | Action::Back => OTHERS_PER_URL_MAX,
    }
}

/// Whether two actions do the same; references mean nothing across observations, fingerprints do.
pub(super) fn same_action(one: &Action, other: &Action) -> bool {
    match (one, other) {
        (Action::Click { target: one }, Action::Click { target: other }) => same_target(one, other),
        (Action::Type { target: one, text: first }, Action::Type { target: other, text: second }) => {
            same_target(one, other) && first == second
        }
        (Action::Select { target: one, option: first }, Action::Select { target: other, option: second }) => {
            same_target(one, other) && first == second
        }
        (Action::Check { target: one, checked: first }, Action::Check { target: other, checked: second }) => {
            same_target(one, other) && first == second
        }
        (Action::Press { key: one, target: first }, Action::Press { key: other, target: second }) => {
            let is_same_target = match (first, second) {
                (Some(first), Some(second)) => same_target(first, second),
                (None, None) => true,
                (Some(_), None) | (None, Some(_)) => false,
            };
            one == other && is_same_target
        }
        _ => one == other,
    }
}

/// Whether two actions give the same value to the same field; around a field that is drawn anew, other text may stand.
fn same_entry(one: &Action, other: &Action) -> bool {
    let is_same_field = match (one.target(), other.target()) {
        (Some(one), Some(other)) => one.role == other.role && one.name == other.name,
        (None, _) | (_, None) => false,
    };
    let is_same_value = match (one, other) {
        (Action::Type { text: one, .. }, Action::Type { text: other, .. }) => one == other,
        (Action::Select { option: one, .. }, Action::Select { option: other, .. }) => one == other,
        (Action::Check { checked: one, .. }, Action::Check { checked: other, .. }) => one == other,
        _ => false,
    };
    is_same_field && is_same_value
}

pub(super) fn same_target(one: &Target, other: &Target) -> bool {
    one.role == other.role && one.name == other.name && one.fingerprint == other.fingerprint
}

/// Whether two URLs are the same page but for their fragment.
pub(super) fn same_page(one: &str, other: &str) -> bool {
    let bare = |url: &str| url.split('#').next().unwrap_or_default().trim_end_matches('/').to_owned();
    bare(one) == bare(other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use errand_domain::action::ScrollDirection;

    fn click(name: &str) -> Action {
        let target = Target {
            element: "e1".to_owned(),
            role: "button".to_owned(),
            name: name.to_owned(),
            fingerprint: name.to_owned(),
        };
        Action::Click { target }
    }

    fn acted(action: Action, digest: &str) -> PastStep {
        let url = "https://a.test/".to_owned();
        PastStep::Acted { action, committing: false, url, digest: digest.to_owned(), outcome: String::new() }
    }

    #[test]
    fn the_same_action_on_the_same_digest_is_not_allowed() {
        let history = [acted(click("Next"), "d1")];
        let memory = Memory::new(&history);
        assert!(!memory.allows(&click("Next"), "https://a.test/", "d1"));
        assert!(memory.allows(&click("Next"), "https://a.test/", "d2"));
    }

    fn typed(text: &str, fingerprint: &str) -> PastStep {
        let Action::Click { target } = click("Email") else { panic!("a click") };
        let target = Target { fingerprint: fingerprint.to_owned(), ..target };
        acted(Action::Type { target, text: TypedText::Plain(text.to_owned()) }, "d")
    }

    #[test]
    fn the_same_values_once_more_are_no_news() {
        let sent = || vec![typed("a@b.test", "f1"), acted(click("Send"), "d")];
        let news = |later: PastStep| {
            let history: Vec<PastStep> = sent().into_iter().chain([later]).collect();
            Memory::new(&history).has_news_since(2)
        };
        assert!(!Memory::new(&sent()).has_news_since(2));
        assert!(!news(typed("a@b.test", "f2")));
        assert!(news(typed("ada@b.test", "f2")));
        assert!(news(PastStep::Answered { question: "Which address?".to_owned(), answer: "x".to_owned() }));
    }

    #[test]
    fn two_actions_do_not_take_turns() {
        let history = [acted(click("A"), "d1"), acted(click("B"), "d2"), acted(click("A"), "d3")];
        let memory = Memory::new(&history);
        assert!(!memory.allows(&click("B"), "https://a.test/", "d4"));
        assert!(memory.allows(&click("C"), "https://a.test/", "d4"));
    }

    #[test]
    fn a_page_that_changes_all_the_time_is_not_scrolled_for_ever() {
        let scroll = || Action::Scroll { direction: ScrollDirection::Down };
        let history: Vec<PastStep> = (0..SCROLLS_PER_URL_MAX).map(|at| acted(scroll(), &format!("d{at}"))).collect();
        let memory = Memory::new(&history);
        assert!(!memory.allows(&scroll(), "https://a.test/", "fresh"));
    }
}
