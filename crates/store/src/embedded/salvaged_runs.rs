//! Which of the records that were found of a run can be kept: those that follow one another from the first, or the
//! tombstone of a deleted run. Pure.

use bytes::Bytes;
use errand_domain::RunId;
use errand_domain::delivery::{self, Deliveries};
use errand_domain::run::{self, Run, RunEvent};
use std::collections::BTreeMap;

use crate::log::{LogKey, LogKind, Position};

/// One record that is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct KeptRecord {
    pub(super) position: Position,
    pub(super) payload: Bytes,
    /// What is left of a deleted run; it is not sealed.
    pub(super) is_tombstone: bool,
}

/// The logs that can be kept, and the runs of which later records had to be left out.
pub(super) fn keep_histories(
    records: &BTreeMap<LogKey, BTreeMap<Position, Bytes>>,
    open: impl Fn(&LogKey, Position, &[u8]) -> Option<Bytes>,
) -> (BTreeMap<LogKey, Vec<KeptRecord>>, Vec<RunId>) {
    let (mut kept, mut cut) = (BTreeMap::new(), Vec::new());
    for (key, stored) in records {
        let opened: Vec<KeptRecord> = stored
            .iter()
            .filter_map(|(position, value)| {
                let payload = open(key, *position, value)?;
                Some(KeptRecord { position: *position, payload, is_tombstone: false })
            })
            .collect();
        let history = match key.kind {
            LogKind::Run => keep_run(&opened),
            LogKind::Delivery => keep_deliveries(&opened),
        };
        let is_tombstone = history.first().is_some_and(|record| record.is_tombstone);
        if history.len() < stored.len() && !is_tombstone {
            cut.push(key.run_id.clone());
        }
        if !history.is_empty() {
            kept.insert(key.clone(), history);
        }
    }
    // Deliveries of a run that is not there tell nothing.
    let runs: Vec<RunId> = kept.keys().filter(|key| key.kind == LogKind::Run).map(|key| key.run_id.clone()).collect();
    kept.retain(|key, _| runs.contains(&key.run_id));
    cut.sort();
    cut.dedup();
    (kept, cut)
}

fn keep_run(records: &[KeptRecord]) -> Vec<KeptRecord> {
    let mut state: Option<Run> = None;
    let mut kept = Vec::new();
    for record in records {
        let Ok(commit) = errand_proto::decode_run_commit(&record.payload) else { break };
        if commit.events == [RunEvent::Deleted] && commit.seq > 1 {
            return vec![KeptRecord { is_tombstone: true, ..record.clone() }];
        }
        match run::evolve(state.take(), &commit) {
            Ok(next) => state = Some(next),
            // Not the next one: a tombstone may still follow.
            Err(_) => return tombstone_after(records).unwrap_or(kept),
        }
        kept.push(record.clone());
    }
    kept
}

fn tombstone_after(records: &[KeptRecord]) -> Option<Vec<KeptRecord>> {
    let last = records.last()?;
    let commit = errand_proto::decode_run_commit(&last.payload).ok()?;
    (commit.events == [RunEvent::Deleted]).then(|| vec![KeptRecord { is_tombstone: true, ..last.clone() }])
}

fn keep_deliveries(records: &[KeptRecord]) -> Vec<KeptRecord> {
    let mut state: Option<Deliveries> = None;
    let mut kept = Vec::new();
    for record in records {
        let Ok(commit) = errand_proto::decode_delivery_commit(&record.payload) else { break };
        let Ok(next) = delivery::evolve(state.take(), &commit) else { break };
        state = Some(next);
        kept.push(record.clone());
    }
    kept
}
