//! Which actions wait for an approval, and what a person is shown (SPEC §3).

use errand_domain::action::{Action, ScrollDirection, TypedText};
use errand_planner::Observation;
use errand_planner::risk::{Risk, judge};

use super::site::{Page, page, seen};

fn finished(page: Page) -> Observation {
    seen(page.observation)
}

/// Judges a click on the element with this name.
fn click(page: Page, name: &str) -> Risk {
    let observation = finished(page);
    let element = observation.elements.iter().find(|element| element.name == name).expect("the element");
    judge(&Action::Click { target: element.target() }, &observation)
}

fn enter_in(page: Page, name: &str) -> Risk {
    let observation = finished(page);
    let element = observation.elements.iter().find(|element| element.name == name).expect("the element");
    judge(&Action::Press { key: "Enter".to_owned(), target: Some(element.target()) }, &observation)
}

fn value(page: Page, value: &str) -> Page {
    page.with(|element| element.value = Some(value.to_owned()))
}

#[test]
fn the_prompt_names_the_button_and_the_page() {
    let form = page("/q", "Review your details").form("post", "/quote").field("Full name");
    let form = value(form, "John Smith").select("Coverage", &["Standard", "Basic"]).button("Get my quote").end_form();
    let risk = click(form, "Get my quote");
    assert!(risk.committing);
    assert_eq!(risk.prompt, "Approve: click button \"Get my quote\" on Review your details?");
    assert_eq!(risk.fields, ["Full name: \"John Smith\"", "Coverage: \"Standard\""]);
    assert_eq!(risk.label, "Get my quote");
}

#[test]
fn a_form_without_visible_fields_lists_none() {
    let risk = click(page("/r", "Review").form("post", "/done").button("Place order").end_form(), "Place order");
    assert!(risk.committing);
    assert!(risk.fields.is_empty());
}

#[test]
fn passwords_are_listed_masked() {
    let form = page("/s", "Sign up").form("post", "/new").field("Name");
    let form = value(form, "Ada").input("Password", "password").button("Create account").end_form();
    let risk = click(form, "Create account");
    assert!(risk.committing);
    assert_eq!(risk.fields, ["Name: \"Ada\"", "Password: \"[secret]\""]);
}

#[test]
fn links_searches_filters_and_typing_are_never_risky() {
    let shop = || {
        page("/shop", "Shop")
            .link("Orders", "/orders")
            .link("Buy", "/p/1")
            .form("get", "/search")
            .input("Search", "search")
            .button("Search")
            .end_form()
            .form("get", "/shop")
            .select("Brand", &["All", "Acme"])
            .number("Maximum price", "100")
            .button("Submit")
            .end_form()
            .form("post", "/shop/filter")
            .select("Colour", &["All", "Blue"])
            .button("Apply filters")
            .end_form()
            .link("Next page", "/shop?page=2")
            .script_button("Menu")
            .section("navigation")
            .script_button("Electronics")
    };
    for name in ["Orders", "Buy", "Submit", "Apply filters", "Next page", "Menu", "Electronics"] {
        assert!(!click(shop(), name).committing, "{name}");
    }
    assert!(!enter_in(shop(), "Search").committing);
    let observation = finished(shop());
    let field = observation.elements.iter().find(|element| element.role == "searchbox").expect("the box").target();
    for action in [
        Action::Type { target: field, text: TypedText::Plain("pay now".to_owned()) },
        Action::Scroll { direction: ScrollDirection::Down },
        Action::Back,
        Action::Wait { ms: 100 },
    ] {
        assert!(!judge(&action, &observation).committing, "{action:?}");
    }
}

#[test]
fn carts_and_steps_of_a_checkout_are_not_risky() {
    let shop = page("/p", "Mug").form("post", "/cart").select("Size", &["S", "L"]).button("Add to basket").end_form();
    assert!(!click(shop, "Add to basket").committing);
    let details = || {
        page("/c", "Checkout")
            .form("post", "/review")
            .field("Full name")
            .field("Address")
            .button("Continue to payment")
            .end_form()
    };
    assert!(!click(details(), "Continue to payment").committing);
    assert!(!enter_in(details(), "Address").committing);
    let cart = page("/cart", "Cart").form("post", "/checkout").button("Proceed to checkout").end_form();
    assert!(!click(cart, "Proceed to checkout").committing);
}

#[test]
fn payment_details_make_every_way_on_risky() {
    let pay =
        || page("/c", "Payment").form("post", "/next").field("Card number").field("CVC").button("Continue").end_form();
    assert!(click(pay(), "Continue").committing);
    assert!(enter_in(pay(), "CVC").committing);
}

#[test]
fn an_unknown_post_is_risky_and_enter_counts_like_the_button() {
    let form = || page("/f", "Something").form("post", "/api/go").field("Nickname").button("Frobnicate").end_form();
    assert!(click(form(), "Frobnicate").committing);
    assert!(enter_in(form(), "Nickname").committing);
}

#[test]
fn enter_in_a_text_area_makes_a_line() {
    let form = page("/f", "Contact").form("post", "/send").area("Message").button("Send").end_form();
    assert!(!enter_in(form, "Message").committing);
}

#[test]
fn signing_in_and_out_are_not_risky_but_registering_is() {
    let login = || {
        page("/l", "Log in")
            .form("post", "/session")
            .input("Email", "email")
            .input("Password", "password")
            .checkbox("Remember me")
    };
    assert!(!click(login().button("Sign in").end_form(), "Sign in").committing);
    assert!(!enter_in(login().button("Continue").end_form(), "Password").committing);
    assert!(click(login().field("Full name").button("Register").end_form(), "Register").committing);
    assert!(!click(page("/a", "Account").form("post", "/logout").button("Log out").end_form(), "Log out").committing);
}

#[test]
fn changing_a_password_is_risky() {
    let form = page("/s", "Settings")
        .form("post", "/password")
        .input("Current password", "password")
        .input("New password", "password")
        .button("Save")
        .end_form();
    assert!(click(form, "Save").committing);
}

#[test]
fn script_buttons_are_judged_by_verb_and_entries() {
    assert!(click(page("/", "Shop").script_button("Buy now"), "Buy now").committing);
    assert!(click(page("/", "Posts").script_button("Delete"), "Delete").committing);
    assert!(!click(page("/", "Posts").script_button("Show details"), "Show details").committing);
    let filled = |name: &str| {
        click(
            value(page("/", "Quote").field("Full name"), "Ada").script_button("Get my rate").script_button("Menu"),
            name,
        )
    };
    assert!(filled("Get my rate").committing);
    assert!(!filled("Menu").committing);
}

#[test]
fn a_form_without_a_method_that_a_script_takes_over_is_risky() {
    let form = value(page("/", "Order").form("get", "/").field("Full name"), "Ada").button("Place order").end_form();
    assert!(click(form, "Place order").committing);
    let unknown = value(page("/", "Quote").form("get", "/").field("Full name"), "Ada").button("Get my rate").end_form();
    assert!(click(unknown, "Get my rate").committing);
}

#[test]
fn links_that_change_something_by_themselves_are_risky() {
    let mails = || {
        page("/", "Mail")
            .link("Unsubscribe", "/u?id=4")
            .link("Remove", "/items/4/delete")
            .link("Delete this post", "/p/4")
            .link("How deletion works", "/help")
    };
    for name in ["Unsubscribe", "Remove", "Delete this post"] {
        assert!(click(mails(), name).committing, "{name}");
    }
    assert!(!click(mails(), "How deletion works").committing);
}

#[test]
fn a_consent_banner_is_not_risky_but_the_word_cookie_does_not_launder_an_order() {
    let banner = page("/", "News").section("dialog Cookies").script_button("Accept all").near("We use cookies");
    assert!(!click(banner, "Accept all").committing);
    let order = page("/", "Bakery")
        .form("post", "/order")
        .field("Name")
        .button("Accept and pay")
        .near("Our cookies are fresh")
        .end_form();
    assert!(click(order, "Accept and pay").committing);
    let contract = page("/", "Bakery")
        .form("post", "/contract")
        .field("Name")
        .button("Accept")
        .near("cookies for a year")
        .end_form();
    assert!(click(contract, "Accept").committing);
}

#[test]
fn other_languages_are_known() {
    for (path, name, risky) in [
        ("/x", "Jetzt kaufen", true),
        ("/x", "Zahlungspflichtig bestellen", true),
        ("/x", "Envoyer", true),
        ("/x", "Realizar pedido", true),
        ("/x", "Conferma", true),
        ("/x", "Weiter", true),
        ("/kasse/adresse", "Weiter", false),
        ("/suche", "Suchen", false),
    ] {
        let form = page("/", "Laden").form("post", path).field("Farbe").button(name).end_form();
        assert_eq!(click(form, name).committing, risky, "{path} {name}");
    }
    let cart = page("/", "Laden").form("post", "/warenkorb").button("In den Warenkorb").end_form();
    assert!(!click(cart, "In den Warenkorb").committing);
}

#[test]
fn an_element_that_is_gone_counts_as_risky_unless_its_name_is_harmless() {
    let shown = finished(page("/", "Shop").script_button("Place order").script_button("Next"));
    let gone = finished(page("/", "Shop").text("Something else"));
    for (at, risky) in [(0, true), (1, false)] {
        let action = Action::Click { target: shown.elements[at].target() };
        assert_eq!(judge(&action, &gone).committing, risky);
    }
}

#[test]
fn what_a_form_does_counts_more_than_its_words() {
    let cart = page("/p", "Producto").form("post", "/cart/add").number("Cantidad", "1").button("Comprar").end_form();
    assert!(!click(cart, "Comprar").committing);
    let other = page("/p", "Producto").form("post", "/comprar").number("Cantidad", "1").button("Comprar").end_form();
    assert!(click(other, "Comprar").committing);
    let quiet = page("/x", "Step").form("post", "/orders/place-order").button("Continue").end_form();
    assert!(click(quiet, "Continue").committing);
}

#[test]
fn inflected_words_in_long_names_do_not_commit() {
    // Boxes that only look clickable: of a real button, an unknown name would be enough.
    let name = |page: Page, name: &str| page.script_button(name).with(|element| element.tag = "div".to_owned());
    let list = || {
        let offers = name(page("/", "Offers"), "Posted in Sialkot");
        name(name(offers, "Livraison: Pays-Bas"), "Jeans lightly destroyed")
    };
    for name in ["Posted in Sialkot", "Livraison: Pays-Bas", "Jeans lightly destroyed"] {
        assert!(!click(list(), name).committing, "{name}");
    }
}

#[test]
fn a_script_button_that_says_that_it_opens_a_form_is_not_risky() {
    for name in ["Sign up", "Subscribe", "Book now", "Share"] {
        let button = || page("/", "Start").script_button(name);
        assert!(click(button(), name).committing, "{name}");
        assert!(!click(button().with(|element| element.opens = true), name).committing, "{name}");
    }
}

#[test]
fn words_that_nobody_knows_are_risky_unless_the_structure_shows_them_harmless() {
    for name in ["Kjøp nå", "購入する", "Αγορά τώρα", "Frobnicate"] {
        let button = || page("/", "Shop").script_button(name);
        assert!(click(button(), name).committing, "{name}");
        let tool = button().with(|element| element.widget = Some("toolbar".to_owned()));
        assert!(!click(tool, name).committing, "{name}");
        assert!(!click(button().with(|element| element.checked = Some(false)), name).committing, "{name}");
        assert!(!click(page("/", "Shop").section("navigation").script_button(name), name).committing, "{name}");
    }
    let costly = page("/", "Shop").script_button("Frobnicate $5").with(|element| element.opens = true);
    assert!(click(costly, "Frobnicate $5").committing);
}

#[test]
fn what_a_button_shows_counts_beside_its_name_for_screen_readers() {
    let search = page("/", "Shop").script_button("Search");
    let risk = click(search.with(|element| element.shown_text = Some("Pay $12.50".to_owned())), "Search");
    assert!(risk.committing);
    assert!(risk.prompt.contains("which shows \"Pay $12.50\""), "{}", risk.prompt);
}

#[test]
fn the_button_of_a_review_page_is_risky_whatever_its_name() {
    let review = || {
        page("/r", "Quote")
            .text("Review your details\nJohn Smith")
            .script_button("Looks good")
            .section("navigation")
            .script_button("Topics")
    };
    assert!(click(review(), "Looks good").committing);
    assert!(!click(review(), "Topics").committing);
}

#[test]
fn enter_is_labelled_with_the_button_it_presses() {
    let form = page("/f", "Feedback").form("post", "/send").field("Nickname").button("Send feedback").end_form();
    let risk = enter_in(form, "Nickname");
    assert!(risk.committing);
    assert_eq!((risk.label.as_str(), risk.prompt.as_str()), ("Send feedback", "Approve: press Enter on Feedback?"));
}

#[test]
fn a_harmless_name_does_not_hide_what_a_form_does() {
    let job = page("/job", "Apply")
        .form("post", "/jobs/4")
        .field("Full name")
        .input("Email", "email")
        .button("Apply")
        .end_form();
    assert!(click(job, "Apply").committing);
    let filter =
        page("/shop", "Shop").form("post", "/shop").select("Colour", &["All", "Blue"]).button("Apply").end_form();
    assert!(!click(filter, "Apply").committing);
    let hidden = page("/x", "Account").form("post", "/account/delete").button("Search").end_form();
    assert!(click(hidden, "Search").committing);
}
