//! Data while it is grounded: each value with where it stood. Pruning moves list items, and their sources with them.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::Source;
use crate::schema::{Schema, Shape, Types, child};

#[derive(Debug)]
pub(super) enum Node {
    Leaf(Leaf),
    List(Vec<Node>),
    Object(Vec<(String, Node)>),
}

#[derive(Debug, Default)]
pub(super) struct Leaf {
    /// Null when nothing was found.
    pub value: Value,
    pub source: Option<Source>,
    /// What was claimed though it was not found.
    pub claimed: Option<Value>,
}

/// Objects that are filled in for a required member, one inside the other; a schema may require itself for ever.
const FILLED_DEPTH_MAX: usize = 16;

impl Node {
    fn null() -> Self {
        Self::Leaf(Leaf::default())
    }

    /// Whether anything in it was found.
    pub(super) fn has_value(&self) -> bool {
        match self {
            Self::Leaf(leaf) => !leaf.value.is_null(),
            Self::List(items) => items.iter().any(Self::has_value),
            Self::Object(members) => members.iter().any(|(_, member)| member.has_value()),
        }
    }

    pub(super) fn at<'n>(&'n self, pointer: &str) -> Option<&'n Self> {
        let Some(path) = pointer.strip_prefix('/') else {
            return pointer.is_empty().then_some(self);
        };
        path.split('/').try_fold(self, |node, token| {
            let token = unescaped(token);
            match node {
                Self::Leaf(_) => None,
                Self::List(items) => items.get(token.parse::<usize>().ok()?),
                Self::Object(members) => members.iter().find(|(name, _)| *name == token).map(|(_, member)| member),
            }
        })
    }

    pub(super) fn at_mut(&mut self, pointer: &str) -> Option<&mut Self> {
        let Some(path) = pointer.strip_prefix('/') else {
            return pointer.is_empty().then_some(self);
        };
        path.split('/').try_fold(self, |node, token| {
            let token = unescaped(token);
            match node {
                Self::Leaf(_) => None,
                Self::List(items) => items.get_mut(token.parse::<usize>().ok()?),
                Self::Object(members) => members.iter_mut().find(|(name, _)| *name == token).map(|(_, member)| member),
            }
        })
    }

    /// How many items of a list were found.
    pub(super) fn items_found(&self) -> Option<usize> {
        match self {
            Self::List(items) => Some(items.iter().filter(|item| item.has_value()).count()),
            Self::Leaf(_) | Self::Object(_) => None,
        }
    }

    /// The data and, by JSON Pointer, where each value of it stood.
    pub(super) fn into_parts(self) -> (Value, BTreeMap<String, Source>) {
        let mut sources = BTreeMap::new();
        let data = self.flatten("", &mut sources);
        (data, sources)
    }

    fn flatten(self, pointer: &str, sources: &mut BTreeMap<String, Source>) -> Value {
        match self {
            Self::Leaf(leaf) => {
                sources.extend(leaf.source.map(|source| (pointer.to_owned(), source)));
                leaf.value
            }
            Self::List(items) => {
                let item = |(index, item): (usize, Self)| item.flatten(&child(pointer, &index.to_string()), sources);
                Value::Array(items.into_iter().enumerate().map(item).collect())
            }
            Self::Object(members) => {
                let member = |(name, member): (String, Self)| {
                    let value = member.flatten(&child(pointer, &name), sources);
                    (name, value)
                };
                Value::Object(members.into_iter().map(member).collect::<Map<String, Value>>())
            }
        }
    }

    /// Leaves out list items without any value; for data without a schema.
    pub(super) fn without_empty_items(self) -> Self {
        match self {
            Self::Leaf(leaf) => Self::Leaf(leaf),
            Self::List(items) => {
                Self::List(items.into_iter().filter(Self::has_value).map(Self::without_empty_items).collect())
            }
            Self::Object(members) => {
                Self::Object(members.into_iter().map(|(name, node)| (name, node.without_empty_items())).collect())
            }
        }
    }

    /// Leaves out what was not found, as far as the schema lets it: optional members, list items without any value.
    pub(super) fn pruned<'s>(self, schema: &Schema<'s>, shape: &Shape<'s>) -> Self {
        match self {
            Self::Leaf(leaf) if leaf.value.is_null() => filled(schema, shape, 0).unwrap_or_else(Self::null),
            Self::Leaf(leaf) => Self::Leaf(leaf),
            Self::List(items) => {
                let pruned =
                    items.into_iter().enumerate().map(|(at, item)| item.pruned(schema, &schema.item(shape, at)));
                let keeps_empty = shape.is_tuple();
                Self::List(pruned.filter(|item| keeps_empty || item.has_value()).collect())
            }
            Self::Object(members) => Self::Object(pruned_members(members, schema, shape)),
        }
    }
}

fn unescaped(token: &str) -> String {
    token.replace("~1", "/").replace("~0", "~")
}

fn pruned_members<'s>(members: Vec<(String, Node)>, schema: &Schema<'s>, shape: &Shape<'s>) -> Vec<(String, Node)> {
    let required = shape.required();
    let mut kept: BTreeMap<String, Node> = BTreeMap::new();
    let mut others: Vec<(String, Node)> = Vec::new();
    let declared = shape.declared();
    for (name, node) in members {
        let member_shape = schema.member(shape, &name);
        let is_required = required.contains(name.as_str());
        if !is_required && is_left_out(&node, &member_shape) {
            continue;
        }
        let node = node.pruned(schema, &member_shape);
        if declared.contains(&name.as_str()) {
            kept.insert(name, node);
        } else {
            others.push((name, node));
        }
    }
    let missing: Vec<&str> = required.iter().copied().filter(|name| !kept.contains_key(*name)).collect();
    for name in missing.into_iter().filter(|name| !others.iter().any(|(other, _)| other == name)) {
        let node = filled(schema, &schema.member(shape, name), 0);
        kept.extend(node.map(|node| (name.to_owned(), node)));
    }
    let mut ordered: Vec<(String, Node)> = declared.iter().filter_map(|name| kept.remove_entry(*name)).collect();
    ordered.extend(kept);
    ordered.extend(others);
    ordered
}

/// Whether an optional member is to be left out: nothing in it was found, unless it is a list that may be empty.
fn is_left_out(node: &Node, shape: &Shape<'_>) -> bool {
    match node {
        Node::Leaf(_) | Node::Object(_) => !node.has_value(),
        Node::List(_) => !node.has_value() && shape.wants_items(),
    }
}

/// What stands for a required value that was not found: null, an empty list, or an object of such values; `None` when
/// the schema has room for none of them.
fn filled<'s>(schema: &Schema<'s>, shape: &Shape<'s>, depth: usize) -> Option<Node> {
    if shape.permits_null() {
        return Some(Node::null());
    }
    if shape.types().is_only(Types::ARRAY) {
        return Some(Node::List(Vec::new()));
    }
    if !shape.types().is_only(Types::OBJECT) || depth > FILLED_DEPTH_MAX {
        return None;
    }
    let required = shape.required();
    let declared = shape.declared().into_iter().filter(|name| required.contains(name));
    let members = declared.filter_map(|name| {
        let member = filled(schema, &schema.member(shape, name), depth + 1)?;
        Some((name.to_owned(), member))
    });
    Some(Node::Object(members.collect()))
}
