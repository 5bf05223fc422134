//! The tree as it is built: linked nodes in an arena that the tree builder may move, laid out in tree order at the end.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};

use html5ever::interface::{ElementFlags, NodeOrText, QuirksMode};
use html5ever::tendril::StrTendril;
use html5ever::tree_builder::TreeSink;
use html5ever::{Attribute, ExpandedName, LocalName, Namespace, QualName, local_name, ns};

use crate::dom::{Data, Dom, Element, Id, Node};

/// Most nodes of one page: about 80 MB of arena.
pub const NODES_MAX: usize = 1_000_000;
/// Steps the tree builder may take per input byte before the rest of the page is dropped; real pages need less than 2.
const STEPS_PER_BYTE_MAX: u64 = 64;
/// Steps allowed however small the page.
const STEPS_MIN: u64 = 4_000_000;

const NONE: u32 = u32::MAX;
/// Second node: holds what is no part of the tree.
const APART: u32 = 1;

/// What a shadow tree is called, as templates show nothing.
const SHADOW_TREE: &str = "shadow-root";

/// A node's index with its name, so that the tree builder's many name tests touch no arena.
#[derive(Clone, Debug)]
pub struct Handle {
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

/// Takes the tree from the tree builder, counting its work.
pub struct ArenaSink {
    nodes: RefCell<Vec<Draft>>,
    depth: Cell<u32>,
    steps: Cell<u64>,
    steps_max: u64,
}

impl ArenaSink {
    /// For a page of so many bytes.
    pub fn new(bytes: usize) -> Self {
        let steps_max = STEPS_MIN.max(STEPS_PER_BYTE_MAX.saturating_mul(bytes as u64));
        let sink = Self {
            nodes: RefCell::new(Vec::with_capacity((bytes / 24).min(NODES_MAX))),
            depth: Cell::new(0),
            steps: Cell::new(0),
            steps_max,
        };
        sink.create(Data::Document);
        sink.create(Data::Document);
        sink
    }

    /// Whether the page has more nodes or makes more work than any real one.
    pub fn exhausted(&self) -> bool {
        self.steps.get() > self.steps_max || self.nodes.borrow().len() > NODES_MAX
    }

    /// Depth of the element that is open.
    pub fn depth(&self) -> u32 {
        self.depth.get()
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
    pub fn into_dom(self) -> Dom {
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

/// Whether a template's attributes make it a shadow tree, which browsers show in place of its host's children.
fn is_shadow_tree(attrs: &[Attribute]) -> bool {
    let mode = attrs.iter().find(|attr| attr.name.local == local_name!("shadowrootmode")).map(|attr| &*attr.value);
    mode.is_some_and(|mode| mode.eq_ignore_ascii_case("open") || mode.eq_ignore_ascii_case("closed"))
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
        let is_shown = name.local == local_name!("template") && is_shadow_tree(&attrs);
        let shown_name = if is_shown { LocalName::from(SHADOW_TREE) } else { name.local.clone() };
        let id = self.create(Data::Element(Element { name: shown_name, attrs }));
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

    /// What a template holds is no part of the page, unless it is the shadow tree of the element around it.
    fn get_template_contents(&self, target: &Handle) -> Handle {
        let mut nodes = self.nodes.borrow_mut();
        if matches!(&nodes[target.id as usize].data, Data::Element(element) if is_shadow_tree(&element.attrs)) {
            return target.clone();
        }
        // The bound on depth holds in there too.
        nodes[APART as usize].depth = nodes[target.id as usize].depth;
        Handle { id: APART, ns: ns!(), local: local_name!("") }
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
