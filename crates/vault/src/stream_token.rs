//! Tokens that open live streams for some minutes: signed with a key of their own, bound to an account and to a time.
//! Nothing is stored, so any server with the same master key knows them.

use secrecy::SecretString;
use subtle::ConstantTimeEq;

use crate::MasterKey;
use crate::master_key::hmac_sha256;

/// Marks a token of ours, so that secret scanners and people recognise one.
const PREFIX: &str = "est_";
const PURPOSE: &str = "stream-token";
const OPERATOR: &str = "o";
const ACCOUNT: &str = "a";

/// Whose streams a token opens, and until when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StreamGrant {
    /// Without line breaks; checked by whoever made the account.
    pub account: String,
    /// Sees all accounts.
    pub operator: bool,
    /// Milliseconds since the Unix epoch.
    pub expires_at_ms: i64,
}

impl MasterKey {
    /// The grant as a token that can stand in a URL.
    pub fn stream_token(&self, grant: &StreamGrant) -> SecretString {
        let kind = if grant.operator { OPERATOR } else { ACCOUNT };
        let terms = format!("{PREFIX}{:x}.{kind}.{}", grant.expires_at_ms, grant.account);
        format!("{terms}.{}", hex::encode(self.mac_of(&terms))).into()
    }

    /// What a token grants at this time; `None` when it was not made here, was changed, or has expired.
    pub fn open_stream_token(&self, token: &str, now_ms: i64) -> Option<StreamGrant> {
        let (terms, mac) = token.rsplit_once('.')?;
        let mac = hex::decode(mac).ok()?;
        if !bool::from(self.mac_of(terms).as_slice().ct_eq(&mac)) {
            return None;
        }
        // An account's name may hold dots: it stands last.
        let mut parts = terms.strip_prefix(PREFIX)?.splitn(3, '.');
        let expires_at_ms = i64::from_str_radix(parts.next()?, 16).ok()?;
        let operator = match parts.next()? {
            OPERATOR => true,
            ACCOUNT => false,
            _ => return None,
        };
        let grant = StreamGrant { account: parts.next()?.to_owned(), operator, expires_at_ms };
        (now_ms < expires_at_ms).then_some(grant)
    }

    fn mac_of(&self, terms: &str) -> [u8; 32] {
        hmac_sha256(self.subkey(PURPOSE).as_ref(), &[terms.as_bytes()])
    }
}

#[cfg(test)]
mod tests {
    use secrecy::ExposeSecret;

    use super::*;

    fn key(byte: &str) -> MasterKey {
        MasterKey::from_hex(&byte.repeat(32)).unwrap()
    }

    fn grant() -> StreamGrant {
        StreamGrant { account: "a.b-c_d".to_owned(), operator: false, expires_at_ms: 1_000 }
    }

    #[test]
    fn a_token_opens_what_it_was_made_for_until_it_expires() {
        for grant in [grant(), StreamGrant { operator: true, ..grant() }] {
            let token = key("07").stream_token(&grant);
            let open = |now_ms| key("07").open_stream_token(token.expose_secret(), now_ms);
            assert_eq!(open(999), Some(grant));
            assert_eq!(open(1_000), None);
        }
    }

    #[test]
    fn a_token_that_was_changed_or_made_elsewhere_opens_nothing() {
        let token = key("07").stream_token(&grant());
        let token = token.expose_secret();
        assert_eq!(key("08").open_stream_token(token, 0), None);
        let changed = [token.replace(".a.", ".o."), token.replace("3e8", "3e9"), token.replace("a.b-c_d", "a.b-c_e")];
        let cut = [&token[..token.len() - 1], &token[..token.len() - 2], "", ".", "est_.a.x.", "est_3e8.a.a.b-c_d."];
        for text in changed.iter().map(String::as_str).chain(cut) {
            assert_eq!(key("07").open_stream_token(text, 0), None, "{text}");
        }
    }
}
