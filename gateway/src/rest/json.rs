//! JSON as the API takes it: what two parsers could read in two ways, or a person cannot see, is refused by name.

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use std::cell::RefCell;
use std::fmt;

use crate::fault::Fault;

/// # Errors
/// When the bytes are no JSON, a key stands twice in one object, or a text holds a NUL character.
pub(super) fn parse(bytes: &[u8]) -> Result<Value, Fault> {
    let refused = RefCell::new(None);
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    let strict = Strict { path: &Path::Root, refused: &refused };
    let parsed = strict.deserialize(&mut deserializer).and_then(|value| deserializer.end().map(|()| value));
    parsed.map_err(|error| match refused.take() {
        Some(refusal) => refusal,
        None => Fault::invalid(format!("the body is not valid JSON: {error}")),
    })
}

/// Where a value stands in the body.
enum Path<'a> {
    Root,
    Field(&'a Path<'a>, &'a str),
    Item(&'a Path<'a>, usize),
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Root => Ok(()),
            Self::Field(Self::Root, name) => f.write_str(name),
            Self::Field(parent, name) => write!(f, "{parent}.{name}"),
            Self::Item(parent, index) => write!(f, "{parent}[{index}]"),
        }
    }
}

impl Path<'_> {
    /// The field of the request in which it stands: `param` of a refusal.
    fn field(&self) -> Option<&str> {
        match self {
            Self::Root => None,
            Self::Field(Self::Root, name) => Some(name),
            Self::Field(parent, _) | Self::Item(parent, _) => parent.field(),
        }
    }

    fn refusal(&self, what: &str) -> Fault {
        let message = match self {
            Self::Root => format!("the body {what}"),
            Self::Field(..) | Self::Item(..) => format!("\"{}\" {what}", printable(&self.to_string())),
        };
        Fault { param: self.field().map(printable), ..Fault::invalid(message) }
    }
}

/// Keys are the client's own: what cannot be seen is shown as an escape.
fn printable(text: &str) -> String {
    text.chars().flat_map(|c| if c.is_control() { c.escape_default().collect() } else { vec![c] }).collect()
}

struct Strict<'a> {
    path: &'a Path<'a>,
    /// Why it was refused: serde's own errors carry text only.
    refused: &'a RefCell<Option<Fault>>,
}

impl Strict<'_> {
    fn refuse<E: Error>(&self, path: &Path<'_>, what: &str) -> E {
        *self.refused.borrow_mut() = Some(path.refusal(what));
        E::custom("refused")
    }

    fn check_text<E: Error>(&self, text: &str) -> Result<(), E> {
        if text.contains('\0') { Err(self.refuse(self.path, "must not hold a NUL character")) } else { Ok(()) }
    }
}

impl<'de> DeserializeSeed<'de> for Strict<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Value, E> {
        self.check_text(text)?;
        Ok(Value::String(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        loop {
            let path = Path::Item(self.path, list.len());
            let Some(item) = items.next_element_seed(Strict { path: &path, refused: self.refused })? else {
                return Ok(Value::Array(list));
            };
            list.push(item);
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(name) = fields.next_key::<String>()? {
            let path = Path::Field(self.path, &name);
            if object.contains_key(&name) {
                return Err(self.refuse(&path, "stands twice in the body"));
            }
            if name.contains('\0') {
                return Err(self.refuse(&path, "must not hold a NUL character"));
            }
            let value = fields.next_value_seed(Strict { path: &path, refused: self.refused })?;
            object.insert(name, value);
        }
        Ok(Value::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn refusal(text: &str) -> (String, Option<String>) {
        let fault = parse(text.as_bytes()).unwrap_err();
        (fault.message, fault.param)
    }

    #[test]
    fn what_stands_once_is_read_as_it_is() {
        let text = r#"{"a": [1, -2, 2.5, true, null, {"a": "x"}], "b": {"a": "\u00e9\n"}, "c": 18446744073709551615}"#;
        assert_eq!(parse(text.as_bytes()).unwrap(), serde_json::from_str::<Value>(text).unwrap());
        assert_eq!(parse(b" [] ").unwrap(), json!([]));
    }

    #[test]
    fn a_key_that_stands_twice_is_named_wherever_it_stands() {
        let cases = [
            (r#"{"goal": "a", "goal": "b"}"#, "\"goal\" stands twice in the body", "goal"),
            (r#"{"goal": "a", "go\u0061l": "a"}"#, "\"goal\" stands twice in the body", "goal"),
            (r#"{"m": {"x": 1, "x": 1}}"#, "\"m.x\" stands twice in the body", "m"),
            (r#"{"l": [0, {"x": 1, "x": 1}]}"#, "\"l[1].x\" stands twice in the body", "l"),
            (r#"{"a\u0007": 1, "a\u0007": 1}"#, "\"a\\u{7}\" stands twice in the body", "a\\u{7}"),
        ];
        for (text, message, param) in cases {
            assert_eq!(refusal(text), (message.to_owned(), Some(param.to_owned())), "{text}");
        }
    }

    #[test]
    fn a_nul_character_is_refused_wherever_it_stands() {
        let cases = [
            (r#"{"goal": "a\u0000b"}"#, "\"goal\" must not hold a NUL character"),
            (r#"{"metadata": {"k": "\u0000"}}"#, "\"metadata.k\" must not hold a NUL character"),
            (r#"{"metadata": {"k\u0000": "v"}}"#, "\"metadata.k\\u{0}\" must not hold a NUL character"),
            (r#"["\u0000"]"#, "\"[0]\" must not hold a NUL character"),
            (r#""\u0000""#, "the body must not hold a NUL character"),
        ];
        for (text, message) in cases {
            assert_eq!(refusal(text).0, message, "{text}");
        }
    }

    #[test]
    fn what_is_no_json_is_refused_and_depth_is_bounded() {
        for text in ["", "{", "{\"a\": 1} x", "\u{feff}{}", "nul", "{\"a\": 1,}", "\"\\ud800\""] {
            assert!(refusal(text).0.starts_with("the body is not valid JSON: "), "{text}");
        }
        assert!(refusal(&"[".repeat(100_000)).0.contains("recursion limit"));
        assert!(parse(b"\"\xff\"").is_err());
    }
}
