//! The page's shown text as segments: one per text node, in order, with hidden parts left out.

use crate::dom::Id;
use crate::page::Page;
use crate::text::{collapse, is_hidden, is_silent};

/// Most segments of one page.
const SEGMENTS_MAX: usize = 200_000;

/// One text node that is shown.
#[derive(Clone, Debug)]
pub struct Segment {
    /// The text node.
    pub node: Id,
    /// Its text, white space collapsed; never empty.
    pub text: String,
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
                segments.push(Segment { node: at, text });
            }
        } else if at != page.body && (is_silent(dom.name(at)) || is_hidden(dom, at)) {
            at = dom.end(at);
            continue;
        }
        at += 1;
    }
    segments
}
