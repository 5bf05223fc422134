//! Where a webhook goes, read from its URL.

use base64::{Engine, engine::general_purpose::STANDARD as BASE64};
use http::HeaderValue;
use percent_encoding::percent_decode_str;
use std::fmt;
use thiserror::Error;
use url::{Position, Url};

/// A receiver. User name and password of the URL become basic authentication, as HTTP clients do (RFC 7617). Debug shows
/// host and port only: path, query and credentials may hold what is not for logs.
#[derive(Clone, PartialEq, Eq)]
pub struct Target {
    pub host: String,
    pub port: u16,
    /// The `Host` header: with the port unless it is 443.
    pub authority: String,
    pub path_and_query: String,
    pub authorization: Option<HeaderValue>,
}

/// A URL that no webhook can be sent to; gateways refuse it (SPEC §1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("the webhook is not an https URL")]
pub struct InvalidTarget;

impl Target {
    /// # Errors
    /// When the text is not an https URL.
    pub fn parse(text: &str) -> Result<Self, InvalidTarget> {
        let url = Url::parse(text).map_err(|_| InvalidTarget)?;
        if url.scheme() != "https" {
            return Err(InvalidTarget);
        }
        Ok(Self {
            host: url.host_str().ok_or(InvalidTarget)?.to_owned(),
            port: url.port_or_known_default().ok_or(InvalidTarget)?,
            authority: url[Position::BeforeHost..Position::AfterPort].to_owned(),
            path_and_query: url[Position::BeforePath..Position::AfterQuery].to_owned(),
            authorization: basic_authorization(&url)?,
        })
    }
}

impl fmt::Debug for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Target({}:{})", self.host, self.port)
    }
}

fn basic_authorization(url: &Url) -> Result<Option<HeaderValue>, InvalidTarget> {
    if url.username().is_empty() && url.password().is_none() {
        return Ok(None);
    }
    let mut credentials: Vec<u8> = percent_decode_str(url.username()).collect();
    credentials.push(b':');
    credentials.extend(percent_decode_str(url.password().unwrap_or_default()));
    let text = format!("Basic {}", BASE64.encode(credentials));
    let mut value = HeaderValue::from_str(&text).map_err(|_| InvalidTarget)?;
    value.set_sensitive(true);
    Ok(Some(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn path_and_query_are_kept_and_the_fragment_is_not() {
        let target = Target::parse("https://Hooks.Example.com/a%20b/?x=1&y=%26#part").unwrap();
        assert_eq!((target.host.as_str(), target.port), ("hooks.example.com", 443));
        assert_eq!(target.authority, "hooks.example.com");
        assert_eq!(target.path_and_query, "/a%20b/?x=1&y=%26");
        assert_eq!(target.authorization, None);
    }

    #[test]
    fn another_port_stands_in_the_host_header() {
        assert_eq!(Target::parse("https://a.example:8443").unwrap().authority, "a.example:8443");
        let ipv6 = Target::parse("https://[2001:db8::1]:8443/h").unwrap();
        assert_eq!((ipv6.host.as_str(), ipv6.authority.as_str()), ("[2001:db8::1]", "[2001:db8::1]:8443"));
    }

    #[test]
    fn credentials_become_basic_authentication_and_are_not_shown() {
        let target = Target::parse("https://al%40ice:p%3Aw@a.example/h?token=t0k").unwrap();
        assert_eq!(target.authority, "a.example");
        assert_eq!(target.authorization.as_ref().unwrap().to_str().unwrap(), "Basic YWxAaWNlOnA6dw==");
        assert_eq!(format!("{target:?}"), "Target(a.example:443)");
    }

    #[test]
    fn only_https_is_a_target() {
        for text in ["http://a.example/", "ftp://a.example/", "a.example", ""] {
            assert_eq!(Target::parse(text), Err(InvalidTarget), "{text}");
        }
    }
}
