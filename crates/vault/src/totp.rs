//! Time-based one-time passwords (RFC 6238) with the parameters that authenticator apps use: SHA-1, 30 s, 6 digits.

use data_encoding::BASE32_NOPAD;
use hmac::{Hmac, KeyInit, Mac};
use secrecy::{ExposeSecret, SecretString};
use sha1::Sha1;
use zeroize::Zeroizing;

const STEP_SECONDS: u64 = 30;
const SIX_DIGITS: u32 = 1_000_000;

/// The stored seed is not Base32 text, or is empty; never repeats the seed.
#[derive(Debug, thiserror::Error)]
#[error("a TOTP seed must be Base32 text (letters and the digits 2 to 7)")]
pub struct InvalidTotpSeed;

/// The six-digit code of a Base32 seed at a Unix time in seconds.
///
/// Seeds are taken as sites show them: either case, blanks and hyphens between groups, with or without padding.
///
/// # Errors
/// [`InvalidTotpSeed`].
pub fn totp_code(seed: &SecretString, unix_seconds: u64) -> Result<SecretString, InvalidTotpSeed> {
    let key = decode_seed(seed.expose_secret())?;
    let code = truncated_mac(&key, unix_seconds / STEP_SECONDS) % SIX_DIGITS;
    Ok(format!("{code:06}").into())
}

fn decode_seed(seed: &str) -> Result<Zeroizing<Vec<u8>>, InvalidTotpSeed> {
    let letters: Zeroizing<String> = Zeroizing::new(
        seed.chars().filter(|c| !c.is_whitespace() && *c != '-' && *c != '=').map(|c| c.to_ascii_uppercase()).collect(),
    );
    let key = BASE32_NOPAD.decode(letters.as_bytes()).map_err(|_| InvalidTotpSeed)?;
    if key.is_empty() { Err(InvalidTotpSeed) } else { Ok(Zeroizing::new(key)) }
}

/// RFC 4226 §5.3: 31 bits of the counter's HMAC-SHA1, taken where its last nibble points.
fn truncated_mac(key: &[u8], counter: u64) -> u32 {
    let mut mac = Hmac::<Sha1>::new_from_slice(key).expect("HMAC takes a key of any length (RFC 2104 §3)");
    mac.update(&counter.to_be_bytes());
    let digest: [u8; 20] = mac.finalize().into_bytes().into();
    let offset = usize::from(digest[19] & 0x0f);
    let word = u32::from_be_bytes([digest[offset], digest[offset + 1], digest[offset + 2], digest[offset + 3]]);
    word & 0x7fff_ffff
}

#[cfg(test)]
mod tests {
    use super::*;

    /// "12345678901234567890" in Base32, the seed of RFC 6238 appendix B.
    const RFC_SEED: &str = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";

    fn code(seed: &str, unix_seconds: u64) -> String {
        totp_code(&seed.into(), unix_seconds).unwrap().expose_secret().to_owned()
    }

    /// RFC 6238 appendix B lists eight digits; six-digit codes are their last six.
    #[test]
    fn codes_match_the_published_vectors() {
        for (unix_seconds, eight_digits) in [
            (59, "94287082"),
            (1_111_111_109, "07081804"),
            (1_111_111_111, "14050471"),
            (1_234_567_890, "89005924"),
            (2_000_000_000, "69279037"),
            (20_000_000_000, "65353130"),
        ] {
            assert_eq!(code(RFC_SEED, unix_seconds), &eight_digits[2..], "at {unix_seconds}");
        }
    }

    #[test]
    fn seeds_are_read_as_sites_show_them() {
        for shown in ["gezd gnbv gy3t qojq gezd gnbv gy3t qojq", "GEZD-GNBV-GY3T-QOJQ-GEZD-GNBV-GY3T-QOJQ\n"] {
            assert_eq!(code(shown, 59), "287082");
        }
        assert_eq!(code("MZXW6YQ=", 0), code("mzxw6yq", 29));
    }

    #[test]
    fn what_is_not_base32_is_refused_without_being_repeated() {
        for seed in ["", "   ", "1234", "not base32!"] {
            let error = totp_code(&seed.into(), 0).unwrap_err().to_string();
            assert_eq!(error, "a TOTP seed must be Base32 text (letters and the digits 2 to 7)");
        }
    }
}
