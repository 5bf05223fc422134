//! The master key: 32 bytes from which every other key of the installation is derived, each for one named purpose.

use std::{fmt, str::FromStr};

use hmac::{Hmac, KeyInit, Mac};
use rand::CryptoRng;
use secrecy::{ExposeSecret, SecretBox, SecretString};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

const KEY_BYTES: usize = 32;
const KEY_ID_BYTES: usize = 4;
/// SPEC §1: a webhook secret is 48 lowercase hex digits.
const WEBHOOK_SECRET_HEX: usize = 48;

const KEY_ID_LABEL: &[u8] = b"errand/v1/master-key-id\0";
const SUBKEY_LABEL: &[u8] = b"errand/v1/subkey\0";
const WEBHOOK_PURPOSE: &str = "webhook-secret";

/// The installation's master key. Its Debug shows only the key's id, and it wipes itself when dropped.
pub struct MasterKey {
    bytes: SecretBox<[u8; KEY_BYTES]>,
    id: MasterKeyId,
}

/// Why a text or file is not a master key; never repeats what was read.
#[derive(Debug, thiserror::Error)]
pub enum InvalidMasterKey {
    #[error("the master key must be 64 hex digits (32 bytes)")]
    NotHex,
    #[error("the master key file must hold 64 hex digits or 32 raw bytes, not {bytes} bytes")]
    WrongFileSize { bytes: usize },
}

impl MasterKey {
    /// A new random key.
    pub fn generate<R: CryptoRng + ?Sized>(rng: &mut R) -> Self {
        let mut bytes = Zeroizing::new([0; KEY_BYTES]);
        rng.fill_bytes(bytes.as_mut());
        Self::from_bytes(&bytes)
    }

    /// Reads 64 hex digits of either case; white space around them is ignored.
    ///
    /// # Errors
    /// [`InvalidMasterKey::NotHex`] for anything else.
    pub fn from_hex(text: &str) -> Result<Self, InvalidMasterKey> {
        let mut bytes = Zeroizing::new([0; KEY_BYTES]);
        hex::decode_to_slice(text.trim(), bytes.as_mut()).map_err(|_| InvalidMasterKey::NotHex)?;
        Ok(Self::from_bytes(&bytes))
    }

    /// Reads a key file's content: 32 raw bytes, or 64 hex digits with white space around them.
    ///
    /// # Errors
    /// [`InvalidMasterKey`] when it is neither.
    pub fn from_file_content(content: &[u8]) -> Result<Self, InvalidMasterKey> {
        if let Ok(raw) = <&[u8; KEY_BYTES]>::try_from(content) {
            return Ok(Self::from_bytes(raw));
        }
        let wrong_size = InvalidMasterKey::WrongFileSize { bytes: content.len() };
        let text = std::str::from_utf8(content).map_err(|_| wrong_size)?;
        Self::from_hex(text)
    }

    /// The key as 64 hex digits, to be written into a key file.
    pub fn to_hex(&self) -> SecretString {
        hex::encode(self.bytes.expose_secret()).into()
    }

    /// Names this key without revealing it.
    pub fn id(&self) -> MasterKeyId {
        self.id
    }

    /// The secret that signs a run's webhooks: 48 lowercase hex, the same whenever it is derived (DESIGN §5).
    pub fn webhook_secret(&self, run_id: &str) -> SecretString {
        let key = self.subkey(WEBHOOK_PURPOSE);
        let digest = Zeroizing::new(hmac_sha256(key.as_ref(), &[run_id.as_bytes()]));
        let mut text = hex::encode(digest.as_ref());
        text.truncate(WEBHOOK_SECRET_HEX);
        text.into()
    }

    /// The key of one purpose; keys of different purposes are independent of each other.
    pub(crate) fn subkey(&self, purpose: &str) -> Zeroizing<[u8; 32]> {
        Zeroizing::new(hmac_sha256(self.bytes.expose_secret(), &[SUBKEY_LABEL, purpose.as_bytes()]))
    }

    fn from_bytes(bytes: &[u8; KEY_BYTES]) -> Self {
        let id = MasterKeyId::of(bytes);
        Self { bytes: SecretBox::init_with_mut(|into: &mut [u8; KEY_BYTES]| into.copy_from_slice(bytes)), id }
    }
}

impl Clone for MasterKey {
    fn clone(&self) -> Self {
        Self::from_bytes(self.bytes.expose_secret())
    }
}

impl fmt::Debug for MasterKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MasterKey({})", self.id)
    }
}

/// Which master key was used: the first 4 bytes of a labelled SHA-256 of the key, written as 8 lowercase hex digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct MasterKeyId([u8; KEY_ID_BYTES]);

/// A text that is not a master key's id.
#[derive(Debug, thiserror::Error)]
#[error("a master key id is 8 lowercase hex digits")]
pub struct InvalidMasterKeyId;

impl MasterKeyId {
    pub(crate) const BYTES: usize = KEY_ID_BYTES;

    pub(crate) fn from_bytes(bytes: [u8; KEY_ID_BYTES]) -> Self {
        Self(bytes)
    }

    pub(crate) fn as_bytes(&self) -> &[u8; KEY_ID_BYTES] {
        &self.0
    }

    fn of(key: &[u8; KEY_BYTES]) -> Self {
        let digest = Sha256::new().chain_update(KEY_ID_LABEL).chain_update(key).finalize();
        Self([digest[0], digest[1], digest[2], digest[3]])
    }
}

impl fmt::Display for MasterKeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(self.0))
    }
}

impl FromStr for MasterKeyId {
    type Err = InvalidMasterKeyId;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut bytes = [0; KEY_ID_BYTES];
        hex::decode_to_slice(text, &mut bytes).map_err(|_| InvalidMasterKeyId)?;
        let id = Self(bytes);
        if id.to_string() == text { Ok(id) } else { Err(InvalidMasterKeyId) }
    }
}

impl From<MasterKeyId> for String {
    fn from(id: MasterKeyId) -> Self {
        id.to_string()
    }
}

impl TryFrom<String> for MasterKeyId {
    type Error = InvalidMasterKeyId;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

/// HMAC-SHA256 over the parts one after another (RFC 2104).
pub(crate) fn hmac_sha256(key: &[u8], parts: &[&[u8]]) -> [u8; 32] {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("HMAC takes a key of any length (RFC 2104 §3)");
    for part in parts {
        mac.update(part);
    }
    mac.finalize().into_bytes().into()
}

#[cfg(test)]
mod tests {
    use rand::{SeedableRng, rngs::StdRng};
    use secrecy::ExposeSecret;

    use super::*;

    const HEX: &str = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
    const RUN: &str = "brun_9c2e4a6b8d0f1a3c5e7b9d1f";

    fn key() -> MasterKey {
        MasterKey::from_hex(HEX).unwrap()
    }

    #[test]
    fn a_key_is_read_from_hex_and_from_files_of_both_kinds() {
        let raw: Vec<u8> = (0..32).collect();
        for other in [
            MasterKey::from_hex(&format!("  {}\n", HEX.to_uppercase())).unwrap(),
            MasterKey::from_file_content(&raw).unwrap(),
            MasterKey::from_file_content(format!("{HEX}\n").as_bytes()).unwrap(),
        ] {
            assert_eq!(other.to_hex().expose_secret(), HEX);
            assert_eq!(other.id(), key().id());
        }
    }

    #[test]
    fn what_is_no_key_is_refused_without_being_repeated() {
        for text in ["", "00", "zz0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"] {
            let error = MasterKey::from_hex(text).unwrap_err();
            assert_eq!(error.to_string(), "the master key must be 64 hex digits (32 bytes)");
        }
        assert!(MasterKey::from_file_content(&[0xff; 31]).is_err());
    }

    #[test]
    fn debug_shows_the_id_and_no_key_byte() {
        let shown = format!("{:?}", key());
        assert_eq!(shown, format!("MasterKey({})", key().id()));
        assert!(!HEX.contains(&key().id().to_string()));
    }

    #[test]
    fn webhook_secrets_are_48_hex_stable_and_differ_by_run_and_key() {
        let secret = key().webhook_secret(RUN);
        let text = secret.expose_secret();
        assert_eq!(text.len(), 48);
        assert!(text.bytes().all(|digit| digit.is_ascii_digit() || (b'a'..=b'f').contains(&digit)));
        assert_eq!(text, key().webhook_secret(RUN).expose_secret());
        assert_ne!(text, key().webhook_secret("brun_9c2e4a6b8d0f1a3c5e7b9d20").expose_secret());
        let other = MasterKey::generate(&mut StdRng::seed_from_u64(1));
        assert_ne!(text, other.webhook_secret(RUN).expose_secret());
    }

    /// Receivers hold these secrets and logs hold the ids, so what is derived can never change.
    #[test]
    fn derived_values_stay_as_they_were_first_released() {
        assert_eq!(key().id().to_string(), "1d5a890d");
        assert_eq!(key().webhook_secret(RUN).expose_secret(), "f928f077119bf646223e61057d6b58ae11aa72584482e77c");
    }

    #[test]
    fn key_ids_read_back_and_refuse_other_forms() {
        let id = key().id();
        assert_eq!(id.to_string().parse::<MasterKeyId>().unwrap(), id);
        for text in ["", "abc", "ABCDEF01", "0123456789"] {
            assert!(text.parse::<MasterKeyId>().is_err(), "{text}");
        }
    }

    /// RFC 4231, test case 2.
    #[test]
    fn hmac_matches_the_published_vector() {
        let mac = hmac_sha256(b"Jefe", &[b"what do ya want ", b"for nothing?"]);
        assert_eq!(hex::encode(mac), "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    }
}
