//! The delivery aggregate under random commands by any number of notifiers.

use errand_domain::Timestamp;
use errand_domain::delivery::{
    Deliveries, DeliveryClaimed, DeliveryCommand, DeliveryEvent, DeliveryOutcome, DeliveryResolved, WebhookEvent,
    decide, due, evolve, fold,
};
use errand_domain::ids::{CommitId, RunId};
use errand_domain::price::MicroUsd;
use errand_domain::run::{
    Commit, Finished, HumanAsked, PauseKind, RunEvent, Stakes, Status, TerminalReason, Usage, Writer,
};
use proptest::collection::vec;
use proptest::prelude::*;
use std::collections::BTreeMap;

/// One notifier's turn. Numbers are added to those that would fit.
#[derive(Debug, Clone)]
enum Turn {
    /// Claims what it thinks is due; `late` turns claim by an older state.
    Claim {
        n_off: u32,
        seq_off: u64,
    },
    NotSent {
        n_off: u32,
    },
    Resolve {
        n_off: u32,
    },
    InDoubt {
        n_off: u32,
    },
}

fn turn() -> impl Strategy<Value = Turn> {
    let off = || prop_oneof![5 => Just(0_u32), 1 => Just(1), 1 => Just(u32::MAX)];
    let seq_off = prop_oneof![5 => Just(0_u64), 1 => 0..3_u64, 1 => Just(u64::MAX)];
    prop_oneof![
        4 => (off(), seq_off).prop_map(|(n_off, seq_off)| Turn::Claim { n_off, seq_off }),
        1 => off().prop_map(|n_off| Turn::NotSent { n_off }),
        4 => off().prop_map(|n_off| Turn::Resolve { n_off }),
        1 => off().prop_map(|n_off| Turn::InDoubt { n_off }),
    ]
}

/// A run's history in which commits marked `true` ask a person; it is stopped at the end.
fn history(asks: &[bool]) -> Vec<Commit<RunEvent>> {
    let events = asks.iter().map(|asks| if *asks { asked() } else { RunEvent::ChargeSettled { charge: MicroUsd(1) } });
    let events = events.chain([finished()]).enumerate();
    events.map(|(index, event)| commit(index as u64 + 1, vec![event])).collect()
}

fn commit<E>(seq: u64, events: Vec<E>) -> Commit<E> {
    Commit {
        id: CommitId(u128::from(seq)),
        run_id: RunId::new(Timestamp::from_millis(1_000), 7),
        seq,
        prev: (seq > 1).then(|| CommitId(u128::from(seq - 1))),
        at: Timestamp::from_millis(1_000),
        writer: Writer::Notifier,
        events,
    }
}

fn asked() -> RunEvent {
    RunEvent::HumanAsked(Box::new(HumanAsked {
        pause: 1,
        step: 1,
        attempt: 1,
        kind: PauseKind::Handoff,
        prompt: String::new(),
        fields: Vec::new(),
        stakes: Stakes::default(),
        options: Vec::new(),
        proposal: None,
        url: None,
        pages: Vec::new(),
        screenshot: None,
        checkpoint: None,
        usage: Usage::default(),
    }))
}

fn finished() -> RunEvent {
    RunEvent::Finished(Box::new(Finished {
        status: Status::Stopped,
        reason: TerminalReason::Stopped,
        answer: None,
        data: None,
        data_blob: None,
        data_error: None,
        sources: BTreeMap::new(),
        error: None,
        profile_saved: None,
        usage: Usage::default(),
    }))
}

fn claim(n: u32, event_seq: u64, event: WebhookEvent) -> DeliveryClaimed {
    let deadline = Timestamp::from_millis(9_000);
    DeliveryClaimed { n, event_seq, event, epoch: "e1".to_owned(), deadline }
}

fn command(turn: &Turn, history: &[Commit<RunEvent>], deliveries: Option<&Deliveries>) -> DeliveryCommand {
    let count = deliveries.map_or(0, |deliveries| deliveries.all.len() as u32);
    let (event_seq, event) = due(history, deliveries).unwrap_or((1, WebhookEvent::Waiting));
    match turn {
        Turn::Claim { n_off, seq_off } => {
            let n = (count + 1).wrapping_add(*n_off);
            DeliveryCommand::Claim(claim(n, event_seq.wrapping_add(*seq_off), event))
        }
        Turn::NotSent { n_off } => DeliveryCommand::RecordNotSent {
            claim: claim((count + 1).wrapping_add(*n_off), event_seq, event),
            reason: "refused".to_owned(),
        },
        Turn::Resolve { n_off } => DeliveryCommand::Resolve(DeliveryResolved {
            n: count.wrapping_add(*n_off),
            outcome: DeliveryOutcome::Delivered { status: 200 },
            duration_ms: 5,
        }),
        Turn::InDoubt { n_off } => DeliveryCommand::ResolveInDoubt { n: count.wrapping_add(*n_off) },
    }
}

/// What the log says without the aggregate: claims in order, each once, none while another is open.
fn check_log(log: &[Commit<DeliveryEvent>]) {
    let mut last_event_seq = 0;
    let mut claims = 0;
    let mut open = None;
    for event in log.iter().flat_map(|commit| &commit.events) {
        match event {
            DeliveryEvent::Claimed(claim) => {
                assert_eq!(open, None, "one open claim");
                assert!(claim.event_seq > last_event_seq, "each event once and in order");
                claims += 1;
                assert_eq!(claim.n, claims, "claims are numbered densely");
                last_event_seq = claim.event_seq;
                open = Some(claim.n);
            }
            DeliveryEvent::Resolved(resolved) => assert_eq!(open.take(), Some(resolved.n), "a result has its claim"),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn whatever_notifiers_try_each_event_is_claimed_at_most_once_and_in_order(
        asks in vec(any::<bool>(), 0..8),
        turns in vec(turn(), 1..40),
    ) {
        let history = history(&asks);
        let mut state: Option<Deliveries> = None;
        let mut log: Vec<Commit<DeliveryEvent>> = Vec::new();
        for turn in &turns {
            let Ok(events) = decide(state.as_ref(), command(turn, &history, state.as_ref())) else { continue };
            let commit = commit(log.len() as u64 + 1, events);
            state = Some(evolve(state.take(), &commit).expect("what was decided can be folded"));
            log.push(commit);
            check_log(&log);
        }
        prop_assert_eq!(fold(&log).unwrap(), state);
    }

    #[test]
    fn a_notifier_that_follows_what_is_due_tells_every_event(asks in vec(any::<bool>(), 0..8)) {
        let history = history(&asks);
        let mut state: Option<Deliveries> = None;
        let mut told = Vec::new();
        while let Some((event_seq, event)) = due(&history, state.as_ref()) {
            let n = told.len() as u32 + 1;
            let command = DeliveryCommand::RecordNotSent { claim: claim(n, event_seq, event), reason: String::new() };
            let commit = commit(u64::from(n), decide(state.as_ref(), command).unwrap());
            state = Some(evolve(state.take(), &commit).unwrap());
            told.push(event_seq);
        }
        let waits = asks.iter().enumerate().filter(|(_, asks)| **asks).map(|(index, _)| index as u64 + 1);
        let expected: Vec<u64> = waits.chain([asks.len() as u64 + 1]).collect();
        prop_assert_eq!(told, expected);
    }
}
