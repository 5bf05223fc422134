//! The run aggregate under random commands.

use errand_domain::Timestamp;
use errand_domain::ids::{AccountId, CommitId, RunId};
use errand_domain::price::{MicroUsd, PriceTable};
use errand_domain::run::{
    ApprovePolicy, Command, Commit, Effect, Mode, ObjectOptions, Phase, Run, RunEvent, RunSpec, SchedulerCommand,
    Writer, create, decide, evolve, fold, next, run_object, webhook_object,
};
use proptest::prelude::*;
use std::collections::BTreeMap;

use crate::ledger::Ledger;
use crate::moves::{Move, moves, start};

const CREATED_AT: Timestamp = Timestamp::from_millis(1_791_711_621_000);

/// A run driven by moves, as every writer of the log does it: decide, append, evolve.
struct Driven {
    run: Run,
    log: Vec<Commit<RunEvent>>,
    ledger: Ledger,
    last_turn: Timestamp,
}

impl Driven {
    fn new(spec: RunSpec) -> Self {
        let commit = Commit {
            id: CommitId(1),
            run_id: RunId::new(CREATED_AT, 7),
            seq: 1,
            prev: None,
            at: CREATED_AT,
            writer: Writer::Gateway,
            events: create(spec, &PriceTable::default()),
        };
        let mut ledger = Ledger::default();
        ledger.enter(&commit);
        Self { run: evolve(None, &commit).unwrap(), log: vec![commit], ledger, last_turn: CREATED_AT }
    }

    /// Decides at `now`; what is accepted is stored and folded.
    fn give(&mut self, command: Command, now: Timestamp) -> bool {
        let writer = command.writer();
        let Ok(events) = decide(&self.run, command, now) else { return false };
        let commit = self.next_commit(events, writer, now);
        self.ledger.enter(&commit);
        self.run = evolve(Some(self.run.clone()), &commit).expect("what was decided can be folded");
        self.log.push(commit);
        true
    }

    fn next_commit(&self, events: Vec<RunEvent>, writer: Writer, now: Timestamp) -> Commit<RunEvent> {
        let seq = self.run.seq + 1;
        Commit {
            id: CommitId(u128::from(seq)),
            run_id: self.run.id.clone(),
            seq,
            prev: Some(self.run.last_commit),
            at: now.max(self.run.last_at),
            writer,
            events,
        }
    }

    fn take(&mut self, turn: &Move) -> bool {
        let now = turn.time(self.last_turn);
        // A lost clock is one writer's; the others go on from the last sane time.
        self.last_turn = if now < CREATED_AT { self.last_turn } else { now };
        self.give(turn.command(&self.run), now)
    }
}

fn specs() -> impl Strategy<Value = RunSpec> {
    (1_u32..6, 1_u32..30, 1_u32..30).prop_map(|(max_steps, timeout_s, human_timeout_s)| RunSpec {
        account: AccountId::parse("default").unwrap(),
        goal: "Find the cheapest lamp".to_owned(),
        start_url: "https://shop.example.com/".to_owned(),
        output_schema: None,
        output_format: None,
        webhook: None,
        secrets: Vec::new(),
        approve: ApprovePolicy::Risky,
        mode: Mode::Fast,
        model: None,
        max_steps,
        timeout_s,
        human_timeout_s,
        profile: None,
        save_profile: false,
        allowed_hosts: None,
        metadata: BTreeMap::new(),
        master_key_id: "k1".to_owned(),
    })
}

/// The command of a timer, and the time it is set to.
fn timer_command(effect: &Effect) -> Option<(SchedulerCommand, Timestamp)> {
    match effect {
        Effect::ExpireRunAt { at } => Some((SchedulerCommand::ExpireRun, *at)),
        Effect::ExpirePauseAt { pause, at } => Some((SchedulerCommand::ExpirePause { pause: *pause }, *at)),
        Effect::SettleAt { at } => Some((SchedulerCommand::SettleCharge { charge: MicroUsd(1) }, *at)),
        Effect::DispatchStep { .. } | Effect::DispatchConclusion { .. } | Effect::Supervise { .. } => None,
    }
}

fn is_settled(run: &Run) -> bool {
    match run.phase {
        Phase::Finished { .. } => run.charge.is_some(),
        Phase::Deleted => true,
        Phase::Ready { .. } | Phase::Stepping { .. } | Phase::Waiting { .. } | Phase::Concluding { .. } => false,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn every_accepted_command_keeps_the_rules_of_the_log(spec in specs(), turns in moves(60)) {
        let mut driven = Driven::new(spec);
        for turn in &turns {
            driven.take(turn);
            driven.ledger.compare(&driven.run);
        }
    }

    #[test]
    fn every_state_answers_every_command_at_every_time(
        spec in specs(),
        turns in moves(30),
        tries in moves(30),
        now in any::<i64>(),
    ) {
        let mut driven = Driven::new(spec);
        for turn in &turns {
            driven.take(turn);
        }
        for one_try in &tries {
            for now in [now, i64::MIN, i64::MAX].map(Timestamp::from_millis) {
                let command = one_try.command(&driven.run);
                let Ok(events) = decide(&driven.run, command.clone(), now) else { continue };
                let commit = driven.next_commit(events, command.writer(), now);
                prop_assert!(evolve(Some(driven.run.clone()), &commit).is_ok(), "{:?}", commit);
            }
        }
    }

    #[test]
    fn folding_any_prefix_and_then_the_rest_gives_the_live_state(
        spec in specs(),
        turns in moves(60),
        cut in any::<prop::sample::Index>(),
    ) {
        let mut driven = Driven::new(spec);
        for turn in &turns {
            driven.take(turn);
        }
        let (first, rest) = driven.log.split_at(cut.index(driven.log.len()));
        let snapshot = fold(first).unwrap();
        let resumed = rest.iter().try_fold(snapshot, |run, commit| evolve(run, commit).map(Some)).unwrap();
        prop_assert_eq!(resumed.as_ref(), Some(&driven.run));
        prop_assert_eq!(fold(&driven.log).unwrap(), resumed);
    }

    #[test]
    fn something_is_in_motion_until_the_charge_is_settled(spec in specs(), turns in moves(60)) {
        let mut driven = Driven::new(spec);
        for turn in &turns {
            driven.take(turn);
            prop_assert_eq!(next(&driven.run).is_empty(), is_settled(&driven.run), "{:?}", &driven.run.phase);
        }
    }

    #[test]
    fn a_timer_that_fires_on_time_is_accepted_and_the_run_s_not_before(spec in specs(), turns in moves(40)) {
        let mut driven = Driven::new(spec);
        for turn in &turns {
            driven.take(turn);
            for effect in next(&driven.run) {
                let Some((command, at)) = timer_command(&effect) else { continue };
                let is_run_timer = command == SchedulerCommand::ExpireRun;
                let has_time_left = at > driven.run.last_at;
                prop_assert!(decide(&driven.run, command.clone().into(), at).is_ok(), "{:?}", effect);
                if is_run_timer && has_time_left {
                    let just_before = Timestamp::from_millis(at.as_millis() - 1);
                    prop_assert!(decide(&driven.run, command.into(), just_before).is_err(), "{:?}", effect);
                }
            }
        }
    }

    #[test]
    fn a_dispatched_step_can_be_claimed_once(spec in specs(), turns in moves(40)) {
        let mut driven = Driven::new(spec);
        for turn in &turns {
            driven.take(turn);
            for effect in next(&driven.run) {
                let Effect::DispatchStep { step, attempt, expected_seq, .. } = effect else { continue };
                prop_assert_eq!(expected_seq, driven.run.seq);
                let now = driven.run.last_at;
                prop_assert!(driven.give(start(step, attempt), now));
                prop_assert!(!driven.give(start(step, attempt), now));
            }
        }
    }

    #[test]
    fn a_run_whose_workers_all_hang_ends_by_its_timers(spec in specs(), turns in moves(40)) {
        let mut driven = Driven::new(spec);
        for turn in &turns {
            driven.take(turn);
        }
        // Workers claim steps and hang in them: the run's time passes, and the timers do the rest.
        // Claim, expiry, conclusion's expiry, settlement.
        for _ in 0..4 {
            let Some(effect) = next(&driven.run).into_iter().last() else { break };
            let now = driven.run.last_at;
            let accepted = match (&effect, timer_command(&effect)) {
                (_, Some((command, at))) => driven.give(command.into(), at),
                (Effect::DispatchStep { step, attempt, .. }, None) => {
                    driven.give(start(*step, *attempt), now)
                }
                (other, None) => panic!("nothing ends {other:?}"),
            };
            prop_assert!(accepted, "{:?}", effect);
        }
        prop_assert!(is_settled(&driven.run), "{:?}", &driven.run.phase);
    }

    #[test]
    fn a_webhook_shows_no_money_whatever_the_state(spec in specs(), turns in moves(40)) {
        let prices = PriceTable::default();
        let mut driven = Driven::new(spec);
        for turn in &turns {
            driven.take(turn);
            let options = ObjectOptions { now: driven.last_turn, prices: &prices, data: None };
            let shown = run_object(&driven.run, options);
            let sent = webhook_object(&driven.run, options);
            prop_assert_eq!(&shown["status"], driven.run.status().as_str());
            prop_assert_eq!(shown["needs"].is_object(), driven.run.pause().is_some());
            prop_assert_eq!(shown.get("terminal_reason").is_some(), driven.run.status().is_final());
            for hidden in ["charge_usd", "reserved_usd", "poll", "webhook_secret"] {
                prop_assert!(sent.get(hidden).is_none(), "{}", hidden);
            }
        }
    }
}
