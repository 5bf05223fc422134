//! Walks data beside its schema and looks every value up.

use serde_json::{Map, Value};

use super::Hints;
use super::currency;
use super::decimal::Decimal;
use super::link::name_words;
use super::lookup::{Claim, Found, Seen};
use super::tree::{Leaf, Node};
use crate::schema::{Schema, Shape, child};

/// Values that are looked up; a model that writes more is not reading a page.
const VALUES_MAX: usize = 50_000;

struct Walk<'w, 's> {
    seen: &'w Seen,
    schema: &'w Schema<'s>,
    hints: &'w Hints,
    dropped: Vec<String>,
    values_left: usize,
}

/// The data as a tree of values that were found, and the pointers of those that were not.
pub(super) fn ground_tree(seen: &Seen, schema: &Schema<'_>, data: Value, hints: &Hints) -> (Node, Vec<String>) {
    let mut walk = Walk { seen, schema, hints, dropped: Vec::new(), values_left: VALUES_MAX };
    let mut tree = walk.node(&schema.top(), "", "", &[], data);
    count_lists(&mut tree, seen, hints, &mut walk.dropped);
    (tree, walk.dropped)
}

impl<'s> Walk<'_, 's> {
    fn node(&mut self, shape: &Shape<'s>, name: &str, pointer: &str, amounts: &[Decimal], value: Value) -> Node {
        match value {
            Value::Array(items) => {
                let first_shape = self.schema.item(shape, 0);
                let is_tuple = shape.is_tuple();
                let item = |(index, item): (usize, Value)| {
                    let below = child(pointer, &index.to_string());
                    if !is_tuple {
                        return self.node(&first_shape, name, &below, &[], item);
                    }
                    self.node(&self.schema.item(shape, index), name, &below, &[], item)
                };
                Node::List(items.into_iter().enumerate().map(item).collect())
            }
            Value::Object(members) => self.object(shape, pointer, members),
            leaf => self.leaf(shape, name, pointer, amounts, leaf),
        }
    }

    fn leaf(&mut self, shape: &Shape<'s>, name: &str, pointer: &str, amounts: &[Decimal], value: Value) -> Node {
        if value.is_null() {
            return Node::Leaf(Leaf::default());
        }
        let choices = shape.choices();
        let claim = Claim {
            value: &value,
            name,
            format: shape.format(),
            description: shape.description(),
            choices: choices.as_deref(),
            hint: self.hints.get(pointer),
            amounts,
        };
        let found = if self.values_left == 0 { None } else { self.seen.find(&claim) };
        self.values_left = self.values_left.saturating_sub(1);
        match found {
            Some((value, source)) => Node::Leaf(Leaf { value, source: Some(source), claimed: None }),
            None => {
                self.dropped.push(pointer.to_owned());
                Node::Leaf(Leaf { value: Value::Null, source: None, claimed: Some(value) })
            }
        }
    }

    /// Members that lean on others come after them: a currency on its amount, a count on its list.
    fn object(&mut self, shape: &Shape<'s>, pointer: &str, members: Map<String, Value>) -> Node {
        let mut ordered: Vec<(usize, String, Value)> =
            members.into_iter().enumerate().map(|(at, (name, value))| (at, name, value)).collect();
        ordered.sort_by_key(|(_, name, value)| turn(name, value));
        let mut grounded: Vec<(usize, String, Node)> = Vec::with_capacity(ordered.len());
        let mut amounts: Vec<Decimal> = Vec::new();
        for (at, name, value) in ordered {
            let below = child(pointer, &name);
            if shape.is_map_key(&name) && !self.seen.shows_words(&name_words(&name)) {
                self.dropped.push(below);
                continue;
            }
            let member_shape = self.schema.member(shape, &name);
            let mut node = self.node(&member_shape, &name, &below, &amounts, value);
            amounts.extend(found_amount(&node));
            if let Some(counted) = self.counted(&name, &node, &grounded) {
                self.dropped.retain(|dropped| *dropped != below);
                node = Node::Leaf(Leaf { value: counted.0, source: Some(counted.1), claimed: None });
            }
            grounded.push((at, name, node));
        }
        grounded.sort_by_key(|(at, _, _)| *at);
        Node::Object(grounded.into_iter().map(|(_, name, node)| (name, node)).collect())
    }

    /// A count that was not shown, but is the length of a list beside it.
    fn counted(&self, name: &str, node: &Node, beside: &[(usize, String, Node)]) -> Option<Found> {
        let Node::Leaf(Leaf { claimed: Some(claimed), .. }) = node else { return None };
        let count = as_count(claimed).filter(|_| names_count(name))?;
        let is_counted = beside.iter().any(|(_, _, node)| node.items_found() == Some(count));
        is_counted.then(|| Some((claimed.clone(), self.seen.counted(None)?))).flatten()
    }
}

fn turn(name: &str, value: &Value) -> u8 {
    match value {
        Value::String(text) if currency::is_code(&text.trim().to_uppercase()) => 1,
        Value::Number(_) if names_count(name) => 2,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) | Value::Object(_) => 0,
    }
}

fn names_count(name: &str) -> bool {
    let words = name_words(name);
    let is_number_of = words.len() > 1 && matches!(words[0].as_str(), "number" | "num" | "no");
    is_number_of || words.iter().any(|word| matches!(word.as_str(), "count" | "total"))
}

fn as_count(value: &Value) -> Option<usize> {
    Decimal::of_json(value.as_number()?)?.as_count()
}

fn found_amount(node: &Node) -> Option<Decimal> {
    let Node::Leaf(leaf) = node else { return None };
    match &leaf.value {
        Value::Number(number) => Decimal::of_json(number),
        Value::String(text) => super::only_number(&super::clean(text))?.readings.into_iter().next(),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

/// Counts whose hint names the list that was counted (`count:/items`).
fn count_lists(tree: &mut Node, seen: &Seen, hints: &Hints, dropped: &mut Vec<String>) {
    for (pointer, hint) in hints {
        let Some(list) = hint.place.strip_prefix("count:") else { continue };
        let length = tree.at(list).and_then(Node::items_found);
        let Some(Node::Leaf(leaf)) = tree.at_mut(pointer) else { continue };
        let is_counted = length.is_some() && leaf.claimed.as_ref().and_then(as_count) == length;
        if is_counted && let Some(claimed) = leaf.claimed.take() {
            *leaf = Leaf { value: claimed, source: seen.counted(Some(hint)), claimed: None };
            dropped.retain(|place| place != pointer);
        }
    }
}
