//! TLS as a client: the system's trusted roots and the one CA that a configuration may add (`ERRAND_EXTRA_CA`).

use std::sync::Arc;

use rustls::{
    ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme,
    client::{
        VerifierBuilderError, WebPkiServerVerifier,
        danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
        verify_server_name,
    },
    crypto::ring,
    pki_types::{
        CertificateDer, ServerName, UnixTime,
        pem::{self, PemObject},
    },
    server::ParsedCertificate,
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
    #[error("certificates cannot be verified with the extra CA")]
    Verifier(#[source] VerifierBuilderError),
    #[error("the TLS provider supports no protocol version")]
    Provider(#[source] rustls::Error),
}

/// A client configuration that trusts the system's roots, those in `extra_ca_pem` and, by themselves, the servers'
/// certificates in it; it speaks HTTP/1.1.
///
/// A machine without system roots gets a warning, not an error: it may need none but the extra one.
///
/// # Errors
/// [`TlsConfigError`] when the extra CA is not usable.
pub fn tls_client_config(extra_ca_pem: Option<&[u8]>) -> Result<Arc<ClientConfig>, TlsConfigError> {
    let mut roots = system_roots();
    let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(TlsConfigError::Provider)?;
    let mut config = match extra_ca_pem {
        None => builder.with_root_certificates(roots).with_no_client_auth(),
        Some(pem) => {
            let named = add_extra_roots(&mut roots, pem)?;
            let verifier = NamedOrVouchedFor::new(named, roots)?;
            builder.dangerous().with_custom_certificate_verifier(Arc::new(verifier)).with_no_client_auth()
        }
    };
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

fn add_extra_roots(roots: &mut RootCertStore, pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, TlsConfigError> {
    let mut named = Vec::new();
    for certificate in CertificateDer::pem_slice_iter(pem) {
        let certificate = certificate.map_err(TlsConfigError::NotPem)?;
        roots.add(certificate.clone()).map_err(TlsConfigError::NotARoot)?;
        named.push(certificate);
    }
    if named.is_empty() { Err(TlsConfigError::NoCertificate) } else { Ok(named) }
}

/// Takes a server's certificate that is named itself, such as one that it signed for itself: the rules for chains refuse it
/// as its own issuer. Names are checked as ever, and any other certificate needs a chain to a root.
#[derive(Debug)]
struct NamedOrVouchedFor {
    named: Vec<CertificateDer<'static>>,
    chains: Arc<WebPkiServerVerifier>,
}

impl NamedOrVouchedFor {
    fn new(named: Vec<CertificateDer<'static>>, roots: RootCertStore) -> Result<Self, TlsConfigError> {
        let provider = Arc::new(ring::default_provider());
        let chains = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider).build();
        Ok(Self { named, chains: chains.map_err(TlsConfigError::Verifier)? })
    }
}

impl ServerCertVerifier for NamedOrVouchedFor {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        if self.named.iter().any(|named| named.as_ref() == end_entity.as_ref()) {
            verify_server_name(&ParsedCertificate::try_from(end_entity)?, server_name)?;
            return Ok(ServerCertVerified::assertion());
        }
        self.chains.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now)
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.chains.verify_tls12_signature(message, certificate, signature)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.chains.verify_tls13_signature(message, certificate, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.chains.supported_verify_schemes()
    }
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
