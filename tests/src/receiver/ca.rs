//! A certificate authority of one test, and the server certificates it signs.

use std::fmt;
use std::io;
use std::path::Path;
use std::sync::Arc;

use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, ExtendedKeyUsagePurpose, IsCa, KeyPair,
    KeyUsagePurpose,
};
use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};

/// A root that nothing trusts until a test says so (`ERRAND_EXTRA_CA`, SPEC 8).
pub struct TestCa {
    issuer: CertifiedIssuer<'static, KeyPair>,
}

impl TestCa {
    /// Makes a new root with a fresh key.
    ///
    /// # Panics
    /// When the system gives no randomness: no test can go on without it.
    #[must_use]
    pub fn new() -> Self {
        let mut params = CertificateParams::default();
        params.distinguished_name.push(DnType::CommonName, "Errand test CA");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        let key = KeyPair::generate().expect("the system has randomness");
        Self { issuer: CertifiedIssuer::self_signed(params, key).expect("a fresh key can sign its own certificate") }
    }

    /// The root in PEM form.
    #[must_use]
    pub fn pem(&self) -> String {
        self.issuer.pem()
    }

    /// Writes the root to a file, for settings that take a path.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn write_pem(&self, path: &Path) -> io::Result<()> {
        std::fs::write(path, self.pem())
    }

    /// A TLS server with a certificate for `names` (host names or addresses), signed by this root.
    ///
    /// # Panics
    /// When a name is neither a host name nor an address.
    #[must_use]
    pub fn server_config(&self, names: &[&str]) -> Arc<ServerConfig> {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let mut params = CertificateParams::new(names).expect("the names are valid");
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        let key = KeyPair::generate().expect("the system has randomness");
        let leaf = params.signed_by(&key, &self.issuer).expect("the root's key can sign");
        serving(leaf.der().clone(), &key)
    }
}

/// A certificate that a server signed for itself, in PEM form, and a TLS server with it. No CA is involved.
///
/// # Panics
/// As [`TestCa::server_config`].
#[must_use]
pub fn self_signed(names: &[&str]) -> (String, Arc<ServerConfig>) {
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let params = CertificateParams::new(names).expect("the names are valid");
    let key = KeyPair::generate().expect("the system has randomness");
    let certificate = params.self_signed(&key).expect("a fresh key can sign its own certificate");
    (certificate.pem(), serving(certificate.der().clone(), &key))
}

fn serving(certificate: CertificateDer<'static>, key: &KeyPair) -> Arc<ServerConfig> {
    let private = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("ring supports the default versions")
        .with_no_client_auth()
        .with_single_cert(vec![certificate], private)
        .expect("the key belongs to the certificate");
    Arc::new(config)
}

impl Default for TestCa {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for TestCa {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("TestCa")
    }
}
