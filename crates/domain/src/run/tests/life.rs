//! Steps, claims and what a run remembers of them.

use super::*;

#[test]
fn a_new_run_is_running_and_its_first_step_is_offered_to_any_worker() {
    let run = Scenario::created().run;
    assert_eq!(run.status(), Status::Running);
    assert_eq!(run.reserved.as_usd(), 0.445);
    assert_eq!(next(&run), [Effect::DispatchStep { step: 1, attempt: 1, expected_seq: 1, route: None }]);
}

#[test]
fn a_claim_is_supervised_and_limited_in_time() {
    let scenario = Scenario::created().after(30_000).start();
    let limit = STARTED_AT.plus_ms(630_000);
    let supervise = Effect::Supervise { step: 1, attempt: 1, worker: worker("w1") };
    assert_eq!(next(&scenario.run), [supervise, Effect::ExpireRunAt { at: limit }]);
}

#[test]
fn a_later_claim_is_limited_by_the_run_time_that_is_left() {
    let scenario = Scenario::created().start().after(200_000).finish(acted()).after(50_000).start();
    let limit = scenario.now.plus_ms(400_000);
    assert!(next(&scenario.run).contains(&Effect::ExpireRunAt { at: limit }));
}

#[test]
fn the_next_step_is_offered_to_the_worker_that_holds_the_session() {
    let run = Scenario::created().start_on("w7").finish(not_acted()).run;
    let route = Some(worker("w7"));
    assert_eq!(next(&run), [Effect::DispatchStep { step: 2, attempt: 1, expected_seq: 3, route }]);
}

#[test]
fn a_step_is_claimed_once() {
    let scenario = Scenario::created().start_on("w1");
    assert_eq!(scenario.refusal(start_command(1, 1, "w2")), Rejection::LostClaim);
    assert_eq!(scenario.refusal(start_command(1, 1, "w1")), Rejection::LostClaim);
    assert_eq!(scenario.refusal(start_command(1, 2, "w2")), Rejection::LostClaim);
}

#[test]
fn a_claim_of_another_step_or_attempt_is_refused() {
    let scenario = Scenario::created().take_step();
    for (step, attempt) in [(1, 1), (2, 0), (2, 2), (3, 1)] {
        assert_eq!(scenario.refusal(start_command(step, attempt, "w1")), Rejection::LostClaim, "{step}.{attempt}");
    }
}

#[test]
fn a_step_has_one_action() {
    let scenario = Scenario::created().start().choose(scroll(), false);
    assert_eq!(scenario.refusal(choose_command(1, 1, buy(), true)), Rejection::LostClaim);
}

#[test]
fn what_a_worker_says_without_a_claim_is_refused() {
    let scenario = Scenario::created();
    assert_eq!(scenario.refusal(choose_command(1, 1, scroll(), false)), Rejection::LostClaim);
    assert_eq!(scenario.refusal(finish_command(1, 1, acted())), Rejection::LostClaim);
    assert_eq!(scenario.refusal(WorkerCommand::AskHuman(Box::new(asked(1, 1, 1)))), Rejection::LostClaim);
    assert_eq!(scenario.refusal(WorkerCommand::Conclude(Box::default())), Rejection::NotConcluding);
}

#[test]
fn late_result_of_a_fenced_attempt_is_refused() {
    let scenario = Scenario::created().start_on("w1").lose().start_on("w2");
    assert_eq!(scenario.refusal(choose_command(1, 1, buy(), true)), Rejection::LostClaim);
    assert_eq!(scenario.refusal(finish_command(1, 1, StepOutcome::GoalReached)), Rejection::LostClaim);
    assert_eq!(scenario.finish(acted()).run.steps, 1);
}

#[test]
fn a_repeated_result_is_refused_and_changes_nothing() {
    let scenario = Scenario::created().take_step();
    assert_eq!(scenario.refusal(finish_command(1, 1, acted())), Rejection::LostClaim);
}

#[test]
fn run_time_counts_claims_and_neither_queueing_nor_waiting() {
    let scenario = Scenario::created()
        .after(100_000)
        .start()
        .after(1_000)
        .finish(acted())
        .after(100_000)
        .start()
        .after(2_000)
        .ask(PauseKind::Question)
        .after(100_000)
        .reply(answer("red"))
        .after(100_000)
        .start()
        .after(4_000)
        .finish(acted())
        .after(100_000);
    assert_eq!(scenario.run.run_ms, 7_000);
    assert_eq!(scenario.run.run_ms_at(scenario.now), 7_000);
    let open = scenario.start().after(8_000);
    assert_eq!(open.run.run_ms_at(open.now), 15_000);
}

#[test]
fn an_outage_and_a_clock_that_was_set_meanwhile_are_no_run_time() {
    let scenario = Scenario::created().start().after(3_000).finish(acted()).start();
    let scenario = scenario.after(400 * 24 * 3_600_000).lose().start().after(1_000).finish(acted());
    assert_eq!(scenario.run.run_ms, 4_000);
}

#[test]
fn a_writer_whose_clock_is_behind_takes_no_run_time_back() {
    let mut scenario = Scenario::created().after(10_000).start().after(5_000);
    scenario.now = STARTED_AT;
    let scenario = scenario.finish(acted());
    assert_eq!(scenario.run.run_ms, 0);
    assert_eq!(scenario.run.last_at, STARTED_AT.plus_ms(10_000));
}

#[test]
fn a_step_leaves_its_page_screenshot_checkpoint_and_usage() {
    let scenario = Scenario::created().start().when(WorkerCommand::FinishStep(StepFinished {
        url: Some("https://shop.example.com/2".to_owned()),
        pages: vec![page(1), page(2)],
        screenshot: Some(blob("shot-1")),
        checkpoint: Some(blob("checkpoint-1")),
        usage: usage(2, 1),
        ..step_finished(1, 1, acted())
    }));
    let run = scenario.start().finish(acted()).run;
    assert_eq!(run.current_url.as_deref(), Some("https://shop.example.com/2"));
    assert_eq!(run.pages, [page(1), page(2)]);
    assert_eq!(run.screenshot, Some(blob("shot-1")));
    assert_eq!(run.step_screenshots, [(1, blob("shot-1"))]);
    assert_eq!(run.checkpoint, Some(blob("checkpoint-1")));
    assert_eq!(run.usage, usage(2, 1));
}

#[test]
fn the_last_six_pages_are_kept_and_a_later_look_replaces_the_one_before() {
    let finish = |step, pages| WorkerCommand::FinishStep(StepFinished { pages, ..step_finished(step, 1, acted()) });
    let later_look = PageRef { blob: blob("page-7-again"), ..page(7) };
    let run = Scenario::created()
        .start()
        .when(finish(1, (1..=7).map(page).collect()))
        .start()
        .when(finish(2, vec![later_look.clone(), page(2)]))
        .run;
    assert_eq!(run.pages, [page(3), page(4), page(5), page(6), later_look, page(2)]);
}

#[test]
fn pages_stored_before_an_action_survive_the_loss_of_its_worker() {
    let chosen = ActionChosen {
        step: 1,
        attempt: 1,
        action: scroll(),
        committing: false,
        url: page(4).url,
        digest: "d1".to_owned(),
        pages: vec![page(4)],
        usage: usage(1, 0),
    };
    let run = Scenario::created().start().when(WorkerCommand::ChooseAction(chosen)).lose().run;
    assert_eq!(run.pages, [page(4)]);
    assert_eq!(run.current_url, Some(page(4).url));
    assert_eq!(run.usage, usage(1, 0));
}

#[test]
fn the_history_tells_actions_with_their_outcomes_and_replies() {
    let run = Scenario::created()
        .take_step()
        .start()
        .ask(PauseKind::Question)
        .reply(answer("red"))
        .start()
        .choose(buy(), true)
        .finish(not_acted())
        .run;
    let told: Vec<String> = run
        .history
        .iter()
        .map(|record| match record {
            StepRecord::Acted { step, chosen, .. } => format!("{step}: {}", chosen.action.describe()),
            StepRecord::Replied { pause, reply } => format!("{}: {reply:?}", pause.prompt),
        })
        .collect();
    assert_eq!(told, ["1: scroll down", "Which colour?: Answer { answer: \"red\" }", "2: click button \"Buy\""]);
}
