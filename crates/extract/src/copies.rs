//! How much of a page's data may be copied: a small page can refer to the same value again and again, item in item.

use std::cell::Cell;

use serde_json::Value;

/// Most bytes copied for one page. Real pages have a few megabytes of data, copied once for each item that it is in.
const BYTES_MAX: usize = 64 << 20;
/// What a value takes, its text and what it holds apart.
const VALUE_BYTES: usize = size_of::<Value>();
/// What a key takes beside its text: itself, and its place in the index of its object.
const KEY_BYTES: usize = 64;

/// What is left to copy. Once a copy is too much, all further ones are refused, and the page is read without them.
#[derive(Debug)]
pub struct Copies {
    bytes_left: Cell<usize>,
}

impl Default for Copies {
    fn default() -> Self {
        Self { bytes_left: Cell::new(BYTES_MAX) }
    }
}

impl Copies {
    /// A copy of the value, if it is not too much.
    #[must_use]
    pub fn copy(&self, value: &Value) -> Option<Value> {
        self.spend(without(value, self.bytes_left.get()))?;
        Some(value.clone())
    }

    /// A copy of a key, if it is not too much.
    #[must_use]
    pub fn copy_key(&self, key: &str) -> Option<String> {
        self.spend(without_key(key, self.bytes_left.get()))?;
        Some(key.to_owned())
    }

    /// Counts a value that is about to be made: an empty one, or a container whose content is counted by itself.
    #[must_use]
    pub fn count_value(&self) -> Option<()> {
        self.spend(self.bytes_left.get().checked_sub(VALUE_BYTES))
    }

    /// Whether nothing more is copied.
    #[must_use]
    pub fn is_spent(&self) -> bool {
        self.bytes_left.get() == 0
    }

    fn spend(&self, left: Option<usize>) -> Option<()> {
        self.bytes_left.set(left.unwrap_or(0));
        left.map(|_| ())
    }
}

/// What is left of so many bytes once the value has its part.
fn without(value: &Value, left: usize) -> Option<usize> {
    let left = left.checked_sub(VALUE_BYTES)?;
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => Some(left),
        Value::String(text) => left.checked_sub(text.len()),
        Value::Array(items) => items.iter().try_fold(left, |left, item| without(item, left)),
        Value::Object(map) => map.iter().try_fold(left, |left, (key, item)| without(item, without_key(key, left)?)),
    }
}

fn without_key(key: &str, left: usize) -> Option<usize> {
    left.checked_sub(KEY_BYTES + key.len())
}
