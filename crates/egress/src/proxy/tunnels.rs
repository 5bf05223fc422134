//! The tunnels that are open: which place each goes to, what went through it last, and how to end it from outside.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use tokio::{sync::watch, time::Instant};
use tokio_util::sync::CancellationToken;

use super::commits::{Commits, EndedBy, Flow, Place};

/// All tunnels of one proxy, and what is under way through them.
#[derive(Debug)]
pub(super) struct Tunnels {
    table: Mutex<Table>,
    /// Counts ended tunnels.
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
        let mut table = self.tunnels.table();
        let Some(Open { place, flow, .. }) = table.open.remove(&self.number) else { return };
        if table.commits.ended(&place, flow, by) {
            table.end_those_at_rest(&place);
        }
    }
}

impl Drop for Entry<'_> {
    fn drop(&mut self) {
        self.tunnels.table().open.remove(&self.number);
        self.tunnels.ended.send_modify(|count| *count = count.wrapping_add(1));
    }
}
