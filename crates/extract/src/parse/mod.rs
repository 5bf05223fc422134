//! HTML to [`Dom`]: html5ever's tokenizer and tree builder (the WHATWG algorithm) into an arena, with bounds on depth, nodes and work.

mod arena;
mod attributes;

use std::cell::RefCell;

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts};
use html5ever::{LocalName, local_name};

use crate::dom::Dom;
use arena::{ArenaSink, Handle, NODES_MAX};

/// Deepest element kept; deeper start tags are dropped, their text stays. Browsers stop at the same depth.
const DEPTH_MAX: u32 = 512;

/// Parses a page as a browser with scripting would; never fails.
#[must_use]
pub fn parse(html: &str) -> Dom {
    let sink = ArenaSink::new(html.len());
    let opts = TreeBuilderOpts { drop_doctype: true, ..TreeBuilderOpts::default() };
    let bounded = Bounded { builder: TreeBuilder::new(sink, opts), dropped: RefCell::new(Vec::new()) };
    let tokenizer = Tokenizer::new(bounded, TokenizerOpts::default());
    let input = BufferQueue::default();
    let html = attributes::cut(html);
    input.push_back(StrTendril::from(&*html));
    // A script's end hands control back to the caller; the page's scripts are not run, so it is fed on.
    while !matches!(tokenizer.feed(&input), html5ever::interface::TokenizerResult::Done) {}
    tokenizer.end();
    tokenizer.sink.builder.sink.into_dom()
}

/// Passes tokens on to the tree builder, but drops start tags (and their end tags) past the bounds.
struct Bounded {
    builder: TreeBuilder<Handle, ArenaSink>,
    dropped: RefCell<Vec<LocalName>>,
}

impl Bounded {
    fn drops(&self, tag: &Tag) -> bool {
        let sink = &self.builder.sink;
        if sink.exhausted() {
            return true;
        }
        let mut dropped = self.dropped.borrow_mut();
        match tag.kind {
            TagKind::StartTag => {
                let too_deep = sink.depth() >= DEPTH_MAX && !tag.self_closing && !keeps_its_text(&tag.name);
                if too_deep && dropped.len() < NODES_MAX {
                    dropped.push(tag.name.clone());
                }
                too_deep
            }
            TagKind::EndTag if dropped.last() == Some(&tag.name) => {
                dropped.pop();
                true
            }
            TagKind::EndTag => false,
        }
    }
}

/// Elements whose content the tokenizer must read as text: dropping their tag would turn it into markup.
fn keeps_its_text(name: &LocalName) -> bool {
    matches!(*name, local_name!("script") | local_name!("style") | local_name!("title") | local_name!("textarea"))
}

impl TokenSink for Bounded {
    type Handle = Handle;

    fn process_token(&self, token: Token, line_number: u64) -> TokenSinkResult<Handle> {
        let drop = match &token {
            Token::TagToken(tag) => self.drops(tag),
            Token::CharacterTokens(_) | Token::NullCharacterToken => self.builder.sink.exhausted(),
            Token::CommentToken(_) | Token::ParseError(_) => true,
            Token::DoctypeToken(_) | Token::EOFToken => false,
        };
        if drop {
            return TokenSinkResult::Continue;
        }
        self.builder.process_token(token, line_number)
    }

    fn end(&self) {
        self.builder.end();
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.builder.adjusted_current_node_present_but_not_in_html_namespace()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subtree_is_a_slice_in_tree_order() {
        let dom = parse("<ul><li>a<b>c</b><li>d</ul><p>e");
        let names: Vec<&str> = (0..dom.len()).map(|id| dom.name(id)).filter(|name| !name.is_empty()).collect();
        assert_eq!(names, ["html", "head", "body", "ul", "li", "b", "li", "p"]);
        let list = (0..dom.len()).find(|id| dom.name(*id) == "ul").unwrap();
        assert_eq!(dom.raw_text(list, 100), "acd");
        assert_eq!(dom.child_elements(list).count(), 2);
    }

    #[test]
    fn deep_nesting_is_cut_without_losing_the_text() {
        let html = format!("{}deep{}after", "<div>".repeat(100_000), "</div>".repeat(100_000));
        let dom = parse(&html);
        assert_eq!(dom.raw_text(0, 1000), "deepafter");
        assert!(dom.len() < 1200);
    }

    #[test]
    fn absurdly_many_attributes_are_cut_and_the_page_goes_on() {
        let many: String = (0..30_000).map(|at| format!("a{at} ")).collect();
        let dom = parse(&format!("<p {many}>one<p class='x > y'>two"));
        assert_eq!(dom.raw_text(0, 1000), "onetwo");
    }

    #[test]
    fn misnested_tables_keep_their_text() {
        let dom = parse("<table>lost<tr><td>a<table><tr><td>b</table></table><b>x<p>y</b>z");
        assert_eq!(dom.raw_text(0, 1000), "lostabxyz");
    }
}
