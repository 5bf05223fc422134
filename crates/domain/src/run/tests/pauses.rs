//! Pauses, replies, and what a reply allows the next attempt.

use super::*;

#[test]
fn a_waiting_run_shows_its_pause_and_expires_after_the_human_timeout() {
    let scenario = Scenario::created().start().after(5_000).ask(PauseKind::Question);
    assert_eq!(scenario.run.status(), Status::WaitingForHuman);
    assert_eq!(scenario.run.pause().unwrap().since, scenario.now);
    let at = scenario.now.plus_ms(3_600_000);
    assert_eq!(next(&scenario.run), [Effect::ExpirePauseAt { pause: 1, at }]);
}

#[test]
fn a_reply_is_granted_to_the_next_attempt_at_the_same_step() {
    let scenario = Scenario::created().take_step().start().ask(PauseKind::Question).reply(answer("red"));
    assert_eq!(scenario.run.status(), Status::Running);
    assert_eq!((scenario.step(), scenario.attempt()), (2, 2));
    let scenario = scenario.start();
    assert_eq!(scenario.grant().unwrap().reply, answer("red"));
    assert_eq!(scenario.finish(acted()).grant(), None);
}

#[test]
fn pauses_are_numbered_within_the_run() {
    let scenario = Scenario::created().start().ask(PauseKind::Handoff).reply(Reply::Done).start();
    let of_an_old_number = WorkerCommand::AskHuman(Box::new(asked(1, 1, 2)));
    assert_eq!(scenario.refusal(of_an_old_number), Rejection::OtherPause { given: 1, current: 2 });
    assert_eq!(scenario.ask(PauseKind::Question).run.pause().unwrap().number, 2);
}

#[test]
fn a_reply_to_another_pause_is_refused_and_names_the_current_one() {
    let scenario = Scenario::created().start().ask(PauseKind::Question).reply(answer("red")).start();
    let scenario = scenario.ask(PauseKind::Question);
    let late = GatewayCommand::Reply { pause: Some(1), reply: answer("blue") };
    let rejection = scenario.refusal(late);
    assert_eq!(rejection, Rejection::OtherPause { given: 1, current: 2 });
    assert_eq!(rejection.to_string(), "\"pause\" 1 is not the current pause, which is 2");
    scenario.when(GatewayCommand::Reply { pause: Some(2), reply: answer("blue") });
}

#[test]
fn of_two_replies_the_first_counts() {
    let scenario = Scenario::created().start().ask_approval(buy(), false).reply(Reply::Approve);
    let second = GatewayCommand::Reply { pause: Some(1), reply: refuse() };
    assert_eq!(scenario.refusal(second), Rejection::NotWaiting);
}

#[test]
fn a_reply_of_another_kind_is_refused() {
    let replies = [answer("red"), Reply::Approve, refuse(), Reply::Done];
    for (kind, fitting) in
        [(PauseKind::Question, vec![0]), (PauseKind::Approval, vec![1, 2]), (PauseKind::Handoff, vec![3])]
    {
        let scenario = Scenario::created().start().ask(kind);
        for (index, reply) in replies.iter().enumerate() {
            let command = Command::from(GatewayCommand::Reply { pause: None, reply: reply.clone() });
            let decision = decide(&scenario.run, command, scenario.now);
            assert_eq!(decision.is_ok(), fitting.contains(&index), "{kind:?} {reply:?}");
        }
    }
}

#[test]
fn an_answer_outside_the_options_is_refused() {
    let scenario =
        Scenario::created().start().ask_with(|asked| asked.options = vec!["red".to_owned(), "blue".to_owned()]);
    let green = GatewayCommand::Reply { pause: None, reply: answer("green") };
    assert_eq!(scenario.refusal(green), Rejection::ReplyDoesNotFit);
    scenario.reply(answer("blue"));
}

#[test]
fn a_run_that_does_not_wait_refuses_replies() {
    let reply = GatewayCommand::Reply { pause: None, reply: Reply::Done };
    for scenario in
        [Scenario::created(), Scenario::created().start(), Scenario::created().start().finish(StepOutcome::GoalReached)]
    {
        assert_eq!(scenario.refusal(reply.clone()), Rejection::NotWaiting);
    }
}

#[test]
fn an_expired_pause_ends_the_run_timed_out() {
    let scenario = Scenario::created().start().ask(PauseKind::Question).after(3_600_000);
    let scenario = scenario.when(SchedulerCommand::ExpirePause { pause: 1 });
    assert_eq!(scenario.ending(), (TerminalReason::HumanTimeout, Some("nobody replied within 3600 s".to_owned())));
    assert_eq!(scenario.refusal(GatewayCommand::Reply { pause: Some(1), reply: answer("red") }), Rejection::NotWaiting);
    assert_eq!(scenario.conclude().run.status(), Status::TimedOut);
}

#[test]
fn a_late_reply_counts_when_it_comes_before_the_expiry() {
    let scenario = Scenario::created().start().ask(PauseKind::Question).after(9_999_999).reply(answer("red"));
    assert_eq!(scenario.refusal(SchedulerCommand::ExpirePause { pause: 1 }), Rejection::NotWaiting);
}

#[test]
fn the_expiry_of_an_answered_pause_does_not_end_the_next_one() {
    let scenario = Scenario::created().start().ask(PauseKind::Handoff).reply(Reply::Done).start();
    let scenario = scenario.ask(PauseKind::Handoff);
    let stale = SchedulerCommand::ExpirePause { pause: 1 };
    assert_eq!(scenario.refusal(stale), Rejection::OtherPause { given: 1, current: 2 });
}

#[test]
fn an_approval_outlives_a_worker_that_is_lost_before_acting() {
    let scenario = Scenario::created().start().ask_approval(buy(), false).reply(Reply::Approve);
    let scenario = scenario.start().lose().start();
    let grant = scenario.grant().unwrap();
    assert_eq!(grant.reply, Reply::Approve);
    assert_eq!(grant.pause.proposal, Some(proposal(buy(), false)));
    assert_eq!(scenario.run.unresolved_action(), None);
}

#[test]
fn an_approval_is_used_up_once_its_action_was_begun() {
    let scenario = Scenario::created().start().ask_approval(buy(), false).reply(Reply::Approve);
    let scenario = scenario.start().choose(buy(), true).lose().start();
    assert_eq!(scenario.grant(), None);
    assert_eq!(scenario.run.unresolved_action().unwrap().action, buy());
}

#[test]
fn an_approval_is_gone_when_the_element_was_not_there_any_more() {
    let scenario = Scenario::created().start().ask_approval(buy(), false).reply(Reply::Approve);
    let scenario = scenario.start().choose(buy(), true).finish(not_acted());
    assert_eq!(scenario.grant(), None);
    assert_eq!(scenario.run.unresolved_action(), None);
}

#[test]
fn what_a_person_did_by_hand_is_still_known_after_a_step_that_could_not_act() {
    let scenario = Scenario::created().start().ask(PauseKind::Handoff).reply(Reply::Done).start();
    assert_eq!(scenario.finish(not_acted()).grant().unwrap().reply, Reply::Done);
}

#[test]
fn a_pause_keeps_page_screenshot_and_checkpoint_for_the_next_attempt() {
    let run = Scenario::created()
        .start()
        .ask_with(|asked| {
            asked.url = Some(page(1).url);
            asked.pages = vec![page(1)];
            asked.screenshot = Some(blob("shot-1"));
            asked.checkpoint = Some(blob("checkpoint-1"));
            asked.usage = usage(1, 1);
        })
        .run;
    assert_eq!(run.current_url, Some(page(1).url));
    assert_eq!(run.pages, [page(1)]);
    assert_eq!((run.screenshot, run.checkpoint), (Some(blob("shot-1")), Some(blob("checkpoint-1"))));
    assert_eq!(run.usage, usage(1, 1));
}
