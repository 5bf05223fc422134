//! Certificates that the browser trusts beside its own: it reads them from an NSS database below its home folder, which
//! is its throw-away profile, and `certutil` writes such a database.

use crate::launch::in_path;
use crate::limits::LAUNCH_TIMEOUT;
use rustls_pki_types::CertificateDer;
use rustls_pki_types::pem::{self, PemObject};
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use thiserror::Error;
use tokio::process::Command;

/// Where the browser looks, below its home folder.
const DATABASE: &str = ".pki/nssdb";
const CERTUTIL: &str = "certutil";
/// A root for servers, and for nothing else.
const TRUSTED_FOR_SERVERS: &str = "C,,";

/// Why the browser cannot be made to trust a file of certificates.
#[derive(Debug, Error)]
pub enum TrustError {
    #[error("the extra CA is not PEM text")]
    NotPem(#[source] pem::Error),
    #[error("cannot write the browser's certificates")]
    Write(#[source] io::Error),
    #[error(
        "certutil is not installed (Debian: apt-get install libnss3-tools), so the browser cannot trust ERRAND_EXTRA_CA"
    )]
    NoCertutil(#[source] io::Error),
    #[error("certutil failed")]
    Certutil(#[source] io::Error),
    #[error("certutil did not end within {} s", LAUNCH_TIMEOUT.as_secs())]
    Timeout,
    #[error("certutil refused: {0}")]
    Refused(String),
}

/// The command that makes a browser trust [`LaunchOptions::extra_ca`](crate::LaunchOptions::extra_ca), if it is installed.
#[must_use]
pub fn find_certutil() -> Option<PathBuf> {
    in_path(CERTUTIL)
}

/// Makes the browser whose home folder is `home` trust every certificate of a PEM text.
pub(crate) async fn trust(home: &Path, pem: &[u8]) -> Result<(), TrustError> {
    let database = home.join(DATABASE);
    tokio::fs::create_dir_all(&database).await.map_err(TrustError::Write)?;
    let mut location = std::ffi::OsString::from("sql:");
    location.push(&database);
    certutil(&["-N".as_ref(), "--empty-password".as_ref(), "-d".as_ref(), &location]).await?;
    for (at, certificate) in CertificateDer::pem_slice_iter(pem).enumerate() {
        let certificate = certificate.map_err(TrustError::NotPem)?;
        let file = home.join(format!("extra-ca-{at}.der"));
        tokio::fs::write(&file, &certificate).await.map_err(TrustError::Write)?;
        let nickname = format!("extra-ca-{at}");
        let add: [&OsStr; 9] = [
            "-A".as_ref(),
            "-d".as_ref(),
            &location,
            "-n".as_ref(),
            nickname.as_ref(),
            "-t".as_ref(),
            TRUSTED_FOR_SERVERS.as_ref(),
            "-i".as_ref(),
            file.as_os_str(),
        ];
        certutil(&add).await?;
    }
    Ok(())
}

async fn certutil(arguments: &[&OsStr]) -> Result<(), TrustError> {
    let mut command = Command::new(CERTUTIL);
    command.args(arguments).stdin(Stdio::null()).kill_on_drop(true);
    let output =
        tokio::time::timeout(LAUNCH_TIMEOUT, command.output()).await.map_err(|_elapsed| TrustError::Timeout)?;
    let output = output.map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => TrustError::NoCertutil(error),
        _ => TrustError::Certutil(error),
    })?;
    if output.status.success() {
        return Ok(());
    }
    Err(TrustError::Refused(String::from_utf8_lossy(&output.stderr).trim().to_owned()))
}
