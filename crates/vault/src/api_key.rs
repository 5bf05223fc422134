//! API keys: random bearer tokens of which only the hash is stored (SPEC §1).

use std::{fmt, str::FromStr};

use rand::CryptoRng;
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

/// Marks a key of ours, so that secret scanners and people recognise one.
const KEY_PREFIX: &str = "erk_";
/// 192 random bits: far beyond guessing, so an unsalted fast hash is enough.
const KEY_RANDOM_BYTES: usize = 24;

/// A newly made API key, to be shown once.
#[derive(Debug)]
pub struct ApiKey(SecretString);

impl ApiKey {
    /// `erk_` and 48 lowercase hex digits.
    pub fn generate<R: CryptoRng + ?Sized>(rng: &mut R) -> Self {
        let mut random = Zeroizing::new([0; KEY_RANDOM_BYTES]);
        rng.fill_bytes(random.as_mut());
        let digits = Zeroizing::new(hex::encode(random.as_ref()));
        Self(format!("{KEY_PREFIX}{}", digits.as_str()).into())
    }

    /// The key itself.
    pub fn secret(&self) -> &SecretString {
        &self.0
    }

    /// What is stored of it.
    pub fn hash(&self) -> ApiKeyHash {
        hash_api_key(self.0.expose_secret())
    }
}

/// SHA-256 of an API key. Equality takes the same time wherever two hashes differ.
#[derive(Clone, Copy, Debug, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct ApiKeyHash([u8; 32]);

/// A text that is not an API key's hash.
#[derive(Debug, thiserror::Error)]
#[error("an API key's hash is 64 hex digits")]
pub struct InvalidApiKeyHash;

/// Hashes a presented or a new API key for looking it up.
pub fn hash_api_key(key: &str) -> ApiKeyHash {
    ApiKeyHash(Sha256::digest(key.as_bytes()).into())
}

impl PartialEq for ApiKeyHash {
    fn eq(&self, other: &Self) -> bool {
        self.0.ct_eq(&other.0).into()
    }
}

impl fmt::Display for ApiKeyHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(self.0))
    }
}

impl FromStr for ApiKeyHash {
    type Err = InvalidApiKeyHash;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut bytes = [0; 32];
        hex::decode_to_slice(text, &mut bytes).map_err(|_| InvalidApiKeyHash)?;
        Ok(Self(bytes))
    }
}

impl From<ApiKeyHash> for String {
    fn from(hash: ApiKeyHash) -> Self {
        hash.to_string()
    }
}

impl TryFrom<String> for ApiKeyHash {
    type Error = InvalidApiKeyHash;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use rand::{SeedableRng, rngs::StdRng};

    use super::*;

    #[test]
    fn a_new_key_has_the_prefix_and_48_hex_digits_and_is_not_debugged() {
        let key = ApiKey::generate(&mut StdRng::seed_from_u64(1));
        let text = key.secret().expose_secret();
        let digits = text.strip_prefix("erk_").unwrap();
        assert_eq!(digits.len(), 48);
        assert!(digits.bytes().all(|digit| digit.is_ascii_digit() || (b'a'..=b'f').contains(&digit)));
        assert!(!format!("{key:?}").contains(digits));
    }

    /// FIPS 180-4's example "abc".
    #[test]
    fn the_hash_is_sha_256_and_reads_back() {
        let hash = hash_api_key("abc");
        assert_eq!(hash.to_string(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert_eq!(hash.to_string().parse::<ApiKeyHash>().unwrap(), hash);
        assert!("ba78".parse::<ApiKeyHash>().is_err());
    }

    #[test]
    fn only_the_same_key_has_an_equal_hash() {
        let key = ApiKey::generate(&mut StdRng::seed_from_u64(1));
        assert_eq!(key.hash(), hash_api_key(key.secret().expose_secret()));
        assert_ne!(key.hash(), ApiKey::generate(&mut StdRng::seed_from_u64(2)).hash());
    }
}
