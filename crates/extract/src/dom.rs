//! A parsed page as one flat array in tree order: a node's subtree is the slice from its id to its end, so no walk recurses.

use html5ever::tendril::StrTendril;
use html5ever::{Attribute, LocalName};

/// Index of a node in tree order.
pub type Id = u32;

/// What a node is.
#[derive(Debug, PartialEq, Eq)]
pub enum Data {
    /// The document, always node 0.
    Document,
    /// An element with its attributes as written.
    Element(Element),
    /// A run of text, entities decoded.
    Text(StrTendril),
}

/// An element's name and attributes.
#[derive(Debug, PartialEq, Eq)]
pub struct Element {
    /// Local name, lower case for HTML.
    pub name: LocalName,
    /// Attributes in source order.
    pub attrs: Vec<Attribute>,
}

/// One node.
#[derive(Debug, PartialEq, Eq)]
pub struct Node {
    /// The parent's id; the document is its own parent.
    pub parent: Id,
    /// One past the last node of the subtree.
    pub end: Id,
    /// What it is.
    pub data: Data,
}

/// A parsed page.
#[derive(Debug, PartialEq, Eq)]
pub struct Dom {
    pub(crate) nodes: Vec<Node>,
}

impl Dom {
    /// Number of nodes, the document included.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "there is always the document")]
    pub fn len(&self) -> Id {
        Id::try_from(self.nodes.len()).unwrap_or(Id::MAX)
    }

    /// One past the last node of `id`'s subtree.
    #[must_use]
    pub fn end(&self, id: Id) -> Id {
        self.nodes.get(id as usize).map_or(id, |node| node.end)
    }

    /// The parent of a node; the document's parent is the document.
    #[must_use]
    pub fn parent(&self, id: Id) -> Id {
        self.nodes.get(id as usize).map_or(0, |node| node.parent)
    }

    /// The element at `id`, if it is one.
    #[must_use]
    pub fn element(&self, id: Id) -> Option<&Element> {
        match self.nodes.get(id as usize).map(|node| &node.data) {
            Some(Data::Element(element)) => Some(element),
            Some(Data::Document | Data::Text(_)) | None => None,
        }
    }

    /// The element's local name, or "" for anything else.
    #[must_use]
    pub fn name(&self, id: Id) -> &str {
        self.element(id).map_or("", |element| &element.name)
    }

    /// The text of a text node.
    #[must_use]
    pub fn text_node(&self, id: Id) -> Option<&str> {
        match self.nodes.get(id as usize).map(|node| &node.data) {
            Some(Data::Text(text)) => Some(text),
            Some(Data::Document | Data::Element(_)) | None => None,
        }
    }

    /// An attribute's value.
    #[must_use]
    pub fn attr(&self, id: Id, name: &str) -> Option<&str> {
        let element = self.element(id)?;
        element.attrs.iter().find(|attr| &*attr.name.local == name).map(|attr| &*attr.value)
    }

    /// The children of a node, in order.
    pub fn children(&self, id: Id) -> impl Iterator<Item = Id> + '_ {
        let end = self.end(id);
        let mut next = id + 1;
        std::iter::from_fn(move || {
            if next >= end {
                return None;
            }
            let child = next;
            next = self.end(child);
            Some(child)
        })
    }

    /// The child elements of a node, in order.
    pub fn child_elements(&self, id: Id) -> impl Iterator<Item = Id> + '_ {
        self.children(id).filter(|child| self.element(*child).is_some())
    }

    /// All nodes below `id`, in tree order.
    pub fn below(&self, id: Id) -> std::ops::Range<Id> {
        (id + 1).min(self.end(id))..self.end(id)
    }

    /// Whether `inner` lies below `outer` (or is it).
    #[must_use]
    pub fn contains(&self, outer: Id, inner: Id) -> bool {
        outer <= inner && inner < self.end(outer)
    }

    /// The ancestors of a node, nearest first, without the document.
    pub fn ancestors(&self, id: Id) -> impl Iterator<Item = Id> + '_ {
        let mut at = id;
        std::iter::from_fn(move || {
            at = self.parent(at);
            (at != 0).then_some(at)
        })
    }

    /// The concatenated text of a subtree as written, at most `bytes_max` bytes.
    #[must_use]
    pub fn raw_text(&self, id: Id, bytes_max: usize) -> String {
        let mut out = String::new();
        for node in id..self.end(id) {
            if let Some(text) = self.text_node(node) {
                out.push_str(text);
                if out.len() > bytes_max {
                    break;
                }
            }
        }
        out
    }
}
