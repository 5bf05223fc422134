//! Rules that name origins: the pages that a stored secret may be typed into (SPEC §4).

use std::fmt;

use url::{Host, Url};

use crate::hosts::{HostRule, normal_host};

/// A set of origins, each rule a host with or without scheme and port.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OriginRules(Vec<OriginRule>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct OriginRule {
    /// `None`: https, and http where it does not leave the machine.
    scheme: Option<Scheme>,
    host: HostRule,
    /// `None`: the scheme's own.
    port: Option<u16>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scheme {
    Http,
    Https,
}

/// A text that is not an origin rule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{rule:?} must be a host name, an IP address, or \"*.\" and a host name, with or without scheme and port")]
pub struct InvalidOriginRule {
    pub rule: String,
}

impl OriginRules {
    /// `shop.example.com`, `shop.example.com:8443`, `https://shop.example.com`, `http://127.0.0.1:8080`, `*.example.com`.
    /// Without a scheme a rule means https, and http where the host is the machine itself; without a port, the scheme's
    /// own. An IPv6 address that has a port stands in brackets.
    ///
    /// # Errors
    /// The first [`InvalidOriginRule`].
    pub fn parse<T: AsRef<str>>(rules: impl IntoIterator<Item = T>) -> Result<Self, InvalidOriginRule> {
        let rules: Result<Vec<_>, _> = rules.into_iter().map(|rule| OriginRule::parse(rule.as_ref())).collect();
        rules.map(Self)
    }

    /// The origin of this URL alone; none for a URL that is not http or https.
    pub fn of_url(url: &str) -> Self {
        let rule = Origin::parse(url).map(|origin| OriginRule {
            scheme: Some(origin.scheme),
            host: HostRule::Exact(origin.host),
            port: Some(origin.port),
        });
        Self(rule.into_iter().collect())
    }

    /// Whether an origin, as browsers serialise it, is in the set. An opaque one (`null`) never is.
    pub fn allows(&self, origin: &str) -> bool {
        Origin::parse(origin).is_some_and(|origin| self.0.iter().any(|rule| rule.covers(&origin)))
    }
}

/// What is compared.
struct Origin {
    scheme: Scheme,
    host: Host<String>,
    port: u16,
}

impl Origin {
    fn parse(url: &str) -> Option<Self> {
        let url = Url::parse(url).ok()?;
        let scheme = Scheme::parse(url.scheme())?;
        Some(Self { scheme, host: normal_host(url.host_str()?).ok()?, port: url.port_or_known_default()? })
    }
}

impl Scheme {
    fn parse(name: &str) -> Option<Self> {
        match name.to_ascii_lowercase().as_str() {
            "http" => Some(Self::Http),
            "https" => Some(Self::Https),
            _ => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Https => "https",
        }
    }

    fn own_port(self) -> u16 {
        match self {
            Self::Http => 80,
            Self::Https => 443,
        }
    }
}

impl OriginRule {
    fn parse(rule: &str) -> Result<Self, InvalidOriginRule> {
        let invalid = || InvalidOriginRule { rule: rule.to_owned() };
        let (scheme, rest) = match rule.split_once("://") {
            Some((scheme, rest)) => (Some(Scheme::parse(scheme).ok_or_else(invalid)?), rest),
            None => (None, rule),
        };
        if let Ok(host) = HostRule::parse(rest) {
            return Ok(Self { scheme, host, port: None });
        }
        let (host, port) = rest.rsplit_once(':').ok_or_else(invalid)?;
        let host = HostRule::parse(host).map_err(|_| invalid())?;
        Ok(Self { scheme, host, port: Some(parse_port(port).ok_or_else(invalid)?) })
    }

    fn covers(&self, origin: &Origin) -> bool {
        let has_scheme = match self.scheme {
            Some(scheme) => scheme == origin.scheme,
            None => origin.scheme == Scheme::Https || is_loopback(&origin.host),
        };
        has_scheme && self.port.unwrap_or(origin.scheme.own_port()) == origin.port && self.host.covers(&origin.host)
    }
}

fn parse_port(text: &str) -> Option<u16> {
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|port| is_number && *port > 0)
}

/// What is sent to it does not leave the machine (RFC 6761 §6.3 for names).
fn is_loopback(host: &Host<String>) -> bool {
    match host {
        Host::Ipv4(address) => address.is_loopback(),
        Host::Ipv6(address) => address.is_loopback(),
        Host::Domain(name) => name == "localhost" || name.ends_with(".localhost"),
    }
}

impl fmt::Display for OriginRules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rules: Vec<String> = self.0.iter().map(ToString::to_string).collect();
        f.write_str(&rules.join(", "))
    }
}

impl fmt::Display for OriginRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(scheme) = self.scheme {
            write!(f, "{}://", scheme.name())?;
        }
        self.host.fmt(f)?;
        self.port.map_or(Ok(()), |port| write!(f, ":{port}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(rule: &str, allowed: &[&str], refused: &[&str]) {
        let rules = OriginRules::parse([rule]).unwrap();
        for origin in allowed {
            assert!(rules.allows(origin), "{rule} must allow {origin}");
        }
        for origin in refused {
            assert!(!rules.allows(origin), "{rule} must not allow {origin}");
        }
    }

    #[test]
    fn a_host_alone_means_https_on_its_own_port() {
        let refused =
            ["http://shop.example.com", "https://shop.example.com:8443", "https://example.com", "null", "", "://"];
        check("Shop.Example.com.", &["https://shop.example.com", "https://SHOP.example.com:443"], &refused);
        check("bücher.example", &["https://xn--bcher-kva.example"], &["http://xn--bcher-kva.example"]);
    }

    #[test]
    fn http_is_meant_where_it_does_not_leave_the_machine() {
        let refused = ["http://127.0.0.1:8080", "https://127.0.0.1:8443", "http://127.0.0.2"];
        check("127.0.0.1", &["http://127.0.0.1", "https://127.0.0.1"], &refused);
        check("127.0.0.1:8080", &["http://127.0.0.1:8080", "https://127.0.0.1:8080"], &["http://127.0.0.1"]);
        check("localhost:3000", &["http://localhost:3000"], &["http://localhost.example:3000"]);
        check("[::1]:3000", &["http://[::1]:3000"], &["http://[::1]"]);
        check("::1", &["http://[::1]"], &["http://[::1]:3000"]);
        check("10.0.0.1:80", &["https://10.0.0.1:80"], &["http://10.0.0.1"]);
    }

    #[test]
    fn scheme_and_port_hold_where_they_are_given() {
        check("https://127.0.0.1", &["https://127.0.0.1"], &["http://127.0.0.1", "https://127.0.0.1:444"]);
        check("HTTP://a.test", &["http://a.test"], &["https://a.test", "http://a.test:443"]);
        check("https://a.test:8443", &["https://a.test:8443"], &["https://a.test", "http://a.test:8443"]);
        check("*.a.test:8443", &["https://b.a.test:8443"], &["https://a.test:8443", "https://b.a.test"]);
        check("a.test", &[], &["ftp://a.test", "file:///", "data:text/html,a", "blob:https://a.test/1"]);
    }

    #[test]
    fn the_origin_of_a_url_allows_itself_alone() {
        let rules = OriginRules::of_url("http://shop.test:8080/login?next=1");
        assert!(rules.allows("http://shop.test:8080"));
        assert!(!rules.allows("https://shop.test:8080") && !rules.allows("http://shop.test"));
        assert!(!OriginRules::of_url("about:blank").allows("null"));
    }

    #[test]
    fn rules_are_shown_as_they_are_compared_and_others_refused_by_name() {
        let rules = OriginRules::parse(["HTTPS://Bücher.example:8443", "*.A.test", "[::1]:80"]).unwrap();
        assert_eq!(rules.to_string(), "https://xn--bcher-kva.example:8443, *.a.test, [::1]:80");
        for rule in [
            "",
            "ftp://a.test",
            "https://",
            "a.test/",
            "a.test:",
            "a.test:0",
            "a.test:65536",
            "a.test:+1",
            "*",
            "u@a.test",
        ] {
            assert_eq!(OriginRules::parse([rule]).unwrap_err().rule, rule);
        }
    }
}
