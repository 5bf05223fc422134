//! What may still go to a host while a request that commits something is under way to it: a browser repeats what the
//! network lost, and that takes another connection. Pure.

use std::collections::{BTreeMap, VecDeque};

use http::Method;
use tokio::time::Instant;
use url::Url;

use crate::limits::{ALLOWANCES_MAX, ANSWER_BYTES_MIN, UNDER_WAY_MAX};

/// Host and port, as the destination of a tunnel names them.
pub(super) type Place = (String, u16);

/// How one end of a tunnel came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EndedBy {
    Browser,
    Site,
}

/// What went through a tunnel last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Flow {
    /// Bytes of the site since the browser's last.
    answered_bytes: u64,
    has_asked: bool,
}

impl Flow {
    pub(super) fn asked(&mut self) {
        *self = Self { answered_bytes: 0, has_asked: true };
    }

    pub(super) fn answered(&mut self, bytes: u64) {
        self.answered_bytes = self.answered_bytes.saturating_add(bytes);
    }

    /// More came than the words with which TLS ends.
    pub(super) fn is_answered(self) -> bool {
        self.answered_bytes >= ANSWER_BYTES_MIN
    }

    /// Nothing is being waited for, as far as can be told.
    pub(super) fn is_at_rest(self) -> bool {
        !self.has_asked || self.is_answered()
    }

    /// The browser may send the request of such a tunnel again: it was lost (closed or reset without an answer), or the
    /// answer said so (408, 421), for which the browser gives the connection up.
    fn may_be_repeated(self, ended_by: EndedBy) -> bool {
        match ended_by {
            EndedBy::Site => self.has_asked && !self.is_answered(),
            EndedBy::Browser => self.is_answered(),
        }
    }
}

/// Whether a plain request that changes things may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Leave {
    Granted,
    /// The same has gone already.
    Repeated,
    /// Nobody decided about it: the browser showed it to nobody.
    Unknown,
}

#[derive(Debug)]
struct UnderWay {
    since: Instant,
    requests: u32,
    is_closed_to_more: bool,
    has_refused: bool,
}

#[derive(Debug, Default)]
pub(super) struct Commits {
    /// Plain requests that change things must have been allowed before.
    pub(super) is_strict: bool,
    /// How often what may go, newest last. One that went stays with none, to know its repetition.
    allowances: VecDeque<(Method, Url, u32)>,
    places: BTreeMap<Place, UnderWay>,
}

impl Commits {
    pub(super) fn allow(&mut self, method: Method, url: Url) {
        let url = normal(url);
        if let Some((.., count)) = self.allowances.iter_mut().find(|(m, u, _)| *m == method && *u == url) {
            *count += 1;
            return;
        }
        if self.allowances.len() >= ALLOWANCES_MAX {
            self.allowances.pop_front();
        }
        self.allowances.push_back((method, url, 1));
    }

    /// Takes one allowance, where one is needed.
    pub(super) fn leave(&mut self, method: &Method, url: Url) -> Leave {
        if !self.is_strict || matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS) {
            return Leave::Granted;
        }
        let url = normal(url);
        match self.allowances.iter_mut().find(|(m, u, _)| m == method && *u == url) {
            Some((.., count @ 1..)) => {
                *count -= 1;
                Leave::Granted
            }
            Some(_) => Leave::Repeated,
            None => Leave::Unknown,
        }
    }

    /// A committing request is about to go to a place; whether it is the only one.
    pub(super) fn depart(&mut self, place: &Place, now: Instant) -> bool {
        // A page that is closed tells of no answer.
        self.places.retain(|_, under_way| now < under_way.since + UNDER_WAY_MAX);
        let fresh = UnderWay { since: now, requests: 0, is_closed_to_more: false, has_refused: false };
        let under_way = self.places.entry(place.clone()).or_insert(fresh);
        under_way.since = now;
        under_way.requests += 1;
        under_way.requests == 1
    }

    pub(super) fn answered(&mut self, place: &Place) {
        if let Some(under_way) = self.places.get_mut(place) {
            under_way.requests -= 1;
            if under_way.requests == 0 {
                self.places.remove(place);
            }
        }
    }

    /// A tunnel to a place ended; whether no other may carry on what it may have lost.
    pub(super) fn ended(&mut self, place: &Place, flow: Flow, by: EndedBy) -> bool {
        let Some(under_way) = self.places.get_mut(place) else { return false };
        under_way.is_closed_to_more |= flow.may_be_repeated(by);
        under_way.is_closed_to_more
    }

    /// Something is under way to a place, and nothing has closed it to new tunnels so far.
    pub(super) fn is_deciding(&self, place: &Place) -> bool {
        self.places.get(place).is_some_and(|under_way| !under_way.is_closed_to_more)
    }

    /// Whether a new tunnel may go to a place.
    pub(super) fn may_open(&mut self, place: &Place, now: Instant) -> bool {
        let closed = self.places.get_mut(place).filter(|under_way| under_way.is_closed_to_more);
        let Some(under_way) = closed.filter(|under_way| now < under_way.since + UNDER_WAY_MAX) else { return true };
        under_way.has_refused = true;
        false
    }

    pub(super) fn has_refused(&self, place: &Place) -> bool {
        self.places.get(place).is_some_and(|under_way| under_way.has_refused)
    }
}

/// As it stands in a request line: without fragment and credentials.
fn normal(mut url: Url) -> Url {
    url.set_fragment(None);
    // Both only fail for URLs without a host.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place() -> Place {
        ("shop.test".to_owned(), 443)
    }

    fn flow(asked: bool, answered_bytes: u64) -> Flow {
        Flow { answered_bytes, has_asked: asked }
    }

    #[test]
    fn what_may_be_a_repetition_gets_no_connection_until_the_answer() {
        for (lost, by) in
            [(flow(true, 0), EndedBy::Site), (flow(true, 24), EndedBy::Site), (flow(true, 400), EndedBy::Browser)]
        {
            let (mut commits, now) = (Commits::default(), Instant::now());
            assert!(commits.depart(&place(), now));
            assert!(commits.may_open(&place(), now), "its own, and those of the page beside it");
            assert!(commits.ended(&place(), lost, by));
            assert!(!commits.may_open(&place(), now), "{lost:?} {by:?}");
            assert!(commits.may_open(&("other.test".to_owned(), 443), now));
            assert!(commits.has_refused(&place()));
            assert!(commits.may_open(&place(), now + UNDER_WAY_MAX), "nothing is under way for ever");
            commits.answered(&place());
            assert!(commits.may_open(&place(), now));
        }
    }

    #[test]
    fn ordinary_ends_and_ordinary_times_refuse_nothing() {
        let (mut commits, now) = (Commits::default(), Instant::now());
        assert!(!commits.ended(&place(), flow(true, 0), EndedBy::Site), "nothing is under way");
        commits.depart(&place(), now);
        assert!(!commits.ended(&place(), flow(true, 4_000), EndedBy::Site), "answered, then closed");
        assert!(!commits.ended(&place(), flow(true, 0), EndedBy::Browser), "the page gave a request up");
        assert!(!commits.ended(&place(), flow(false, 0), EndedBy::Site), "never used");
        assert!(commits.may_open(&place(), now));
    }

    #[test]
    fn each_allowance_lets_one_plain_request_go() {
        let url = |text: &str| Url::parse(text).unwrap();
        let mut commits = Commits { is_strict: true, ..Commits::default() };
        assert_eq!(commits.leave(&Method::GET, url("http://a.test/")), Leave::Granted);
        assert_eq!(commits.leave(&Method::POST, url("http://a.test/x")), Leave::Unknown);
        commits.allow(Method::POST, url("http://u:p@a.test/x#f"));
        assert_eq!(commits.leave(&Method::PUT, url("http://a.test/x")), Leave::Unknown);
        assert_eq!(commits.leave(&Method::POST, url("http://a.test/x")), Leave::Granted);
        assert_eq!(commits.leave(&Method::POST, url("http://a.test/x")), Leave::Repeated);
        commits.is_strict = false;
        assert_eq!(commits.leave(&Method::POST, url("http://a.test/x")), Leave::Granted);
    }
}
