//! Whatever a goal or a page says, it is read without a panic, and an errand ends.

use errand_planner::goal::{Goal, shape_in_goal, wanted_count};
use errand_planner::risk::judge;
use errand_planner::rules::decide;
use errand_planner::{Decision, PastStep, Situation};
use proptest::prelude::*;

use super::site::{Page, page, seen};

/// Pieces that goals are made of, in any order, with odd letters between them.
fn goals() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "Order one ",
        "Blue Mug",
        " (size large)",
        " for ",
        "Ada Lovelace, ",
        "12 Main St, ",
        "Springfield, IL 62701",
        "search for ",
        "and ",
        "then ",
        "click ",
        "\"Save\"",
        "open the ",
        "first ",
        "fill in ",
        "name: ",
        "message ",
        "saying ",
        "tell me ",
        "the price",
        ", ",
        ". ",
        "; ",
        "\n",
        "as JSON with ",
        "İstanbul ",
        "ß",
        "日本 ",
        "“",
        "'",
        "(",
        "]",
        "born ",
        "March 5, 2027",
        "[secret:x]",
        "a@b.cd",
        "+1 555 010 2000",
        "top 3 ",
    ]);
    prop::collection::vec(pieces, 0..14).prop_map(|pieces| pieces.concat())
}

fn pages() -> impl Strategy<Value = Page> {
    let names = || {
        prop::sample::select(vec![
            "Blue Mug",
            "Add to cart",
            "Checkout",
            "Place order",
            "Next",
            "Search",
            "Name",
            "Address",
            "Email *",
            "Accept all",
            "Menu",
            "",
            "→",
            "Größe",
            "Save",
            "Card number",
        ])
    };
    let part = (0..9_u8, names());
    prop::collection::vec(part, 0..12).prop_map(|parts| {
        let start = page("/any", "Any page").text("We use cookies. Order number: 12").more_below();
        parts.into_iter().fold(start, |page, (kind, name)| match kind {
            0 => page.link(name, "/next"),
            1 => page.button(name),
            2 => page.field(name),
            3 => page.select(name, &["Choose", "Small", "Large"]).required(),
            4 => page.form("post", "/send"),
            5 => page.end_form(),
            6 => page.checkbox(name),
            7 => page.radio("group", name),
            _ => page.input(name, "password"),
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_goal_can_be_read(goal in goals(), noise in ".{0,40}") {
        let goal = format!("{goal}{noise}");
        prop_assert!(!Goal::read(&goal).intents.is_empty());
        prop_assert_ne!(wanted_count(&goal), Some(0));
        prop_assert!(shape_in_goal(&goal).is_none_or(|shape| shape.is_object() || shape.is_array()));
    }

    #[test]
    fn a_page_that_never_changes_is_left_after_few_steps(goal in goals(), page in pages()) {
        let observation = seen(page.observation);
        let mut history = Vec::new();
        for _ in 0..60 {
            let decision = decide(&Situation {
                goal: &goal,
                start_url: &observation.url,
                schema: None,
                secrets: &[],
                observation: &observation,
                history: &history,
                filled: (0, 1),
                steps_left: 60,
            });
            let Decision::Act(action) = decision else { return Ok(()) };
            prop_assert!(judge(&action, &observation).prompt.starts_with("Approve: "));
            history.push(PastStep::Acted { committing: judge(&action, &observation).committing, action, url: observation.url.clone(), digest: observation.digest.clone(), outcome: "done".to_owned() });
        }
        prop_assert!(false, "no end: {history:#?}");
    }
}
