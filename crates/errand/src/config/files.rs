//! Files that settings name: read when the settings are, so that their faults are reported with the others.

use errand_egress::{TlsConfigError, tls_client_config};
use errand_vault::{InvalidMasterKey, MasterKey};
use std::sync::Arc;
use thiserror::Error;

/// Why a file that a setting names cannot be used; never repeats what it holds.
#[derive(Debug, Error)]
pub(super) enum FileFault {
    #[error("must be 64 hex digits or the name of a readable file")]
    NoKey(#[source] std::io::Error),
    #[error("cannot be used")]
    Key(#[from] InvalidMasterKey),
    #[error("must be the name of a readable file, not {name:?}")]
    NoFile { name: String, source: std::io::Error },
    #[error("cannot be used")]
    Ca(#[from] TlsConfigError),
}

pub(super) fn read_master_key(given: &str) -> Result<MasterKey, FileFault> {
    if let Ok(key) = MasterKey::from_hex(given) {
        return Ok(key);
    }
    let content = std::fs::read(given).map_err(FileFault::NoKey)?;
    Ok(MasterKey::from_file_content(&content)?)
}

/// Read once: what is trusted does not change while the process runs.
pub(super) fn read_extra_ca(given: &str) -> Result<Arc<[u8]>, FileFault> {
    let no_file = |source| FileFault::NoFile { name: given.to_owned(), source };
    let pem = std::fs::read(given).map_err(no_file)?;
    tls_client_config(Some(&pem))?;
    Ok(pem.into())
}
