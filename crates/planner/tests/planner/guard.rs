//! The loop guard: pages that do not react, take turns, or stay blank.

use errand_domain::SecretName;
use errand_domain::action::{Action, TypedText};
use errand_planner::rules::decide;
use errand_planner::{Decision, Observation, PastStep, Situation};

use super::browser::Errand;
use super::site::{page, seen};

fn next(goal: &str, observation: &Observation, history: &[PastStep]) -> Decision {
    decide(&Situation {
        goal,
        start_url: &observation.url,
        schema: None,
        secrets: &[],
        observation,
        history,
        filled: (0, 1),
        steps_left: 10,
    })
}

#[test]
fn a_button_that_does_nothing_is_pressed_once() {
    let story =
        Errand::new("Click \"Save\"", vec![page("/", "Settings").text("Settings").script_button("Save")]).run("/");
    assert_eq!(story.done, ["click button \"Save\""]);
}

#[test]
fn a_blank_page_is_waited_for_and_then_given_up() {
    let blank = seen(page("/", "").observation);
    let mut history = Vec::new();
    for _ in 0..3 {
        let Decision::Act(action @ Action::Wait { .. }) = next("Get the title", &blank, &history) else {
            panic!("a wait")
        };
        history.push(PastStep::Acted {
            action,
            committing: false,
            url: blank.url.clone(),
            digest: blank.digest.clone(),
            outcome: String::new(),
        });
    }
    assert!(matches!(next("Get the title", &blank, &history), Decision::GiveUp { .. }));
}

#[test]
fn the_same_situation_gives_the_same_decision() {
    let observation = seen(page("/", "Shop").link("Blue Mug", "/a").link("Blue Mug", "/b").observation);
    let first = next("Order one Blue Mug", &observation, &[]);
    for _ in 0..5 {
        assert_eq!(next("Order one Blue Mug", &observation, &[]), first);
    }
    let Decision::Act(Action::Click { target }) = first else { panic!("a click") };
    assert_eq!(target.element, "e0");
}

#[test]
fn a_page_that_always_offers_the_next_page_ends() {
    let list = page("/list", "Lamps").text("Lamps").link("Next", "/list");
    let story = Errand::new("Order one Copper Kettle for Ada Lovelace", vec![list]).run("/list");
    assert!(matches!(story.end, Decision::GiveUp { .. }), "{story:#?}");
    assert!(story.done.len() <= 4, "{:?}", story.done);
}

#[test]
fn a_notice_of_the_browser_is_in_the_reason() {
    let mut observation = page("/", "Start").text("Nothing here").observation;
    observation.notice = Some("navigation to 10.0.0.1 was blocked".to_owned());
    let Decision::GiveUp { reason } = next("Open the \"Reports\" page", &seen(observation), &[]) else {
        panic!("gives up")
    };
    assert!(reason.contains("10.0.0.1 was blocked"), "{reason}");
}

#[test]
fn a_captcha_is_handed_to_a_person() {
    let observation = seen(page("/", "Just a moment").text("Please verify you are human to continue").observation);
    assert!(matches!(next("Open the \"Reports\" page", &observation, &[]), Decision::HandOff { .. }));
}

#[test]
fn a_question_whose_answer_does_not_fit_is_not_asked_again() {
    let form =
        page("/f", "Form").form("post", "/sent").field("Name").select("Department", &["Select…", "Sales", "Repairs"]);
    let form = form.required().button("Submit").end_form();
    let story =
        Errand::new("Fill in the form with name Jo Ray and submit it", vec![form]).answer("Department", "Elsewhere");
    let story = story.run("/f");
    assert_eq!(story.questions.len(), 1);
    assert!(matches!(&story.end, Decision::GiveUp { reason } if reason.contains("did not fit")), "{story:#?}");
}

#[test]
fn a_captcha_that_stays_after_a_hand_over_ends() {
    let observation = seen(page("/", "Just a moment").text("Please verify you are human to continue").observation);
    let Decision::HandOff { prompt } = next("Open the \"Reports\" page", &observation, &[]) else {
        panic!("a hand-off")
    };
    let history = [PastStep::HandedBack { prompt }];
    assert!(matches!(next("Open the \"Reports\" page", &observation, &history), Decision::GiveUp { .. }));
}

#[test]
fn an_action_that_could_not_be_done_is_tried_once_more() {
    let observation = seen(page("/", "Settings").text("Settings").script_button("Save").observation);
    let goal = "Click \"Save\"";
    let Decision::Act(action) = next(goal, &observation, &[]) else { panic!("a click") };
    let failed = PastStep::Acted {
        action: action.clone(),
        committing: false,
        url: observation.url.clone(),
        digest: observation.digest.clone(),
        outcome: "not done: it was covered".to_owned(),
    };
    assert_eq!(next(goal, &observation, std::slice::from_ref(&failed)), Decision::Act(action));
    assert!(matches!(next(goal, &observation, &[failed.clone(), failed]), Decision::GiveUp { .. }));
}

#[test]
fn a_page_that_could_not_be_reached_is_no_success() {
    let home = page("/", "News").text("News").link("A story about tea and clocks", "/gone");
    let gone = page("/gone", "");
    let story = Errand::new("Open the \"A story about tea and clocks\" link and tell me the author", vec![home, gone]);
    let story = story.filled_by(1, "By Kim").run("/");
    assert_eq!(story.end, Decision::GiveUp { reason: "the page shows nothing".to_owned() });
}

#[test]
fn a_secret_that_this_host_must_not_have_is_tried_twice() {
    let form = page("/login", "Log in").form("post", "/in").input("Password", "password");
    let form = form.button("Log in").end_form();
    let secrets = [SecretName::parse("pw").expect("a secret name")];
    let mut history = Vec::new();
    for refusals in 0..2 {
        let page = form.clone().text(&format!("Attempt {refusals}"));
        let Decision::Act(action) = sign_in(&seen(page.observation), &secrets, &history) else { panic!("an action") };
        assert!(matches!(action, Action::Type { text: TypedText::Secret(_), .. }), "{action:?}");
        let outcome = "not done: secret \"pw\" may not be typed into pages of \"site.test\"".to_owned();
        let url = "https://site.test/login".to_owned();
        history.push(PastStep::Acted { action, committing: false, url, digest: format!("d{refusals}"), outcome });
    }
    let last = sign_in(&seen(form.text("Attempt 2").observation), &secrets, &history);
    let reason = "secret \"pw\" may not be typed into pages of \"site.test\"".to_owned();
    assert_eq!(last, Decision::GiveUp { reason });
}

fn sign_in(observation: &Observation, secrets: &[SecretName], history: &[PastStep]) -> Decision {
    decide(&Situation {
        goal: "Sign in with password [secret:pw] and tell me the balance",
        start_url: &observation.url,
        schema: None,
        secrets,
        observation,
        history,
        filled: (0, 0),
        steps_left: 10,
    })
}
