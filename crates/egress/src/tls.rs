//! TLS as a client: the system's trusted roots and the one CA that a configuration may add (`ERRAND_EXTRA_CA`).

use std::sync::Arc;

use rustls::{
    ClientConfig, RootCertStore,
    crypto::ring,
    pki_types::{
        CertificateDer,
        pem::{self, PemObject},
    },
};

/// The one protocol that is spoken over TLS here.
const ALPN_HTTP1: &[u8] = b"http/1.1";

/// Why the TLS configuration cannot be made; permanent until the configuration is changed.
#[derive(Debug, thiserror::Error)]
pub enum TlsConfigError {
    #[error("the extra CA is not PEM text")]
    NotPem(#[source] pem::Error),
    #[error("the extra CA holds no certificate")]
    NoCertificate,
    #[error("the extra CA holds a certificate that cannot be trusted as a root")]
    NotARoot(#[source] rustls::Error),
    #[error("the TLS provider supports no protocol version")]
    Provider(#[source] rustls::Error),
}

/// A client configuration that trusts the system's roots and those in `extra_ca_pem`, and speaks HTTP/1.1.
///
/// A machine without system roots gets a warning, not an error: it may need none but the extra one.
///
/// # Errors
/// [`TlsConfigError`] when the extra CA is not usable.
pub fn tls_client_config(extra_ca_pem: Option<&[u8]>) -> Result<Arc<ClientConfig>, TlsConfigError> {
    let mut roots = system_roots();
    if let Some(pem) = extra_ca_pem {
        add_extra_roots(&mut roots, pem)?;
    }
    let mut config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(TlsConfigError::Provider)?
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![ALPN_HTTP1.to_vec()];
    Ok(Arc::new(config))
}

fn system_roots() -> RootCertStore {
    let mut roots = RootCertStore::empty();
    let found = rustls_native_certs::load_native_certs();
    let (added, _ignored) = roots.add_parsable_certificates(found.certs);
    if added == 0 {
        tracing::warn!(errors = found.errors.len(), "no system root certificates found");
    }
    roots
}

fn add_extra_roots(roots: &mut RootCertStore, pem: &[u8]) -> Result<(), TlsConfigError> {
    let before = roots.len();
    for certificate in CertificateDer::pem_slice_iter(pem) {
        roots.add(certificate.map_err(TlsConfigError::NotPem)?).map_err(TlsConfigError::NotARoot)?;
    }
    if roots.len() == before { Err(TlsConfigError::NoCertificate) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unusable_extra_ca_is_named() {
        assert!(matches!(tls_client_config(Some(b"")), Err(TlsConfigError::NoCertificate)));
        assert!(matches!(tls_client_config(Some(b"hello")), Err(TlsConfigError::NoCertificate)));
        let cut = b"-----BEGIN CERTIFICATE-----\nAAAA\n";
        assert!(matches!(tls_client_config(Some(cut)), Err(TlsConfigError::NotPem(_))));
        let not_x509 = b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
        assert!(matches!(tls_client_config(Some(not_x509)), Err(TlsConfigError::NotARoot(_))));
    }

    #[test]
    fn without_an_extra_ca_the_systems_roots_are_enough() {
        assert_eq!(tls_client_config(None).unwrap().alpn_protocols, [b"http/1.1"]);
    }
}
