//! Which addresses may be reached: globally reachable public ones, and what the configuration opens (SPEC §4).

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::{IpNet, Ipv4Net, Ipv6Net};

use crate::hosts::HostRules;

/// Decides which addresses may be connected to. It is asked about the very address that is connected to next.
#[derive(Clone, Debug)]
pub struct AddressPolicy {
    allow_networks: Vec<IpNet>,
    allow_hosts: HostRules,
    allow_all: bool,
}

/// An address that may not be reached, what it is, and where that is laid down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{address} is not a public address: {what} ({rule})")]
pub struct Blocked {
    pub address: IpAddr,
    pub what: &'static str,
    pub rule: &'static str,
}

impl AddressPolicy {
    /// Public addresses only: what a server's browsers, reads and webhooks get by default.
    pub fn public_only() -> Self {
        Self { allow_networks: Vec::new(), allow_hosts: HostRules::none(), allow_all: false }
    }

    /// Every address: for `errand run` and `errand read` on one's own machine.
    pub fn everything() -> Self {
        Self { allow_all: true, ..Self::public_only() }
    }

    /// Opens networks besides the public ones (`ERRAND_ALLOW_NETWORKS`).
    ///
    /// An IPv6 form of an IPv4 address is its own address: opening `127.0.0.0/8` does not open `::ffff:127.0.0.1`.
    #[must_use]
    pub fn allowing_networks(mut self, networks: impl IntoIterator<Item = IpNet>) -> Self {
        self.allow_networks.extend(networks);
        self
    }

    /// Opens hosts by name: whatever they resolve to may be reached through that name.
    #[must_use]
    pub fn allowing_hosts(mut self, hosts: HostRules) -> Self {
        self.allow_hosts = hosts;
        self
    }

    /// Whether an address may be connected to, whatever name led to it.
    ///
    /// # Errors
    /// [`Blocked`] says what kind of address it is.
    pub fn check(&self, address: IpAddr) -> Result<(), Blocked> {
        if self.allow_all || self.allow_networks.iter().any(|network| network.contains(&address)) {
            return Ok(());
        }
        match why_not_public(address) {
            Some((what, rule)) => Err(Blocked { address, what, rule }),
            None => Ok(()),
        }
    }

    /// Whether an address may be connected to as an address of this host.
    ///
    /// # Errors
    /// [`Blocked`] says what kind of address it is.
    pub fn check_for_host(&self, host: &str, address: IpAddr) -> Result<(), Blocked> {
        if self.allow_hosts.allows(host) { Ok(()) } else { self.check(address) }
    }
}

/// One row of a table of networks that are not public: the network, what it is, where that is laid down.
type Row<Net> = (Net, &'static str, &'static str);

/// IANA's IPv4 special-purpose registry (RFC 6890) without its globally reachable rows, multicast, and one cloud
/// address that serves instance data from public space. The first row that holds an address names it.
const IPV4_ROWS: &[Row<Ipv4Net>] = &[
    (v4(0, 0, 0, 0, 8), "this network", "RFC 1122 §3.2.1.3"),
    (v4(10, 0, 0, 0, 8), "private network", "RFC 1918"),
    (v4(100, 64, 0, 0, 10), "carrier-grade NAT", "RFC 6598"),
    (v4(127, 0, 0, 0, 8), "loopback", "RFC 1122 §3.2.1.3"),
    (v4(169, 254, 169, 254, 32), "cloud instance metadata", "RFC 3927"),
    (v4(169, 254, 0, 0, 16), "link-local", "RFC 3927"),
    (v4(172, 16, 0, 0, 12), "private network", "RFC 1918"),
    (v4(192, 0, 0, 0, 24), "IETF protocol assignments", "RFC 6890 §2.1"),
    (v4(192, 0, 2, 0, 24), "documentation", "RFC 5737"),
    (v4(192, 88, 99, 0, 24), "6to4 relay", "RFC 7526"),
    (v4(192, 168, 0, 0, 16), "private network", "RFC 1918"),
    (v4(198, 18, 0, 0, 15), "benchmarking", "RFC 2544"),
    (v4(198, 51, 100, 0, 24), "documentation", "RFC 5737"),
    (v4(203, 0, 113, 0, 24), "documentation", "RFC 5737"),
    (v4(168, 63, 129, 16, 32), "cloud instance metadata", "Azure platform address"),
    (v4(224, 0, 0, 0, 4), "multicast", "RFC 5771"),
    (v4(255, 255, 255, 255, 32), "limited broadcast", "RFC 919"),
    (v4(240, 0, 0, 0, 4), "reserved", "RFC 1112 §4"),
];

/// What is not public in IPv6. Forms that carry an IPv4 address are refused whole: no honest site needs one, and the
/// address inside could be any. What no row of either list holds is refused unless it is global unicast.
const IPV6_ROWS: &[Row<Ipv6Net>] = &[
    (v6([0, 0, 0, 0, 0, 0, 0, 0], 128), "unspecified", "RFC 4291 §2.5.2"),
    (v6([0, 0, 0, 0, 0, 0, 0, 1], 128), "loopback", "RFC 4291 §2.5.3"),
    (v6([0, 0, 0, 0, 0, 0xffff, 0, 0], 96), "IPv4-mapped", "RFC 4291 §2.5.5.2"),
    (v6([0, 0, 0, 0, 0xffff, 0, 0, 0], 96), "IPv4-translated", "RFC 2765 §2.1"),
    (v6([0, 0, 0, 0, 0, 0, 0, 0], 96), "IPv4-compatible", "RFC 4291 §2.5.5.1"),
    (v6([0x64, 0xff9b, 0, 0, 0, 0, 0, 0], 96), "NAT64", "RFC 6052 §2.1"),
    (v6([0x64, 0xff9b, 1, 0, 0, 0, 0, 0], 48), "local-use NAT64", "RFC 8215"),
    (v6([0x100, 0, 0, 0, 0, 0, 0, 0], 64), "discard-only", "RFC 6666"),
    (v6([0x2001, 0, 0, 0, 0, 0, 0, 0], 32), "Teredo", "RFC 4380"),
    (v6([0x2001, 0, 0, 0, 0, 0, 0, 0], 23), "IETF protocol assignments", "RFC 2928"),
    (v6([0x2001, 0xdb8, 0, 0, 0, 0, 0, 0], 32), "documentation", "RFC 3849"),
    (v6([0x2002, 0, 0, 0, 0, 0, 0, 0], 16), "6to4", "RFC 3056"),
    (v6([0x3fff, 0, 0, 0, 0, 0, 0, 0], 20), "documentation", "RFC 9637"),
    (v6([0xfc00, 0, 0, 0, 0, 0, 0, 0], 7), "unique local", "RFC 4193"),
    (v6([0xfe80, 0, 0, 0, 0, 0, 0, 0], 10), "link-local", "RFC 4291 §2.5.6"),
    (v6([0xfec0, 0, 0, 0, 0, 0, 0, 0], 10), "site-local", "RFC 3879"),
    (v6([0xff00, 0, 0, 0, 0, 0, 0, 0], 8), "multicast", "RFC 4291 §2.7"),
];

/// All that IANA has given out as IPv6 global unicast (RFC 4291 §2.4 and its registry).
const IPV6_GLOBAL_UNICAST: Ipv6Net = v6([0x2000, 0, 0, 0, 0, 0, 0, 0], 3);

fn why_not_public(address: IpAddr) -> Option<(&'static str, &'static str)> {
    match address {
        IpAddr::V4(v4) => {
            IPV4_ROWS.iter().find(|(network, ..)| network.contains(&v4)).map(|&(_, what, rule)| (what, rule))
        }
        IpAddr::V6(v6) => {
            let row = IPV6_ROWS.iter().find(|(network, ..)| network.contains(&v6));
            match row {
                Some(&(_, what, rule)) => Some((what, rule)),
                None if IPV6_GLOBAL_UNICAST.contains(&v6) => None,
                None => Some(("not global unicast", "RFC 4291 §2.4")),
            }
        }
    }
}

const fn v4(a: u8, b: u8, c: u8, d: u8, prefix_len: u8) -> Ipv4Net {
    Ipv4Net::new_assert(Ipv4Addr::new(a, b, c, d), prefix_len)
}

const fn v6(segments: [u16; 8], prefix_len: u8) -> Ipv6Net {
    let [a, b, c, d, e, f, g, h] = segments;
    Ipv6Net::new_assert(Ipv6Addr::new(a, b, c, d, e, f, g, h), prefix_len)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(policy: &AddressPolicy, address: &str) -> Result<(), &'static str> {
        policy.check(address.parse().unwrap()).map_err(|blocked| blocked.what)
    }

    #[test]
    fn public_addresses_are_open() {
        let policy = AddressPolicy::public_only();
        for address in [
            "1.1.1.1",
            "8.8.8.8",
            "9.255.255.255",
            "11.0.0.0",
            "100.63.255.255",
            "100.128.0.0",
            "126.255.255.255",
            "128.0.0.0",
            "169.253.255.255",
            "169.255.0.0",
            "172.15.255.255",
            "172.32.0.0",
            "192.0.1.0",
            "192.0.3.0",
            "192.167.255.255",
            "192.169.0.0",
            "198.17.255.255",
            "198.20.0.0",
            "223.255.255.255",
            "168.63.129.15",
            "2000::1",
            "2001:200::1",
            "2001:4860:4860::8888",
            "2606:4700:4700::1111",
            "2a00:1450::1",
            "2003::1",
            "3ffe:ffff::1",
        ] {
            assert_eq!(check(&policy, address), Ok(()), "{address}");
        }
    }

    #[test]
    fn every_other_address_is_refused_with_its_kind() {
        let policy = AddressPolicy::public_only();
        for (what, addresses) in [
            ("this network", ["0.0.0.0", "0.1.2.3", "0.255.255.255"].as_slice()),
            ("private network", &["10.0.0.0", "10.255.255.255", "172.16.0.1", "172.31.255.255", "192.168.0.1"]),
            ("carrier-grade NAT", &["100.64.0.0", "100.100.100.200", "100.127.255.255"]),
            ("loopback", &["127.0.0.0", "127.0.0.1", "127.255.255.255", "::1"]),
            ("cloud instance metadata", &["169.254.169.254", "168.63.129.16"]),
            ("link-local", &["169.254.0.0", "169.254.169.253", "169.254.255.255", "fe80::1", "febf::1"]),
            ("IETF protocol assignments", &["192.0.0.0", "192.0.0.192", "192.0.0.255", "2001:2::1", "2001:1ff::1"]),
            ("documentation", &["192.0.2.1", "198.51.100.1", "203.0.113.1", "2001:db8::1", "3fff::1"]),
            ("6to4 relay", &["192.88.99.1"]),
            ("benchmarking", &["198.18.0.0", "198.19.255.255"]),
            ("multicast", &["224.0.0.1", "239.255.255.255", "ff00::", "ff02::1"]),
            ("reserved", &["240.0.0.0", "255.255.255.254"]),
            ("limited broadcast", &["255.255.255.255"]),
            ("unspecified", &["::"]),
            ("IPv4-mapped", &["::ffff:127.0.0.1", "::ffff:8.8.8.8", "::ffff:169.254.169.254"]),
            ("IPv4-translated", &["::ffff:0:127.0.0.1"]),
            ("IPv4-compatible", &["::127.0.0.1", "::8.8.8.8", "::2"]),
            ("NAT64", &["64:ff9b::7f00:1", "64:ff9b::808:808"]),
            ("local-use NAT64", &["64:ff9b:1::7f00:1", "64:ff9b:1:ffff::"]),
            ("discard-only", &["100::1"]),
            ("Teredo", &["2001::1", "2001:0:4136:e378:8000:63bf:3fff:fdd2"]),
            ("6to4", &["2002:7f00:1::", "2002:808:808::1"]),
            ("unique local", &["fc00::1", "fd00:ec2::254", "fdff::"]),
            ("site-local", &["fec0::1", "feff::1"]),
            ("not global unicast", &["1000::1", "4000::1", "5f00::1", "fe00::1", "200::1"]),
        ] {
            for address in addresses {
                assert_eq!(check(&policy, address), Err(what), "{address}");
            }
        }
    }

    #[test]
    fn opened_networks_are_open_in_that_form_only() {
        let policy = AddressPolicy::public_only().allowing_networks(["127.0.0.0/8".parse().unwrap()]);
        assert_eq!(check(&policy, "127.9.9.9"), Ok(()));
        assert_eq!(check(&policy, "8.8.8.8"), Ok(()));
        assert_eq!(check(&policy, "::ffff:127.0.0.1"), Err("IPv4-mapped"));
        assert_eq!(check(&policy, "10.0.0.1"), Err("private network"));
    }

    #[test]
    fn an_opened_host_may_have_any_address_but_only_under_its_name() {
        let policy = AddressPolicy::public_only().allowing_hosts(HostRules::parse(["intranet.example"]).unwrap());
        let private = "10.0.0.1".parse().unwrap();
        assert_eq!(policy.check_for_host("Intranet.Example.", private), Ok(()));
        assert!(policy.check_for_host("other.example", private).is_err());
        assert!(policy.check(private).is_err());
    }

    #[test]
    fn the_reason_names_address_kind_and_rule() {
        let blocked = AddressPolicy::public_only().check("127.0.0.1".parse().unwrap()).unwrap_err();
        assert_eq!(blocked.to_string(), "127.0.0.1 is not a public address: loopback (RFC 1122 §3.2.1.3)");
        assert_eq!(AddressPolicy::everything().check(blocked.address), Ok(()));
    }
}
