//! The ways a run ends, and what may still happen afterwards.

use super::*;
use crate::price::MicroUsd;
use serde_json::json;

fn worker_commands() -> Vec<WorkerCommand> {
    vec![
        start_command(1, 1, "w1"),
        choose_command(1, 1, scroll(), false),
        finish_command(1, 1, acted()),
        WorkerCommand::AskHuman(Box::new(asked(1, 1, 1))),
        WorkerCommand::AbandonStep { step: 1, attempt: 1, worker: worker("w1") },
        WorkerCommand::Conclude(Box::default()),
    ]
}

#[test]
fn a_reached_goal_is_concluded_before_it_is_finished() {
    let scenario = Scenario::created().start().finish(StepOutcome::GoalReached);
    assert_eq!(scenario.last_events(), ["step.finished", "run.concluding"]);
    assert_eq!(scenario.run.status(), Status::Running);
    let at = scenario.now.plus_ms(crate::limits::CONCLUDE_MS);
    assert_eq!(next(&scenario.run), [Effect::DispatchConclusion { expected_seq: 3 }, Effect::ExpireRunAt { at }]);

    let conclusion = Conclusion {
        answer: Some("The brass lamp.".to_owned()),
        data: Some(json!({"name": "Brass lamp"})),
        usage: usage(1, 1),
        ..Conclusion::default()
    };
    let run = scenario.when(WorkerCommand::Conclude(Box::new(conclusion))).run;
    assert_eq!(run.status(), Status::Succeeded);
    let outcome = run.outcome.unwrap();
    assert_eq!(outcome.reason, TerminalReason::Completed);
    assert_eq!(outcome.error, None);
    assert_eq!(outcome.data, Some(json!({"name": "Brass lamp"})));
    assert_eq!(run.usage, usage(1, 1));
}

#[test]
fn the_last_allowed_step_ends_the_run_at_the_step_limit() {
    for outcome in [acted(), not_acted()] {
        let scenario = Scenario::created_with(|spec| spec.max_steps = 2)
            .take_step()
            .start()
            .choose(scroll(), false)
            .finish(outcome);
        assert_eq!(scenario.ending(), (TerminalReason::MaxSteps, Some("reached the step limit (2)".to_owned())));
        let run = scenario.conclude().run;
        assert_eq!(run.status(), Status::Failed);
        assert_eq!(run.steps, 2);
    }
}

#[test]
fn a_goal_reached_in_the_last_allowed_step_succeeds() {
    let scenario = Scenario::created_with(|spec| spec.max_steps = 1).start().finish(StepOutcome::GoalReached);
    assert_eq!(scenario.conclude().run.status(), Status::Succeeded);
}

#[test]
fn giving_up_fails_with_its_reason() {
    let scenario = Scenario::created().start().finish(gave_up()).conclude();
    assert_eq!(scenario.run.status(), Status::Failed);
    assert_eq!(scenario.ending(), (TerminalReason::GoalNotReached, Some("no such lamp".to_owned())));
}

#[test]
fn giving_up_after_a_refusal_is_rejected_by_human() {
    let scenario =
        Scenario::created().start().ask_approval(buy(), false).reply(refuse()).start().finish(gave_up()).conclude();
    assert_eq!(scenario.run.status(), Status::Failed);
    assert_eq!(scenario.ending().0, TerminalReason::RejectedByHuman);
}

#[test]
fn another_way_to_the_goal_after_a_refusal_succeeds() {
    let scenario = Scenario::created().start().ask_approval(buy(), false).reply(refuse()).take_step().start();
    assert_eq!(scenario.finish(StepOutcome::GoalReached).conclude().run.status(), Status::Succeeded);
}

#[test]
fn a_fatal_outcome_ends_the_run_with_its_reason() {
    let fatal = StepOutcome::Fatal { reason: TerminalReason::NavigationError, error: "no such host".to_owned() };
    let scenario = Scenario::created().start().finish(fatal).conclude();
    assert_eq!(scenario.run.status(), Status::Failed);
    assert_eq!(scenario.ending(), (TerminalReason::NavigationError, Some("no such host".to_owned())));
}

#[test]
fn a_run_expires_when_its_run_time_is_over_and_not_before() {
    let scenario = Scenario::created_with(|spec| spec.timeout_s = 10).start().after(4_000).finish(acted());
    let scenario = scenario.after(100_000).start().after(5_999);
    assert_eq!(scenario.refusal(SchedulerCommand::ExpireRun), Rejection::NotExpired);
    let scenario = scenario.after(1).when(SchedulerCommand::ExpireRun);
    assert_eq!(scenario.ending(), (TerminalReason::Timeout, Some("reached the time limit (10 s)".to_owned())));
    assert_eq!(scenario.run.run_ms, 10_000);
    assert_eq!(scenario.conclude().run.status(), Status::TimedOut);
}

#[test]
fn a_run_that_expires_in_a_committing_action_says_so() {
    let scenario = Scenario::created_with(|spec| spec.timeout_s = 10).start().choose(buy(), true).after(10_000);
    let error = "reached the time limit (10 s); outcome unknown: click button \"Buy\"";
    assert_eq!(scenario.when(SchedulerCommand::ExpireRun).ending().1.as_deref(), Some(error));
}

#[test]
fn neither_queueing_nor_waiting_lets_a_run_expire() {
    let queueing = Scenario::created().after(10_000_000);
    assert_eq!(queueing.refusal(SchedulerCommand::ExpireRun), Rejection::NotExpired);
    let waiting = Scenario::created().start().ask(PauseKind::Question).after(10_000_000);
    assert_eq!(waiting.refusal(SchedulerCommand::ExpireRun), Rejection::NotExpired);
}

#[test]
fn a_conclusion_that_hangs_finishes_the_run_without_data_for_its_own_reason() {
    let scenario = Scenario::created().start().finish(gave_up()).after(crate::limits::CONCLUDE_MS - 1);
    assert_eq!(scenario.refusal(SchedulerCommand::ExpireRun), Rejection::NotExpired);
    let scenario = scenario.after(1).when(SchedulerCommand::ExpireRun);
    assert_eq!(scenario.run.status(), Status::Failed);
    assert_eq!(scenario.ending().0, TerminalReason::GoalNotReached);
    let outcome = scenario.run.outcome.as_ref().unwrap();
    assert_eq!((&outcome.answer, &outcome.data), (&None, &None));
    assert_eq!(scenario.refusal(WorkerCommand::Conclude(Box::default())), Rejection::Finished);
}

#[test]
fn a_run_can_be_stopped_in_every_phase_by_one_commit() {
    let phases = [
        Scenario::created(),
        Scenario::created().start(),
        Scenario::created().start().choose(scroll(), false),
        Scenario::created().start().ask(PauseKind::Handoff),
        Scenario::created().start().ask(PauseKind::Handoff).reply(Reply::Done),
        Scenario::created().start().finish(StepOutcome::GoalReached),
    ];
    for scenario in phases {
        let before = scenario.run.phase.clone();
        let scenario = scenario.when(GatewayCommand::Stop);
        assert_eq!(scenario.last_events(), ["run.stop_requested", "run.finished"], "{before:?}");
        assert_eq!(scenario.run.status(), Status::Stopped);
        assert_eq!(scenario.ending(), (TerminalReason::Stopped, None));
        assert_eq!(scenario.run.outcome.as_ref().unwrap().data, None);
    }
}

#[test]
fn a_stop_names_the_committing_action_it_left_unresolved() {
    let chosen = || Scenario::created_with(|spec| spec.timeout_s = 10).start().choose(buy(), true);
    let phases = [
        chosen(),
        chosen().lose(),
        chosen().lose().start(),
        chosen().lose().start().ask_approval(buy(), true),
        chosen().after(10_000).when(SchedulerCommand::ExpireRun),
    ];
    for scenario in phases {
        let error = scenario.when(GatewayCommand::Stop).ending().1.unwrap();
        assert!(error.ends_with("outcome unknown: click button \"Buy\""), "{error}");
    }
}

#[test]
fn what_was_in_flight_when_the_run_was_stopped_is_refused() {
    let scenario = Scenario::created().start().when(GatewayCommand::Stop);
    for command in worker_commands() {
        let rejection = scenario.refusal(command.clone());
        assert!(matches!(rejection, Rejection::Finished | Rejection::LostClaim), "{command:?}: {rejection:?}");
    }
    assert_eq!(scenario.refusal(lose_command(1, 1)), Rejection::Finished);
    assert_eq!(scenario.refusal(SchedulerCommand::ExpireRun), Rejection::Finished);
    assert_eq!(scenario.refusal(SchedulerCommand::ExpirePause { pause: 1 }), Rejection::Finished);
    assert_eq!(scenario.refusal(GatewayCommand::Stop), Rejection::Finished);
    assert_eq!(scenario.refusal(GatewayCommand::Reply { pause: None, reply: Reply::Done }), Rejection::Finished);
}

#[test]
fn the_charge_is_settled_once_and_after_the_end() {
    let charge = SchedulerCommand::SettleCharge { charge: MicroUsd(6_000) };
    assert_eq!(Scenario::created().refusal(charge.clone()), Rejection::NotFinished);

    let scenario = Scenario::succeeded();
    let at = scenario.now.plus_ms(crate::limits::SETTLE_MS);
    assert_eq!(next(&scenario.run), [Effect::SettleAt { at }]);
    let scenario = scenario.when(charge.clone());
    assert_eq!(scenario.run.charge, Some(MicroUsd(6_000)));
    assert_eq!(scenario.run.status(), Status::Succeeded);
    assert_eq!(next(&scenario.run), []);
    assert_eq!(scenario.refusal(charge), Rejection::AlreadySettled);
}

#[test]
fn only_a_finished_run_can_be_deleted() {
    let phases = [
        Scenario::created(),
        Scenario::created().start(),
        Scenario::created().start().ask(PauseKind::Handoff),
        Scenario::created().start().finish(StepOutcome::GoalReached),
    ];
    for scenario in phases {
        assert_eq!(scenario.refusal(GatewayCommand::Delete), Rejection::NotFinished);
    }
}

#[test]
fn a_run_whose_charge_is_not_settled_cannot_be_deleted() {
    assert_eq!(Scenario::succeeded().refusal(GatewayCommand::Delete), Rejection::NotSettled);
}

#[test]
fn a_deleted_run_refuses_everything() {
    let settled = Scenario::succeeded().when(SchedulerCommand::SettleCharge { charge: MicroUsd(6_000) });
    let scenario = settled.when(GatewayCommand::Delete);
    assert!(scenario.run.is_deleted());
    assert_eq!(next(&scenario.run), []);
    for command in worker_commands() {
        assert_eq!(scenario.refusal(command), Rejection::Deleted);
    }
    assert_eq!(scenario.refusal(GatewayCommand::Delete), Rejection::Deleted);
    assert_eq!(scenario.refusal(GatewayCommand::Stop), Rejection::Deleted);
    assert_eq!(scenario.refusal(SchedulerCommand::ExpireRun), Rejection::Deleted);
}
