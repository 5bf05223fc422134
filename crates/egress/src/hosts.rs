//! Rules that name hosts: `allowed_hosts` of a run and the hosts that a configuration opens (SPEC §1, §4).

use std::fmt;

use url::Host;

const WILDCARD: &str = "*.";

/// A set of hosts: all, or those that one of its rules names. Names are compared as browsers do (WHATWG URL: lower
/// case, IDNA), without a final dot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostRules(Scope);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Scope {
    Every,
    Only(Vec<HostRule>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum HostRule {
    Exact(Host<String>),
    /// The names below this one at any depth, itself not among them.
    Subdomains(String),
}

/// A text that is not a host name or IP address.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{host:?} is not a host name or IP address")]
pub struct InvalidHost {
    pub host: String,
}

/// A text that is not a host rule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{rule:?} must be a host name, an IP address, or \"*.\" and a host name")]
pub struct InvalidHostRule {
    pub rule: String,
}

impl HostRules {
    /// Every host.
    pub fn every() -> Self {
        Self(Scope::Every)
    }

    /// No host.
    pub fn none() -> Self {
        Self(Scope::Only(Vec::new()))
    }

    /// Only what the rules name: `example.com` is that host alone, `*.example.com` its subdomains at any depth and not
    /// itself; IP addresses stand for themselves. A rule has no scheme, port or path.
    ///
    /// # Errors
    /// The first [`InvalidHostRule`].
    pub fn parse<T: AsRef<str>>(rules: impl IntoIterator<Item = T>) -> Result<Self, InvalidHostRule> {
        let rules: Result<Vec<_>, _> = rules.into_iter().map(|rule| HostRule::parse(rule.as_ref())).collect();
        rules.map(|rules| Self(Scope::Only(rules)))
    }

    /// Whether a host is in the set; what is no host is in none, not even in [`HostRules::every`].
    pub fn allows(&self, host: &str) -> bool {
        normal_host(host).is_ok_and(|host| self.allows_normal(&host))
    }

    pub(crate) fn allows_normal(&self, host: &Host<String>) -> bool {
        match &self.0 {
            Scope::Every => true,
            Scope::Only(rules) => rules.iter().any(|rule| rule.covers(host)),
        }
    }
}

impl HostRule {
    pub(crate) fn parse(rule: &str) -> Result<Self, InvalidHostRule> {
        let invalid = || InvalidHostRule { rule: rule.to_owned() };
        let name = rule.strip_prefix(WILDCARD).unwrap_or(rule);
        if name.contains('*') {
            return Err(invalid());
        }
        let is_wildcard = name.len() < rule.len();
        match (is_wildcard, normal_host(name).map_err(|_| invalid())?) {
            (false, host) => Ok(Self::Exact(host)),
            (true, Host::Domain(name)) => Ok(Self::Subdomains(name)),
            (true, Host::Ipv4(_) | Host::Ipv6(_)) => Err(invalid()),
        }
    }

    pub(crate) fn covers(&self, host: &Host<String>) -> bool {
        match (self, host) {
            (Self::Exact(allowed), host) => allowed == host,
            (Self::Subdomains(parent), Host::Domain(name)) => {
                name.strip_suffix(parent.as_str()).is_some_and(|below| below.len() > 1 && below.ends_with('.'))
            }
            (Self::Subdomains(_), Host::Ipv4(_) | Host::Ipv6(_)) => false,
        }
    }
}

impl fmt::Display for HostRules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Scope::Every => f.write_str("every host"),
            Scope::Only(rules) if rules.is_empty() => f.write_str("no host"),
            Scope::Only(rules) => {
                let rules: Vec<String> = rules.iter().map(ToString::to_string).collect();
                f.write_str(&rules.join(", "))
            }
        }
    }
}

impl fmt::Display for HostRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exact(host) => host.fmt(f),
            Self::Subdomains(parent) => write!(f, "{WILDCARD}{parent}"),
        }
    }
}

/// Reads a host as browsers do (WHATWG URL host parser; an IPv6 address with or without brackets), without final dot.
pub(crate) fn normal_host(text: &str) -> Result<Host<String>, InvalidHost> {
    let invalid = || InvalidHost { host: text.to_owned() };
    if let Ok(address) = text.parse() {
        return Ok(Host::Ipv6(address));
    }
    match Host::parse(text).map_err(|_| invalid())? {
        Host::Domain(name) => match name.strip_suffix('.').unwrap_or(&name) {
            "" => Err(invalid()),
            name => Ok(Host::Domain(name.to_owned())),
        },
        address @ (Host::Ipv4(_) | Host::Ipv6(_)) => Ok(address),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exact_rule_allows_that_host_in_every_spelling() {
        let rules = HostRules::parse(["Shop.Example.com", "bücher.example.", "127.0.0.1", "[::1]"]).unwrap();
        for host in [
            "shop.example.com",
            "SHOP.example.COM",
            "shop.example.com.",
            "xn--bcher-kva.example",
            "BÜCHER.example",
            "127.0.0.1",
            "127.1",
            "0x7f.0.0.1",
            "2130706433",
            "::1",
            "[::1]",
            "[0:0::1]",
        ] {
            assert!(rules.allows(host), "{host}");
        }
        for host in [
            "example.com",
            "a.shop.example.com",
            "shop.example.com.evil.net",
            "notshop.example.com",
            "127.0.0.2",
            "[::ffff:127.0.0.1]",
            "",
            ".",
        ] {
            assert!(!rules.allows(host), "{host}");
        }
    }

    #[test]
    fn a_wildcard_allows_subdomains_at_any_depth_and_not_the_name_itself() {
        let rules = HostRules::parse(["*.example.com"]).unwrap();
        for host in ["a.example.com", "a.b.example.com", "A.EXAMPLE.COM."] {
            assert!(rules.allows(host), "{host}");
        }
        for host in ["example.com", "badexample.com", ".example.com", "example.com.evil.net", "1.2.3.4"] {
            assert!(!rules.allows(host), "{host}");
        }
    }

    #[test]
    fn what_is_not_a_host_is_refused_by_name() {
        for rule in [
            "",
            "*",
            "*.",
            "*.*.com",
            "a.*.com",
            "a*.com",
            "https://example.com",
            "example.com/",
            "example.com:443",
            "*.1.2.3.4",
            "*.[::1]",
            "ex ample.com",
            "user@example.com",
        ] {
            let error = HostRules::parse([rule]).unwrap_err();
            assert_eq!(error.rule, rule);
        }
        let shown = HostRules::parse(["a:1"]).unwrap_err().to_string();
        assert_eq!(shown, r#""a:1" must be a host name, an IP address, or "*." and a host name"#);
    }

    #[test]
    fn every_allows_all_hosts_and_none_allows_none() {
        assert!(HostRules::every().allows("anything.example"));
        assert!(!HostRules::none().allows("anything.example"));
        assert!(!HostRules::every().allows("not a host"));
    }

    #[test]
    fn rules_are_shown_as_they_are_compared() {
        let rules = HostRules::parse(["*.Example.com", "bücher.example", "::1"]).unwrap();
        assert_eq!(rules.to_string(), "*.example.com, xn--bcher-kva.example, [::1]");
    }
}
