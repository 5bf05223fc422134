//! What a goal forbids or cannot mean is never done, and filling in alone presses nothing that commits.

use errand_planner::Decision;
use proptest::prelude::*;

use super::browser::{Errand, Story};
use super::site::{Page, page};

fn contact() -> Page {
    page("/forms/contact", "Contact")
        .text("Contact")
        .form("post", "/forms/sent")
        .field("Name")
        .required()
        .input("Email", "email")
        .required()
        .area("Message")
        .required()
        .button("Send message")
        .end_form()
}

fn sent() -> Page {
    page("/forms/sent", "Thank you").text("Thank you for your message")
}

fn run(goal: &str) -> Story {
    Errand::new(goal, vec![contact(), sent()]).run("/forms/contact")
}

#[test]
fn a_form_that_must_not_be_sent_is_only_filled() {
    let fill = "ill in the contact form with name Nora and email j@e.com and message hi";
    for goal in [
        format!("F{fill}. Do not send it."),
        format!("F{fill}, but do not send it"),
        format!("F{fill} without sending it"),
        format!("F{fill}, don't submit"),
        format!("Stop before you submit: f{fill}"),
        format!("F{fill}"),
        format!("F{fill} but don’t send"),
        format!("F{fill}. Under no circumstances send it."),
        format!("F{fill}. Don't actually send."),
        format!("F{fill}, and then do nothing. No sending."),
        format!("F{fill}. Do NOT press Send message."),
        format!("F{fill}. Do not press 'Send message'."),
        format!("F{fill} (don't send)."),
        format!("F{fill}. It should not be submitted yet."),
        format!("F{fill}. You are not allowed to submit the form."),
        format!("F{fill}. Sending is forbidden."),
        format!("F{fill}. Leave the form unsubmitted."),
        format!("F{fill}, stop before you send it"),
        format!("F{fill}. Stop right before the submit button."),
        format!("F{fill}; wait for me before you send it"),
        format!("F{fill}. Send nothing."),
        format!("F{fill}. Submit? No."),
        format!("Only f{fill}"),
        format!("I will send it myself: f{fill}"),
        format!("Prepare, but do not send: f{fill}"),
        format!("Without submitting anything, f{fill}"),
        format!("Please f{fill} and tell me the title"),
    ] {
        let story = run(&goal);
        assert!(story.approvals.is_empty(), "{goal}: {:?}", story.approvals);
        story.assert_finished_at("/forms/contact");
        assert_eq!(
            story.done,
            [
                "type \"Nora\" into textbox \"Name\"",
                "type \"j@e.com\" into textbox \"Email\"",
                "type \"hi\" into textbox \"Message\""
            ],
            "{goal}"
        );
    }
}

#[test]
fn a_form_that_is_to_be_sent_is_sent() {
    let fill = "Fill in the contact form with name Nora and email j@e.com and message hi";
    for goal in [format!("{fill} and send it"), format!("{fill}. Submit it."), format!("{fill}, then submit the form")]
    {
        run(&goal).assert_finished_at("/forms/sent");
    }
}

fn shop() -> Vec<Page> {
    let shop = page("/shop", "Shop").link("Blue Mug", "/shop/mug");
    let mug = page("/shop/mug", "Blue Mug").text("Blue Mug $12.00").form("post", "/shop/cart");
    let mug = mug.button("Add to cart").end_form();
    let cart = page("/shop/cart", "Your cart").text("Blue Mug $12.00").link("Checkout", "/shop/checkout");
    let checkout = page("/shop/checkout", "Checkout")
        .form("post", "/shop/done")
        .field("Full name")
        .field("Street address")
        .button("Place order")
        .end_form();
    let done = page("/shop/done", "Order confirmed").text("Thank you. Order number: 1");
    vec![shop, mug, cart, checkout, done]
}

#[test]
fn an_order_that_must_not_be_placed_ends_at_the_checkout() {
    for goal in [
        "Order one Blue Mug for Ada Lovelace, 12 Main St, Springfield, IL 62701, but do not order yet",
        "Order one Blue Mug for Ada Lovelace, 12 Main St, Springfield, IL 62701. Do not place the order.",
        "Order one Blue Mug for Ada Lovelace, 12 Main St, Springfield, IL 62701 without actually buying it",
        "Buy a Blue Mug for Ada Lovelace, 12 Main St, Springfield, IL 62701; stop before paying",
        "Do not buy anything yet: order one Blue Mug for Ada Lovelace, 12 Main St, Springfield, IL 62701",
    ] {
        let story = Errand::new(goal, shop()).run("/shop");
        assert!(story.approvals.is_empty(), "{goal}: {:?}", story.approvals);
        story.assert_finished_at("/shop/checkout");
    }
}

#[test]
fn a_cart_that_must_not_be_checked_out_stays_a_cart() {
    for goal in
        ["Add a Blue Mug to the cart but do not check out", "Order a Blue Mug for Ada Lovelace. Do not check out."]
    {
        let story = Errand::new(goal, shop()).run("/shop");
        story.assert_finished_at("/shop/cart");
    }
}

#[test]
fn a_forbidden_press_without_anything_to_fill_is_no_success() {
    let start = page("/", "Start").form("post", "/forms/sent").button("Send").end_form();
    let story = Errand::new("Fill in the form with name Nora, but do not send it", vec![start, sent()]).run("/");
    assert!(matches!(story.end, Decision::GiveUp { .. }), "{story:#?}");
}

#[test]
fn a_count_that_orders_nothing_is_asked_about() {
    for count in ["0", "-3", "zero", "2.5", "minus two"] {
        let goal = format!("Order {count} Blue Mugs for Ada Lovelace, 12 Main St, Springfield, IL 62701");
        let asked = Errand::new(&goal, shop()).run("/shop");
        assert!(asked.done.is_empty(), "{goal}: {:?}", asked.done);
        assert!(matches!(&asked.end, Decision::Ask { prompt, .. } if prompt.starts_with("How many")), "{asked:#?}");
        let answered = Errand::new(&goal, shop()).answer("How many", "2").run("/shop");
        answered.assert_finished_at("/shop/done");
        let again = Errand::new(&goal, shop()).answer("How many", "0").run("/shop");
        assert!(again.done.is_empty() && matches!(again.end, Decision::GiveUp { .. }), "{again:#?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_wording_of_a_denial_sends_the_form(
        denial in prop::sample::select(vec!["do not", "don't", "never", "please do not", "you must not", "under no circumstances should you not"]),
        verb in prop::sample::select(vec!["send it", "submit it", "submit the form", "press send", "click Send message", "click \"Send message\"", "send anything", "post it"]),
        joint in prop::sample::select(vec![". ", ", ", "; ", ", but ", " but ", " and ", " - ", "\n", "! "]),
        is_first in any::<bool>(),
    ) {
        let fill = "fill in the contact form with name Nora and email j@e.com and message hi";
        let goal = if is_first { format!("{denial} {verb}. {fill}") } else { format!("{fill}{joint}{denial} {verb}") };
        let story = run(&goal);
        prop_assert!(story.approvals.is_empty(), "{goal}: {story:#?}");
    }
}
