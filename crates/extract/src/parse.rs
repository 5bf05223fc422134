//! HTML to [`Dom`]: html5ever's tokenizer and tree builder (the WHATWG algorithm) into an arena, with bounds on depth, nodes and work.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};

use html5ever::interface::{ElementFlags, NodeOrText, QuirksMode};
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts, TreeSink};
use html5ever::{Attribute, ExpandedName, LocalName, Namespace, QualName, local_name, ns};

use crate::dom::{Data, Dom, Element, Id, Node};

/// Deepest element kept; deeper start tags are dropped, their text stays. Browsers stop at the same depth.
const DEPTH_MAX: u32 = 512;
/// Most nodes of one page: about 80 MB of arena.
const NODES_MAX: usize = 1_000_000;
/// Steps the tree builder may take per input byte before the rest of the page is dropped; real pages need less than 2.
const STEPS_PER_BYTE_MAX: u64 = 64;
/// Steps allowed however small the page.
const STEPS_MIN: u64 = 4_000_000;

const NONE: u32 = u32::MAX;

/// Parses a page as a browser with scripting would; never fails.
#[must_use]
pub fn parse(html: &str) -> Dom {
    let sink = ArenaSink::new(html.len());
    let opts = TreeBuilderOpts { drop_doctype: true, ..TreeBuilderOpts::default() };
    let bounded = Bounded { builder: TreeBuilder::new(sink, opts), dropped: RefCell::new(Vec::new()) };
    let tokenizer = Tokenizer::new(bounded, TokenizerOpts::default());
    let input = BufferQueue::default();
    let html = cut_attributes(html);
    input.push_back(StrTendril::from(&*html));
    // A script's end hands control back to the caller; the page's scripts are not run, so it is fed on.
    while !matches!(tokenizer.feed(&input), html5ever::interface::TokenizerResult::Done) {}
    tokenizer.end();
    tokenizer.sink.builder.sink.into_dom()
}

/// Pages shorter than this, in bytes, cannot hold enough attributes to matter.
const ATTRIBUTES_BYTES_MIN: usize = 64 << 10;
/// Most places in one tag at which an attribute may begin; the tokenizer compares each attribute with all before it.
const ATTRIBUTES_MAX: usize = 2000;

/// Cuts the rest out of tags that have absurdly many attributes.
fn cut_attributes(html: &str) -> Cow<'_, str> {
    if html.len() < ATTRIBUTES_BYTES_MIN {
        return Cow::Borrowed(html);
    }
    let bytes = html.as_bytes();
    let mut out: Option<String> = None;
    let mut kept = 0;
    let mut at = 0;
    while let Some(found) = html.get(at..).and_then(|rest| rest.find('<')) {
        let start = at + found + 1;
        if !bytes.get(start).is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'/') {
            at = start;
            continue;
        }
        let tag = scan_tag(bytes, start);
        if let Some(full) = tag.full_at.filter(|full| html.is_char_boundary(*full) && html.is_char_boundary(tag.end)) {
            let cut = out.get_or_insert_with(|| String::with_capacity(html.len()));
            cut.push_str(html.get(kept..full).unwrap_or(""));
            kept = tag.end;
        }
        at = tag.end.max(start);
    }
    match out {
        Some(mut cut) => {
            cut.push_str(html.get(kept..).unwrap_or(""));
            Cow::Owned(cut)
        }
        None => Cow::Borrowed(html),
    }
}

/// A tag's extent, and where it had all the attributes it may have.
struct TagScan {
    end: usize,
    full_at: Option<usize>,
}

/// Walks a tag to its `>` outside quotes, counting what can begin an attribute.
fn scan_tag(bytes: &[u8], start: usize) -> TagScan {
    let mut count = 0;
    let mut full_at = None;
    let mut quote = 0u8;
    let mut at = start;
    let mut previous = b' ';
    while let Some(byte) = bytes.get(at).copied() {
        match byte {
            _ if quote != 0 && byte == quote => {
                quote = 0;
                count += 1;
            }
            _ if quote != 0 => {}
            b'>' => break,
            b'"' | b'\'' if previous == b'=' => quote = byte,
            b' ' | b'\n' | b'\t' | b'\r' | b'/' if !matches!(previous, b' ' | b'\n' | b'\t' | b'\r' | b'/') => {
                count += 1
            }
            _ => {}
        }
        if count > ATTRIBUTES_MAX && quote == 0 && full_at.is_none() {
            full_at = Some(at);
        }
        previous = if byte.is_ascii_whitespace() && previous == b'=' { b'=' } else { byte };
        at += 1;
    }
    TagScan { end: at, full_at }
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
                let too_deep = sink.depth.get() >= DEPTH_MAX && !tag.self_closing && !keeps_its_text(&tag.name);
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

/// A node's index with its name, so that the tree builder's many name tests touch no arena.
#[derive(Clone, Debug)]
struct Handle {
    id: u32,
    ns: Namespace,
    local: LocalName,
}

struct Draft {
    parent: u32,
    previous: u32,
    next: u32,
    first: u32,
    last: u32,
    depth: u32,
    data: Data,
}

struct ArenaSink {
    nodes: RefCell<Vec<Draft>>,
    depth: Cell<u32>,
    steps: Cell<u64>,
    steps_max: u64,
}

impl ArenaSink {
    fn new(bytes: usize) -> Self {
        let steps_max = STEPS_MIN.max(STEPS_PER_BYTE_MAX.saturating_mul(bytes as u64));
        let sink = Self {
            nodes: RefCell::new(Vec::with_capacity((bytes / 24).min(NODES_MAX))),
            depth: Cell::new(0),
            steps: Cell::new(0),
            steps_max,
        };
        sink.create(Data::Document);
        sink
    }

    fn exhausted(&self) -> bool {
        self.steps.get() > self.steps_max || self.nodes.borrow().len() > NODES_MAX
    }

    fn step(&self) {
        self.steps.set(self.steps.get() + 1);
    }

    fn create(&self, data: Data) -> u32 {
        let mut nodes = self.nodes.borrow_mut();
        let id = u32::try_from(nodes.len()).unwrap_or(NONE);
        nodes.push(Draft { parent: NONE, previous: NONE, next: NONE, first: NONE, last: NONE, depth: 0, data });
        id
    }

    fn detach(&self, id: u32) {
        let mut nodes = self.nodes.borrow_mut();
        let Draft { parent, previous, next, .. } = nodes[id as usize];
        if parent == NONE {
            return;
        }
        match previous {
            NONE => nodes[parent as usize].first = next,
            before => nodes[before as usize].next = next,
        }
        match next {
            NONE => nodes[parent as usize].last = previous,
            after => nodes[after as usize].previous = previous,
        }
        let node = &mut nodes[id as usize];
        (node.parent, node.previous, node.next) = (NONE, NONE, NONE);
    }

    /// Links a detached node under `parent`, before `before` or at the end.
    fn link(&self, parent: u32, id: u32, before: u32) {
        let mut nodes = self.nodes.borrow_mut();
        let previous = if before == NONE { nodes[parent as usize].last } else { nodes[before as usize].previous };
        let depth = nodes[parent as usize].depth + 1;
        let node = &mut nodes[id as usize];
        (node.parent, node.previous, node.next, node.depth) = (parent, previous, before, depth);
        if matches!(node.data, Data::Element(_)) {
            self.depth.set(depth);
        }
        match previous {
            NONE => nodes[parent as usize].first = id,
            at => nodes[at as usize].next = id,
        }
        match before {
            NONE => nodes[parent as usize].last = id,
            at => nodes[at as usize].previous = id,
        }
    }

    /// Adds text to the text node before the place, or makes one there.
    fn insert_text(&self, parent: u32, text: &StrTendril, before: u32) {
        {
            let mut nodes = self.nodes.borrow_mut();
            let previous = if before == NONE { nodes[parent as usize].last } else { nodes[before as usize].previous };
            if previous != NONE
                && let Data::Text(existing) = &mut nodes[previous as usize].data
            {
                existing.push_tendril(text);
                return;
            }
        }
        let id = self.create(Data::Text(text.clone()));
        self.link(parent, id, before);
    }

    fn insert(&self, parent: u32, child: NodeOrText<Handle>, before: u32) {
        match child {
            NodeOrText::AppendNode(node) => {
                self.detach(node.id);
                self.link(parent, node.id, before);
            }
            NodeOrText::AppendText(text) => self.insert_text(parent, &text, before),
        }
    }

    fn parent_of(&self, id: u32) -> u32 {
        self.nodes.borrow()[id as usize].parent
    }

    /// Lays the linked nodes out in tree order; nodes that ended outside the tree are left behind.
    fn into_dom(self) -> Dom {
        let mut drafts = self.nodes.into_inner();
        let mut nodes: Vec<Node> = Vec::with_capacity(drafts.len());
        let mut at = 0u32;
        let mut parent: Id = 0;
        loop {
            let id = nodes.len() as Id;
            let draft = &mut drafts[at as usize];
            let data = std::mem::replace(&mut draft.data, Data::Document);
            nodes.push(Node { parent, end: id + 1, data });
            if draft.first != NONE {
                (parent, at) = (id, draft.first);
                continue;
            }
            // Close finished nodes on the way up to the next sibling.
            let mut open = id;
            loop {
                let next = drafts[at as usize].next;
                if next != NONE {
                    at = next;
                    break;
                }
                if parent == open {
                    return Dom { nodes };
                }
                at = drafts[at as usize].parent;
                open = parent;
                nodes[open as usize].end = nodes.len() as Id;
                parent = nodes[open as usize].parent;
                if open == 0 {
                    return Dom { nodes };
                }
            }
        }
    }
}

impl TreeSink for ArenaSink {
    type Handle = Handle;
    type Output = Self;
    type ElemName<'a> = ExpandedName<'a>;

    fn finish(self) -> Self {
        self
    }

    fn parse_error(&self, _: Cow<'static, str>) {}

    fn get_document(&self) -> Handle {
        Handle { id: 0, ns: ns!(), local: local_name!("") }
    }

    fn elem_name<'a>(&'a self, target: &'a Handle) -> ExpandedName<'a> {
        self.step();
        ExpandedName { ns: &target.ns, local: &target.local }
    }

    fn create_element(&self, name: QualName, attrs: Vec<Attribute>, _: ElementFlags) -> Handle {
        let id = self.create(Data::Element(Element { name: name.local.clone(), attrs }));
        Handle { id, ns: name.ns, local: name.local }
    }

    fn create_comment(&self, _: StrTendril) -> Handle {
        let id = self.create(Data::Text(StrTendril::new()));
        Handle { id, ns: ns!(), local: local_name!("") }
    }

    fn create_pi(&self, _: StrTendril, data: StrTendril) -> Handle {
        self.create_comment(data)
    }

    fn append(&self, parent: &Handle, child: NodeOrText<Handle>) {
        self.insert(parent.id, child, NONE);
    }

    fn append_based_on_parent_node(&self, element: &Handle, previous: &Handle, child: NodeOrText<Handle>) {
        match self.parent_of(element.id) {
            NONE => self.append(previous, child),
            parent => self.insert(parent, child, element.id),
        }
    }

    fn append_doctype_to_document(&self, _: StrTendril, _: StrTendril, _: StrTendril) {}

    fn pop(&self, node: &Handle) {
        let nodes = self.nodes.borrow();
        self.depth.set(nodes[node.id as usize].depth.saturating_sub(1));
    }

    fn get_template_contents(&self, target: &Handle) -> Handle {
        target.clone()
    }

    fn same_node(&self, left: &Handle, right: &Handle) -> bool {
        self.step();
        left.id == right.id
    }

    fn set_quirks_mode(&self, _: QuirksMode) {}

    fn append_before_sibling(&self, sibling: &Handle, new_node: NodeOrText<Handle>) {
        let parent = self.parent_of(sibling.id);
        if parent != NONE {
            self.insert(parent, new_node, sibling.id);
        }
    }

    fn add_attrs_if_missing(&self, target: &Handle, attrs: Vec<Attribute>) {
        let mut nodes = self.nodes.borrow_mut();
        if let Data::Element(element) = &mut nodes[target.id as usize].data {
            for attr in attrs {
                if !element.attrs.iter().any(|existing| existing.name == attr.name) {
                    element.attrs.push(attr);
                }
            }
        }
    }

    fn remove_from_parent(&self, target: &Handle) {
        self.detach(target.id);
    }

    fn reparent_children(&self, node: &Handle, new_parent: &Handle) {
        loop {
            let child = self.nodes.borrow()[node.id as usize].first;
            if child == NONE {
                return;
            }
            self.step();
            self.detach(child);
            self.link(new_parent.id, child, NONE);
        }
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
