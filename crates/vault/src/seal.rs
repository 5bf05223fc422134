//! Sealed blobs: XChaCha20-Poly1305 under a per-purpose key, bound to the place a blob belongs to.
//!
//! Form: `version (1) · master key id (4) · nonce (24) · ciphertext and tag (16)`. Stored bytes live for ever: another
//! form needs another version byte.

use chacha20poly1305::{
    KeyInit, XChaCha20Poly1305, XNonce,
    aead::{Aead, Payload},
};
use rand::RngCore;
use zeroize::Zeroizing;

use crate::{MasterKey, MasterKeyId};

const VERSION: u8 = 1;
const NONCE_BYTES: usize = 24;
const TAG_BYTES: usize = 16;
const HEADER_BYTES: usize = 1 + MasterKeyId::BYTES;
const SEAL_PURPOSE_PREFIX: &str = "seal/";

/// How many bytes a sealed blob is longer than what it holds.
pub const SEALED_OVERHEAD_BYTES: usize = HEADER_BYTES + NONCE_BYTES + TAG_BYTES;

/// Why a sealed blob was not opened; each case is permanent for this blob and key.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum OpenError {
    #[error("the sealed blob is cut short: {bytes} bytes")]
    CutShort { bytes: usize },
    #[error("the sealed blob has version {0}, which this build does not know")]
    UnknownVersion(u8),
    #[error("the blob was sealed with master key {sealed_with}, but this is master key {this}")]
    OtherKey { sealed_with: MasterKeyId, this: MasterKeyId },
    #[error("the sealed blob was changed, or was sealed for another place")]
    NotAuthentic,
}

impl MasterKey {
    /// Encrypts `plaintext` so that only the same master key, purpose and context open it.
    ///
    /// `purpose` names a kind of blob (`"secret"`, `"profile"`, `"checkpoint"`), `context` the one place it belongs to
    /// (an account and a name, a run id): a blob moved to another place does not open there. The nonce is 192 random
    /// bits, so one key may seal any number of blobs.
    pub fn seal(&self, purpose: &str, context: &[u8], plaintext: &[u8]) -> Vec<u8> {
        let mut nonce = [0; NONCE_BYTES];
        rand::rng().fill_bytes(&mut nonce);
        let header = self.header();
        let bound_to = bound_to(&header, purpose, context);
        let payload = Payload { msg: plaintext, aad: &bound_to };
        let encrypted = self
            .cipher(purpose)
            .encrypt(XNonce::from_slice(&nonce), payload)
            .expect("encrypting fails only beyond 256 GiB (RFC 8439 §2.8), more than memory holds");
        [header.as_slice(), &nonce, &encrypted].concat()
    }

    /// Decrypts what [`MasterKey::seal`] made for the same purpose and context.
    ///
    /// # Errors
    /// [`OpenError`]; nothing of the content is revealed by it.
    pub fn open(&self, purpose: &str, context: &[u8], sealed: &[u8]) -> Result<Zeroizing<Vec<u8>>, OpenError> {
        self.check_header(sealed)?;
        let (header, rest) = sealed.split_at(HEADER_BYTES);
        let (nonce, encrypted) = rest.split_at(NONCE_BYTES);
        let bound_to = bound_to(header, purpose, context);
        let payload = Payload { msg: encrypted, aad: &bound_to };
        let opened = self.cipher(purpose).decrypt(XNonce::from_slice(nonce), payload);
        opened.map(Zeroizing::new).map_err(|_| OpenError::NotAuthentic)
    }

    fn check_header(&self, sealed: &[u8]) -> Result<(), OpenError> {
        if sealed.len() < SEALED_OVERHEAD_BYTES {
            return Err(OpenError::CutShort { bytes: sealed.len() });
        }
        if sealed[0] != VERSION {
            return Err(OpenError::UnknownVersion(sealed[0]));
        }
        match sealed_with(sealed) {
            Some(sealed_with) if sealed_with != self.id() => Err(OpenError::OtherKey { sealed_with, this: self.id() }),
            Some(_) | None => Ok(()),
        }
    }

    fn header(&self) -> [u8; HEADER_BYTES] {
        let [a, b, c, d] = *self.id().as_bytes();
        [VERSION, a, b, c, d]
    }

    fn cipher(&self, purpose: &str) -> XChaCha20Poly1305 {
        let key = self.subkey(&format!("{SEAL_PURPOSE_PREFIX}{purpose}"));
        XChaCha20Poly1305::new(key.as_slice().into())
    }
}

/// Which key a blob says that it was sealed with.
pub(crate) fn sealed_with(sealed: &[u8]) -> Option<MasterKeyId> {
    match sealed {
        [VERSION, a, b, c, d, ..] => Some(MasterKeyId::from_bytes([*a, *b, *c, *d])),
        _ => None,
    }
}

/// The associated data. The purpose's length stands before it, so that no two (purpose, context) pairs read alike.
fn bound_to(header: &[u8], purpose: &str, context: &[u8]) -> Vec<u8> {
    let purpose_bytes = (purpose.len() as u64).to_be_bytes();
    [header, &purpose_bytes, purpose.as_bytes(), context].concat()
}

#[cfg(test)]
mod tests {
    use rand::{SeedableRng, rngs::StdRng};

    use super::*;

    fn key(seed: u64) -> MasterKey {
        MasterKey::generate(&mut StdRng::seed_from_u64(seed))
    }

    #[test]
    fn what_was_sealed_opens_in_its_place() {
        let key = key(1);
        for plaintext in [b"".as_slice(), b"hunter2", &[7; 100_000]] {
            let sealed = key.seal("secret", b"default/shop-password", plaintext);
            assert_eq!(sealed.len(), plaintext.len() + SEALED_OVERHEAD_BYTES);
            assert_eq!(key.open("secret", b"default/shop-password", &sealed).unwrap().as_slice(), plaintext);
        }
    }

    #[test]
    fn a_blob_moved_to_another_place_does_not_open() {
        let key = key(1);
        let sealed = key.seal("secret", b"alice/password", b"hunter2");
        for (purpose, context) in [
            ("secret", "mallory/password"),
            ("secret", "alice/pin"),
            ("profile", "alice/password"),
            ("secre", "talice/password"),
        ] {
            let opened = key.open(purpose, context.as_bytes(), &sealed);
            assert_eq!(opened.unwrap_err(), OpenError::NotAuthentic, "{purpose} {context}");
        }
    }

    #[test]
    fn a_change_of_any_byte_is_noticed() {
        let key = key(1);
        let sealed = key.seal("checkpoint", b"brun_1", b"cookie");
        for place in 0..sealed.len() {
            let mut changed = sealed.clone();
            changed[place] ^= 1;
            assert!(key.open("checkpoint", b"brun_1", &changed).is_err(), "byte {place}");
        }
    }

    #[test]
    fn another_key_another_version_and_a_cut_blob_are_named() {
        let (key, other) = (key(1), key(2));
        let sealed = key.seal("secret", b"a", b"b");
        let wrong_key = OpenError::OtherKey { sealed_with: key.id(), this: other.id() };
        assert_eq!(other.open("secret", b"a", &sealed).unwrap_err(), wrong_key);
        let mut newer = sealed.clone();
        newer[0] = 2;
        assert_eq!(key.open("secret", b"a", &newer).unwrap_err(), OpenError::UnknownVersion(2));
        let cut = &sealed[..SEALED_OVERHEAD_BYTES - 1];
        assert_eq!(key.open("secret", b"a", cut).unwrap_err(), OpenError::CutShort { bytes: cut.len() });
    }

    #[test]
    fn sealing_twice_gives_different_bytes_and_never_the_plaintext() {
        let key = key(1);
        let plaintext = b"a long enough secret";
        let (first, second) = (key.seal("secret", b"a", plaintext), key.seal("secret", b"a", plaintext));
        assert_ne!(first, second);
        assert!(!first.windows(plaintext.len()).any(|window| window == plaintext));
    }

    /// Stored bytes live for ever: this blob was sealed by the first release.
    #[test]
    fn blobs_of_the_first_version_still_open() {
        let key = MasterKey::from_hex(&"5a".repeat(32)).unwrap();
        let sealed = hex::decode(
            "0121cbfe7868c5c01e51a127f24256f17b64ee980f27bd856610ec805cbbf197796f89218a698d0f09a9ef6ee9d17f65e3637734",
        )
        .unwrap();
        assert_eq!(key.open("secret", b"default/password", &sealed).unwrap().as_slice(), b"hunter2");
    }
}
