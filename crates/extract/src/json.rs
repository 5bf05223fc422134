//! Lenient JSON: what pages write where JSON should be (comments, stray commas and quotes, JavaScript literals, several values in
//! a row). Strict JSON goes through `serde_json`; only what that refuses is repaired here. Linear time, bounded depth.

use std::collections::BTreeMap;

use serde_json::{Map, Number, Value};

/// Deepest nesting read; deeper values become null. The same bound as `serde_json`.
const DEPTH_MAX: usize = 128;
/// Most values read from one text that holds several in a row.
const VALUES_MAX: usize = 256;

/// What a text held, and whether it had to be repaired.
#[derive(Debug, Default)]
pub struct Parsed {
    /// The values, in order.
    pub values: Vec<Value>,
    /// True when the text was not JSON as RFC 8259 has it.
    pub repaired: bool,
}

/// Reads every value of a JSON text, repairing what pages get wrong.
#[must_use]
pub fn parse(text: &str) -> Parsed {
    let text = text.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
    if text.is_empty() {
        return Parsed::default();
    }
    if let Ok(value) = serde_json::from_str(text) {
        return Parsed { values: vec![value], repaired: false };
    }
    let unescaped = unescape_markup(text);
    let text = unescaped.as_deref().unwrap_or(text);
    let mut reader = Reader::new(text, None);
    let mut values = Vec::new();
    while values.len() < VALUES_MAX && reader.skip_to_container() {
        let before = reader.at;
        if let Some(value) = reader.value(0) {
            values.push(value);
        }
        if reader.at == before {
            reader.at += 1;
        }
    }
    Parsed { values, repaired: true }
}

/// Reads one JavaScript literal at the start of `text`; gives it and how many bytes it took.
#[must_use]
pub fn literal(text: &str, names: Option<&BTreeMap<String, Value>>) -> Option<(Value, usize)> {
    let mut reader = Reader::new(text, names);
    reader.space();
    let value = reader.value(0)?;
    Some((value, reader.at))
}

/// A body whose quotes are all entities was escaped as a whole.
fn unescape_markup(text: &str) -> Option<String> {
    let head = text.get(..text.len().min(200)).or_else(|| text.get(..text.len().min(197))).unwrap_or(text);
    let escaped = head.contains("&quot;") || head.contains("&#34;") || head.contains("&#x22;");
    let bare = head.trim_start_matches(|c: char| c.is_whitespace() || "{[".contains(c));
    (escaped && bare.starts_with('&')).then(|| crate::entities::decode_entities(text).into_owned())
}

struct Reader<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    names: Option<&'a BTreeMap<String, Value>>,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str, names: Option<&'a BTreeMap<String, Value>>) -> Self {
        Self { text, bytes: text.as_bytes(), at: 0, names }
    }

    fn peek(&self) -> u8 {
        self.bytes.get(self.at).copied().unwrap_or(0)
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or("")
    }

    /// Moves to the next `{` or `[` outside a comment.
    fn skip_to_container(&mut self) -> bool {
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
    fn space(&mut self) {
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

    fn value(&mut self, depth: usize) -> Option<Value> {
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

    fn skip_char(&mut self) {
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

    fn string(&mut self, is_key: bool) -> String {
        let quote = self.peek();
        self.at += 1;
        let mut out = String::new();
        while self.at < self.bytes.len() {
            let rest = self.rest();
            let plain = rest.find(['"', '\'', '`', '\\', '\n', '\r']).unwrap_or(rest.len());
            out.push_str(rest.get(..plain).unwrap_or(""));
            self.at += plain;
            match self.peek() {
                b'\\' => self.escape(&mut out),
                byte if byte == quote => {
                    self.at += 1;
                    if self.ends_string(quote, is_key) {
                        return out;
                    }
                    out.push(char::from(quote));
                }
                0 if self.at >= self.bytes.len() => return out,
                byte => {
                    out.push(char::from(byte));
                    self.at += 1;
                }
            }
        }
        out
    }

    /// Whether the quote just passed ended the string: only if what follows can follow a string.
    fn ends_string(&self, quote: u8, is_key: bool) -> bool {
        let rest = self.rest().trim_start();
        let mut following = rest.bytes();
        match following.next() {
            None | Some(b'}' | b']' | b')' | b';') => true,
            Some(b':') => is_key || quote != b'"',
            Some(b',') => {
                let after = rest.get(1..).unwrap_or("").trim_start();
                after.bytes().next().is_none_or(|byte| {
                    matches!(byte, b'"' | b'\'' | b'{' | b'[' | b'}' | b']' | b'-' | b'/' | b'!')
                        || byte.is_ascii_digit()
                        || byte.is_ascii_alphabetic() && after_is_literal(after)
                })
            }
            Some(b'/') => rest.starts_with("//") || rest.starts_with("/*"),
            Some(b'+' | b'.') => quote != b'"',
            Some(b'"') => {
                // Two strings in a row: a missing comma if a colon follows the second, a stray quote otherwise.
                let after = rest.get(1..).unwrap_or("");
                after.find('"').is_some_and(|end| after.get(end + 1..).unwrap_or("").trim_start().starts_with(':'))
            }
            Some(_) => quote != b'"' && !is_key && !following.next().is_some_and(|byte| byte.is_ascii_alphabetic()),
        }
    }

    fn escape(&mut self, out: &mut String) {
        self.at += 1;
        let Some(code) = self.rest().chars().next() else { return };
        self.at += code.len_utf8();
        match code {
            'n' => out.push('\n'),
            't' => out.push('\t'),
            'r' => out.push('\r'),
            'b' | 'f' | 'v' | '0' => out.push(' '),
            'x' => self.hex(2, out),
            'u' => self.unicode(out),
            '\n' | '\r' => {}
            other => out.push(other),
        }
    }

    fn hex(&mut self, digits: usize, out: &mut String) {
        if let Some(code) = self.take_hex(digits).and_then(char::from_u32) {
            out.push(code);
        }
    }

    fn take_hex(&mut self, digits: usize) -> Option<u32> {
        let code = u32::from_str_radix(self.rest().get(..digits)?, 16).ok()?;
        self.at += digits;
        Some(code)
    }

    fn unicode(&mut self, out: &mut String) {
        if self.peek() == b'{' {
            let rest = self.rest();
            if let Some(end) = rest.find('}').filter(|end| *end < 10) {
                let code = rest.get(1..end).and_then(|hex| u32::from_str_radix(hex, 16).ok()).and_then(char::from_u32);
                out.extend(code);
                self.at += end + 1;
            }
            return;
        }
        let Some(first) = self.take_hex(4) else { return };
        if (0xd800..0xdc00).contains(&first) && self.rest().starts_with("\\u") {
            self.at += 2;
            let Some(second) = self.take_hex(4) else { return };
            let code = 0x1_0000 + ((first - 0xd800) << 10) + (second.wrapping_sub(0xdc00) & 0x3ff);
            out.push(char::from_u32(code).unwrap_or('\u{fffd}'));
        } else {
            out.push(char::from_u32(first).unwrap_or('\u{fffd}'));
        }
    }

    fn number(&mut self) -> Option<Value> {
        let rest = self.rest();
        let len = rest.find(|c: char| !(c.is_ascii_alphanumeric() || "+-._".contains(c))).unwrap_or(rest.len());
        let text = rest.get(..len)?;
        self.at += len.max(1);
        let clean = text.trim_start_matches('+').replace('_', "");
        if let Ok(whole) = clean.parse::<i64>() {
            return Some(Value::Number(whole.into()));
        }
        if let Ok(float) = clean.parse::<f64>() {
            return Some(Number::from_f64(float).map_or(Value::Null, Value::Number));
        }
        Some(Value::String(text.to_owned()))
    }

    /// `!0` and `!1`, minifiers' true and false.
    fn not(&mut self) -> Option<Value> {
        let value = match self.bytes.get(self.at + 1) {
            Some(b'0') => true,
            Some(b'1') => false,
            _ => return None,
        };
        self.at += 2;
        Some(Value::Bool(value))
    }

    fn word(&mut self, depth: usize) -> Option<Value> {
        let rest = self.rest();
        let len = rest.find(|c: char| !(c.is_alphanumeric() || "_$.".contains(c))).unwrap_or(rest.len());
        let word = rest.get(..len)?;
        self.at += len.max(1);
        match word {
            "true" => return Some(Value::Bool(true)),
            "false" => return Some(Value::Bool(false)),
            "null" | "undefined" | "NaN" | "Infinity" => return Some(Value::Null),
            "void" => {
                self.space();
                self.number();
                return Some(Value::Null);
            }
            "function" => return None,
            "new" => {
                self.space();
                return self.value(depth + 1).filter(|_| depth < DEPTH_MAX);
            }
            _ => {}
        }
        if self.peek() == b'(' {
            return self.call(word, depth);
        }
        self.names.and_then(|names| names.get(word)).cloned().or(Some(Value::Null))
    }

    /// A call is worth its first argument: `JSON.parse("…")`, `new Date("…")`, `Object(…)`.
    fn call(&mut self, word: &str, depth: usize) -> Option<Value> {
        self.at += 1;
        let argument = if depth < DEPTH_MAX { self.value(depth + 1) } else { None };
        self.close_call();
        let argument = argument?;
        match (word, &argument) {
            ("JSON.parse", Value::String(text)) if depth < 4 => parse(text).values.into_iter().next(),
            _ => Some(argument),
        }
    }

    fn close_call(&mut self) {
        let mut open = 0usize;
        while self.at < self.bytes.len() {
            match self.peek() {
                b')' if open == 0 => {
                    self.at += 1;
                    return;
                }
                b'(' => open += 1,
                b')' => open -= 1,
                b'"' | b'\'' => {
                    self.string(false);
                    continue;
                }
                _ => {}
            }
            self.skip_char();
        }
    }
}

fn after_is_literal(after: &str) -> bool {
    ["true", "false", "null"].iter().any(|word| after.starts_with(word))
        || after.split(':').next().is_some_and(|key| {
            key.len() < 40 && key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') && after.len() > key.len()
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn one(text: &str) -> Value {
        parse(text).values.into_iter().next().unwrap_or(Value::Null)
    }

    #[test]
    fn strict_json_is_not_called_repaired() {
        assert!(!parse("{\"a\":1}").repaired);
        assert!(parse("{\"a\":1,}").repaired);
    }

    #[test]
    fn common_faults_are_repaired() {
        assert_eq!(one("{\"a\":[1,2,],}"), json!({"a": [1, 2]}));
        assert_eq!(one("<!-- {\"a\":1} -->"), json!({"a": 1}));
        assert_eq!(one("//<![CDATA[\n{\"a\":1}\n//]]>"), json!({"a": 1}));
        assert_eq!(one("{\"a\":1};"), json!({"a": 1}));
        assert_eq!(one("{\"a\":\"x\ny\",\"b\":2}"), json!({"a": "x\ny", "b": 2}));
        assert_eq!(one("{\"a\":\"5\" lamp\",\"b\":2}"), json!({"a": "5\" lamp", "b": 2}));
        assert_eq!(one("{&quot;a&quot;:1}"), json!({"a": 1}));
        assert_eq!(one("{\"a\":1 \"b\":2}"), json!({"a": 1, "b": 2}));
        assert_eq!(one("\u{feff}{\"a\":1}"), json!({"a": 1}));
        assert_eq!(one("{\"a\": 1, /* why */ \"b\": 2 // so\n}"), json!({"a": 1, "b": 2}));
        assert_eq!(one("{\"a\":\"http:\\/\\/x\\/\\u00e9\"}"), json!({"a": "http://x/é"}));
        assert_eq!(one("{\"a\":\"cut off"), json!({"a": "cut off"}));
    }

    #[test]
    fn two_objects_in_a_row_are_two_values() {
        assert_eq!(parse("{\"a\":1}{\"b\":2}").values, [json!({"a": 1}), json!({"b": 2})]);
    }

    #[test]
    fn javascript_literals_are_read() {
        let text = "{a:1,'b':\"x\",c:!0,d:void 0,e:[undefined,.5],f:JSON.parse('{\"g\":1}'),h:new Date(\"2024-01-01\"),i:function(){return {x:1}},j:2}";
        let (value, used) = literal(text, None).unwrap();
        assert_eq!(value["a"], 1);
        assert_eq!(value["c"], true);
        assert_eq!(value["e"][1], 0.5);
        assert_eq!(value["f"]["g"], 1);
        assert_eq!(value["h"], "2024-01-01");
        assert_eq!(value["j"], 2);
        assert_eq!(used, text.len());
    }

    #[test]
    fn deep_nesting_is_bounded() {
        let text = format!("{}1{}", "[".repeat(200_000), "]".repeat(200_000));
        assert_eq!(parse(&text).values.len(), 1);
        let keys = "{\"a\":".repeat(200_000);
        assert!(parse(&keys).values.len() <= VALUES_MAX);
    }
}
