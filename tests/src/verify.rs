//! Verifies webhook signatures exactly as the public documentation tells receivers to (SPEC 6).

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use thiserror::Error;

use crate::receiver::RecordedPost;

/// Why a webhook is not to be believed.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum SignatureError {
    #[error("header {0} is missing")]
    Missing(&'static str),
    #[error("header {0} has not the documented form")]
    Malformed(&'static str),
    #[error("header {0} is not a signature of this body with this secret")]
    Mismatch(&'static str),
}

const LOVELY: &str = "x-lovely-signature";
const STANDARD_SIGNATURE: &str = "webhook-signature";

/// Checks `x-lovely-signature: sha256=<hex>`: HMAC-SHA256 over the raw body, key = the secret as UTF-8, in constant time.
///
/// # Errors
/// When the header is missing, malformed or wrong.
pub fn verify(secret: &str, post: &RecordedPost) -> Result<(), SignatureError> {
    let header = post.header(LOVELY).ok_or(SignatureError::Missing(LOVELY))?;
    let signature = header.strip_prefix("sha256=").and_then(|digits| hex::decode(digits).ok());
    let signature = signature.ok_or(SignatureError::Malformed(LOVELY))?;
    check(LOVELY, secret, &[&post.body], &signature)
}

/// Checks the Standard Webhooks headers: HMAC-SHA256 over `id.timestamp.body`, key = the same secret as UTF-8.
///
/// # Errors
/// When a header is missing, malformed or wrong.
pub fn verify_standard(secret: &str, post: &RecordedPost) -> Result<(), SignatureError> {
    let header = |name| post.header(name).ok_or(SignatureError::Missing(name));
    let id = header("webhook-id")?;
    let timestamp = header("webhook-timestamp")?;
    timestamp.parse::<u64>().map_err(|_| SignatureError::Malformed("webhook-timestamp"))?;
    let versioned = header(STANDARD_SIGNATURE)?;
    let signature = versioned.strip_prefix("v1,").and_then(|text| STANDARD.decode(text).ok());
    let signature = signature.ok_or(SignatureError::Malformed(STANDARD_SIGNATURE))?;
    check(STANDARD_SIGNATURE, secret, &[id.as_bytes(), b".", timestamp.as_bytes(), b".", &post.body], &signature)
}

fn check(header: &'static str, secret: &str, parts: &[&[u8]], signature: &[u8]) -> Result<(), SignatureError> {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).expect("HMAC takes keys of any length");
    for part in parts {
        mac.update(part);
    }
    mac.verify_slice(signature).map_err(|_| SignatureError::Mismatch(header))
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use bytes::Bytes;

    use super::{SignatureError, verify, verify_standard};
    use crate::receiver::RecordedPost;

    fn post(headers: &[(&str, &str)], body: &'static str) -> RecordedPost {
        RecordedPost {
            at: Instant::now(),
            path: "/hook".to_owned(),
            headers: headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
            body: Bytes::from_static(body.as_bytes()),
        }
    }

    /// RFC 4231, test case 2.
    const KNOWN: &str = "sha256=5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";

    #[test]
    fn known_signature_is_accepted() {
        let signed = post(&[("x-lovely-signature", KNOWN)], "what do ya want for nothing?");
        assert_eq!(verify("Jefe", &signed), Ok(()));
    }

    #[test]
    fn changed_body_wrong_secret_and_missing_header_are_refused() {
        let changed = post(&[("x-lovely-signature", KNOWN)], "what do ya want for nothing!");
        assert_eq!(verify("Jefe", &changed), Err(SignatureError::Mismatch("x-lovely-signature")));
        let signed = post(&[("x-lovely-signature", KNOWN)], "what do ya want for nothing?");
        assert_eq!(verify("jefe", &signed), Err(SignatureError::Mismatch("x-lovely-signature")));
        assert_eq!(verify("Jefe", &post(&[], "")), Err(SignatureError::Missing("x-lovely-signature")));
        let plain = post(&[("x-lovely-signature", &KNOWN[7..])], "what do ya want for nothing?");
        assert_eq!(verify("Jefe", &plain), Err(SignatureError::Malformed("x-lovely-signature")));
    }

    /// The expected value was computed with another implementation: `openssl dgst -sha256 -hmac s3cret -binary | base64`.
    #[test]
    fn standard_webhooks_signature_covers_id_timestamp_and_body() {
        let headers = [
            ("webhook-id", "msg_1"),
            ("webhook-timestamp", "1793784000"),
            ("webhook-signature", "v1,WCtJCbLsP1C3IwU6kbJ3MwP4XcCo7jCRZmN6yl6igD0="),
        ];
        assert_eq!(verify_standard("s3cret", &post(&headers, "{}")), Ok(()));
        assert_eq!(
            verify_standard("s3cret", &post(&headers, "{ }")),
            Err(SignatureError::Mismatch("webhook-signature"))
        );
    }
}
