//! One committing press for each deed of the goal.

use errand_planner::Decision;

use super::browser::{Errand, Story};
use super::site::{Page, page};

const MESSAGE: &str = "Send the message \"Hello there\" from Ada with email ada@example.com.";

fn contact(path: &str, note: &str) -> Page {
    let form = page(path, "Contact us").text("Contact us").text(note).form("post", "/contact-sent").field("Name");
    form.input("Email", "email").area("Message").button("Send message").end_form()
}

fn presses(story: &Story, name: &str) -> usize {
    story.done.iter().filter(|step| **step == format!("click button {name:?}")).count()
}

#[test]
fn a_form_that_answers_not_sent_is_not_sent_again() {
    let refused = contact("/contact-sent", "Something went wrong. Your message was not sent.");
    let story = Errand::new(MESSAGE, vec![contact("/contact", ""), refused]).run("/contact");
    assert_eq!(presses(&story, "Send message"), 1, "{story:#?}");
    assert!(matches!(story.end, Decision::GiveUp { .. }), "{story:#?}");
}

#[test]
fn after_a_form_was_sent_no_other_button_is_pressed_to_send_it() {
    let with_tools = |path: &str| {
        let page = contact(path, "");
        page.script_button("Bold").script_button("Italic").script_button("Attach").script_button("Signature")
    };
    let story = Errand::new(MESSAGE, vec![with_tools("/contact"), with_tools("/contact-sent")]).run("/contact");
    assert_eq!(presses(&story, "Send message"), 1, "{story:#?}");
    for name in ["Bold", "Italic", "Attach", "Signature"] {
        assert_eq!(presses(&story, name), 0, "{story:#?}");
    }
}

#[test]
fn buttons_that_the_goal_names_are_deeds_of_their_own() {
    let both = page("/", "Buttons").text("Press them").script_button("ONE").script_button("TWO");
    let story = Errand::new("Click the \"ONE\" button and then click the \"TWO\" button.", vec![both]).run("/");
    assert_eq!((presses(&story, "ONE"), presses(&story, "TWO")), (1, 1), "{story:#?}");
}
