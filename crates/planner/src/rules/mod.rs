//! The planner without a model: reads the goal, and decides each step by rules that can be explained. Elements are
//! matched against the goal only; what a page says is never followed as an instruction.

mod consent;
mod context;
mod dates;
mod fill;
mod find;
mod follow;
mod forms;
mod memory;
mod options;
mod read;
mod search;
mod shop;
mod sign_in;
mod submit;
mod values;

use errand_domain::action::Action;

use crate::goal::{Beyond, Commitment, Goal, Intent, Item, Wanted};
use crate::risk;
use crate::words;
use crate::{Decision, Situation};
use context::{Context, HOW_MANY, Progress};
use memory::Acted;

/// Waits for a page that shows nothing yet, one after the other.
const WAITS_MS: &[u32] = &[500, 1500, 3000];

/// The next step of a run. The same situation always gives the same decision.
#[must_use]
pub fn decide(situation: &Situation<'_>) -> Decision {
    let context = Context::new(situation);
    if let Some(reason) = beyond(&context) {
        return Decision::GiveUp { reason };
    }
    if let Some(decision) = unusable_secret(&context).or_else(|| before_reading(&context)) {
        return decision;
    }
    match how_many(&context).unwrap_or_else(|| carry_out(&context)) {
        Progress::Decided(decision) => not_asked_twice(&context, sent_once(&context, withheld(&context, decision))),
        Progress::Done(_) => Decision::Finish,
        Progress::Stuck(reason) => stuck(&context, &reason),
    }
}

/// A press that commits is proposed only when the goal asks for it: what is filled in ends the run instead.
fn withheld(context: &Context<'_>, decision: Decision) -> Decision {
    let Decision::Act(action) = &decision else { return decision };
    let why = match context.goal.commitment {
        Commitment::Allowed => return decision,
        Commitment::NotAsked => "does not ask for",
        Commitment::Forbidden => "forbids",
    };
    if !risk::judge(action, context.page).committing {
        return decision;
    }
    let is_prepared = context.memory.position(0, |past| past.is_fill() || shop::is_adding(past)).is_some();
    if is_prepared {
        return Decision::Finish;
    }
    Decision::GiveUp { reason: format!("the next step would be to {}, which the goal {why}", action.describe()) }
}

/// One committing press for each deed of the goal: while what was sent still stands there, another button is no second way
/// to send it. Something new to send, a person's word or a button that the goal names makes another deed.
fn sent_once(context: &Context<'_>, decision: Decision) -> Decision {
    let Decision::Act(action) = &decision else { return decision };
    let name = action.target().map(|target| target.name.as_str()).unwrap_or_default();
    let Some(at) =
        context.memory.last_position(0, |past| past.is_press() && (past.committing || submit::is_commit(past)))
    else {
        return decision;
    };
    let sent = &context.memory.acted[at];
    let is_still_there = sent.action.target().is_some_and(|target| {
        context
            .page
            .elements
            .iter()
            .any(|element| element.fingerprint == target.fingerprint && element.name == target.name)
    });
    let stems = words::content_stems(name);
    let is_asked = sent.name() != name && !stems.is_empty() && words::coverage(&stems, &context.goal.words) == COVERED;
    let is_repeat = is_still_there && !is_asked && !context.memory.has_news_since(at + 1);
    if !is_repeat || !risk::judge(action, context.page).committing {
        return decision;
    }
    if context.is_rejected() && !context.is_confirmed() {
        return Decision::GiveUp {
            reason: format!("{} was done once, and the page did not accept it", sent.action.describe()),
        };
    }
    Decision::Finish
}

/// [`words::coverage`] of a text that holds all the words.
const COVERED: u32 = 1000;

/// Why no rule can carry the goal out. A schema says what a reading goal wants, whatever the goal's language.
fn beyond(context: &Context<'_>) -> Option<String> {
    let is_shown = context.situation.filled.0 > 0;
    let reason = context.goal.beyond.as_ref()?;
    (!is_shown || matches!(reason, Beyond::Deed(_))).then(|| reason.to_string())
}

/// A secret that this host must not have is not tried for ever: after the second refusal the run ends with its reason.
fn unusable_secret(context: &Context<'_>) -> Option<Decision> {
    let last = context.memory.acted.iter().rev().find(|past| past.is_unusable_secret())?;
    let is_again = |past: &&Acted<'_>| {
        let is_same_field = match (past.action.target(), last.action.target()) {
            (Some(one), Some(other)) => memory::same_target(one, other),
            (None, _) | (_, None) => false,
        };
        past.is_unusable_secret() && is_same_field
    };
    let times = context.memory.acted.iter().filter(is_again).count();
    let reason = last.outcome.trim_start_matches("not done:").trim().to_owned();
    (times >= SECRET_REFUSALS_MAX).then_some(Decision::GiveUp { reason })
}

/// The first refusal may be of a page that was just being left.
const SECRET_REFUSALS_MAX: usize = 2;

/// A question whose answer did not help, or a hand-over that changed nothing, is not repeated.
fn not_asked_twice(context: &Context<'_>, decision: Decision) -> Decision {
    match decision {
        Decision::Ask { prompt, .. } if context.memory.answers.iter().any(|(question, _)| *question == prompt) => {
            Decision::GiveUp { reason: format!("the answer did not fit the page: {prompt}") }
        }
        Decision::HandOff { prompt } if context.memory.handed_back.contains(&prompt.as_str()) => {
            Decision::GiveUp { reason: format!("it was handed over, and the page still asks: {prompt}") }
        }
        Decision::Act(_)
        | Decision::Ask { .. }
        | Decision::HandOff { .. }
        | Decision::Finish
        | Decision::GiveUp { .. } => decision,
    }
}

/// Nothing is put into a cart while the goal's count means nothing.
fn how_many(context: &Context<'_>) -> Option<Progress> {
    item_of(&context.goal)?.unusable_count.as_ref()?;
    Some(Progress::Decided(Decision::Ask { prompt: HOW_MANY.to_owned(), options: Vec::new() }))
}

/// The item that the goal orders, if it orders one.
fn item_of(goal: &Goal) -> Option<&Item> {
    goal.intents.iter().find_map(|intent| match intent {
        Intent::Order(item) | Intent::AddToCart(item) => Some(item),
        Intent::Open(_)
        | Intent::Visit { .. }
        | Intent::Search { .. }
        | Intent::SignIn
        | Intent::SignOut
        | Intent::Fill { .. }
        | Intent::Read { .. } => None,
    })
}

/// A page that is still blank, or covered by a banner; neither matters once a reading goal has what it wants.
fn before_reading(context: &Context<'_>) -> Option<Decision> {
    let (found, wanted) = context.situation.filled;
    let is_read = context.goal.is_only_reading() && wanted > 0 && found > 0;
    if is_read { None } else { wait_for_content(context).or_else(|| consent::answer(context)) }
}

fn wait_for_content(context: &Context<'_>) -> Option<Decision> {
    let is_blank = context.page.elements.is_empty() && context.page.text.trim().is_empty();
    if !is_blank && !is_loading(context) {
        return None;
    }
    WAITS_MS.get(context.memory.waits_at_end()).map(|ms| Decision::Act(Action::Wait { ms: *ms }))
}

/// A page of few words that says it is still loading.
fn is_loading(context: &Context<'_>) -> bool {
    let is_short = context.page.text.chars().count() <= LOADING_CHARS_MAX;
    is_short && context.says(&["loading", "please wait", "one moment", "just a second"])
}

/// Longer pages show more than a notice.
const LOADING_CHARS_MAX: usize = 200;

/// Walks through the goal's intents; the first that is not carried out decides.
fn carry_out(context: &Context<'_>) -> Progress {
    let mut from = 0;
    let mut query: Option<&str> = None;
    let last = context.goal.intents.len().saturating_sub(1);
    for (at, intent) in context.goal.intents.iter().enumerate() {
        let progress = match intent {
            Intent::Read { topic } if at == last => {
                let did_something =
                    context.goal.intents[..at].iter().any(|intent| !matches!(intent, Intent::Read { .. }));
                let earlier = context.goal.intents[..at].iter().filter_map(|intent| {
                    if let Intent::Read { topic } = intent { Some(topic.as_slice()) } else { None }
                });
                let topic: Vec<String> = earlier.chain([topic.as_slice()]).flatten().cloned().collect();
                return read_at_end(context, &topic, query, did_something);
            }
            Intent::Read { .. } => Progress::Done(from),
            Intent::Visit { url } => follow::visit(context, url, from),
            Intent::Open(wanted) => follow::progress(context, wanted, query, from),
            Intent::Search { query: text } => search::progress(context, text, from),
            Intent::SignIn => sign_in::progress(context, from),
            Intent::SignOut => sign_in::out(context, from),
            Intent::AddToCart(item) => shop::add_to_cart(context, item, from),
            Intent::Order(item) => shop::order(context, item, from),
            Intent::Fill { topic } => forms::progress(context, topic, button_after(context, at), from),
        };
        match progress {
            Progress::Done(next) => from = next,
            Progress::Decided(_) => return progress,
            Progress::Stuck(_) => return sign_in::at_a_wall(context).unwrap_or(progress),
        }
        if let Intent::Search { query: text } = intent {
            query = Some(text);
        }
    }
    read_at_end(context, &[], query, true)
}

/// `Enter … and click Save`: the press that follows a form is what sends it.
fn button_after<'a>(context: &'a Context<'_>, at: usize) -> Option<&'a Wanted> {
    match context.goal.intents.get(at + 1) {
        Some(Intent::Open(wanted)) if wanted.is_pressed => Some(wanted),
        Some(_) | None => None,
    }
}

/// What is left once all else is done: look whether the page shows what is wanted.
fn read_at_end(context: &Context<'_>, topic: &[String], query: Option<&str>, did_something: bool) -> Progress {
    if let Some(action) = query.and_then(|query| read::open_result(context, query)) {
        return Progress::Decided(Decision::Act(action));
    }
    read::progress(context, topic, did_something)
}

/// Nothing sensible is left: a person can help with a captcha, otherwise the run ends with the reason.
fn stuck(context: &Context<'_>, reason: &str) -> Decision {
    let is_captcha =
        context.says(&["captcha", "not a robot", "are a human", "you are human", "unusual traffic", "verify you are"]);
    if is_captcha && !context.memory.was_handed_back() {
        return Decision::HandOff {
            prompt: "The page asks to prove that a person is there. Please do that in the browser.".to_owned(),
        };
    }
    let notice = context.page.notice.as_deref().map(|notice| format!("; {notice}")).unwrap_or_default();
    Decision::GiveUp { reason: format!("{reason}{notice}") }
}
