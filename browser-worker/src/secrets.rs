//! The secrets of one run: opened for typing, and known to the redactor so that no event, page or answer holds them.

use errand_domain::redact::Redactor;
use errand_domain::run::RunSpec;
use errand_domain::{SecretName, Timestamp};
use errand_egress::{InvalidOriginRule, OriginRules};
use errand_store::{Bucket, KeyValue};
use errand_vault::{MasterKey, SecretPlace, SecretRecord, totp_code};
use secrecy::{ExposeSecret, SecretString};
use std::collections::BTreeMap;
use std::fmt;

use crate::error::SecretError;
use crate::secret_place::SecretOrigins;

struct OpenSecret {
    value: SecretString,
    totp: bool,
}

/// A run's secrets by name.
pub struct RunSecrets {
    secrets: BTreeMap<SecretName, OpenSecret>,
    origins: SecretOrigins,
    redactor: Redactor,
}

impl fmt::Debug for RunSecrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunSecrets").field("names", &self.secrets.keys()).finish_non_exhaustive()
    }
}

impl RunSecrets {
    /// Opens the secrets that the run may use.
    ///
    /// # Errors
    /// When one is gone or cannot be opened.
    pub async fn open(
        keyvalue: &dyn KeyValue,
        key: &MasterKey,
        spec: &RunSpec,
        now: Timestamp,
    ) -> Result<Self, SecretError> {
        let mut secrets = BTreeMap::new();
        let mut origins = SecretOrigins::default();
        for name in &spec.secrets {
            let place = SecretPlace { account: spec.account.as_str(), name: name.as_str() };
            let missing = || SecretError::Missing { name: name.to_string() };
            let entry = keyvalue.get(Bucket::Secrets, &place.key()).await?.ok_or_else(missing)?;
            let record: SecretRecord =
                serde_json::from_slice(&entry.value).map_err(|_| SecretError::Unreadable { name: name.to_string() })?;
            let value =
                record.open(key, &place).map_err(|source| SecretError::Sealed { name: name.to_string(), source })?;
            let own = origins_of(&record.hosts, &spec.start_url)
                .map_err(|source| SecretError::Hosts { name: name.to_string(), source })?;
            origins.insert(name.clone(), own);
            secrets.insert(name.clone(), OpenSecret { value, totp: record.totp });
        }
        let known = secrets.iter().flat_map(|(name, secret)| forms(name, secret, now)).collect();
        let redactor = Redactor::new(known);
        Ok(Self { secrets, origins, redactor })
    }

    /// Replaces every secret by its name.
    #[must_use]
    pub fn redactor(&self) -> &Redactor {
        &self.redactor
    }

    /// Where each may go.
    #[must_use]
    pub fn origins(&self) -> &SecretOrigins {
        &self.origins
    }

    /// The text to type for a secret into a field of this origin: its value, or its current TOTP code.
    ///
    /// # Errors
    /// When the run has no such secret, or it may not be typed there.
    pub fn text_for(&self, name: &SecretName, origin: &str, now: Timestamp) -> Result<SecretString, SecretError> {
        let missing = || SecretError::Missing { name: name.to_string() };
        let secret = self.secrets.get(name).ok_or_else(missing)?;
        self.origins.check(name, origin)?;
        if !secret.totp {
            return Ok(secret.value.clone());
        }
        let seconds = u64::try_from(now.as_millis() / 1_000).unwrap_or_default();
        totp_code(&secret.value, seconds).map_err(|_| SecretError::Totp { name: name.to_string() })
    }
}

/// What must not be shown: the value and, of a TOTP seed, the codes that may have been typed by now or may still be.
fn forms(name: &SecretName, secret: &OpenSecret, now: Timestamp) -> Vec<(SecretName, String)> {
    let mut forms = vec![(name.clone(), secret.value.expose_secret().to_owned())];
    if secret.totp {
        let seconds = u64::try_from(now.as_millis() / 1_000).unwrap_or_default();
        let times = (0..TOTP_CODES_HIDDEN).map(|back| (seconds + TOTP_STEP_S).saturating_sub(back * TOTP_STEP_S));
        let codes = times.filter_map(|time| totp_code(&secret.value, time).ok());
        forms.extend(codes.map(|code| (name.clone(), code.expose_secret().to_owned())));
    }
    forms
}

/// RFC 6238: a code holds for 30 s.
const TOTP_STEP_S: u64 = 30;
/// The next code, the current one, and those of the last five minutes: a page may show one for a while.
const TOTP_CODES_HIDDEN: u64 = 12;

/// The hosts that a secret names; without any, the origin that the run starts at.
fn origins_of(hosts: &[String], start_url: &str) -> Result<OriginRules, InvalidOriginRule> {
    if hosts.is_empty() { Ok(OriginRules::of_url(start_url)) } else { OriginRules::parse(hosts) }
}
