//! Lenient JSON: what pages write where JSON should be (comments, stray commas and quotes, JavaScript literals, several values in
//! a row). Strict JSON goes through `serde_json`; only what that refuses is repaired here. Linear time, bounded depth.

mod reader;
mod scalars;
mod strings;

use std::collections::BTreeMap;

use serde_json::Value;

use crate::copies::Copies;
use reader::Reader;

/// Most values read from one text that holds several in a row.
const VALUES_MAX: usize = 256;

/// Names that stand for values in a literal.
#[derive(Clone, Copy, Debug)]
pub struct Names<'a> {
    values: &'a BTreeMap<String, Value>,
    copies: &'a Copies,
}

impl<'a> Names<'a> {
    pub(crate) fn new(values: &'a BTreeMap<String, Value>, copies: &'a Copies) -> Self {
        Self { values, copies }
    }

    fn value(&self, name: &str) -> Value {
        self.values.get(name).and_then(|value| self.copies.copy(value)).unwrap_or(Value::Null)
    }
}

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
    Parsed { values: repaired(text), repaired: true }
}

/// Reads the objects and lists of a text as the repair does: strict ones as they are.
#[must_use]
pub fn repaired(text: &str) -> Vec<Value> {
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
    values
}

/// Reads one JavaScript literal at the start of `text`; gives it and how many bytes it took.
#[must_use]
pub fn literal(text: &str, names: Option<Names<'_>>) -> Option<(Value, usize)> {
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
    fn the_repair_reads_strict_json_as_it_is() {
        for text in [
            "{\"a\": [18446744073709551615, -0, 1e-7, 0.1, 123456789012345678901234567890]}",
            "[\"\\b\\f\\n\\u0000\\ud83d\\ude00 5\\\" lamp\", \"it's <!-- `so`\", true, false, null]",
            "{\"\": {\"a b\": \"x: y\", \"z\": \",a\"}, \"-->\": [[], {}]}",
        ] {
            let value: Value = serde_json::from_str(text).unwrap();
            assert_eq!(repaired(text), [value], "{text}");
        }
    }

    #[test]
    fn quotes_before_commas_and_words_cost_linear_time() {
        let text = format!("[\"{}", "x\",a".repeat(1 << 19));
        assert_eq!(repaired(&text).len(), 1);
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
