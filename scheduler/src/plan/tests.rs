//! What the plan orders, when.

use super::*;
use errand_domain::price::{MicroUsd, PriceTable};
use errand_domain::run::{
    Command, Commit, PageRef, RunEvent, RunRequest, StepFinished, StepOutcome, StepStarted, Usage, WorkerCommand,
    Writer,
};
use errand_domain::{AccountId, BlobKey, CommitId};
use serde_json::json;

fn at(ms: i64) -> Timestamp {
    Timestamp::from_millis(1_000_000 + ms)
}

fn plan() -> Plan {
    Plan::new(SchedulerConfig::new("test"))
}

fn worker() -> WorkerId {
    WorkerId::parse("w1").unwrap()
}

fn created() -> Run {
    let body = json!({"goal": "g", "start_url": "https://example.com/"});
    let request = RunRequest::parse(&body, AccountId::parse("a").unwrap(), String::new()).unwrap();
    let events = run::create(request.into_spec(), &PriceTable::default());
    append(None, events, at(0))
}

fn append(run: Option<Run>, events: Vec<RunEvent>, now: Timestamp) -> Run {
    let seq = run.as_ref().map_or(1, |run| run.seq + 1);
    let commit = Commit {
        id: CommitId(u128::from(seq)),
        run_id: run.as_ref().map_or_else(|| RunId::new(at(0), 7), |run| run.id.clone()),
        seq,
        prev: run.as_ref().map(|run| run.last_commit),
        at: now,
        writer: Writer::Worker,
        events,
    };
    run::evolve(run, &commit).unwrap()
}

fn after(run: Run, command: impl Into<Command>, now: Timestamp) -> Run {
    let events = run::decide(&run, command.into(), now).unwrap();
    append(Some(run), events, now)
}

fn started(now: Timestamp) -> Run {
    let claim = StepStarted { step: 1, attempt: 1, worker: worker() };
    after(created(), WorkerCommand::StartStep(claim), now)
}

fn finished_step(run: Run, outcome: StepOutcome, now: Timestamp) -> Run {
    let url = "https://news.example.com/".to_owned();
    let page = PageRef { url, title: "News".to_owned(), blob: BlobKey::parse("page-1").unwrap() };
    let finished = StepFinished {
        step: 1,
        attempt: 1,
        outcome,
        url: None,
        pages: vec![page],
        screenshot: None,
        checkpoint: None,
        usage: Usage::default(),
    };
    after(run, WorkerCommand::FinishStep(finished), now)
}

fn dispatched(orders: &[Order]) -> Vec<(Task, Option<&str>)> {
    let jobs = orders.iter().filter_map(|order| match order {
        Order::Dispatch { job, route } => Some((job.task, route.as_ref().map(WorkerId::as_str))),
        Order::Execute { .. } => None,
    });
    jobs.collect()
}

fn executed(orders: &[Order]) -> Vec<SchedulerCommand> {
    let commands = orders.iter().filter_map(|order| match order {
        Order::Execute { command, .. } => Some(command.clone()),
        Order::Dispatch { .. } => None,
    });
    commands.collect()
}

#[test]
fn a_new_run_is_offered_to_everybody_once() {
    let mut plan = plan();
    let orders = plan.observe(created(), at(0));
    assert_eq!(dispatched(&orders), [(Task::Step { step: 1, attempt: 1 }, None)]);
    assert!(plan.observe(created(), at(1)).is_empty(), "the same commit twice orders nothing");
    assert!(plan.wake(at(1_999)).is_empty());
}

#[test]
fn a_job_that_nobody_claims_is_offered_again() {
    let mut plan = plan();
    plan.observe(created(), at(0));
    assert_eq!(plan.wake_at(), Some(at(2_000)));
    assert_eq!(dispatched(&plan.wake(at(2_000))).len(), 1);
}

#[test]
fn a_later_step_goes_first_to_the_session_holder_then_to_everybody() {
    let mut plan = plan();
    let run = finished_step(started(at(0)), StepOutcome::Acted { result: String::new() }, at(10));
    let second = Task::Step { step: 2, attempt: 1 };
    assert_eq!(dispatched(&plan.observe(run, at(10))), [(second, Some("w1"))]);
    assert_eq!(dispatched(&plan.wake(at(2_010))), [(second, None)]);
}

#[test]
fn a_claim_without_beats_is_lost_and_one_with_beats_is_not() {
    let mut plan = plan();
    let run = started(at(0));
    let beat = Beat { run_id: run.id.clone(), worker: worker(), step: 1, attempt: 1 };
    plan.observe(run, at(0));
    plan.beat(&beat, at(9_000));
    assert!(executed(&plan.wake(at(10_000))).is_empty());
    let lost = SchedulerCommand::LoseWorker { step: 1, attempt: 1, worker: worker() };
    assert_eq!(executed(&plan.wake(at(19_000))), [lost]);
}

#[test]
fn a_beat_of_another_attempt_says_nothing() {
    let mut plan = plan();
    let run = started(at(0));
    let beat = Beat { run_id: run.id.clone(), worker: worker(), step: 1, attempt: 2 };
    plan.observe(run, at(0));
    plan.beat(&beat, at(9_000));
    assert_eq!(executed(&plan.wake(at(10_000))).len(), 1);
}

#[test]
fn a_restarted_scheduler_waits_one_lease_before_it_gives_a_claim_up() {
    let mut plan = plan();
    plan.observe(started(at(0)), at(60_000));
    assert!(executed(&plan.wake(at(69_999))).is_empty());
    assert_eq!(executed(&plan.wake(at(70_000))).len(), 1);
}

#[test]
fn a_claim_of_a_process_that_has_ended_is_given_up_at_once() {
    let sole = WorkerId::parse("w2").unwrap();
    let mut plan = Plan::new(SchedulerConfig { sole_worker: Some(sole), ..SchedulerConfig::new("test") });
    plan.observe(started(at(0)), at(60_000));
    let lost = executed(&plan.wake(at(60_100)));
    assert_eq!(lost.len(), 1);
    let run = after(started(at(0)), lost[0].clone(), at(60_100));
    let again = StepStarted { step: 1, attempt: 2, worker: worker() };
    let run = after(run, WorkerCommand::StartStep(again), at(60_200));
    let mut plan =
        Plan::new(SchedulerConfig { sole_worker: WorkerId::parse("w2").ok(), ..SchedulerConfig::new("test") });
    plan.observe(run, at(70_000));
    assert!(executed(&plan.wake(at(79_999))).is_empty(), "a second loss costs no attempt at once");
    let run = finished_step(started(at(0)), StepOutcome::Acted { result: String::new() }, at(10));
    let second = Task::Step { step: 2, attempt: 1 };
    let mut plan =
        Plan::new(SchedulerConfig { sole_worker: WorkerId::parse("w2").ok(), ..SchedulerConfig::new("test") });
    assert_eq!(dispatched(&plan.observe(run, at(60_000))), [(second, None)]);
}

#[test]
fn run_time_that_is_over_expires_the_run() {
    let mut plan = plan();
    let run = started(at(0));
    let beat = Beat { run_id: run.id.clone(), worker: worker(), step: 1, attempt: 1 };
    plan.observe(run, at(0));
    plan.beat(&beat, at(599_000));
    assert_eq!(executed(&plan.wake(at(600_000))), [SchedulerCommand::ExpireRun]);
}

#[test]
fn a_claim_from_before_a_restart_is_lost_or_heard_of_before_its_time_is_up() {
    let an_hour_later = 3_600_000;
    let run = started(at(0));
    let beat = Beat { run_id: run.id.clone(), worker: worker(), step: 1, attempt: 1 };
    let mut plan = plan();
    assert!(executed(&plan.observe(run.clone(), at(an_hour_later))).is_empty());
    let lost = SchedulerCommand::LoseWorker { step: 1, attempt: 1, worker: worker() };
    assert_eq!(executed(&plan.wake(at(an_hour_later + 10_000))), [lost]);
    let mut plan = Plan::new(SchedulerConfig::new("test"));
    plan.observe(run, at(an_hour_later));
    plan.beat(&beat, at(an_hour_later + 9_000));
    assert_eq!(executed(&plan.wake(at(an_hour_later + 10_000))), [SchedulerCommand::ExpireRun]);
}

#[test]
fn a_conclusion_has_time_to_be_computed_before_it_is_ordered_again() {
    let mut plan = plan();
    let run = finished_step(started(at(0)), StepOutcome::GoalReached, at(10));
    assert_eq!(dispatched(&plan.observe(run, at(10))), [(Task::Conclude, Some("w1"))]);
    assert!(dispatched(&plan.wake(at(20_009))).is_empty());
    assert_eq!(dispatched(&plan.wake(at(20_010))), [(Task::Conclude, None)]);
}

#[test]
fn the_charge_is_settled_once_after_the_end() {
    let mut plan = plan();
    let run = finished_step(started(at(0)), StepOutcome::GoalReached, at(10));
    assert_eq!(dispatched(&plan.observe(run.clone(), at(10))), [(Task::Conclude, Some("w1"))]);
    let run = after(run, WorkerCommand::Conclude(Box::default()), at(20));
    assert!(plan.observe(run.clone(), at(20)).is_empty());
    let settle = SchedulerCommand::SettleCharge { charge: MicroUsd(6_000) };
    assert_eq!(executed(&plan.wake(at(2_020))), std::slice::from_ref(&settle));
    plan.observe(after(run, settle, at(2_021)), at(2_021));
    assert_eq!((plan.open_count(), plan.wake_at()), (0, None));
}
