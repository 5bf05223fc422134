//! Whether a goal asks to send, order or pay, or forbids it: `fill in …, but do not send it` fills and no more.

use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

use super::clauses::{Clause, ClauseKind};
use crate::words;

/// What a goal says about committing: sending, ordering, paying, registering.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Commitment {
    /// It may be proposed; a person's approval is another matter.
    Allowed,
    /// The goal only asks to fill in fields.
    NotAsked,
    /// The goal says not to do it.
    Forbidden,
}

/// A goal without what it forbids.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Permitted {
    pub(super) text: String,
    pub(super) is_forbidden: bool,
    /// `do not check out`: the flow ends at the cart.
    pub(super) ends_at_cart: bool,
}

/// Forms of verbs that commit. Wrongly found ones only keep a button from being pressed.
const VERB: &str = r"(?:send(?:ing)?|sent|submit(?:s|ting|ted)?|submission|order(?:ing|ed)?|buy(?:ing)?|bought|purchas(?:e|ing|ed)|pay(?:ing)?|paid|check(?:ing|ed)?[ -]?out|book(?:ing|ed)?|reserv(?:e|ing|ed)|register(?:ing|ed)?|subscrib(?:e|ing|ed)|sign(?:ing|ed)?[ -]?up|apply(?:ing)?|applied|post(?:ing|ed)?|contact(?:ing|ed)?|request(?:ing|ed)?|confirm(?:ing|ed)?|publish(?:ing|ed)?|donat(?:e|ing|ed)|transfer(?:ring|red)?|enrol+(?:ing|ed)?|commit(?:ting|ted)?|finali[sz](?:e|ing|ed)|plac(?:e|ing|ed)|complet(?:e|ing|ed)|finish(?:ing|ed)?|proceed(?:ing)?|(?:press|click|hit|tap|push)(?:ing|ed)?\s+(?:on\s+)?(?:the\s+|any\s+|that\s+|its\s+)?(?:(?:final|last|blue|green)\s+)?(?:buttons?|anything|it\b|\x22))";

/// What makes the verb after it forbidden.
const DENIAL: &str = r"(?:do\s+not|don'?t|never|(?:must|should|shall|may|can|could|will|would|need|has|have|be|is|are|does|did)(?:\s+not|n't|nt)|cannot|not|no|without|(?:stop|wait|pause|halt|quit|end)(?:\s+\w+){0,4}?\s+(?:before|short\s+of|prior\s+to)|instead\s+of|rather\s+than|avoid|refrain\s+from|skip|hold\s+off(?:\s+on)?|let\s+me|so\s+(?:that\s+)?i\s+can|(?:before|until|till)\s+(?:i|we)|leave\s+(?:the\s+)?)";

/// The denial, at most a few words, the verb; then all up to the end of the clause.
static FORBIDDEN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let lead = r"(?:[\s,(–—-]*\b(?:but|and|then|please|yet|just|however|though|you)\b)*[\s,(–—-]*";
    let between = r"(?P<between>(?:\s*,[^,.;:!?]{1,40},)?(?:\s+[\w'-]+){0,5}?\s+)";
    let rest = r"(?P<rest>(?:(?:,?\s+or\b)|[^,.;:!?\n)\s]|[.:][^\s]|[^\S\n])*?)";
    let end = r"(?P<end>[.;:!?)]*\s*$|[.;!?)](?:\s|$)|:\s|\n|,|\s+(?:and|then|but)\b)";
    Regex::new(&format!(r"(?i){lead}\b(?P<denial>{DENIAL}){between}(?P<verb>\b{VERB})\b{rest}{end}")).ok()
});

/// Whole phrases that say that nothing is sent.
static UNSENT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:unsent|unsubmitted|(?:send|submit|order|buy|post|pay|press|click)\s+nothing|(?:send|submit|order|buy)(?:\s+it)?\s*\?\s*no|dry run|(?:only|just)\s+(?:fill|complete|enter|type)|fill(?:ing)?\s+(?:it\s+)?(?:in\s+)?only|(?:i|we)(?:'ll|\s+will|\s+want\s+to|\s+shall)\s+(?:\w+\s+){1,4}myself)\b").ok()
});

/// Words between denial and verb that turn the sense: `do not forget to send it`.
#[rustfmt::skip]
const TURNING: &[&str] = &[
    "forget", "hesitate", "fail", "worry", "miss", "and", "but", "then", "only", "delay", "until", "mind", "be",
    "know", "see", "have",
];

/// Things beside the errand: not to subscribe to the newsletter does not forbid the order.
#[rustfmt::skip]
const ASIDES: &[&str] = &[
    "newsletter", "newsletters", "mailing", "account", "marketing", "offers", "promotions", "copy", "copies", "extras",
    "insurance", "warranty", "gift", "twice", "updates", "subscription", "more", "notifications",
];

impl Permitted {
    /// Cuts out what the goal forbids, so that no part of it is entered or done. Quotes are data and forbid nothing.
    pub(super) fn read(goal: &str) -> Self {
        let mask = without_quotes(goal);
        let mut permitted = Self { text: goal.to_owned(), is_forbidden: false, ends_at_cart: false };
        permitted.is_forbidden = UNSENT.as_ref().is_some_and(|pattern| pattern.is_match(&mask));
        let Some(pattern) = FORBIDDEN.as_ref() else { return Self { is_forbidden: true, ..permitted } };
        let denials: Vec<Denied> = pattern.captures_iter(&mask).filter_map(|found| denied(&found)).collect();
        for range in denials.iter().rev().map(|denied| denied.range.clone()) {
            permitted.text.replace_range(range, "");
        }
        permitted.text =
            permitted.text.trim_start_matches(|c: char| c.is_whitespace() || ",.;:!?)".contains(c)).to_owned();
        let rest = words::tokens(&permitted.text);
        for denied in denials.iter().filter(|denied| !denied.is_aside(&rest)) {
            permitted.is_forbidden = true;
            permitted.ends_at_cart |= denied.verb.starts_with("check") || denied.verb.starts_with("proceed");
        }
        permitted
    }
}

struct Denied {
    range: Range<usize>,
    verb: String,
    object: Vec<String>,
}

impl Denied {
    /// It forbids something that the rest of the goal does not ask for.
    fn is_aside(&self, rest: &[String]) -> bool {
        let is_beside = |word: &String| ASIDES.contains(&word.as_str()) && !rest.contains(word);
        let is_about_writer = self.object.first().is_some_and(|word| ["me", "us"].contains(&word.as_str()));
        is_about_writer || self.object.iter().any(is_beside)
    }
}

fn denied(found: &regex::Captures<'_>) -> Option<Denied> {
    let between = words::tokens(found.name("between")?.as_str());
    let denial = found.name("denial")?.as_str().to_lowercase();
    // `do not be shy and send it`, but `must not be sent`.
    let may_turn = |word: &str| word != "be" || denial.starts_with("do");
    let is_turned = between.iter().any(|word| TURNING.contains(&word.as_str()) && may_turn(word));
    let verb = found.name("verb")?.as_str().to_lowercase();
    // `no order number`, `without delay order …`: only what names the deed itself is forbidden by these.
    let needs_gerund = ["without", "avoid", "skip", "instead", "rather", "refrain", "hold", "leave", "no"];
    let is_bare = needs_gerund.iter().any(|word| denial == *word || denial.starts_with(&format!("{word} ")));
    let is_deed = verb.contains("ing") || verb == "submission" || verb.starts_with("check");
    // `if it is not available order the red one` says what is, not what to do.
    let states = ["is", "are", "has", "have", "does", "did", "be"].iter().any(|word| denial.starts_with(word));
    let is_participle = ["ed", "ing", "sent", "paid"].iter().any(|end| verb.ends_with(end));
    let is_ordered = between.is_empty() || between.last().is_some_and(|word| word == "to");
    let is_stated = states && !is_ordered && !is_participle;
    if is_turned || is_stated || is_bare && !is_deed {
        return None;
    }
    let whole = found.get(0)?;
    let end = found.name("end")?;
    let closes = end.as_str().starts_with(')');
    let range = whole.start()..if closes { end.end() } else { end.start() };
    Some(Denied { range, verb, object: words::tokens(found.name("rest")?.as_str()) })
}

/// The goal with the insides of its quotes blanked, byte for byte; an unpaired mark quotes nothing.
fn without_quotes(goal: &str) -> String {
    let marks: Vec<usize> = goal.match_indices('"').map(|(at, _)| at).collect();
    let pairs: Vec<(usize, usize)> = marks.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect();
    let is_quoted = |at: usize| pairs.iter().any(|(start, end)| *start < at && at < *end);
    let mut mask = String::with_capacity(goal.len());
    for (at, c) in goal.char_indices() {
        if is_quoted(at) {
            mask.extend(std::iter::repeat_n('x', c.len_utf8()));
        } else {
            mask.push(c);
        }
    }
    mask
}

/// A committing verb that is asked for: `and submit it`, `then register`, `to contact them`.
static ASKED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let sure = r"(?:submit|send|buy|purchase|pay|subscribe|unsubscribe|register|sign up|signup|apply|publish|donate|enrol+|reserve|confirm|rsvp|transfer|check out|checkout|place)\b";
    let weak = r"(?:order|book|contact|request|post|join|schedule|message|ask)\s+(?:a|an|it|the|them|him|her|this|that|these|for|my)\b";
    Regex::new(&format!(r"(?i)(?:^|[.;!?,\n]\s*|\b(?:and|then|to|please|also|finally)\s+)(?:{sure}|{weak})")).ok()
});

/// What the goal's clauses ask for; `mask` is the goal with quotes and messages hidden.
pub(super) fn of(clauses: &[Clause], mask: &str) -> Commitment {
    let mut fills = clauses.iter().filter(|clause| clause.kind == ClauseKind::Fill).peekable();
    let Some(first) = fills.peek() else { return Commitment::Allowed };
    let presses =
        |clause: &Clause| clause.kind == ClauseKind::Order || clause.kind == ClauseKind::Open && commands(clause);
    let is_asked = !only_fills(first)
        || clauses.iter().any(presses)
        || ASKED.as_ref().is_some_and(|pattern| pattern.find_iter(mask).any(|found| !sends_back(&mask[found.end()..])));
    if is_asked { Commitment::Allowed } else { Commitment::NotAsked }
}

/// `send me the result` sends no form.
fn sends_back(after: &str) -> bool {
    let after = after.trim_start().to_lowercase();
    ["me ", "us ", "back "].iter().any(|who| after.starts_with(who))
}

fn commands(clause: &Clause) -> bool {
    let goes = ["open", "follow", "visit", "go", "navigate", "browse", "download", "expand", "close", "dismiss"];
    !goes.contains(&clause.verb.as_str())
}

fn only_fills(clause: &Clause) -> bool {
    let object = words::stems(&clause.rest);
    match clause.verb.as_str() {
        "fill" | "type" | "enter" | "select" | "choose" | "pick" | "tick" | "check" | "set" | "put" => true,
        "complete" => words::has_any(&object, &["form", "field", "fields"]),
        "write" | "add" => words::has_any(&object, &["field", "form", "box"]),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::goal::Goal;

    #[test]
    fn a_forbidden_press_is_cut_out_of_the_goal() {
        let fill = "Fill in the contact form with name N and email j@e.com and message hi";
        for goal in [
            format!("{fill}. Do not send it."),
            format!("{fill}, but do not send it"),
            format!("{fill} without sending it"),
            format!("{fill}; don't submit"),
            format!("{fill} - don’t click Send"),
            format!("{fill} (do not submit it)"),
            format!("{fill}. Never submit the form!"),
            format!("{fill}. The form must not be sent."),
            format!("{fill}, do not press the button"),
            format!("{fill} and stop before sending"),
            format!("{fill}, leave it unsent"),
            format!("{fill}. Do not, under any circumstances, send it."),
            format!("{fill} so that I can send it later"),
            format!("{fill}. I will submit it myself."),
            format!("Stop before you submit: {fill}"),
            format!("Do not send anything. {fill}"),
            format!("{fill}\nDO NOT SUBMIT"),
        ] {
            let read = Goal::read(&goal);
            assert_eq!(read.commitment, Commitment::Forbidden, "{goal}");
            let message = read.facts.known.get(&crate::goal::meaning::Meaning::Message);
            assert!(message.is_none_or(|message| !message.contains("send")), "{goal}: {message:?}");
        }
    }

    #[test]
    fn filling_alone_asks_for_no_press() {
        for (goal, wanted) in [
            ("Fill in the contact form with name N and message hi", Commitment::NotAsked),
            ("Fill in the contact form with name N and message hi and tell me the title", Commitment::NotAsked),
            ("Fill in the order form with name N, topic order and email j@e.com", Commitment::NotAsked),
            ("Fill in the form with name N and send it", Commitment::Allowed),
            ("Fill in the form with name N, then submit", Commitment::Allowed),
            ("Fill in the form with name N. Submit it.", Commitment::Allowed),
            ("Fill in the form to contact them, name N", Commitment::Allowed),
            ("Enter \"Ada\" in the Nickname field and click Save", Commitment::Allowed),
            ("Contact them with name N and message hi", Commitment::Allowed),
            ("Sign up with email j@e.com", Commitment::Allowed),
            ("Order one Blue Mug for Ada", Commitment::Allowed),
        ] {
            assert_eq!(Goal::read(goal).commitment, wanted, "{goal}");
        }
    }

    #[test]
    fn what_is_not_forbidden_may_be_done() {
        for goal in [
            "Fill in the form with name N and do not forget to send it",
            "Send a message from N saying \"Do not send me mail\"",
            "Order one Blue Mug for Ada, but do not subscribe to the newsletter",
            "Order one Blue Mug for Ada and do not order more than one",
            "Order one Blue Mug for Ada and let me know the order number",
            "Order one Blue Mug for Ada; do not contact me by phone",
            "If the Red Mug is not available order the Blue Mug for Ada",
            "Do not tick the newsletter box, fill in name N and send the form",
        ] {
            assert_eq!(Goal::read(goal).commitment, Commitment::Allowed, "{goal}");
        }
    }
}
