//! The repairing reader: objects and lists as pages write them, with what is between values.

use serde_json::{Map, Value};

use super::Names;

/// Deepest nesting read; deeper values become null. The same bound as `serde_json`.
pub const DEPTH_MAX: usize = 128;

/// A place in a text that is read.
pub struct Reader<'a> {
    text: &'a str,
    pub bytes: &'a [u8],
    pub at: usize,
    pub names: Option<Names<'a>>,
}

impl<'a> Reader<'a> {
    pub fn new(text: &'a str, names: Option<Names<'a>>) -> Self {
        Self { text, bytes: text.as_bytes(), at: 0, names }
    }

    pub fn peek(&self) -> u8 {
        self.bytes.get(self.at).copied().unwrap_or(0)
    }

    pub fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or("")
    }

    /// Moves to the next `{` or `[` outside a comment.
    pub fn skip_to_container(&mut self) -> bool {
        while self.at < self.bytes.len() {
            self.space();
            if matches!(self.peek(), b'{' | b'[') {
                return true;
            }
            self.at += 1;
        }
        false
    }

    /// Skips white space, comments of all kinds and CDATA marks.
    pub fn space(&mut self) {
        loop {
            while self.at < self.bytes.len()
                && (self.peek() <= b' ' || self.rest().starts_with('\u{a0}') || self.rest().starts_with('\u{feff}'))
            {
                self.at += self.rest().chars().next().map_or(1, char::len_utf8);
            }
            let rest = self.rest();
            let skipped = match self.peek() {
                b'/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
                b'/' if rest.starts_with("//") => rest.find('\n').map_or(rest.len(), |end| end + 1),
                b'<' if rest.starts_with("<!--") => 4,
                b'-' if rest.starts_with("-->") => 3,
                b'<' if rest.starts_with("<![CDATA[") => 9,
                b']' if rest.starts_with("]]>") => 3,
                _ => return,
            };
            self.at += skipped;
        }
    }

    pub fn value(&mut self, depth: usize) -> Option<Value> {
        self.space();
        match self.peek() {
            b'{' => Some(self.object(depth)),
            b'[' => Some(self.array(depth)),
            b'"' | b'\'' | b'`' => Some(Value::String(self.string(false))),
            b'-' | b'+' | b'.' | b'0'..=b'9' => self.number(),
            b'!' => self.not(),
            byte if byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'$') => self.word(depth),
            _ => None,
        }
    }

    fn object(&mut self, depth: usize) -> Value {
        let mut map = Map::new();
        self.at += 1;
        loop {
            self.space();
            match self.peek() {
                0 if self.at >= self.bytes.len() => break,
                b'}' => {
                    self.at += 1;
                    break;
                }
                b']' => break,
                b',' | b';' => {
                    self.at += 1;
                    continue;
                }
                _ => {}
            }
            let Some(key) = self.key() else {
                self.skip_char();
                continue;
            };
            self.space();
            if self.peek() == b':' {
                self.at += 1;
            }
            let value = if depth < DEPTH_MAX { self.value(depth + 1) } else { self.skip_deep() };
            let complete = value.is_some() && !self.is_operator();
            map.insert(key, value.unwrap_or(Value::Null));
            self.skip_expression(complete);
        }
        Value::Object(map)
    }

    fn array(&mut self, depth: usize) -> Value {
        let mut items = Vec::new();
        self.at += 1;
        loop {
            self.space();
            match self.peek() {
                0 if self.at >= self.bytes.len() => break,
                b']' => {
                    self.at += 1;
                    break;
                }
                b'}' => break,
                b',' | b';' => {
                    self.at += 1;
                    continue;
                }
                _ => {}
            }
            let before = self.at;
            let value = if depth < DEPTH_MAX { self.value(depth + 1) } else { self.skip_deep() };
            let complete = value.is_some() && !self.is_operator();
            items.extend(value);
            self.skip_expression(complete);
            if self.at == before {
                self.skip_char();
            }
        }
        Value::Array(items)
    }

    /// After a value: drops the rest of an expression we do not evaluate, up to the next comma or closing bracket.
    fn skip_expression(&mut self, complete: bool) {
        self.space();
        let mut open = 0usize;
        while self.at < self.bytes.len() {
            match self.peek() {
                b',' | b';' if open == 0 => return,
                b'}' | b']' if open == 0 => return,
                // A missing comma: the next key or value starts here.
                b'"' | b'{' | b'[' if open == 0 && complete => return,
                b'"' | b'\'' => {
                    self.string(false);
                    continue;
                }
                b'(' | b'{' | b'[' => open += 1,
                b')' | b'}' | b']' => open = open.saturating_sub(1),
                _ => {}
            }
            self.skip_char();
        }
    }

    /// Whether what follows a value continues it as an expression.
    fn is_operator(&mut self) -> bool {
        self.space();
        matches!(self.peek(), b'=' | b'(' | b'?' | b'&' | b'|' | b'.' | b'*' | b'%' | b'<' | b'>')
    }

    pub fn skip_char(&mut self) {
        self.at += self.rest().chars().next().map_or(1, char::len_utf8);
    }

    /// Passes over a value nested past the bound without recursion.
    fn skip_deep(&mut self) -> Option<Value> {
        let mut open = 0usize;
        while self.at < self.bytes.len() {
            match self.peek() {
                b'{' | b'[' => open += 1,
                b'}' | b']' if open == 0 => return None,
                b'}' | b']' => open -= 1,
                b',' if open == 0 => return None,
                b'"' => {
                    self.string(false);
                    continue;
                }
                _ => {}
            }
            self.skip_char();
        }
        None
    }

    fn key(&mut self) -> Option<String> {
        match self.peek() {
            b'"' | b'\'' => Some(self.string(true)),
            _ => {
                let rest = self.rest();
                let len = rest.find(|c: char| !(c.is_alphanumeric() || "_$@:-.".contains(c))).unwrap_or(rest.len());
                let word = rest.get(..len)?.trim_end_matches(':');
                let word = word.split(':').next().filter(|first| !first.is_empty() && !word.starts_with('@'))?;
                self.at += word.len();
                Some(word.to_owned())
            }
        }
    }
}
