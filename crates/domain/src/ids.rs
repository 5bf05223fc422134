//! Identifiers. Each is a newtype, so that one kind is never passed for another.

use serde::{Deserialize, Serialize};
use std::fmt;
use thiserror::Error;

use crate::limits;
use crate::time::Timestamp;

/// Text that is not an identifier of the wanted kind.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("not a {kind}")]
pub struct InvalidId {
    pub kind: &'static str,
}

/// A run: `brun_` and 24 lowercase hex digits, the first 12 of them the creation time in milliseconds (SPEC §1).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RunId(String);

const RUN_ID_PREFIX: &str = "brun_";
const RUN_ID_HEX_DIGITS: usize = 24;

impl RunId {
    /// Makes an id from its creation time and 48 random bits.
    #[must_use]
    pub fn new(created_at: Timestamp, random: u64) -> Self {
        let ms = created_at.as_millis().max(0) & 0xffff_ffff_ffff;
        Self(format!("{RUN_ID_PREFIX}{ms:012x}{:012x}", random & 0xffff_ffff_ffff))
    }

    /// # Errors
    /// When the text is not `brun_` and 24 lowercase hex digits.
    pub fn parse(text: &str) -> Result<Self, InvalidId> {
        let digits = text.strip_prefix(RUN_ID_PREFIX).ok_or(InvalidId { kind: "run id" })?;
        let is_hex = digits.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        if digits.len() == RUN_ID_HEX_DIGITS && is_hex {
            Ok(Self(text.to_owned()))
        } else {
            Err(InvalidId { kind: "run id" })
        }
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A commit: 16 random bytes, made by its writer before the first attempt to append it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CommitId(pub u128);

impl fmt::Display for CommitId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

macro_rules! text_id {
    ($(#[$doc:meta])* $name:ident, $kind:literal, $max:expr, $is_allowed:expr) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            /// # Errors
            /// When the text is empty, too long, or has a character that is not allowed.
            pub fn parse(text: &str) -> Result<Self, InvalidId> {
                let is_allowed: fn(char) -> bool = $is_allowed;
                let is_valid = !text.is_empty() && text.len() <= $max && text.chars().all(is_allowed);
                if is_valid { Ok(Self(text.to_owned())) } else { Err(InvalidId { kind: $kind }) }
            }

            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

/// `.` and `..`: clients take such a part out of a path, so that what is called so could be stored but never reached.
/// Stored ones are still read.
#[must_use]
pub fn is_dots(name: &str) -> bool {
    matches!(name, "." | "..")
}

fn is_name_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.')
}

text_id!(
    /// Who owns runs, keys, secrets and profiles: ASCII letters, digits, `_`, `-`, `.`.
    AccountId, "account", limits::NAME_CHARS_MAX, is_name_char
);
text_id!(
    /// The name of a stored secret: ASCII letters, digits, `_`, `-`, `.`.
    SecretName, "secret name", limits::NAME_CHARS_MAX, is_name_char
);
text_id!(
    /// One incarnation of one worker process.
    WorkerId, "worker id", limits::NAME_CHARS_MAX, is_name_char
);
text_id!(
    /// The name of a blob within its run, such as `page-3-1` or `shot-3`.
    BlobKey, "blob key", limits::NAME_CHARS_MAX, is_name_char
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn run_ids_sort_by_creation_time() {
        let early = RunId::new(Timestamp::from_millis(1_000), u64::MAX);
        let late = RunId::new(Timestamp::from_millis(1_001), 0);
        assert!(early < late);
        assert_eq!(RunId::parse(early.as_str()), Ok(early));
    }

    #[test]
    fn a_run_id_with_an_upper_case_digit_is_refused() {
        assert!(RunId::parse("brun_9C2e4a6b8d0f1a3c5e7b9d1f").is_err());
        assert!(RunId::parse("brun_9c2e").is_err());
    }
}
