//! A stored secret as the key-value store holds it: the value sealed, what may be known of it in the clear.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::{MasterKey, MasterKeyId, OpenError};

const PURPOSE: &str = "secret";

/// One named secret of one account (SPEC §4). The sealed value opens only under the same account and name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SecretRecord {
    sealed: String,
    /// Rules of the origins that it may be typed into; empty: the start URL's origin.
    pub hosts: Vec<String>,
    /// The value is a TOTP seed; the current code is typed.
    pub totp: bool,
    /// Milliseconds since the Unix epoch.
    pub created_at_ms: i64,
}

/// Why a record cannot be opened.
#[derive(Debug, Error)]
pub enum RecordError {
    #[error("the record is not base64")]
    Encoding(#[source] base64::DecodeError),
    #[error("the record cannot be opened")]
    Sealed(#[source] OpenError),
    #[error("the value is not UTF-8")]
    Text,
}

impl SecretRecord {
    /// Seals a value for an account and name.
    #[must_use]
    pub fn seal(key: &MasterKey, place: &SecretPlace<'_>, value: &SecretString, terms: SecretTerms) -> Self {
        let sealed = key.seal(PURPOSE, &place.context(), value.expose_secret().as_bytes());
        let SecretTerms { hosts, totp, created_at_ms } = terms;
        Self { sealed: STANDARD.encode(sealed), hosts, totp, created_at_ms }
    }

    /// Which key it was sealed with, if it is of a known form.
    #[must_use]
    pub fn sealed_with(&self) -> Option<MasterKeyId> {
        let sealed = STANDARD.decode(&self.sealed).ok()?;
        crate::seal::sealed_with(&sealed)
    }

    /// Opens the value.
    ///
    /// # Errors
    /// When the record was sealed with another key, or for another account or name.
    pub fn open(&self, key: &MasterKey, place: &SecretPlace<'_>) -> Result<SecretString, RecordError> {
        let sealed = STANDARD.decode(&self.sealed).map_err(RecordError::Encoding)?;
        let value = key.open(PURPOSE, &place.context(), &sealed).map_err(RecordError::Sealed)?;
        let text = std::str::from_utf8(&value).map_err(|_| RecordError::Text)?;
        Ok(SecretString::from(text.to_owned()))
    }
}

/// Whose secret it is, and its name.
#[derive(Debug, Clone, Copy)]
pub struct SecretPlace<'a> {
    pub account: &'a str,
    pub name: &'a str,
}

impl SecretPlace<'_> {
    /// The record's key in the store.
    #[must_use]
    pub fn key(&self) -> String {
        format!("{}/{}", self.account, self.name)
    }

    fn context(&self) -> Vec<u8> {
        self.key().into_bytes()
    }
}

/// What goes with a value in the clear.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecretTerms {
    pub hosts: Vec<String>,
    pub totp: bool,
    pub created_at_ms: i64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_opens_only_for_its_own_account_and_name() {
        let key = MasterKey::from_hex(&"ab".repeat(32)).unwrap();
        let place = SecretPlace { account: "a", name: "pin" };
        let terms = SecretTerms { hosts: vec![], totp: false, created_at_ms: 0 };
        let record = SecretRecord::seal(&key, &place, &SecretString::from("hunter22".to_owned()), terms);
        assert_eq!(record.open(&key, &place).unwrap().expose_secret(), "hunter22");
        assert!(record.open(&key, &SecretPlace { account: "b", name: "pin" }).is_err());
        assert!(!serde_json::to_string(&record).unwrap().contains("hunter22"));
    }
}
