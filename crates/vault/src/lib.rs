//! What keeps Errand's secrets: the master key and what is derived from it, sealed blobs, API keys, TOTP codes and
//! webhook signatures. Pure: it names no clock, store or socket; time and randomness are parameters, nonces excepted.

#![cfg_attr(test, allow(clippy::unwrap_used, reason = "a test may fail loudly"))]

mod api_key;
mod master_key;
mod record;
mod seal;
mod signature;
mod stream_token;
mod totp;

pub use api_key::{ApiKey, ApiKeyHash, InvalidApiKeyHash, hash_api_key};
pub use master_key::{InvalidMasterKey, InvalidMasterKeyId, MasterKey, MasterKeyId};
pub use record::{RecordError, SecretPlace, SecretRecord, SecretTerms};
pub use seal::{OpenError, SEALED_OVERHEAD_BYTES};
pub use signature::{
    STANDARD_TOLERANCE_S, SignatureFault, StandardHeaders, lovely_signature, standard_signature, verify_lovely,
    verify_standard,
};
pub use stream_token::StreamGrant;
pub use totp::{InvalidTotpSeed, totp_code};
