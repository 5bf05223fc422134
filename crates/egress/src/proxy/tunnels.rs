//! The tunnels that are open: which place each goes to, what went through it last, and how to end it from outside.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use tokio::{
    sync::watch,
    time::{Instant, timeout},
};
use tokio_util::sync::CancellationToken;

use super::commits::{Commits, EndedBy, Flow, Place};
use crate::limits::ANSWERED_END_WAIT;

/// All tunnels of one proxy, and what is under way through them.
#[derive(Debug)]
pub(super) struct Tunnels {
    table: Mutex<Table>,
    /// Counts what may change a decision: tunnels that end, answers that begin.
    ended: watch::Sender<u64>,
}

#[derive(Debug, Default)]
struct Table {
    commits: Commits,
    last: u64,
    open: BTreeMap<u64, Open>,
}

#[derive(Debug)]
struct Open {
    place: Place,
    flow: Flow,
    end: CancellationToken,
}

/// One tunnel's entry; dropping it takes it out.
#[derive(Debug)]
pub(super) struct Entry<'a> {
    tunnels: &'a Tunnels,
    number: u64,
    pub(super) end: CancellationToken,
}

impl Default for Tunnels {
    fn default() -> Self {
        Self { table: Mutex::default(), ended: watch::Sender::new(0) }
    }
}

impl Tunnels {
    fn table(&self) -> MutexGuard<'_, Table> {
        // Nothing panics while it is locked.
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Decides with what is known of committing requests.
    pub(super) fn commits<T>(&self, decide: impl FnOnce(&mut Commits) -> T) -> T {
        decide(&mut self.table().commits)
    }

    pub(super) fn enter(&self, place: Place) -> Entry<'_> {
        let mut table = self.table();
        table.last += 1;
        let (number, end) = (table.last, CancellationToken::new());
        table.open.insert(number, Open { place, flow: Flow::default(), end: end.clone() });
        Entry { tunnels: self, number, end }
    }

    /// Whether a new tunnel may go to a place. The browser closes the tunnel whose answer asks for a repetition before it asks
    /// for another, and both come over connections of their own: while one to this place has its answer and the browser has
    /// not told of it, the end of that one is waited for.
    pub(super) async fn may_open(&self, place: &Place) -> bool {
        let mut changes = self.ended.subscribe();
        let decided = changes.wait_for(|_count| !self.table().awaits_an_end(place));
        // A page that asks for more beside it waits no longer than this.
        let _ = timeout(ANSWERED_END_WAIT, decided).await;
        self.table().commits.may_open(place, Instant::now())
    }

    /// The answer to what departed to a place has begun, or will not come.
    pub(super) fn answered(&self, place: &Place) {
        self.table().commits.answered(place);
        self.changed();
    }

    fn changed(&self) {
        self.ended.send_modify(|count| *count = count.wrapping_add(1));
    }

    /// A committing request is about to go to a place. Ends once the connections that it could go out on, and that would
    /// let the browser repeat it, are closed: all but those that wait for an answer.
    pub(super) async fn depart(&self, place: &Place) {
        let closing: Vec<u64> = {
            let mut table = self.table();
            if !table.commits.depart(place, Instant::now()) {
                return;
            }
            table.end_those_at_rest(place)
        };
        let mut ended = self.ended.subscribe();
        let all_gone = ended.wait_for(|_count| {
            let table = self.table();
            closing.iter().all(|number| !table.open.contains_key(number))
        });
        // The sender lives as long as `self`.
        let _ = all_gone.await;
    }
}

impl Table {
    fn awaits_an_end(&self, place: &Place) -> bool {
        self.commits.is_deciding(place)
            && self.open.values().any(|open| open.place == *place && open.flow.is_answered())
    }

    fn end_those_at_rest(&self, place: &Place) -> Vec<u64> {
        let at_rest = self.open.iter().filter(|(_, open)| open.place == *place && open.flow.is_at_rest());
        at_rest
            .map(|(number, open)| {
                open.end.cancel();
                *number
            })
            .collect()
    }
}

impl Entry<'_> {
    pub(super) fn asked(&self) {
        self.flow(Flow::asked);
    }

    pub(super) fn answered(&self, bytes: u64) {
        self.flow(|flow| flow.answered(bytes));
    }

    fn flow(&self, change: impl FnOnce(&mut Flow)) {
        if let Some(open) = self.tunnels.table().open.get_mut(&self.number) {
            change(&mut open.flow);
        }
    }

    /// One end is gone; the other is told only after this. What may have been lost here finds no other way.
    pub(super) fn ends(&self, by: EndedBy) {
        {
            let mut table = self.tunnels.table();
            let Some(Open { place, flow, .. }) = table.open.remove(&self.number) else { return };
            if table.commits.ended(&place, flow, by) {
                table.end_those_at_rest(&place);
            }
        }
        self.tunnels.changed();
    }
}

impl Drop for Entry<'_> {
    fn drop(&mut self) {
        self.tunnels.table().open.remove(&self.number);
        self.tunnels.changed();
    }
}
