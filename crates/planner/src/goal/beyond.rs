//! Goals that the built-in planner cannot read: deeds that no intent covers, other languages, no words at all.

use super::clauses::{self, Clause};
use crate::words;
use std::fmt;

/// Why no rule can carry a goal out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Beyond {
    /// A verb that no intent covers.
    Deed(String),
    /// Another language than English.
    Language,
    /// Nothing but signs.
    Wordless,
}

impl fmt::Display for Beyond {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Deed(verb) => write!(f, "the built-in planner does not know how to {verb}"),
            Self::Language => f.write_str("the built-in planner reads goals in English only"),
            Self::Wordless => f.write_str("the goal has no words that the built-in planner understands"),
        }
    }
}

/// Deeds that no rule knows; ending such a run well would be a lie.
#[rustfmt::skip]
const UNKNOWN_DEEDS: &[&str] = &[
    "pay", "translate", "transfer", "play", "watch", "call", "phone", "upload", "rename", "move", "share", "like",
    "vote", "rate", "install", "chat", "solve", "convert", "draw", "drag", "negotiate", "refund", "upgrade",
    "downgrade", "renew", "withdraw", "deposit", "bid", "sell", "edit", "enable", "disable", "activate", "deactivate",
    "approve", "reject", "invite", "forward", "reply", "merge", "deploy", "schedule", "reschedule", "save", "print",
    "monitor", "wait", "listen", "record", "draft", "compose", "email", "text", "dm", "tweet", "review", "redeem",
    "claim", "track", "mute", "block", "ban", "restart", "reboot", "hack", "bypass", "settle", "dispute", "return",
];

/// Verbs of reading that start no clause of their own.
#[rustfmt::skip]
const READING_VERBS: &[&str] = &[
    "describe", "explain", "analyze", "analyse", "provide", "output", "name", "quote", "verify", "scan", "locate",
    "grab", "gather", "capture", "pull", "learn", "discover", "obtain", "parse", "display", "answer", "say", "inspect",
    "examine", "review", "print", "track", "save", "monitor", "know", "return", "lookup", "search", "observe",
    "confirm", "research", "outline", "enumerate", "recap", "study", "crawl", "query", "see", "load", "measure",
];

/// Words after which an object follows; a first word before one of these is a verb.
const DETERMINERS: &[&str] =
    &["the", "this", "that", "my", "a", "an", "all", "your", "me", "it", "them", "these", "those", "every", "our"];

/// First words that are no verbs though a determiner may follow.
#[rustfmt::skip]
const NO_VERBS: &[&str] = &[
    "using", "under", "within", "inside", "near", "until", "during", "since", "without", "among", "via", "like",
    "given", "according", "concerning", "regarding", "both", "only", "also", "just", "did", "could", "should", "may",
    "might", "would", "whose", "why", "whether", "not", "no", "than", "over", "through", "between", "across", "once",
    "first", "next", "today", "now", "ok", "okay", "hi", "hello", "hey", "maybe", "need", "exactly", "except",
];

/// Small words of other languages; two of them make a goal in one of these.
#[rustfmt::skip]
const FOREIGN_WORDS: &[&str] = &[
    // German
    "der", "das", "und", "mit", "ein", "eine", "einen", "nicht", "auf", "fur", "ist", "bitte", "dem", "den", "aus",
    "sie", "ich", "nachricht", "formular", "sag", "wie", "von", "zum", "zur",
    // French
    "le", "les", "avec", "et", "une", "pour", "sur", "dans", "est", "remplissez", "remplis", "formulaire", "du",
    "des", "moi", "votre", "mon", "au",
    // Spanish, Portuguese, Italian
    "el", "los", "las", "con", "para", "una", "por", "del", "formulario", "rellena", "um", "uma", "il",
    "di", "della", "modulo", "compila", "preencha", "nombre", "correo", "mensaje", "nome",
    // Dutch
    "het", "een", "met", "van", "voor", "niet", "vul", "formulier", "naar", "mijn",
];

/// Fewer foreign words may be part of a name: `Pain et Vin`.
const FOREIGN_WORDS_MIN: usize = 2;

/// Why the goal is beyond the rules; `None` when it can be tried. `goal` has plain quotation marks.
pub(super) fn reason(goal: &str, lead: &str, clauses: &[Clause]) -> Option<Beyond> {
    let is_unread = clauses.iter().all(|clause| clause.verb.is_empty());
    let tokens = words::tokens(&clauses::mask_of(goal));
    if words::tokens(goal).is_empty() {
        return Some(Beyond::Wordless);
    }
    if is_unread && is_foreign(goal) {
        return Some(Beyond::Language);
    }
    let before_verb = if is_unread { tokens } else { words::tokens(&clauses::mask_of(lead)) };
    unknown_deed(&before_verb).map(|verb| Beyond::Deed(verb.to_owned()))
}

/// The verb with which the text begins, when no rule knows it.
fn unknown_deed(tokens: &[String]) -> Option<&str> {
    const POLITE: &[&str] = &[
        "please", "can", "could", "would", "you", "i", "want", "to", "need", "just", "kindly", "then", "now", "id",
        "like",
    ];
    let at = tokens.iter().position(|token| !POLITE.contains(&token.as_str()))?;
    let (verb, next) = (tokens[at].as_str(), tokens.get(at + 1).map(String::as_str).unwrap_or_default());
    let has_object = DETERMINERS.contains(&next);
    let is_reading = READING_VERBS.contains(&verb) || verb.ends_with("ing");
    let is_no_verb = words::is_stop_word(verb) || NO_VERBS.contains(&verb) || words::number(verb).is_some();
    let is_known_deed = UNKNOWN_DEEDS.contains(&verb) && next != "of" && !(next.is_empty() && at == 0);
    let is_deed = !is_reading && !is_no_verb && (has_object || is_known_deed);
    is_deed.then_some(verb)
}

/// Small words of another language, or letters of another script.
fn is_foreign(goal: &str) -> bool {
    let mask = clauses::mask_of(goal);
    let prose: Vec<&str> = mask.split_whitespace().filter(|word| !word.contains(['@', '/'])).collect();
    let known = words::tokens(&prose.join(" ")).iter().filter(|token| FOREIGN_WORDS.contains(&token.as_str())).count();
    let letters = goal.chars().filter(|c| c.is_alphabetic());
    let (latin, other): (Vec<char>, Vec<char>) = letters.partition(|c| u32::from(*c) < FIRST_OTHER_SCRIPT);
    known >= FOREIGN_WORDS_MIN || other.len() > latin.len()
}

/// Latin letters with all their accents end before Greek (Unicode block `Greek and Coptic`).
const FIRST_OTHER_SCRIPT: u32 = 0x370;

#[cfg(test)]
mod tests {
    use crate::goal::Goal;

    #[test]
    fn deeds_and_languages_that_no_rule_knows_are_said_so() {
        for (goal, reason) in [
            ("Pay the outstanding invoice", "does not know how to pay"),
            ("Please pay 12 euros to Bob and tell me the receipt number", "does not know how to pay"),
            ("Translate this page to French", "does not know how to translate"),
            ("Can you translate it?", "does not know how to translate"),
            ("Defragment the disk", "does not know how to defragment"),
            ("🦄🦄🦄", "no words"),
            ("Fülle das Kontaktformular mit Name Nora und Nachricht hallo aus", "English only"),
            ("Remplissez le formulaire avec le nom Nora et envoyez", "English only"),
            ("Rellena el formulario con nombre Nora y correo j@e.com", "English only"),
            ("Заполни форму", "English only"),
            ("フォームに記入してください", "English only"),
        ] {
            let beyond = Goal::read(goal).beyond.map(|beyond| beyond.to_string()).unwrap_or_default();
            assert!(beyond.contains(reason), "{goal}: {beyond:?}");
        }
    }

    #[test]
    fn goals_that_can_be_read_are_not_beyond_the_rules() {
        for goal in [
            "Read the page.",
            "Read it.",
            "g",
            "Get the top 3 stories on the front page.",
            "Tell me the balance.",
            "Opening hours of the museum",
            "Price of the lamp",
            "Describe the page",
            "Is the shop open on Sunday?",
            "How much is the Blue Mug?",
            "On the pricing page, find the price of the Pro plan",
            "Using the search, find the price of a lamp",
            "Order one Blue Mug for Ada Lovelace",
            "I want to order one Blue Mug for Ada Lovelace",
            "Please log in and tell me the balance",
            "Review score of the lamp",
            "Return policy",
            "Rate of VAT",
            "Phone of jo@e.com and el@con.com at https://le.la/con/y",
            "Delete my account",
            "What does \"Guten Tag und auf Wiedersehen\" mean?",
        ] {
            assert_eq!(Goal::read(goal).beyond, None, "{goal}");
        }
    }
}
