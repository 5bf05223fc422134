//! Lost workers, and committing actions whose outcome nobody knows.

use super::*;

fn in_doubt() -> Scenario {
    Scenario::created().start().choose(buy(), true).lose()
}

#[test]
fn a_lost_worker_leaves_the_step_to_the_next_attempt_on_any_worker() {
    let scenario = Scenario::created().take_step().start().lose();
    assert_eq!(scenario.last_events(), ["worker.lost"]);
    assert_eq!(
        next(&scenario.run),
        [Effect::DispatchStep { step: 2, attempt: 2, expected_seq: scenario.run.seq, route: None }]
    );
}

#[test]
fn the_loss_of_another_attempt_is_refused() {
    let scenario = Scenario::created().start().lose().start();
    assert_eq!(scenario.refusal(lose_command(1, 1)), Rejection::LostClaim);
    assert_eq!(scenario.refusal(lose_command(2, 2)), Rejection::LostClaim);
}

#[test]
fn a_worker_may_give_its_own_claim_up() {
    let scenario = Scenario::created().start();
    let scenario = scenario.when(WorkerCommand::AbandonStep { step: 1, attempt: 1, worker: worker("w1") });
    assert_eq!((scenario.step(), scenario.attempt()), (1, 2));
}

#[test]
fn the_third_loss_in_a_step_ends_the_run_as_worker_lost() {
    let scenario = Scenario::created().start().lose().start().lose().start().lose();
    assert_eq!(scenario.last_events(), ["worker.lost", "run.concluding"]);
    let error = "step 1 was lost with its worker 3 times";
    assert_eq!(scenario.ending(), (TerminalReason::WorkerLost, Some(error.to_owned())));
    assert_eq!(scenario.conclude().run.status(), Status::Failed);
}

#[test]
fn losses_are_counted_within_one_step() {
    let two_losses = |scenario: Scenario| scenario.start().lose().start().lose();
    let scenario = two_losses(two_losses(Scenario::created()).take_step()).take_step();
    assert_eq!(scenario.run.steps, 2);
    assert_eq!(scenario.run.losses, 0);
}

#[test]
fn a_last_loss_in_a_committing_action_names_it() {
    let scenario = Scenario::created().start().lose().start().lose().start().choose(buy(), true).lose();
    let error = "step 1 was lost with its worker 3 times; outcome unknown: click button \"Buy\"";
    assert_eq!(scenario.ending().1.as_deref(), Some(error));
}

#[test]
fn a_lost_harmless_action_is_simply_redone() {
    let scenario = Scenario::created().start().choose(scroll(), false).lose();
    assert_eq!(scenario.run.unresolved_action(), None);
}

#[test]
fn a_lost_committing_action_is_in_doubt_for_every_later_attempt() {
    let scenario = in_doubt();
    assert_eq!(scenario.run.unresolved_action().unwrap().action, buy());
    let scenario = scenario.start().choose(scroll(), false).lose().start();
    assert_eq!(scenario.run.unresolved_action().unwrap().action, buy());
}

#[test]
fn a_reply_about_something_else_leaves_the_doubt() {
    let scenario = in_doubt().start().ask(PauseKind::Question);
    assert_eq!(scenario.run.unresolved_action().unwrap().action, buy());
    let scenario = scenario.reply(answer("red"));
    assert_eq!(scenario.run.unresolved_action().unwrap().action, buy());
}

#[test]
fn a_reply_about_the_action_in_doubt_settles_it() {
    for reply in [Reply::Approve, refuse()] {
        let scenario = in_doubt().start().ask_approval(buy(), true).reply(reply.clone());
        assert_eq!(scenario.run.unresolved_action(), None);
        assert_eq!(scenario.grant().unwrap().reply, reply);
    }
}

#[test]
fn an_approved_repetition_that_is_lost_is_in_doubt_again() {
    let scenario = in_doubt().start().ask_approval(buy(), true).reply(Reply::Approve);
    let scenario = scenario.start().choose(buy(), true).lose();
    assert_eq!(scenario.run.unresolved_action().unwrap().action, buy());
    assert_eq!(scenario.grant(), None);
}

#[test]
fn a_step_that_could_not_act_leaves_the_doubt_and_one_that_acted_settles_it() {
    let scenario = in_doubt().start().finish(not_acted());
    assert_eq!(scenario.run.unresolved_action().unwrap().action, buy());
    let scenario = scenario.take_step();
    assert_eq!(scenario.run.unresolved_action(), None);
}

#[test]
fn a_question_in_place_of_a_result_leaves_the_recorded_action_in_doubt() {
    let scenario = Scenario::created().start().choose(buy(), true).ask(PauseKind::Handoff);
    assert_eq!(scenario.run.unresolved_action().unwrap().action, buy());
}

#[test]
fn a_pause_that_expires_names_the_action_in_doubt() {
    let scenario = in_doubt().start().ask_approval(buy(), true).when(SchedulerCommand::ExpirePause { pause: 1 });
    let error = "nobody replied within 3600 s; outcome unknown: click button \"Buy\"";
    assert_eq!(scenario.ending().1.as_deref(), Some(error));
}
