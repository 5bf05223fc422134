//! What a page may send while a run works on it: each request that would do something is let through once, held back, or
//! refused as a repetition. Pure; time comes in. What is held back is told, so that a person may be asked.

mod outgoing;
mod shape;
mod watch;
mod words;

use crate::limits::{COMMIT_TAIL, HELD_REQUESTS_MAX, SPENT_REQUESTS_MAX};
pub(crate) use outgoing::{Kind, Outgoing, RequestPaused};
use shape::{Shape, shape_of};
use std::collections::{BTreeMap, VecDeque};
use std::time::Instant;
pub(crate) use watch::{Told, Watch};

/// What an action may send of what commits something.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Commits {
    /// Only what the session allows anyhow.
    #[default]
    None,
    /// And the request of the form that it submits, which was judged before: of this method, to this address.
    Form { method: String, url: String },
    /// Whatever it sends, each request once.
    Any,
    /// The request of this [`HeldRequest::digest`], once.
    Only(String),
}

/// A request that was held back: nothing of it has left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldRequest {
    pub method: String,
    /// Host, with its port where that is not the scheme's own.
    pub target: String,
    pub path: String,
    /// What it would send, by name; what is secret by its name is not shown.
    pub values: Vec<(String, String)>,
    /// The same for a request that means the same.
    pub digest: String,
}

/// What becomes of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    Go,
    /// It goes, and what it does is done by it: no other connection may carry it again.
    Commit,
    Hold,
    /// The same has left already.
    Repeat,
}

/// Where a request comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sender {
    /// The document, or the one that opened it, was given input: until then it is as every visitor gets it.
    pub(crate) is_touched: bool,
    pub(crate) is_redirected: bool,
}

/// A request that was let through and is not answered yet.
#[derive(Debug, Clone)]
struct UnderWay {
    what: String,
    url: url::Url,
    /// Nobody waits for the answer to a beacon.
    is_awaited: bool,
}

#[derive(Debug)]
struct Spent {
    key: String,
    is_document: bool,
}

#[derive(Debug)]
pub(crate) struct Guard {
    /// Requests of actions that commit nothing, and between actions, are held.
    holds: bool,
    /// Of the current action, and for a while after it.
    commits: Commits,
    is_acting: bool,
    tail_until: Option<Instant>,
    spent: VecDeque<Spent>,
    under_way: BTreeMap<String, UnderWay>,
    held: Vec<HeldRequest>,
    lost: Option<String>,
}

impl Guard {
    pub(crate) fn new(holds: bool) -> Self {
        Self {
            holds,
            commits: Commits::None,
            is_acting: false,
            tail_until: None,
            spent: VecDeque::new(),
            under_way: BTreeMap::new(),
            held: Vec::new(),
            lost: None,
        }
    }

    /// An action begins. What a committing one sends may be what an earlier one sent.
    /// Gives the addresses of what was under way and is not waited for any more.
    pub(crate) fn begin(&mut self, commits: Commits, is_input: bool) -> Vec<url::Url> {
        match commits {
            // Pressed again, a button that nobody has to approve may send the same. Documents come again by reloads, too.
            Commits::None | Commits::Form { .. } if is_input && !self.holds => {
                self.spent.retain(|spent| spent.is_document)
            }
            // Waiting and looking around belong to what was done before.
            Commits::None | Commits::Form { .. } if !is_input => {
                self.lost = None;
                return Vec::new();
            }
            Commits::None | Commits::Form { .. } => {}
            Commits::Any | Commits::Only(_) => self.spent.clear(),
        }
        self.commits = commits;
        self.is_acting = true;
        self.tail_until = None;
        self.lost = None;
        std::mem::take(&mut self.under_way).into_values().map(|sent| sent.url).collect()
    }

    pub(crate) fn end(&mut self, now: Instant) {
        if !std::mem::take(&mut self.is_acting) {
            return;
        }
        let may_commit = matches!(self.commits, Commits::Any | Commits::Only(_));
        self.tail_until = may_commit.then(|| now + COMMIT_TAIL);
    }

    pub(crate) fn is_acting(&self) -> bool {
        self.is_acting
    }

    pub(crate) fn judge(&mut self, outgoing: &Outgoing, sender: Sender, now: Instant) -> Verdict {
        // Where an answer leads is the server's decision.
        if outgoing.is_safe_method() && (sender.is_redirected || !sender.is_touched) {
            return Verdict::Go;
        }
        let shape = shape_of(outgoing);
        if shape.goes_on() || shape == Shape::Unknown && !sender.is_touched && outgoing.kind != Kind::Document {
            return Verdict::Go;
        }
        if shape == Shape::Unknown && self.is_of_form(outgoing) {
            return Verdict::Go;
        }
        let key = outgoing.key();
        if self.spent.iter().any(|spent| spent.key == key) {
            return Verdict::Repeat;
        }
        if self.may_leave(outgoing, now) {
            self.spend(key, outgoing.kind == Kind::Document);
            return Verdict::Commit;
        }
        self.hold(outgoing);
        Verdict::Hold
    }

    fn may_leave(&self, outgoing: &Outgoing, now: Instant) -> bool {
        let is_current = self.is_acting || self.tail_until.is_some_and(|until| now < until);
        match &self.commits {
            Commits::Any if is_current => true,
            Commits::Only(digest) if is_current => outgoing.meaning() == *digest,
            Commits::None | Commits::Form { .. } | Commits::Any | Commits::Only(_) => !self.holds,
        }
    }

    /// What the page showed that the action would send. Nothing that names what it does gets through like this.
    fn is_of_form(&self, outgoing: &Outgoing) -> bool {
        let Commits::Form { method, url } = &self.commits else { return false };
        let is_same_place =
            |shown: &url::Url| shown.origin() == outgoing.url.origin() && shown.path() == outgoing.url.path();
        outgoing.kind == Kind::Document
            && outgoing.method.eq_ignore_ascii_case(method)
            && url::Url::parse(url).is_ok_and(|shown| is_same_place(&shown))
    }

    fn spend(&mut self, key: String, is_document: bool) {
        if self.spent.len() >= SPENT_REQUESTS_MAX {
            self.spent.pop_front();
        }
        self.spent.push_back(Spent { key, is_document });
    }

    fn hold(&mut self, outgoing: &Outgoing) {
        let held = HeldRequest {
            method: outgoing.method.clone(),
            target: outgoing.target(),
            path: outgoing.url.path().to_owned(),
            values: outgoing.shown_values(),
            digest: outgoing.meaning(),
        };
        if self.held.len() < HELD_REQUESTS_MAX && self.held.iter().all(|other| other.digest != held.digest) {
            self.held.push(held);
        }
    }

    /// Those held back since the last time.
    pub(crate) fn take_held(&mut self) -> Vec<HeldRequest> {
        std::mem::take(&mut self.held)
    }

    /// A committing request leaves now.
    pub(crate) fn leaves(&mut self, id: &str, outgoing: &Outgoing) {
        let what = format!("{} {}{}", outgoing.method, outgoing.target(), outgoing.url.path());
        let under_way = UnderWay { what, url: outgoing.url.clone(), is_awaited: outgoing.kind != Kind::Ping };
        self.under_way.insert(id.to_owned(), under_way);
    }

    /// Its answer has begun, or will not come; the address that it went to, if it was one of those under way.
    pub(crate) fn answered(&mut self, id: &str) -> Option<url::Url> {
        self.under_way.remove(id).map(|sent| sent.url)
    }

    /// It was sent, and its connection ended without an answer.
    pub(crate) fn lose(&mut self, what: String) {
        self.lost.get_or_insert(what);
    }

    /// What it was, of a request under way.
    pub(crate) fn what(&self, id: &str) -> Option<String> {
        self.under_way.get(id).map(|sent| sent.what.clone())
    }

    /// Where it went, of a request under way.
    pub(crate) fn url(&self, id: &str) -> Option<url::Url> {
        self.under_way.get(id).map(|sent| sent.url.clone())
    }

    pub(crate) fn is_awaiting(&self) -> bool {
        self.under_way.values().any(|sent| sent.is_awaited)
    }

    /// Why it is not known what came of what this action sent.
    pub(crate) fn doubt(&self) -> Option<String> {
        let silent = || self.under_way.values().find(|sent| sent.is_awaited);
        self.lost.clone().or_else(|| silent().map(|sent| format!("{} was not answered", sent.what)))
    }
}

#[cfg(test)]
mod tests;
