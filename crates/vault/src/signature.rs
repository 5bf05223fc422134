//! Webhook signatures, made by the notifier and checked by receivers (SPEC §6).
//!
//! In both schemes the key is the webhook secret as UTF-8 text, 48 bytes. Libraries for Standard Webhooks expect their
//! secret in Base64 and decode it first: they are given `base64(webhook_secret)`.

use base64::{Engine, engine::general_purpose::STANDARD as BASE64};
use secrecy::{ExposeSecret, SecretString};
use subtle::ConstantTimeEq;

use crate::master_key::hmac_sha256;

const LOVELY_SCHEME: &str = "sha256=";
const STANDARD_SCHEME: &str = "v1,";
/// How far a `webhook-timestamp` may be from the receiver's clock, in seconds: what the Standard Webhooks libraries use.
pub const STANDARD_TOLERANCE_S: u64 = 300;

/// The three Standard Webhooks headers of one delivery.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StandardHeaders {
    /// `webhook-id`: unique to the event, the same if it were seen twice.
    pub id: String,
    /// `webhook-timestamp`: Unix seconds at which the delivery was signed.
    pub timestamp: u64,
    /// `webhook-signature`: one or more `v1,<base64>` with blanks between.
    pub signature: String,
}

/// Why a delivery is not accepted.
#[derive(Clone, Copy, Debug, thiserror::Error, PartialEq, Eq)]
pub enum SignatureFault {
    #[error("the webhook was signed too long ago, or in the future")]
    Stale,
    #[error("no signature of the webhook matches its body and secret")]
    Mismatch,
}

/// The value of `x-lovely-signature`: `sha256=` and the hex HMAC-SHA256 of the raw body.
pub fn lovely_signature(secret: &SecretString, body: &[u8]) -> String {
    let mac = hmac_sha256(secret.expose_secret().as_bytes(), &[body]);
    format!("{LOVELY_SCHEME}{}", hex::encode(mac))
}

/// Whether an `x-lovely-signature` is that of the body; takes the same time wherever they differ.
pub fn verify_lovely(secret: &SecretString, body: &[u8], signature: &str) -> bool {
    lovely_signature(secret, body).as_bytes().ct_eq(signature.trim().as_bytes()).into()
}

/// The value of `webhook-signature`: `v1,` and the Base64 HMAC-SHA256 of `id.timestamp.body` (Standard Webhooks 1.0).
pub fn standard_signature(secret: &SecretString, id: &str, timestamp: u64, body: &[u8]) -> String {
    let signed_at = timestamp.to_string();
    let parts: [&[u8]; 5] = [id.as_bytes(), b".", signed_at.as_bytes(), b".", body];
    let mac = hmac_sha256(secret.expose_secret().as_bytes(), &parts);
    format!("{STANDARD_SCHEME}{}", BASE64.encode(mac))
}

/// Checks a delivery by its Standard Webhooks headers at the receiver's time `now`, in Unix seconds.
///
/// # Errors
/// [`SignatureFault::Stale`] beyond [`STANDARD_TOLERANCE_S`], [`SignatureFault::Mismatch`] when no signature fits.
pub fn verify_standard(
    secret: &SecretString,
    headers: &StandardHeaders,
    body: &[u8],
    now: u64,
) -> Result<(), SignatureFault> {
    if now.abs_diff(headers.timestamp) > STANDARD_TOLERANCE_S {
        return Err(SignatureFault::Stale);
    }
    let expected = standard_signature(secret, &headers.id, headers.timestamp, body);
    let matches = |candidate: &str| bool::from(expected.as_bytes().ct_eq(candidate.as_bytes()));
    if headers.signature.split_ascii_whitespace().any(matches) { Ok(()) } else { Err(SignatureFault::Mismatch) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: u64 = 1_791_711_663;

    fn secret() -> SecretString {
        "0123456789abcdef0123456789abcdef0123456789abcdef".into()
    }

    fn headers(body: &[u8]) -> StandardHeaders {
        let signature = standard_signature(&secret(), "evt_1", NOW, body);
        StandardHeaders { id: "evt_1".to_owned(), timestamp: NOW, signature }
    }

    /// Computed with `openssl dgst -sha256 -hmac`.
    #[test]
    fn signatures_are_those_other_tools_compute() {
        let body = br#"{"event":"run.finished"}"#;
        assert_eq!(
            lovely_signature(&secret(), body),
            "sha256=ba48152d675a6a185695b12d2f436c8c86fe94adb94ef589e02cb33300ca76c3"
        );
        assert_eq!(
            standard_signature(&secret(), "evt_1", NOW, body),
            "v1,rSIaqk/ocjUkq/w+Nw1TjMNOSwmXz31+CIyw9D0Svcw="
        );
    }

    #[test]
    fn only_the_signed_body_and_secret_verify() {
        let signature = lovely_signature(&secret(), b"body");
        assert!(verify_lovely(&secret(), b"body", &signature));
        assert!(!verify_lovely(&secret(), b"body ", &signature));
        assert!(!verify_lovely(&"another".into(), b"body", &signature));
        for malformed in ["", "sha256=", &signature[7..], &signature[..70]] {
            assert!(!verify_lovely(&secret(), b"body", malformed), "{malformed}");
        }
    }

    #[test]
    fn one_of_several_standard_signatures_is_enough() {
        let mut headers = headers(b"body");
        headers.signature = format!("v1,AAAA v2,x {}", headers.signature);
        assert_eq!(verify_standard(&secret(), &headers, b"body", NOW), Ok(()));
        headers.id = "evt_2".to_owned();
        assert_eq!(verify_standard(&secret(), &headers, b"body", NOW), Err(SignatureFault::Mismatch));
    }

    #[test]
    fn an_old_or_future_delivery_is_stale() {
        let headers = headers(b"body");
        for now in [NOW - STANDARD_TOLERANCE_S, NOW + STANDARD_TOLERANCE_S] {
            assert_eq!(verify_standard(&secret(), &headers, b"body", now), Ok(()));
        }
        for now in [NOW - STANDARD_TOLERANCE_S - 1, NOW + STANDARD_TOLERANCE_S + 1] {
            assert_eq!(verify_standard(&secret(), &headers, b"body", now), Err(SignatureFault::Stale));
        }
    }
}
