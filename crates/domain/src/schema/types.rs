//! The JSON types that a schema object has room for.

use serde_json::{Map, Value};

/// A set of JSON types. `number` is both numeric bits, `integer` one of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Types(u8);

impl Types {
    pub(crate) const NULL: Self = Self(1);
    pub(crate) const BOOLEAN: Self = Self(2);
    pub(crate) const INTEGER: Self = Self(4);
    pub(crate) const FRACTION: Self = Self(8);
    pub(crate) const NUMBER: Self = Self(4 | 8);
    pub(crate) const STRING: Self = Self(16);
    pub(crate) const ARRAY: Self = Self(32);
    pub(crate) const OBJECT: Self = Self(64);
    pub(crate) const ALL: Self = Self(127);
    pub(crate) const NONE: Self = Self(0);

    pub(crate) fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Whether the wanted type (or null) is all that may stand here.
    pub(crate) fn is_only(self, wanted: Self) -> bool {
        self.has(wanted) && self.0 & !(wanted.0 | Self::NULL.0) == 0
    }

    pub(super) fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    pub(super) fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    fn named(name: &str) -> Self {
        match name {
            "null" => Self::NULL,
            "boolean" => Self::BOOLEAN,
            "integer" => Self::INTEGER,
            "number" => Self::NUMBER,
            "string" => Self::STRING,
            "array" => Self::ARRAY,
            "object" => Self::OBJECT,
            _ => Self::ALL,
        }
    }

    fn of(value: &Value) -> Self {
        match value {
            Value::Null => Self::NULL,
            Value::Bool(_) => Self::BOOLEAN,
            Value::Number(number) if number.is_f64() => Self::FRACTION,
            Value::Number(_) => Self::INTEGER,
            Value::String(_) => Self::STRING,
            Value::Array(_) => Self::ARRAY,
            Value::Object(_) => Self::OBJECT,
        }
    }

    pub(super) fn names(self) -> String {
        if self == Self::ALL {
            return "any".to_owned();
        }
        let known = [
            (Self::STRING, "string"),
            (Self::FRACTION, "number"),
            (Self::INTEGER, "integer"),
            (Self::BOOLEAN, "boolean"),
            (Self::ARRAY, "array"),
            (Self::OBJECT, "object"),
        ];
        let is_shown = |bit: Self| self.has(bit) && !(bit == Self::INTEGER && self.has(Self::FRACTION));
        let names: Vec<&str> = known.into_iter().filter(|(bit, _)| is_shown(*bit)).map(|(_, name)| name).collect();
        if names.is_empty() { "null".to_owned() } else { names.join(" or ") }
    }
}

pub(super) fn types_of(fields: &Map<String, Value>) -> Types {
    let named = match fields.get("type") {
        Some(Value::String(name)) => Types::named(name),
        Some(Value::Array(names)) => {
            names.iter().filter_map(Value::as_str).fold(Types::NONE, |types, name| types.or(Types::named(name)))
        }
        _ => Types::ALL,
    };
    let chosen = choices_of(fields)
        .map_or(Types::ALL, |values| values.into_iter().fold(Types::NONE, |types, value| types.or(Types::of(value))));
    named.and(chosen)
}

pub(super) fn choices_of(fields: &Map<String, Value>) -> Option<Vec<&Value>> {
    if let Some(only) = fields.get("const") {
        return Some(vec![only]);
    }
    Some(fields.get("enum")?.as_array()?.iter().collect())
}
