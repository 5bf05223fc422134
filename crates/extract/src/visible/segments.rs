//! The page's shown text as segments: one per text node, in order, with hidden parts left out.

use crate::dom::{Dom, Id};
use crate::names::{self, Concept};
use crate::page::Page;
use crate::text::{collapse, fold, is_block, is_hidden, is_silent, words};

/// Most segments of one page.
const SEGMENTS_MAX: usize = 200_000;
/// Longest text that can be a label, in bytes.
pub const LABEL_BYTES_MAX: usize = 60;
/// Longest line put together, in bytes.
const LINE_BYTES_MAX: usize = 400;
/// Most segments of one line.
const LINE_SEGMENTS_MAX: usize = 12;

/// One text node that is shown.
#[derive(Clone, Debug)]
pub struct Segment {
    /// The text node.
    pub node: Id,
    /// Its text, white space collapsed; never empty.
    pub text: String,
    /// The text as a label, if it is short enough for one.
    pub label: Option<Label>,
    /// "Label: value" taken apart: the label, and where the value begins.
    pub pair: Option<(Label, usize)>,
    /// For the first segment of a block: the line it begins, if that has a digit.
    pub line: Option<String>,
}

/// A text as a label, in the forms it is compared by.
#[derive(Clone, Debug)]
pub struct Label {
    /// Letters and digits only, lower case, abbreviations of "number" written out.
    pub folded: String,
    /// Its words.
    pub words: Vec<String>,
    /// What it names when read as a field name.
    pub concept: Option<&'static Concept>,
}

impl Label {
    /// Reads a text as a label; none if it is too long or has no letters.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let label = text.trim().trim_end_matches([':', '：', '*', '?', '=', '-', '–']).trim();
        if label.is_empty() || label.len() > LABEL_BYTES_MAX {
            return None;
        }
        let words = normal_words(label);
        let folded = fold(&words.concat());
        let has_letter = folded.chars().any(char::is_alphabetic);
        has_letter.then(|| Self { folded, words, concept: names::concept(label) })
    }
}

/// The words of a label with abbreviations of "number" written out.
fn normal_words(label: &str) -> Vec<String> {
    let is_number = |word: &str| matches!(word, "no" | "nr" | "num" | "nº" | "n");
    let mut out: Vec<String> =
        words(label).into_iter().map(|word| if is_number(&word) { "number".to_owned() } else { word }).collect();
    if label.contains(['#', '№']) {
        out.push("number".to_owned());
    }
    out
}

/// Cuts a page's body into segments.
#[must_use]
pub fn cut(page: &Page) -> Vec<Segment> {
    let dom = &page.dom;
    let mut segments = Vec::new();
    let mut at = page.body;
    while at < dom.end(page.body) && segments.len() < SEGMENTS_MAX {
        if let Some(text) = dom.text_node(at) {
            let text = collapse(text);
            if !text.is_empty() {
                segments.push(segment(at, text));
            }
        } else if at != page.body && (is_silent(dom.name(at)) || is_hidden(dom, at)) {
            at = dom.end(at);
            continue;
        }
        at += 1;
    }
    join_lines(dom, &mut segments);
    segments
}

fn segment(node: Id, text: String) -> Segment {
    let label = if text.len() <= LABEL_BYTES_MAX + 4 { Label::read(&text) } else { None };
    let pair = split_pair(&text);
    Segment { node, text, label, pair, line: None }
}

fn split_pair(text: &str) -> Option<(Label, usize)> {
    let at = text.find([':', '：'])?;
    let label = text.get(..at).filter(|label| label.len() <= LABEL_BYTES_MAX)?;
    let mark = text.get(at..)?.chars().next()?;
    let start = at + mark.len_utf8();
    let rest = text.get(start..)?.trim();
    if rest.is_empty() || rest.starts_with("//") {
        return None;
    }
    Some((Label::read(label)?, start))
}

/// Gives the first segment of each block its line. Lines without a digit hold no value that a sentence could name.
fn join_lines(dom: &Dom, segments: &mut [Segment]) {
    for at in 0..segments.len() {
        let Some(segment) = segments.get(at) else { return };
        let Some(block) = dom.ancestors(segment.node).find(|id| is_block(dom.name(*id))) else { continue };
        let before = at.checked_sub(1).and_then(|before| segments.get(before));
        if before.is_some_and(|before| dom.contains(block, before.node)) {
            continue;
        }
        let mut line = String::new();
        for next in segments.iter().skip(at).take(LINE_SEGMENTS_MAX) {
            if !dom.contains(block, next.node) || line.len() > LINE_BYTES_MAX {
                break;
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(&next.text);
        }
        if let Some(segment) = segments.get_mut(at).filter(|_| line.chars().any(char::is_numeric)) {
            segment.line = Some(line);
        }
    }
}
