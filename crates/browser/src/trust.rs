//! Certificates that the browser trusts beside its own: it reads them from an NSS database below its home folder, which
//! is its throw-away profile, and `certutil` writes such a database.

use crate::launch::{in_path, set_environment};
use crate::limits::LAUNCH_TIMEOUT;
use rustls_pki_types::CertificateDer;
use rustls_pki_types::pem::{self, PemObject};
use std::fmt::Write;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Once;
use thiserror::Error;
use tokio::process::Command;

const CERTUTIL: &str = "certutil";
/// Where the browser looks, below its home folder.
const DATABASE: &str = ".pki/nssdb";
/// How `certutil` is told that the database is the folder it works in.
const HERE: &str = "sql:.";
/// A root for servers or a server's own certificate, and nothing else.
const TRUSTED_FOR_SERVERS: &str = "CP,,";
/// Several times what a system trusts; more is a mistake, and would slow every start of a browser.
const CERTIFICATES_MAX: usize = 1_000;

/// Why the browser cannot be made to trust certificates.
#[derive(Debug, Error)]
pub enum TrustError {
    #[error("the extra CA is not PEM text")]
    NotPem(#[source] pem::Error),
    #[error("the extra CA holds more than {CERTIFICATES_MAX} certificates")]
    TooMany,
    #[error("cannot write the browser's certificates")]
    Write(#[source] io::Error),
    #[error("certutil is not installed (Debian: apt-get install libnss3-tools)")]
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

/// Makes the browser whose home folder is `home` trust every certificate of a PEM text. Without `certutil` it trusts its
/// own alone, which is said once: most pages need no other, and those that do are not opened.
pub(crate) async fn trust(home: &Path, pem: &[u8]) -> Result<(), TrustError> {
    static SAID: Once = Once::new();
    let writing = tokio::time::timeout(LAUNCH_TIMEOUT, write_database(home, pem));
    match writing.await.map_err(|_elapsed| TrustError::Timeout)? {
        Err(TrustError::NoCertutil(_)) => {
            SAID.call_once(|| tracing::warn!("browsers do not trust the extra CA: certutil is not installed"));
            Ok(())
        }
        written => written,
    }
}

/// Two processes, however many certificates there are.
async fn write_database(home: &Path, pem: &[u8]) -> Result<(), TrustError> {
    let database = home.join(DATABASE);
    tokio::fs::create_dir_all(&database).await.map_err(TrustError::Write)?;
    let mut commands = String::new();
    for (at, certificate) in CertificateDer::pem_slice_iter(pem).enumerate() {
        if at == CERTIFICATES_MAX {
            return Err(TrustError::TooMany);
        }
        let name = format!("extra-ca-{at}");
        tokio::fs::write(database.join(&name), certificate.map_err(TrustError::NotPem)?)
            .await
            .map_err(TrustError::Write)?;
        writeln!(commands, "-A -n {name} -t {TRUSTED_FOR_SERVERS} -i {name}").expect("a string takes what is written");
    }
    tokio::fs::write(database.join("commands"), commands).await.map_err(TrustError::Write)?;
    certutil(home, &database, &["-N", "--empty-password", "-d", HERE]).await?;
    certutil(home, &database, &["-B", "-i", "commands", "-d", HERE]).await
}

async fn certutil(home: &Path, database: &Path, arguments: &[&str]) -> Result<(), TrustError> {
    let mut command = Command::new(CERTUTIL);
    set_environment(&mut command, home);
    command.args(arguments).current_dir(database).stdin(Stdio::null()).kill_on_drop(true);
    let output = command.output().await.map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => TrustError::NoCertutil(error),
        _ => TrustError::Certutil(error),
    })?;
    if output.status.success() {
        return Ok(());
    }
    Err(TrustError::Refused(String::from_utf8_lossy(&output.stderr).trim().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn every_certificate_of_the_text_is_in_the_database() {
        let home = tempfile::tempdir().unwrap();
        trust(home.path(), include_bytes!("../tests/two-roots.pem")).await.unwrap();
        let list = Command::new(CERTUTIL).args(["-L", "-d", HERE]).current_dir(home.path().join(DATABASE)).output();
        let list = String::from_utf8(list.await.unwrap().stdout).unwrap();
        assert!(list.contains("extra-ca-0") && list.contains("extra-ca-1"), "{list}");
    }

    #[tokio::test]
    async fn a_text_without_a_usable_certificate_is_an_error() {
        let home = tempfile::tempdir().unwrap();
        let broken = b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
        assert!(matches!(trust(home.path(), broken).await, Err(TrustError::Refused(_))));
    }
}
