//! The master key of a server: from the settings, or from the data folder, and always the one that its data was sealed
//! with.

use anyhow::{Context, bail};
use errand_store::{Bucket, KeyValueError, Stores};
use errand_vault::{MasterKey, MasterKeyId, SecretRecord};
use secrecy::ExposeSecret;
use std::io::Write;
use std::path::Path;

use crate::config::Config;

/// Under which the key's id is kept with the data.
const FACT: &str = "master_key_id";

/// Finds the key, or makes one on first start.
///
/// # Errors
/// When it cannot be read or made, or is not the one that the data was sealed with.
pub async fn of(config: &Config, stores: &Stores) -> anyhow::Result<MasterKey> {
    let key = find(config, stores).await?;
    if let Some(wanted) = check(&key, stores).await? {
        let given = match config.master_key {
            Some(_) => "ERRAND_MASTER_KEY".to_owned(),
            None => config.data_dir.join("master.key").display().to_string(),
        };
        bail!(
            "{given} is not the master key of this data: it is key {}, and the data was sealed with key {wanted}; start with \
             that one, or secrets, profiles and waiting runs cannot be opened",
            key.id()
        );
    }
    Ok(key)
}

/// Compares the key with the one that the data was sealed with, which it becomes on first start; gives that when it is
/// another. Data from before this was kept tells its key by the first secret.
async fn check(key: &MasterKey, stores: &Stores) -> Result<Option<MasterKeyId>, KeyValueError> {
    let known = match stores.keyvalue.get(Bucket::Facts, FACT).await? {
        Some(entry) => std::str::from_utf8(&entry.value).ok().and_then(|text| text.parse().ok()),
        None => key_of_secrets(stores).await?,
    };
    if let Some(other) = known.filter(|known| *known != key.id()) {
        return Ok(Some(other));
    }
    match stores.keyvalue.create(Bucket::Facts, FACT, key.id().to_string().into()).await {
        Ok(_) | Err(KeyValueError::Conflict) => Ok(None),
        Err(error) => Err(error),
    }
}

async fn key_of_secrets(stores: &Stores) -> Result<Option<MasterKeyId>, KeyValueError> {
    for name in stores.keyvalue.keys(Bucket::Secrets, "").await? {
        let entry = stores.keyvalue.get(Bucket::Secrets, &name).await?;
        let record = entry.and_then(|entry| serde_json::from_slice::<SecretRecord>(&entry.value).ok());
        if let Some(id) = record.and_then(|record| record.sealed_with()) {
            return Ok(Some(id));
        }
    }
    Ok(None)
}

/// The configured one, or the one in the data folder, made on first start.
async fn find(config: &Config, stores: &Stores) -> anyhow::Result<MasterKey> {
    if let Some(given) = &config.master_key {
        return Ok(given.clone());
    }
    let file = config.data_dir.join("master.key");
    if file.exists() {
        let content = std::fs::read(&file).with_context(|| format!("cannot read {}", file.display()))?;
        return MasterKey::from_file_content(&content).with_context(|| format!("{}", file.display()));
    }
    if holds_runs_or_secrets(stores).await? {
        bail!(
            "{} is missing, and the data folder holds runs or secrets that only its key opens: put the file back, or set \
             \"master_key\" to the key that was used",
            file.display()
        );
    }
    let key = MasterKey::generate(&mut rand::rng());
    write_private(&file, key.to_hex().expose_secret())?;
    Ok(key)
}

/// Whether anything was sealed, or promised a webhook secret, under an earlier master key.
async fn holds_runs_or_secrets(stores: &Stores) -> anyhow::Result<bool> {
    for bucket in [Bucket::Secrets, Bucket::Profiles, Bucket::Idempotency, Bucket::Recent] {
        if !stores.keyvalue.keys(bucket, "").await?.is_empty() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Writes a file that only its owner may read: whole and on disk under its name, or not at all.
fn write_private(file: &Path, text: &str) -> anyhow::Result<()> {
    let write = || {
        let folder = file.parent().unwrap_or(Path::new("."));
        let mut unfinished = tempfile::NamedTempFile::new_in(folder)?;
        unfinished.write_all(text.as_bytes())?;
        unfinished.as_file().sync_all()?;
        unfinished.persist_noclobber(file)?;
        std::fs::File::open(folder)?.sync_all()
    };
    write().with_context(|| format!("cannot write {}", file.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use errand_store::memory::MemoryStore;
    use errand_store::{RandomIds, SystemClock};
    use errand_vault::{SecretPlace, SecretTerms};
    use std::collections::BTreeMap;
    use std::os::unix::fs::PermissionsExt;
    use std::sync::Arc;

    #[tokio::test]
    async fn a_master_key_is_made_once_and_never_beside_data_of_another() {
        let dir = tempfile::tempdir().unwrap();
        let mut config = Config::load(None, &BTreeMap::new()).unwrap();
        config.data_dir = dir.path().to_path_buf();
        let stores = MemoryStore::new(1).stores(Arc::new(SystemClock), Arc::new(RandomIds));
        let made = of(&config, &stores).await.unwrap();
        let file = dir.path().join("master.key");
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1, "nothing unfinished is left");
        stores.keyvalue.put(Bucket::Secrets, "a/b", "sealed".into()).await.unwrap();
        assert_eq!(of(&config, &stores).await.unwrap().id(), made.id());
        std::fs::remove_file(&file).unwrap();
        let refused = of(&config, &stores).await.unwrap_err().to_string();
        assert!(refused.contains("master.key is missing"), "{refused}");
        assert!(!file.exists());
    }

    #[tokio::test]
    async fn another_key_of_the_right_form_is_refused_by_name() {
        let dir = tempfile::tempdir().unwrap();
        let stores = MemoryStore::new(1).stores(Arc::new(SystemClock), Arc::new(RandomIds));
        let with = |digit: &str| {
            let mut config = Config::load(None, &BTreeMap::new()).unwrap();
            config.data_dir = dir.path().to_path_buf();
            config.master_key = Some(MasterKey::from_hex(&digit.repeat(64)).unwrap());
            config
        };
        of(&with("a"), &stores).await.unwrap();
        of(&with("a"), &stores).await.unwrap();
        let refused = of(&with("b"), &stores).await.unwrap_err().to_string();
        assert!(refused.starts_with("ERRAND_MASTER_KEY is not the master key of this data"), "{refused}");
    }

    #[tokio::test]
    async fn data_from_before_the_check_tells_its_key_by_what_is_sealed() {
        let stores = MemoryStore::new(1).stores(Arc::new(SystemClock), Arc::new(RandomIds));
        let [ours, other] = ["a", "b"].map(|digit| MasterKey::from_hex(&digit.repeat(64)).unwrap());
        let place = SecretPlace { account: "a", name: "b" };
        let terms = SecretTerms { hosts: Vec::new(), totp: false, created_at_ms: 0 };
        let record = SecretRecord::seal(&ours, &place, &"value".to_owned().into(), terms);
        let bytes = serde_json::to_vec(&record).unwrap();
        stores.keyvalue.put(Bucket::Secrets, "a/b", bytes.into()).await.unwrap();
        assert_eq!(check(&other, &stores).await.unwrap(), Some(ours.id()));
        assert_eq!(check(&ours, &stores).await.unwrap(), None);
    }
}
