//! Which connections there is room for. Pure: it is told what happens and says who comes in and who must go.
//!
//! One peer gets at most half of the places, so that it cannot keep the others out. Whoever comes when the places are
//! taken gets that of the connection that has been idle longest, of the same peer where its own share is used up. When
//! every connection is at work, a newcomer gets one of a few spare places, where only probes are answered.

use std::collections::{BTreeSet, HashMap};
use std::net::{IpAddr, Ipv6Addr};

/// A connection, in the order of their coming.
pub(super) type ConnectionId = u64;

/// How many connections there may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Bounds {
    pub connections: usize,
    pub of_one_peer: usize,
    /// Beside the others.
    pub spare: usize,
}

/// What becomes of a newcomer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Admission {
    /// It is served; `instead_of` is closed for it.
    Served { id: ConnectionId, instead_of: Option<ConnectionId> },
    /// It is told that there is no room, unless it is a probe.
    Spare { id: ConnectionId, instead_of: Option<ConnectionId> },
    /// Not even that.
    Refused,
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    peer: IpAddr,
    is_spare: bool,
    /// When it became idle, counted in such moments; `None` while it is at work.
    idle_since: Option<u64>,
}

/// All connections.
#[derive(Debug)]
pub(super) struct Room {
    bounds: Bounds,
    entries: HashMap<ConnectionId, Entry>,
    of_peer: HashMap<IpAddr, usize>,
    idle: BTreeSet<(u64, ConnectionId)>,
    idle_of_peer: BTreeSet<(IpAddr, u64, ConnectionId)>,
    spare: BTreeSet<ConnectionId>,
    moment: u64,
}

impl Room {
    pub(super) fn new(bounds: Bounds) -> Self {
        Self {
            bounds,
            entries: HashMap::new(),
            of_peer: HashMap::new(),
            idle: BTreeSet::new(),
            idle_of_peer: BTreeSet::new(),
            spare: BTreeSet::new(),
            moment: 0,
        }
    }

    /// A connection that has sent nothing yet is idle.
    pub(super) fn admit(&mut self, address: IpAddr) -> Admission {
        let peer = peer_of(address);
        let has_share = self.of_peer.get(&peer).copied().unwrap_or_default() < self.bounds.of_one_peer;
        let has_room = self.entries.len() - self.spare.len() < self.bounds.connections;
        if has_share && has_room {
            return Admission::Served { id: self.enter(peer, false), instead_of: None };
        }
        let leaves = if has_share { self.longest_idle() } else { self.longest_idle_of(peer) };
        if let Some(id) = leaves {
            self.left(id);
            return Admission::Served { id: self.enter(peer, false), instead_of: leaves };
        }
        if self.spare.len() < self.bounds.spare {
            return Admission::Spare { id: self.enter(peer, true), instead_of: None };
        }
        let oldest_spare = self.spare.iter().copied().find(|id| self.entries[id].idle_since.is_some());
        let Some(oldest) = oldest_spare else { return Admission::Refused };
        self.left(oldest);
        Admission::Spare { id: self.enter(peer, true), instead_of: oldest_spare }
    }

    /// A request's head has come; `false` when the place is no longer that connection's.
    pub(super) fn works(&mut self, id: ConnectionId) -> bool {
        self.set_idle(id, None);
        self.entries.contains_key(&id)
    }

    /// The last request is answered.
    pub(super) fn rests(&mut self, id: ConnectionId) {
        let moment = self.next_moment();
        self.set_idle(id, Some(moment));
    }

    /// The connection is gone, or about to be.
    pub(super) fn left(&mut self, id: ConnectionId) {
        self.set_idle(id, None);
        let Some(entry) = self.entries.remove(&id) else { return };
        if entry.is_spare {
            self.spare.remove(&id);
        } else if let Some(count) = self.of_peer.get_mut(&entry.peer) {
            *count -= 1;
            if *count == 0 {
                self.of_peer.remove(&entry.peer);
            }
        }
    }

    /// Those that have asked for nothing.
    pub(super) fn all_idle(&self) -> Vec<ConnectionId> {
        self.idle.iter().map(|(_, id)| *id).collect()
    }

    fn enter(&mut self, peer: IpAddr, is_spare: bool) -> ConnectionId {
        let id = self.next_moment();
        self.entries.insert(id, Entry { peer, is_spare, idle_since: None });
        if is_spare {
            self.spare.insert(id);
        } else {
            *self.of_peer.entry(peer).or_default() += 1;
        }
        self.set_idle(id, Some(id));
        id
    }

    fn set_idle(&mut self, id: ConnectionId, since: Option<u64>) {
        let Some(entry) = self.entries.get_mut(&id) else { return };
        let before = std::mem::replace(&mut entry.idle_since, since);
        // Those in spare places make room among themselves.
        let Entry { peer, is_spare: false, .. } = *entry else { return };
        if let Some(before) = before {
            self.idle.remove(&(before, id));
            self.idle_of_peer.remove(&(peer, before, id));
        }
        if let Some(since) = since {
            self.idle.insert((since, id));
            self.idle_of_peer.insert((peer, since, id));
        }
    }

    fn next_moment(&mut self) -> u64 {
        self.moment += 1;
        self.moment
    }

    fn longest_idle(&self) -> Option<ConnectionId> {
        self.idle.first().map(|(_, id)| *id)
    }

    fn longest_idle_of(&self, peer: IpAddr) -> Option<ConnectionId> {
        self.idle_of_peer.range((peer, 0, 0)..=(peer, u64::MAX, u64::MAX)).next().map(|(_, _, id)| *id)
    }
}

/// Who counts as one peer: an address, and for IPv6 a network of 64 bits, which one customer has to himself.
fn peer_of(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let network = u128::from(address) & !u128::from(u64::MAX);
            IpAddr::V6(Ipv6Addr::from(network))
        }
        address @ IpAddr::V4(_) => address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(10, 0, 0, 1));
    const B: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(10, 0, 0, 2));
    const C: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(10, 0, 0, 3));

    fn room(connections: usize, of_one_peer: usize, spare: usize) -> Room {
        Room::new(Bounds { connections, of_one_peer, spare })
    }

    fn served(admission: Admission) -> (ConnectionId, Option<ConnectionId>) {
        match admission {
            Admission::Served { id, instead_of } => (id, instead_of),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_peer_beyond_its_share_replaces_its_own_longest_idle_connection() {
        let mut room = room(4, 2, 1);
        let (first, _) = served(room.admit(A));
        let (second, _) = served(room.admit(A));
        assert_eq!(served(room.admit(B)).1, None);
        assert!(room.works(first));
        assert_eq!(served(room.admit(A)).1, Some(second));
        room.rests(first);
        assert_eq!(room.of_peer[&A], 2);
    }

    #[test]
    fn when_all_places_are_taken_the_longest_idle_of_all_leaves() {
        let mut room = room(3, 2, 0);
        let ids = [A, A, B].map(|peer| served(room.admit(peer)).0);
        assert!(room.works(ids[0]));
        room.rests(ids[0]);
        assert_eq!(served(room.admit(C)).1, Some(ids[1]));
        assert_eq!(served(room.admit(C)).1, Some(ids[2]));
        assert_eq!(room.entries.len(), 3);
    }

    #[test]
    fn when_all_are_at_work_a_newcomer_gets_a_spare_place_and_then_none() {
        let mut room = room(2, 2, 2);
        for id in [A, B].map(|peer| served(room.admit(peer)).0) {
            assert!(room.works(id));
        }
        let spare = |admission| match admission {
            Admission::Spare { id, instead_of } => (id, instead_of),
            other => panic!("{other:?}"),
        };
        let first = spare(room.admit(C)).0;
        let second = spare(room.admit(C)).0;
        let (third, gone) = spare(room.admit(C));
        assert_eq!(gone, Some(first));
        assert!(room.works(second) && room.works(third));
        assert_eq!(room.admit(C), Admission::Refused);
        room.left(second);
        assert!(matches!(room.admit(C), Admission::Spare { instead_of: None, .. }));
    }

    #[test]
    fn nothing_is_kept_of_those_that_left() {
        let mut room = room(8, 8, 2);
        for _ in 0..100 {
            let (id, _) = served(room.admit(A));
            assert!(room.works(id));
            room.left(id);
            assert!(!room.works(id));
            room.rests(id);
            room.left(id);
        }
        assert!(room.entries.is_empty() && room.of_peer.is_empty() && room.idle.is_empty());
        assert!(room.idle_of_peer.is_empty());
    }

    #[test]
    fn a_network_of_64_bits_is_one_peer_and_a_mapped_address_is_its_own() {
        let parse = |text: &str| peer_of(text.parse().unwrap());
        assert_eq!(parse("2001:db8:1:2:3::4"), parse("2001:db8:1:2::9"));
        assert_ne!(parse("2001:db8:1:2::1"), parse("2001:db8:1:3::1"));
        assert_eq!(parse("::ffff:10.0.0.1"), parse("10.0.0.1"));
    }
}
