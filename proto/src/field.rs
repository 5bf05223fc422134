//! Reads single fields inward, naming the field in the error.

use errand_domain::ids::{BlobKey, InvalidId};
use prost::UnknownEnumValue;
use serde_json::Value;

use crate::error::DecodeError;

/// A message that the schema allows to be absent, but we never leave out.
pub(crate) fn required<T>(value: Option<T>, field: &'static str) -> Result<T, DecodeError> {
    value.ok_or(DecodeError::Missing { field })
}

/// The alternative of a `oneof`.
pub(crate) fn kind<T>(value: Option<T>, field: &'static str) -> Result<T, DecodeError> {
    value.ok_or(DecodeError::UnknownKind { field, number: None })
}

/// An enum's number; zero is the generated `Unspecified`, which callers refuse by [`unspecified`].
pub(crate) fn enumeration<T>(value: i32, field: &'static str) -> Result<T, DecodeError>
where
    T: TryFrom<i32, Error = UnknownEnumValue>,
{
    T::try_from(value).map_err(|UnknownEnumValue(value)| DecodeError::UnknownValue { field, value })
}

/// The error for an enum that was never set.
pub(crate) fn unspecified(field: &'static str) -> DecodeError {
    DecodeError::UnknownValue { field, value: 0 }
}

/// An identifier's text.
pub(crate) fn id<T>(
    text: &str,
    parse: impl FnOnce(&str) -> Result<T, InvalidId>,
    field: &'static str,
) -> Result<T, DecodeError> {
    parse(text).map_err(|source| DecodeError::InvalidId { field, source })
}

/// The name of a blob, when there is one.
pub(crate) fn optional_blob(text: Option<&String>, field: &'static str) -> Result<Option<BlobKey>, DecodeError> {
    text.map(|text| id(text, BlobKey::parse, field)).transpose()
}

/// JSON text, when there is some.
pub(crate) fn optional_json(text: Option<&String>, field: &'static str) -> Result<Option<Value>, DecodeError> {
    text.map(|text| serde_json::from_str(text).map_err(|source| DecodeError::NotJson { field, source })).transpose()
}
