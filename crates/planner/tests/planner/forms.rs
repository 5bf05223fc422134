//! Forms: contact, quote, registration, sign-in; over one page and over several.

use errand_planner::Decision;

use super::browser::Errand;
use super::site::{Page, page};

fn contact() -> Page {
    page("/contact", "Contact us")
        .section("navigation")
        .link("Start", "/")
        .section("")
        .text("Contact us")
        .form("post", "/sent")
        .field("Your name")
        .input("Email", "email")
        .select("Topic", &["General question", "Billing", "Technical problem", "Press"])
        .area("Message")
        .checkbox("Send me a copy")
        .button("Send message")
        .end_form()
        .form("post", "/subscribed")
        .input("Your email", "email")
        .button("Subscribe")
        .end_form()
}

fn sent() -> Page {
    page("/sent", "Message sent").text("Thank you for writing to us.\nReference: CF-1234")
}

#[test]
fn a_contact_form_is_filled_from_the_goal_and_sent() {
    let goal = "Send a message from Jo Ray, jo@example.org, about topic Billing with message \"My invoice is wrong.\" and tell me the reference.";
    let story = Errand::new(goal, vec![contact(), sent()]).filled_by(1, "Reference").run("/contact");
    story.assert_finished_at("/sent");
    assert_eq!(
        story.done,
        [
            "type \"Jo Ray\" into textbox \"Your name\"",
            "type \"jo@example.org\" into textbox \"Email\"",
            "select \"Billing\" in combobox \"Topic\"",
            "type \"My invoice is wrong.\" into textbox \"Message\"",
            "click button \"Send message\"",
        ]
    );
    assert_eq!(story.approvals, ["Approve: click button \"Send message\" on Contact us?"]);
}

#[test]
fn the_contact_page_is_found_from_the_start_page() {
    let home = page("/", "Museum").text("Welcome").link("Exhibitions", "/x").link("Contact", "/contact");
    let goal = "Contact the museum: name: Jo Ray, email: jo@example.org, message: Are you open on Sunday?";
    let story = Errand::new(goal, vec![home, contact(), sent()]).run("/");
    story.assert_finished_at("/sent");
    assert_eq!(story.done[0], "click link \"Contact\"");
    assert!(
        story.did("type \"Are you open on Sunday\" into textbox \"Message\"")
            || story.did("type \"Are you open on Sunday?\" into textbox \"Message\""),
        "{:#?}",
        story.done
    );
}

#[test]
fn a_refused_message_ends_honestly() {
    let goal = "Send a message from Jo Ray, jo@example.org, saying \"Hello\"";
    let story = Errand::new(goal, vec![contact(), sent()]).refusing().run("/contact");
    assert_eq!(story.end, Decision::GiveUp { reason: "click button \"Send message\" was refused".to_owned() });
}

#[test]
fn a_quote_over_two_pages_is_asked_for_once() {
    let goal = "Get a quote: fill in full name John Smith, zip 60601 and coverage Standard, then submit it and tell me the price.";
    let first = page("/quote", "Your details")
        .form("post", "/review")
        .field("Full name")
        .required()
        .field("ZIP code")
        .required()
        .select("Coverage", &["Basic", "Standard", "Premium"])
        .button("Next")
        .end_form();
    let review = page("/review", "Review your details")
        .text("John Smith, 60601, Standard")
        .form("post", "/price")
        .button("Get my quote")
        .end_form()
        .link("Change", "/quote");
    let price = page("/price", "Your quote").text("Your price: $81.00 a month");
    let story = Errand::new(goal, vec![first, review, price]).filled_by(1, "Your price").run("/quote");
    story.assert_finished_at("/price");
    assert_eq!(story.approvals, ["Approve: click button \"Get my quote\" on Review your details?"]);
    assert!(story.did("select \"Standard\" in combobox \"Coverage\""));
}

#[test]
fn a_wizard_is_walked_page_by_page() {
    let goal = "Complete the wizard with name Ada, city Paris and colour green, and tell me the code.";
    let step = |path: &str, next: &str, field: Option<&str>, button: &str| {
        let page = page(path, &format!("Wizard {path}")).text("A step").form("get", next);
        let page = match field {
            Some(label) => page.field(label),
            None => page,
        };
        page.button(button).end_form()
    };
    let pages = vec![
        step("/1", "/2", None, "Start"),
        step("/2", "/3", Some("Name"), "Next"),
        step("/3", "/4", None, "Next").with(|element| element.fingerprint = "three".to_owned()),
        step("/4", "/5", Some("City"), "Next"),
        step("/5", "/6", Some("Colour"), "Next"),
        step("/6", "/7", None, "Finish"),
        page("/7", "Wizard, done").text("All done\nYour code: WZ-1"),
    ];
    let story = Errand::new(goal, pages).filled_by(1, "Your code").run("/1");
    story.assert_finished_at("/7");
    assert_eq!(story.done.len(), 9, "{:#?}", story.done);
    assert!(story.approvals.is_empty(), "{:?}", story.approvals);
}

#[test]
fn optional_fields_without_a_fact_stay_empty() {
    let goal = "Fill in the form with name Jo Ray and submit it";
    let form = page("/f", "Form")
        .form("post", "/sent")
        .field("Name")
        .field("Company")
        .field("Favourite colour")
        .area("Notes")
        .button("Submit")
        .end_form();
    let story = Errand::new(goal, vec![form, sent()]).run("/f");
    story.assert_finished_at("/sent");
    assert_eq!(story.done, ["type \"Jo Ray\" into textbox \"Name\"", "click button \"Submit\""]);
}

#[test]
fn a_required_choice_without_a_fact_is_asked_with_its_options() {
    let goal = "Fill in the form with name Jo Ray and submit it";
    let form = page("/f", "Form")
        .form("post", "/sent")
        .field("Name")
        .select("Department", &["Select…", "Sales", "Repairs"])
        .required()
        .button("Submit")
        .end_form();
    let story = Errand::new(goal, vec![form.clone(), sent()]).run("/f");
    assert_eq!(
        story.end,
        Decision::Ask {
            prompt: "Which option should be chosen for \"Department\"?".to_owned(),
            options: vec!["Sales".to_owned(), "Repairs".to_owned()]
        }
    );
    let answered = Errand::new(goal, vec![form, sent()]).answer("Department", "Repairs").run("/f");
    answered.assert_finished_at("/sent");
    assert!(answered.did("select \"Repairs\" in combobox \"Department\""));
}

#[test]
fn radio_buttons_and_boxes_follow_the_goal() {
    let goal = "Register Jo Ray for the event with ticket type Student, vegetarian meal, and submit the form";
    let form = page("/f", "Register")
        .form("post", "/sent")
        .field("Full name")
        .section("Ticket type")
        .radio("ticket", "Regular")
        .radio("ticket", "Student")
        .section("Meal")
        .checkbox("Vegetarian")
        .checkbox("Gluten free")
        .section("")
        .button("Register")
        .end_form();
    let story = Errand::new(goal, vec![form, sent()]).run("/f");
    assert!(story.did("check radio \"Student\""), "{story:#?}");
    assert!(story.did("check checkbox \"Vegetarian\""));
    assert!(!story.did("check checkbox \"Gluten free\""));
}

#[test]
fn dates_and_numbers_take_the_form_of_their_fields() {
    let goal = "Book a table for Jo Ray: date March 5, 2027; guests: four; phone +1 555 010 2000";
    let form = page("/book", "Reservations")
        .form("post", "/sent")
        .field("Name")
        .input("Date", "date")
        .number("Guests", "2")
        .input("Phone", "tel")
        .button("Book")
        .end_form();
    let story = Errand::new(goal, vec![form, sent()]).run("/book");
    story.assert_finished_at("/sent");
    assert!(story.did("type \"2027-03-05\" into textbox \"Date\""), "{:#?}", story.done);
    assert!(story.did("type \"4\" into spinbutton \"Guests\""));
    assert!(story.did("type \"+1 555 010 2000\" into textbox \"Phone\""));
}

fn login() -> Page {
    page("/login", "Log in")
        .form("post", "/account")
        .field("Username")
        .input("Password", "password")
        .button("Log in")
        .end_form()
}

fn account() -> Page {
    page("/account", "Your account")
        .text("Welcome back\nBalance: $12.00")
        .form("post", "/login")
        .button("Log out")
        .end_form()
}

#[test]
fn secrets_are_typed_by_name_and_signing_in_needs_no_approval() {
    let goal = "Log in with username alice and the stored password, and tell me the balance.";
    let story =
        Errand::new(goal, vec![login(), account()]).secret("shop_password").filled_by(1, "Balance").run("/login");
    story.assert_finished_at("/account");
    assert_eq!(
        story.done,
        [
            "type \"alice\" into textbox \"Username\"",
            "type [secret:shop_password] into textbox \"Password\"",
            "click button \"Log in\""
        ]
    );
    assert!(story.approvals.is_empty());
}

#[test]
fn a_secret_named_in_the_goal_goes_into_its_field() {
    let goal = "Sign in with username [secret shop_user] and password [secret:shop_pw], then tell me the balance.";
    let home = page("/", "Shop").link("Sign in", "/login");
    let story = Errand::new(goal, vec![home, login(), account()])
        .secret("shop_user")
        .secret("shop_pw")
        .filled_by(1, "Balance")
        .run("/");
    story.assert_finished_at("/account");
    assert_eq!(story.done[1], "type [secret:shop_user] into textbox \"Username\"");
    assert_eq!(story.done[2], "type [secret:shop_pw] into textbox \"Password\"");
}

#[test]
fn a_sign_in_that_is_not_accepted_ends() {
    let goal = "Log in with username alice and password wrong, and tell me the balance.";
    let again = page("/account", "Log in")
        .text("Invalid username or password")
        .form("post", "/account")
        .field("Username")
        .input("Password", "password")
        .button("Log in")
        .end_form();
    let story = Errand::new(goal, vec![login(), again]).filled_by(1, "Balance").run("/login");
    assert!(matches!(&story.end, Decision::GiveUp { reason } if reason.contains("sign-in")), "{story:#?}");
}

#[test]
fn without_credentials_a_person_signs_in() {
    let story =
        Errand::new("Log in and tell me the balance.", vec![login(), account()]).filled_by(1, "Balance").run("/login");
    assert!(matches!(story.end, Decision::HandOff { .. }), "{story:#?}");
}

#[test]
fn what_an_error_names_is_asked_for() {
    let goal = "Send a message from Jo Ray saying \"Hello\"";
    let again = page("/sent", "Contact us")
        .text("Name, email and message are needed.")
        .form("post", "/ok")
        .field("Your name")
        .input("Email", "email")
        .area("Message")
        .button("Send message")
        .end_form();
    let ok = page("/ok", "Sent").text("Thank you");
    let story = Errand::new(goal, vec![contact(), again, ok]).answer("Email", "jo@example.org").run("/contact");
    story.assert_finished_at("/ok");
    assert_eq!(story.questions, ["What should be entered for \"Email\"?"]);
}

#[test]
fn a_form_of_scripts_is_sent_by_its_button() {
    let goal = "Enter \"Ada\" in the Nickname field and click Save";
    let form = page("/f", "Settings").script_button("Menu").field("Nickname").script_button("Save");
    let done = page("/saved", "Settings").text("Saved");
    let story = Errand::new(goal, vec![form, done]).script("Save", "/saved").run("/f");
    story.assert_finished_at("/saved");
    assert_eq!(story.done[0], "type \"Ada\" into textbox \"Nickname\"");
}

#[test]
fn a_quote_of_scripts_is_filled_page_by_page_and_asked_for() {
    let goal = "Get an insurance quote for John Smith, born 02/03/1990, zip 60601, coverage Standard with roadside assistance, and tell me the price.";
    let about = page("/q", "Insurance quote")
        .field("Full name")
        .field("MM/DD/YYYY")
        .with(|element| element.placeholder = Some("MM/DD/YYYY".to_owned()))
        .near("Date of birth")
        .field("Postal code")
        .script_button("Continue");
    let cover = page("/q2", "Insurance quote")
        .section("Coverage level")
        .radio("c", "Basic")
        .radio("c", "Standard")
        .section("")
        .checkbox("Roadside assistance")
        .checkbox("Legal protection")
        .script_button("Back")
        .script_button("Next");
    let review = page("/q3", "Insurance quote").text("Review your details").script_button("See rates");
    let price = page("/q4", "Insurance quote").text("Price: $81.00");
    let errand = Errand::new(goal, vec![about, cover, review, price]);
    let errand = errand.script("Continue", "/q2").script("Next", "/q3").script("See rates", "/q4");
    let story = errand.filled_by(1, "Price").run("/q");
    story.assert_finished_at("/q4");
    assert!(story.did("type \"02/03/1990\" into textbox \"MM/DD/YYYY\""), "{:#?}", story.done);
    assert!(story.did("check radio \"Standard\"") && story.did("check checkbox \"Roadside assistance\""));
    assert_eq!(story.approvals, ["Approve: click button \"See rates\" on Insurance quote?"]);
}

#[test]
fn a_date_of_birth_is_chosen_in_three_selects() {
    let goal = "Apply for the job as Ada Lovelace, date of birth 3 February 1990, allowed to work: yes";
    let form = page("/f", "Apply")
        .form("post", "/sent")
        .field("Name")
        .select("Day", &["Day", "1", "2", "3"])
        .select("Month", &["Month", "January", "February"])
        .select("Year", &["Year", "1989", "1990"])
        .section("Are you allowed to work here?")
        .radio("w", "Yes")
        .radio("w", "No")
        .section("")
        .button("Submit application")
        .end_form();
    let story = Errand::new(goal, vec![form, sent()]).run("/f");
    story.assert_finished_at("/sent");
    for step in [
        "select \"3\" in combobox \"Day\"",
        "select \"February\" in combobox \"Month\"",
        "select \"1990\" in combobox \"Year\"",
        "check radio \"Yes\"",
    ] {
        assert!(story.did(step), "{step}: {:#?}", story.done);
    }
}

#[test]
fn a_booking_goes_from_search_to_result_to_form() {
    let goal = "Book a single room from March 5, 2027 to March 7, 2027 for 2 guests, name Jo Ray, email jo@example.org";
    let search = page("/", "Hotel")
        .form("get", "/rooms")
        .input("Check-in", "date")
        .input("Check-out", "date")
        .select("Guests", &["1 guest", "2 guests"])
        .button("Search rooms")
        .end_form();
    let rooms = page("/rooms", "Rooms")
        .text("Double\nSingle")
        .link("Book", "/double")
        .near("Double $120.00")
        .link("Book", "/single")
        .near("Single $80.00");
    let form = page("/single", "Your booking")
        .text("Your booking")
        .form("post", "/sent")
        .field("Name")
        .input("Email", "email")
        .button("Confirm booking")
        .end_form();
    let story = Errand::new(goal, vec![search, rooms, form, sent()]).run("/");
    story.assert_finished_at("/sent");
    assert!(story.did("type \"2027-03-07\" into textbox \"Check-out\""), "{:#?}", story.done);
    assert_eq!(story.approvals, ["Approve: click button \"Confirm booking\" on Your booking?"]);
}

#[test]
fn the_only_large_field_takes_the_message() {
    let goal = "Report a problem: category Shipping, order number 1234, message \"It has not arrived.\"";
    let form = page("/s", "Support")
        .form("post", "/sent")
        .select("Category", &["Select category", "Account", "Shipping"])
        .field("Order #")
        .area("Describe what happened")
        .button("Send")
        .end_form();
    let story = Errand::new(goal, vec![form, sent()]).run("/s");
    story.assert_finished_at("/sent");
    assert!(story.did("type \"1234\" into textbox \"Order #\""), "{:#?}", story.done);
    assert!(story.did("type \"It has not arrived.\" into textbox \"Describe what happened\""));
}

#[test]
fn a_user_name_follows_the_word_as() {
    let story = Errand::new("Log in as ada with the stored password and tell me the balance", vec![login(), account()])
        .secret("site_password")
        .filled_by(1, "Balance")
        .run("/login");
    story.assert_finished_at("/account");
    assert_eq!(story.done[0], "type \"ada\" into textbox \"Username\"");
}

#[test]
fn two_pages_with_submit_buttons_of_one_name_are_both_sent() {
    let goal = "Fill in the form with name Jo Ray and city Paris and submit it";
    let first = page("/one", "Step one").form("post", "/two").field("Name").button("Submit").end_form();
    let second = page("/two", "Step two")
        .form("post", "/sent")
        .field("City")
        .button("Submit")
        .with(|element| element.fingerprint = "second".to_owned())
        .end_form();
    let story = Errand::new(goal, vec![first, second, sent()]).run("/one");
    story.assert_finished_at("/sent");
    assert_eq!(story.approvals.len(), 2);
}

#[test]
fn a_form_that_is_shown_empty_again_is_not_sent_twice() {
    let goal = "Send a message from Jo Ray saying \"Hello\"";
    let form = |path: &str| {
        page(path, "Contact").form("post", "/again").field("Your name").area("Message").button("Send").end_form()
    };
    let story = Errand::new(goal, vec![form("/contact"), form("/again")]).run("/contact");
    assert_eq!(story.end, Decision::Finish, "{story:#?}");
    assert_eq!(story.approvals.len(), 1);
}
