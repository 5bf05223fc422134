//! Numbers, words and calls of the repairing reader.

use serde_json::{Number, Value};

use super::parse;
use super::reader::{DEPTH_MAX, Reader};

impl Reader<'_> {
    pub fn number(&mut self) -> Option<Value> {
        let rest = self.rest();
        let len = rest.find(|c: char| !(c.is_ascii_alphanumeric() || "+-._".contains(c))).unwrap_or(rest.len());
        let text = rest.get(..len)?;
        self.at += len.max(1);
        // What JSON allows is read as `serde_json` does.
        if let Ok(number) = serde_json::from_str::<Number>(text) {
            return Some(Value::Number(number));
        }
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
    pub fn not(&mut self) -> Option<Value> {
        let value = match self.bytes.get(self.at + 1) {
            Some(b'0') => true,
            Some(b'1') => false,
            _ => return None,
        };
        self.at += 2;
        Some(Value::Bool(value))
    }

    pub fn word(&mut self, depth: usize) -> Option<Value> {
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
        Some(self.names.map_or(Value::Null, |names| names.value(word)))
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
